"""What a file holds, taken from its text twin, to prove an answer before it is timed."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from measure import WrongAnswerError
from ntriples import folded
from places import twin


@dataclass(frozen=True)
class Answer:
    rows: int
    digest: str


def answer(rows: Iterable[Iterable[str]]) -> Answer:
    """The number of rows and a hash of their terms, in order."""
    digest = hashlib.sha256()
    count = 0
    for terms in rows:
        digest.update(folded(" ".join(terms) + " .\n").encode())
        count += 1
    return Answer(count, digest.hexdigest())


def lines(text: Path) -> list[str]:
    """Split at newlines only: str.splitlines knows others, which a literal may hold."""
    return text.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def of_text(path: Path) -> Answer:
    """The statements of an N-Triples or N-Quads file."""
    return answer([line.removesuffix(" .")] for line in lines(path))


@cache
def of_rdf(jelly: Path) -> Answer:
    """The statements of a Jelly-RDF file of the corpus."""
    return of_text(twin(jelly, ".nt", ".nq"))


# Jena, which made the binary files, drops the first character of a blank node label.
LABEL = re.compile(r"(?<= _:)\w(?=\w+( |$))")


def changes(jelly_patch: Path) -> list[str]:
    """The A and D rows of a Jelly-Patch file of the corpus, as text without the full stop."""
    rows = lines(twin(jelly_patch, ".rdfp"))
    changed = (row.removesuffix(" .") for row in rows if row[:2] in ("A ", "D "))
    return [LABEL.sub("", row) for row in changed]


def require(who: str, expected: Answer, found: Answer) -> None:
    if not expected.rows:
        raise WrongAnswerError(f"{who}: nothing to compare with")
    if found != expected:
        raise WrongAnswerError(f"{who}: other text; {found.rows} rows, {expected.rows} expected")
