"""Rows as named tuples."""

import pickle
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
