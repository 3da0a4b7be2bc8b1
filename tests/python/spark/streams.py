"""Streams of statements ``_:subject <p> "n"``, n from 0, in frames of 100 rows."""

from __future__ import annotations

from collections.abc import Iterable

from jellybytes import (
    ABORT,
    BEGIN,
    COMMIT,
    FLAT,
    TRIPLES,
    Fields,
    add,
    delete,
    delimited,
    frame,
    iri,
    literal,
    patch_entry,
    patch_options,
    rdf_entry,
    rdf_options,
    triple,
)

MARKS = {"TX": BEGIN, "TC": COMMIT, "TA": ABORT}
PREDICATE = "p"


def patch(ops: Iterable[str], subject: str = "s") -> bytes:
    """One patch; ``n`` counts all operations."""
    rows = [patch_options(FLAT, TRIPLES), patch_entry("name", PREDICATE)]
    return framed(rows + [patch_row(op, subject, n) for n, op in enumerate(ops)])


def patch_row(op: str, subject: str, n: int) -> Fields:
    if op in MARKS:
        return MARKS[op]
    return {"A": add, "D": delete}[op](**terms(subject, n))


def row_length(op: str, subject: str, n: int) -> int:
    """Bytes that the row takes in its frame."""
    return len(frame(patch_row(op, subject, n)))


def rdf(count: int, subject: str = "s") -> bytes:
    rows = [rdf_options(), rdf_entry("name", PREDICATE)]
    return framed(rows + [triple(**terms(subject, n)) for n in range(count)])


def terms(subject: str, n: int) -> dict[str, object]:
    return {"s_bnode": subject, "p_iri": iri(1), "o_literal": literal(str(n))}


def framed(rows: list[Fields]) -> bytes:
    return delimited(*(frame(*rows[i : i + 100]) for i in range(0, len(rows), 100)))
