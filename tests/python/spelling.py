"""How language tags are spelled after a log: cases for every door."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A log of one quad; each patch is its rows, and objects stand for the quad."""

    name: str
    base: str | None
    log: list[list[str]]
    after: str | None
    added: int = 0
    deleted: int = 0


NESTED = '<<( <a:s> <a:p> "x"@{} )>>'
CASES = [
    Case("added in another case", '"x"@en-GB', [['A "x"@EN-gb']], '"x"@EN-gb'),
    Case("added in lower case", '"x"@EN', [['A "x"@en']], '"x"@en'),
    Case("deleted and added", '"x"@en', [['D "x"@en', 'A "x"@EN']], '"x"@EN'),
    Case("deleted in another case", '"x"@en', [['D "x"@EN']], None, deleted=1),
    Case("added and deleted", '"x"@en', [['A "x"@EN', 'D "x"@En']], None, deleted=1),
    Case("added twice", '"x"@en', [['A "x"@EN', 'A "x"@En']], '"x"@En'),
    Case("new, added twice", None, [['A "x"@EN', 'A "x"@en']], '"x"@en', added=1),
    Case("in several patches", '"x"@en', [['D "x"@en'], ['A "x"@EN'], ['A "x"@eN']], '"x"@eN'),
    Case("aborted", '"x"@en', [["TX", 'A "x"@EN', "TA"]], '"x"@en'),
    Case("in a triple", NESTED.format("en"), [[f"A {NESTED.format('EN')}"]], NESTED.format("EN")),
    Case("with a direction", '"x"@en--ltr', [['A "x"@EN--ltr']], '"x"@EN--ltr'),
]
PATCHES = max(len(case.log) for case in CASES)


def quad(number: int, item: str) -> str:
    """The statement of a case, which has a subject of its own."""
    return f"<c:{number}> <a:p> {item} ."


def base_of(cases: dict[int, Case]) -> bytes:
    """The statements before the log, as N-Quads."""
    lines = [quad(number, case.base) for number, case in cases.items() if case.base is not None]
    return "".join(f"{line}\n" for line in lines).encode()


def after_of(cases: dict[int, Case]) -> list[str]:
    """The statements after the log, as sorted lines."""
    return sorted(quad(number, case.after) for number, case in cases.items() if case.after)


def log_of(cases: dict[int, Case]) -> list[bytes]:
    """The patches of all cases, as RDF Patch with ids."""
    patches = []
    for place in range(PATCHES):
        lines = [f"H id <u:{place + 1}> .", f"H prev <u:{place}> ."]
        for number, case in cases.items():
            for row in case.log[place] if place < len(case.log) else []:
                op, _, item = row.partition(" ")
                lines.append(f"{op} {quad(number, item)}" if item else f"{op} .")
        patches.append("".join(f"{line}\n" for line in lines).encode())
    return patches


ALL = dict(enumerate(CASES))
ADDED = sum(case.added for case in CASES)
DELETED = sum(case.deleted for case in CASES)
