"""Small streams, made byte by byte, so that tests know what is in them."""

from __future__ import annotations

from collections.abc import Iterable

# Fields of RdfPatchRow and RdfStreamRow.
PATCH_OPTIONS, ADD, DELETE, BEGIN, COMMIT, ABORT, PATCH_NAME = 1, 2, 3, 6, 7, 8, 11
RDF_OPTIONS, TRIPLE, RDF_NAME = 1, 2, 9

PREDICATE = "http://example.org/p"
OPS = {"A": ADD, "D": DELETE, "TX": BEGIN, "TC": COMMIT, "TA": ABORT}


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def row(number: int, message: bytes = b"") -> bytes:
    return field(1, field(number, message))


def frames(rows: Iterable[bytes], per_frame: int) -> bytes:
    """Rows in delimited frames."""
    rows = list(rows)
    parts = [b"".join(rows[i : i + per_frame]) for i in range(0, len(rows), per_frame)]
    return b"".join(varint(len(part)) + part for part in parts)


def statement(subject: str, value: int) -> bytes:
    """`_:subject <http://example.org/p> "value"`, with the predicate's name at id 1."""
    return field(2, subject) + field(5, field(2, 1)) + field(11, field(1, str(value)))


def patch(ops: Iterable[str], subject: str = "s", per_frame: int = 100) -> bytes:
    """A FLAT stream of triples; the objects of A and D count from 0."""
    options = field(1, 1) + field(2, 2) + field(9, 8) + field(15, 1)
    rows = [row(PATCH_OPTIONS, options), row(PATCH_NAME, field(2, PREDICATE))]
    for number, op in enumerate(ops):
        rows.append(row(OPS[op], statement(subject, number) if op in "AD" else b""))
    return frames(rows, per_frame)


def rdf(count: int, subject: str = "s", per_frame: int = 100) -> bytes:
    """A stream of triples; the objects count from 0."""
    options = field(2, 1) + field(9, 8) + field(14, 1) + field(15, 1)
    rows = [row(RDF_OPTIONS, options), row(RDF_NAME, field(2, PREDICATE))]
    rows += [row(TRIPLE, statement(subject, number)) for number in range(count)]
    return frames(rows, per_frame)
