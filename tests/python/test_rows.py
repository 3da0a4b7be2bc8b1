"""Rows as named tuples."""

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb
from shared_data import shared


def test_rows_are_named_tuples_in_schema_order() -> None:
    row: Any = next(jelly.read_rdf(jb.small_rdf(1)).rows())
    assert type(row) is jelly.RdfRow
    assert isinstance(row, tuple)
    assert tuple(row) == (None, 0, 0, "<http://e/s>", "<http://e/p>", '"0"', "")
    assert row._fields == jelly.RDF_SCHEMA.names
    assert row._asdict()["object"] == row.object == '"0"'
    assert row._replace(seq=7).seq == 7
    assert repr(row).startswith("RdfRow(source=None, frame=0,")
    assert jelly.PatchRow._fields == jelly.PATCH_SCHEMA.names


def test_patch_rows() -> None:
    ops = [row.op for row in jelly.read_patch(jb.small_patch(2, 1)).rows()]
    assert ops == ["H", "TX", "A", "TC", "Z", "H", "H", "TX", "A", "TC", "Z"]


@pytest.mark.parametrize("size", [1, 7, 1024, 1025, 5000])
def test_rows_are_the_batches(size: int) -> None:
    data = jb.small_rdf(3000, 5)
    rows = list(jelly.read_rdf(data, batch_rows=size).rows())
    table = pa.table(jelly.read_rdf(data))
    assert [list(column) for column in zip(*rows, strict=True)] == [
        column.to_pylist() for column in table.columns
    ]


def test_texts_that_repeat_are_one_object() -> None:
    rows = list(jelly.read_rdf(jb.small_rdf(50)).rows())
    assert len({id(row.subject) for row in rows}) == 1
    assert len({row.object for row in rows}) == 50


def test_texts_are_right_whatever_repeats() -> None:
    """Texts of many lengths, in an order in which remembered ones come back."""
    texts = [("é" * n)[: n % 230] + str(n % 97) for n in range(2500)]
    rows = [jb.rdf_options(), jb.rdf_entry("name", "urn:p")]
    for n, text in enumerate(texts):
        terms = {"s_iri": jb.iri(1), "p_iri": jb.iri(1)} if n == 0 else {}
        rows.append(jb.triple(**terms, o_literal=jb.literal(text)))
    found = [row.object for row in jelly.read_rdf(jb.delimited(jb.frame(*rows))).rows()]
    assert found == [f'"{text}"' for text in texts]


def test_columns_make_a_class_of_their_own() -> None:
    rows: list[Any] = list(jelly.read_rdf(jb.small_rdf(2), columns=["object", "seq"]).rows())
    assert rows == [('"0"', 0), ('"1"', 1)]
    assert rows[0]._fields == ("object", "seq")
    assert type(rows[0]).__name__ == "RdfRow"
    other = next(iter(jelly.read_rdf(jb.small_rdf(2), columns=["object", "seq"]).rows()))
    assert type(other) is type(rows[0])
    rows = list(jelly.read_rdf(jb.small_rdf(2), columns=[]).rows())
    assert rows == [(), ()]


def test_struct_terms_are_terms() -> None:
    rows: list[Any] = list(jelly.read_patch(jb.small_patch(1, 1), terms="struct").rows())
    add = rows[2]
    assert add.object == jelly.Term("literal", "0", None, None)
    assert type(add.object) is jelly.Term
    assert add.graph == ("default", "", None, None)
    assert rows[0].subject is None


def test_permissive_rows_tell_of_the_error() -> None:
    rows: list[Any] = list(jelly.read_rdf(jb.small_rdf(3)[:-1], mode="permissive").rows())
    assert rows[0]._fields == (*jelly.RdfRow._fields, "corrupt_record")
    assert [row[-1] is None for row in rows] == [True, True, False]
    assert rows[-1][-1].startswith("truncated.frame")


@pytest.mark.parametrize("columns", [None, ["object", "seq"]])
def test_rows_can_be_pickled(columns: list[str] | None) -> None:
    rows: list[Any] = list(jelly.read_rdf(jb.small_rdf(2), columns=columns).rows())
    again = pickle.loads(pickle.dumps(rows))
    assert again == rows
    assert [type(row) for row in again] == [type(row) for row in rows]


def test_rows_before_an_error_come_first() -> None:
    rows = jelly.read_rdf(jb.small_rdf(5)[:-1]).rows()
    assert [next(rows).object for _ in range(4)] == ['"0"', '"1"', '"2"', '"3"']
    with pytest.raises(jelly.errors.TruncatedError):
        next(rows)
    assert list(rows) == []


def test_iterators_of_a_reader_share_its_rows() -> None:
    reader = jelly.read_rdf(jb.small_rdf(10), batch_rows=2)
    one, two = reader.rows(), reader.rows()
    seen = [next(one).seq, next(two).seq]
    seen += [seq for batch in reader for seq in pa.record_batch(batch).column("seq").to_pylist()]
    seen += [row.seq for row in one] + [row.seq for row in two]
    assert sorted(seen) == list(range(10))


