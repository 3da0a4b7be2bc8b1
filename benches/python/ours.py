"""Our side of each comparison: the wheel as installed, through its public doors."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import jelly
import truth

TRIPLE = ["subject", "predicate", "object"]
QUAD = [*TRIPLE, "graph"]
CHANGE = ["op", *QUAD]


def proven_to_arrow(path: Path) -> tuple[Callable[[], int], int]:
    """How to decode a corpus file to Arrow, and its rows, once it has given what the file holds."""
    data, columns = path.read_bytes(), columns_of(path)
    expected = truth.of_rdf(path)
    truth.require("rows to Arrow", expected, truth.answer(statements(data, columns)))
    return to_arrow(data, columns), expected.rows


def columns_of(path: Path) -> list[str]:
    """A file of triples has an empty graph column, which no peer writes either."""
    table = pa.table(jelly.read_rdf(path, columns=["graph"]))
    return QUAD if any(table["graph"].to_pylist()) else TRIPLE


def statements(data: bytes, columns: list[str]) -> Iterator[Iterator[str]]:
    return texts(pa.table(jelly.read_rdf(data, columns=columns)))


def changes(data: bytes, **options: Any) -> Iterator[Iterator[str]]:
    table = pa.table(jelly.read_patch(data, columns=CHANGE, **options))
    return (
        row
        for row, op in zip(texts(table), table["op"].to_pylist(), strict=True)
        if op in ("A", "D")
    )


def written_rows(data: bytes, **options: Any) -> int:
    """Rows that are in the file: a Z that the stream only implies has a name."""
    table = pa.table(jelly.read_patch(data, columns=["op", "name"], **options))
    ops = zip(table["op"].to_pylist(), table["name"].to_pylist(), strict=True)
    return sum(1 for op, name in ops if op != "Z" or name is None)


def row_texts(data: bytes) -> Iterator[Iterator[str]]:
    for row in jelly.read_rdf(data).rows():
        yield filter(None, (row.subject, row.predicate, row.object, row.graph))


def to_arrow(data: bytes, columns: list[str]) -> Callable[[], int]:
    return lambda: sum(batch.num_rows for batch in jelly.read_rdf(data, columns=columns))


def patch_to_arrow(data: bytes, columns: list[str] = CHANGE, **options: Any) -> Callable[[], int]:
    return lambda: sum(
        batch.num_rows for batch in jelly.read_patch(data, columns=columns, **options)
    )


def to_rows(data: bytes) -> Callable[[], int]:
    return lambda: sum(1 for _ in jelly.read_rdf(data).rows())


def texts(table: pa.Table) -> Iterator[Iterator[str]]:
    """The terms of each row; the default graph is not written."""
    for terms in zip(*(column.to_pylist() for column in table.columns), strict=True):
        yield filter(None, terms)
