"""Arrow libraries take a reader as it is."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb

COUNT = 25_000
DATA = jb.small_rdf(COUNT, 50)
OBJECTS = [f'"{n}"' for n in range(COUNT)]


def reader() -> jelly.RdfReader:
    return jelly.read_rdf(DATA)


def test_pyarrow() -> None:
    table = pa.table(reader())
    assert table.column("object").to_pylist() == OBJECTS
    assert table.column("object").num_chunks == 3
    stream = pa.RecordBatchReader.from_stream(reader())
    assert stream.schema == pa.schema(jelly.RDF_SCHEMA)
    assert [batch.num_rows for batch in stream] == [10_000, 10_000, 5_000]
    batch = pa.record_batch(next(reader()))
    assert batch.validate(full=True) is None
    assert batch.schema == pa.schema(next(reader()).schema) == pa.schema(next(reader()))
    assert pa.RecordBatch.from_struct_array(pa.array(next(reader()))).equals(batch)


def test_requested_schema_is_passed_over() -> None:
    wanted = pa.schema([("object", pa.large_string())])
    stream = pa.RecordBatchReader.from_stream(reader(), schema=None)
    assert stream.schema != wanted
    capsule = reader().__arrow_c_stream__(wanted.__arrow_c_schema__())
    assert "arrow_array_stream" in repr(capsule)
    schema, array = next(reader()).__arrow_c_array__(requested_schema=wanted.__arrow_c_schema__())
    assert '"arrow_schema"' in repr(schema)
    assert '"arrow_array"' in repr(array)


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pa.table(reader()).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["object"].tolist() == OBJECTS


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(reader())
    assert frame["object"].to_list() == OBJECTS
    assert frame.columns == list(jelly.RDF_SCHEMA.names)
    structs = polars.DataFrame(jelly.read_rdf(DATA, terms="struct"))
    assert structs["object"].struct.field("value").to_list()[:2] == ["0", "1"]


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        relation = connection.from_arrow(reader())
        assert relation.aggregate("count(distinct object)").fetchall() == [(COUNT,)]
        statements = reader()
        found = connection.execute("select max(seq), count(*) from statements").fetchall()
        assert found == [(COUNT - 1, COUNT)]
        assert statements.position.seq == COUNT


def test_deltalake(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    path = str(tmp_path / "table")
    deltalake.write_deltalake(path, reader())
    deltalake.write_deltalake(path, jelly.read_rdf(jb.small_rdf(7)), mode="append")
    table = pa.table(deltalake.DeltaTable(path).to_pyarrow_table())
    assert table.num_rows == COUNT + 7
    assert sorted(table.column("object").to_pylist()) == sorted(OBJECTS + OBJECTS[:7])


def test_a_stream_has_what_is_left() -> None:
    left = jelly.read_rdf(DATA, batch_rows=10_000)
    next(left)
    table = pa.table(left)
    assert table.column("seq").to_pylist() == list(range(10_000, COUNT))
    assert (left.position.seq, left.namespaces) == (COUNT, {})


def test_a_reader_that_was_read_gives_no_second_stream() -> None:
    """A second table would be empty, and nobody would notice."""
    used = reader()
    pa.table(used)
    with pytest.raises(ValueError, match="read to its end"):
        pa.table(used)
    with pytest.raises(ValueError, match="read to its end"):
        used.__arrow_c_stream__()


def test_a_stream_that_nobody_reads_takes_nothing() -> None:
    kept = reader()
    kept.__arrow_c_stream__()
    assert pa.schema(kept) == pa.schema(jelly.RDF_SCHEMA)
    assert pa.table(kept).num_rows == COUNT


def test_a_stream_outlives_its_reader() -> None:
    stream = pa.RecordBatchReader.from_stream(reader())
    assert stream.read_all().num_rows == COUNT


def test_batches_outlive_their_reader() -> None:
    batches = [pa.record_batch(batch) for batch in reader()]
    assert pa.Table.from_batches(batches).column("object").to_pylist() == OBJECTS


def test_closing_the_reader_ends_its_stream() -> None:
    closed = reader()
    stream = pa.RecordBatchReader.from_stream(closed)
    stream.read_next_batch()
    closed.close()
    with pytest.raises(pa.ArrowInvalid, match="the reader is closed"):
        stream.read_next_batch()


@pytest.mark.parametrize("cut", [1, len(DATA) // 2])
def test_errors_come_through_as_their_line(cut: int) -> None:
    data = DATA[:-cut]
    stream: Any = pa.RecordBatchReader.from_stream(jelly.read_rdf(data, source_name="feed\0"))
    batches: list[pa.RecordBatch] = []
    with pytest.raises(pa.ArrowInvalid) as caught:
        batches.extend(stream)
    with pytest.raises(jelly.errors.TruncatedError) as own:
        list(jelly.read_rdf(data, source_name="feed\0").rows())
    assert str(caught.value) == str(own.value).replace("\0", "\\0")
    rows = sum(batch.num_rows for batch in batches)
    assert rows == len(list(jelly.read_rdf(data, mode="permissive").rows())) - 1 > 0


def test_exceptions_of_the_source_come_through_as_text() -> None:
    def pieces() -> Any:
        yield DATA[: len(DATA) // 2]
        raise RuntimeError("no more today")

    stream = pa.RecordBatchReader.from_stream(jelly.read_rdf(pieces()))
    with pytest.raises(OSError, match="RuntimeError: no more today"):
        stream.read_all()