def test_rows_of_the_corpus_are_the_table() -> None:
    path = shared("corpus/weather-cdc-2000tx.jellyp.gz")
    rows = list(jelly.read_patch(path).rows())
    table = pa.table(jelly.read_patch(path))
    assert len(rows) == 62_062
    assert rows == [tuple(row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize("taken", [0, 1, 255, 256, 257, 600, 700, 999, 1000])
def test_a_table_goes_on_where_the_last_row_was_taken(taken: int) -> None:
    data = jb.small_rdf(1000, 3)
    reader = jelly.read_rdf(data, batch_rows=700)
    seen = [row.seq for _, row in zip(range(taken), reader.rows(), strict=False)]
    assert seen + pa.table(reader).column("seq").to_pylist() == list(range(1000))
    with pytest.raises(ValueError, match="read to its end"):
        pa.table(reader)


def test_every_way_of_reading_goes_on_where_the_last_row_was_taken() -> None:
    reader = jelly.read_rdf(jb.small_rdf(1000, 3), batch_rows=400)
    seen = []
    for row in reader.rows():
        seen.append(row.seq)
        if len(seen) == 3:
            break
    seen.append(next(reader.rows()).seq)
    stream = pa.RecordBatchReader.from_stream(reader)
    seen += pa.record_batch(next(reader)).column("seq").to_pylist()
    seen.append(next(reader.rows()).seq)
    seen += stream.read_all().column("seq").to_pylist()
    assert seen == list(range(1000))


def test_a_reader_has_one_iterator_of_rows() -> None:
    reader = jelly.read_rdf(jb.small_rdf(10), batch_rows=5)
    first = reader.rows()
    assert next(first).seq == 0
    assert reader.rows() is first
    assert next(reader.rows()).seq == 1
    loop = iter(first)
    assert next(loop).seq == 2
    assert [row.seq for row in reader.rows()] == list(range(3, 10))
    assert [list(first), list(loop), list(reader)] == [[], [], []]


def test_what_else_is_read_takes_the_rows_of_an_iterator(tmp_path: Path) -> None:
    """A loop in the middle of a block does not give rows that a table or a writer has."""
    data = jb.small_patch(2, 5)
    count = len(pa.table(jelly.read_patch(data)))
    assert count > 10
    reader = jelly.read_patch(data)
    rows, loop = reader.rows(), iter(reader.rows())
    assert [next(rows).op, next(loop).op] == ["H", "TX"]
    assert len(pa.table(reader)) == count - 2
    assert [list(rows), list(loop)] == [[], []]
    reader = jelly.read_patch(data)
    loop = iter(reader.rows())
    next(loop)
    with jelly.PatchWriter(tmp_path / "x.jellyp") as writer:
        assert writer.write(reader) == count - 1
    assert list(loop) == []


@pytest.mark.parametrize("batch_rows", [1, 3, 700])
@pytest.mark.parametrize("how", ["text", "struct", "columns"])
def test_peek_takes_no_row(how: str, batch_rows: int) -> None:
    options: Any = {"columns": ["seq"]} if how == "columns" else {"terms": how}
    data = jb.small_rdf(600, 7)
    whole = list(jelly.read_rdf(data, **options).rows())
    reader = jelly.read_rdf(data, batch_rows=batch_rows, **options)
    loop, seen = iter(reader.rows()), list[Any]()
    while (row := reader.peek()) is not None:
        assert reader.peek() == row
        assert type(row) is type(whole[0])
        seen.append(next(loop) if len(seen) % 2 else next(reader.rows()))
        assert seen[-1] == row
    assert seen == whole
    reader = jelly.read_rdf(data, batch_rows=batch_rows)
    assert reader.peek() == jelly.read_rdf(data).peek()
    with pytest.raises(ValueError, match="no snapshot can be taken now"):
        reader.snapshot()
    assert pa.table(reader) == pa.table(jelly.read_rdf(data))
    assert reader.peek() is None


def test_an_error_behind_a_peek_comes_when_rows_are_taken() -> None:
    reader = jelly.read_rdf(jb.small_rdf(1)[:-1])
    assert reader.peek() is None
    assert reader.peek() is None
    with pytest.raises(jelly.errors.TruncatedError):
        next(reader)
    assert reader.peek() is None
    assert list(reader.rows()) == []
    assert jelly.read_rdf(b"").peek() is None
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.peek()


def test_a_closed_reader_gives_no_batch() -> None:
    reader = jelly.read_rdf(jb.small_rdf(10))
    next(reader.rows())
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        next(reader)


def test_no_snapshot_in_the_middle_of_a_batch() -> None:
    reader = jelly.read_rdf(jb.small_rdf(10))
    next(reader.rows())
    with pytest.raises(ValueError, match="no snapshot can be taken now"):
        reader.snapshot()
    assert len(next(reader)) == 9
    assert reader.snapshot()
