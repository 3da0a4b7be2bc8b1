"""batch_encoder: rows in, one column of streams or frames out."""

import pickle
from typing import Any, Literal

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb

UNITS = ["stream", "frame"]


def values(encoder: jelly.BatchEncoder, rows: pa.Table, size: int) -> list[bytes]:
    batches = list(encoder(iter(rows.to_batches(max_chunksize=size))))
    assert all(batch.schema == encoder.schema for batch in batches)
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def columns(table: pa.Table, names: list[str]) -> pa.Table:
    return table.select(names).combine_chunks()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_patches_are_never_cut(unit: Literal["stream", "frame"], size: int) -> None:
    rows = pa.table(jelly.read_patch(jb.small_patch(patches=7, adds=10)))
    encoder = pickle.loads(pickle.dumps(jelly.batch_encoder("patch", unit=unit, rows=20)))
    parts = values(encoder, rows, size)
    assert len(parts) == 4
    names = ["patch", "txn", "op", "subject", "object", "graph", "name"]
    if unit == "stream":
        tables = [pa.table(jelly.read_patch(part)) for part in parts]
        assert [table["patch"].to_pylist()[-1] for table in tables] == [1, 1, 1, 0]
        assert [table["op"].to_pylist()[-1] for table in tables] == ["Z"] * 4
        joined = pa.concat_tables(
            table.select(["op", "subject", "object", "graph"]) for table in tables
        )
        assert joined.combine_chunks() == columns(rows, ["op", "subject", "object", "graph"])
    else:
        stream = jb.delimited(*parts)
        assert columns(pa.table(jelly.read_patch(stream)), names[:-1]) == columns(rows, names[:-1])


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_statements(unit: Literal["stream", "frame"], size: int) -> None:
    rows = pa.table(jelly.read_rdf(jb.small_rdf(statements=100, frames=7)))
    encoder = jelly.batch_encoder("rdf", unit=unit, rows=30)
    parts = values(encoder, rows, size)
    terms = ["subject", "predicate", "object", "graph"]
    streams = parts if unit == "stream" else [jb.delimited(*parts)]
    read = pa.concat_tables(pa.table(jelly.read_rdf(stream)).select(terms) for stream in streams)
    assert read.combine_chunks() == columns(rows, terms)
    assert len(parts) >= 3


def test_no_rows_give_no_values() -> None:
    assert values(jelly.batch_encoder("rdf"), pa.table(jelly.read_rdf(b"")), 10) == []


def test_what_it_says_of_itself() -> None:
    encoder = jelly.batch_encoder("patch", column="a value")
    assert encoder.ddl == "`a value` binary"
    wrong: Any
    for wrong in ({"unit": "row"}, {"rows": 0}, {"delimited": True}, {"format": "nq"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            jelly.batch_encoder("patch", **wrong)
    with pytest.raises(TypeError):
        jelly.batch_encoder("patch", unknown=1)  # type: ignore[call-overload]
