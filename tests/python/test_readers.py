"""Readers: batches, properties, their life."""

import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb
from jelly._frames import frames_in, length_of
from shared_data import shared

Read = Callable[..., jelly.RdfReader | jelly.PatchReader]


@pytest.fixture(params=["rdf", "patch"])
def kind(request: pytest.FixtureRequest) -> tuple[Read, bytes, int]:
    if request.param == "rdf":
        return jelly.read_rdf, jb.small_rdf(statements=100, frames=7), 100
    return jelly.read_patch, jb.small_patch(patches=7, adds=10), 7 * 15 - 1


def test_batches_hold_all_rows_in_order(kind: tuple[Read, bytes, int]) -> None:
    read, data, count = kind
    batches = list(read(data, batch_rows=8))
    assert [batch.num_rows for batch in batches[:-1]] == [8] * ((count - 1) // 8)
    assert sum(len(batch) for batch in batches) == count
    table = pa.Table.from_batches([pa.record_batch(batch) for batch in batches])
    assert table.column("seq").to_pylist() == list(range(count))
    assert batches[0].num_columns == len(batches[0].column_names) == table.num_columns
    assert batches[0].schema == read(data).schema
    assert repr(batches[0]).startswith("<jelly.RecordBatch: 8 rows")


def test_batches_that_end_with_frames_come_before_the_next_frame(
    kind: tuple[Read, bytes, int],
) -> None:
    read, data, count = kind
    frames = [length_of(frame) + frame for frame in frames_in(data)]
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        for taken, frame in enumerate(frames, 1):  # noqa: B007
            yield frame

    seen: list[tuple[int, int]] = []
    with read(pieces(), framing="delimited", batch_frames=True) as reader:
        seen.extend((taken, len(batch)) for batch in reader)
    assert [frame for frame, _ in seen] == list(range(1, 8))
    assert sum(rows for _, rows in seen) == count
    sizes = [len(batch) for batch in read(data, batch_frames=True, batch_rows=8)]
    assert (len(sizes), max(sizes), sum(sizes)) == (14, 8, count)


def test_any_batch_size_gives_the_same_rows(kind: tuple[Read, bytes, int]) -> None:
    read, data, count = kind
    whole = pa.table(read(data))
    assert whole.num_rows == count
    for size in (1, 2, 3, 10, 99, 1000):
        assert pa.table(read(data, batch_rows=size)).combine_chunks() == whole.combine_chunks()
    small = pa.table(read(data, batch_bytes=64))
    assert small.combine_chunks() == whole.combine_chunks()
    assert small.column(0).num_chunks > 3


def test_rdf_rows_hold_what_the_stream_says() -> None:
    rows = [
        jb.rdf_options(jb.QUADS, star=1),
        jb.rdf_entry("prefix", "http://e/"),
        jb.rdf_entry("name", "a"),
        jb.rdf_entry("name", "b"),
        jb.rdf_entry("datatype", "http://e/type"),
        {6: {1: "ex", 2: jb.iri(1, 1)}},
        jb.quad(s_iri=jb.iri(1), p_iri=jb.iri(2), o_literal=jb.literal("x", "en"), g_default={}),
        jb.quad(o_literal=jb.literal('"\n', datatype=1), g_bnode="g"),
        jb.quad(o_triple=jb.statement(s_bnode="q", p_iri=jb.iri(1), o_literal=jb.literal("z"))),
    ]
    data = jb.delimited(jb.frame(*rows, metadata={"k": b"\0v"}))
    reader = jelly.read_rdf(data, source_name="mine")
    found = [row[3:] for row in reader.rows()]
    assert found == [
        ("<http://e/a>", "<http://e/b>", '"x"@en', ""),
        ("<http://e/a>", "<http://e/b>", r'"\"\n"^^<http://e/type>', "_:g"),
        ("<http://e/a>", "<http://e/b>", '<<( _:q <http://e/a> "z" )>>', "_:g"),
    ]
    assert reader.namespaces == {"ex": "http://e/a"}
    assert reader.metadata == {"k": b"\0v"}
    assert reader.position == (0, 3, len(data))


def test_terms_as_structs() -> None:
    reader = jelly.read_rdf(jb.small_rdf(2), terms="struct", columns=["object", "graph"])
    table = pa.table(reader)
    assert table.schema.field("object").type == pa.struct(
        [(name, pa.string()) for name in ("kind", "value", "datatype", "language")]
    )
    empty = {"datatype": None, "language": None}
    assert table.to_pylist()[1] == {
        "object": {"kind": "literal", "value": "1"} | empty,
        "graph": {"kind": "default", "value": ""} | empty,
    }


def test_columns_come_in_the_order_asked_for() -> None:
    reader = jelly.read_rdf(jb.small_rdf(2), columns=("object", "seq"))
    assert reader.schema.names == ("object", "seq")
    assert pa.table(reader).to_pydict() == {"object": ['"0"', '"1"'], "seq": [0, 1]}


def test_no_columns_still_have_rows() -> None:
    (batch,) = jelly.read_rdf(jb.small_rdf(5), columns=[])
    assert (batch.num_rows, batch.num_columns) == (5, 0)


def test_source_column_names_the_source() -> None:
    named = pa.table(jelly.read_rdf(jb.small_rdf(2), source_name="topic/3"))
    assert named.column("source").to_pylist() == ["topic/3"] * 2
    assert pa.table(jelly.read_rdf(jb.small_rdf(2))).column("source").null_count == 2


def test_blank_nodes_are_scoped_by_source() -> None:
    rows = [jb.rdf_options(names=8), jb.rdf_entry("name", "urn:p")]
    rows.append(jb.triple(s_bnode="b", p_iri=jb.iri(1), o_bnode="b"))
    data = jb.delimited(jb.frame(*rows))
    labels = set()
    for name in ("one", "two", "one"):
        (row,) = jelly.read_rdf(data, blank_nodes="scoped", source_name=name).rows()
        assert row.subject == row.object != "_:b"
        labels.add(row.subject)
    assert len(labels) == 2


def test_scopes_of_streams_of_other_types_are_apart() -> None:
    def stream(logical: int, *labels: str) -> bytes:
        first = [jb.rdf_options(logical=logical), jb.rdf_entry("name", "urn:p", 1)]
        rows = [jb.triple(s_bnode=one, p_iri=jb.iri(1), o_bnode=one) for one in labels]
        return jb.delimited(jb.frame(*first), *map(jb.frame, rows))

    flat, grouped = 1, 3
    data = stream(flat, "b", "f1_b") + stream(grouped, "b", "b") + stream(flat, "b", "c", "f1_b")
    rows = list(jelly.read_rdf(data, framing="concatenated", blank_nodes="scoped").rows())
    assert all(row.subject == row.object for row in rows)
    before, elements, after = rows[:2], rows[2:4], rows[4:]
    assert [row.subject for row in after[::2]] == [row.subject for row in before]
    names = [row.subject for row in [*elements, *after]]
    assert len(set(names)) == 5
    alone = list(jelly.read_rdf(stream(grouped, "f1_b", "b"), blank_nodes="scoped").rows())
    other = list(jelly.read_rdf(stream(flat, "f1_b", "f1_f1_b", "b"), blank_nodes="scoped").rows())
    assert not {row.subject for row in alone} & {row.subject for row in other}


def test_committed_rows_are_those_that_change_something() -> None:
    rows = [
        jb.patch_options(jb.FLAT, jb.TRIPLES),
        jb.patch_entry("name", "urn:x"),
        jb.header("id", literal=jb.literal("1")),
        jb.BEGIN,
        jb.add(s_iri=jb.iri(1), p_iri=jb.iri(1), o_literal=jb.literal("kept")),
        jb.COMMIT,
        jb.BEGIN,
        jb.add(o_literal=jb.literal("aborted")),
        jb.ABORT,
        jb.delete(o_literal=jb.literal("outside")),
    ]
    data = jb.delimited(jb.frame(*rows))
    columns = ["op", "subject", "object"]
    found = pa.table(jelly.read_patch(data, rows="committed", columns=columns)).to_pylist()
    assert [(row["op"], row["object"]) for row in found] == [("A", '"kept"'), ("D", '"outside"')]
    assert {row["subject"] for row in found} == {"<urn:x>"}
    # from a source that cannot be read twice
    again = jelly.read_patch(iter([data[:20], data[20:]]), rows="committed", columns=columns)
    assert pa.table(again).to_pylist() == found


def test_permissive_reader_ends_with_a_row_about_the_error() -> None:
    data = jb.small_rdf(5)[:-2]
    table = pa.table(jelly.read_rdf(data, mode="permissive", source_name="cut"))
    corrupt = table.column("_corrupt_record").to_pylist()
    assert corrupt[:-1] == [None] * 4
    assert corrupt[-1].startswith("truncated.frame: ")
    assert "(cut: frame 0, row 8, byte " in corrupt[-1]
    assert table.column("object").to_pylist() == ['"0"', '"1"', '"2"', '"3"', None]


def test_permissive_reader_takes_another_format_as_corrupt() -> None:
    rows: list[Any] = list(jelly.read_rdf(jb.small_patch(), mode="permissive").rows())
    assert rows[0].corrupt_record.startswith("options.format: this is Jelly-Patch")
    assert len(rows) == 1


def test_batches_from_a_reader_after_its_error_are_none() -> None:
    reader = jelly.read_rdf(jb.small_rdf(5)[:-2])
    assert next(reader).num_rows == 4
    with pytest.raises(jelly.errors.TruncatedError):
        next(reader)
    assert list(reader) == []
    with pytest.raises(ValueError, match="read to its end"):
        pa.table(reader)


def test_closing_ends_everything(kind: tuple[Read, bytes, int]) -> None:
    read, data, _ = kind
    with read(data, batch_rows=2) as reader:
        assert not reader.closed
        rows = reader.rows()
        next(rows)
    assert reader.closed
    reader.close()
    for use in (lambda: next(reader), lambda: pa.table(reader), reader.snapshot):
        with pytest.raises(ValueError, match="closed"):
            use()
    next(rows)  # was decoded before
    with pytest.raises(ValueError, match="closed"):
        next(rows)
    assert reader.options is not None


def test_a_read_reader_lets_go_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    path.write_bytes(jb.small_rdf(10))
    reader = jelly.read_rdf(path)
    assert sum(batch.num_rows for batch in reader) == 10
    path.unlink()
    if OPEN_FILES.is_dir():
        assert not any("a.jelly" in name for name in open_files())
    assert reader.position.seq == 10


OPEN_FILES = Path("/proc/self/fd")


def open_files() -> list[str]:
    found = []
    for link in OPEN_FILES.iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(link.readlink()))
    return found


def test_empty_input_has_no_rows(kind: tuple[Read, bytes, int]) -> None:
    read, _, _ = kind
    reader = read(b"")
    assert reader.options is None
    assert pa.table(reader).num_rows == 0
    assert (reader.namespaces, reader.metadata, reader.position) == ({}, {}, (None, 0, 0))


def test_snapshot_goes_on_elsewhere(kind: tuple[Read, bytes, int]) -> None:
    read, data, count = kind
    whole = pa.table(read(data)).to_pylist()
    for size in (1, 5, 13):
        seen: list[object] = []
        reader = read(data, batch_rows=size)
        for batch in reader:
            seen += pa.record_batch(batch).to_pylist()
            rest = read(data[reader.position.offset :], resume=reader.snapshot())
            assert rest.position == reader.position
            assert rest.options == reader.options
            if reader.position.offset < len(data):
                assert seen + pa.table(rest).to_pylist() == whole
        assert len(seen) == count


def test_snapshot_waits_for_rows_to_be_used() -> None:
    reader = jelly.read_rdf(jb.small_rdf(3000))
    rows = reader.rows()
    reader.snapshot()
    for _ in range(2999):
        next(rows)
        with pytest.raises(ValueError, match="no snapshot can be taken now"):
            reader.snapshot()
    next(rows)
    assert reader.snapshot()
    other = jelly.read_rdf(jb.small_rdf(10)).rows()
    next(other)
    del rows, other
    gc.collect()
    assert reader.snapshot()


def test_snapshot_is_refused_where_it_cannot_be() -> None:
    reader = jelly.read_patch(jb.small_patch(), rows="committed")
    with pytest.raises(ValueError, match="rows="):
        reader.snapshot()
    snapshot = jelly.read_rdf(jb.small_rdf()).snapshot()
    with pytest.raises(jelly.errors.OptionsError, match=r"options\.snapshot"):
        jelly.read_patch(b"", resume=snapshot)
    with pytest.raises(jelly.errors.OptionsError, match="checksum"):
        jelly.read_rdf(b"", resume=snapshot[:-1] + b"?")
    with pytest.raises(ValueError, match="resume"):
        jelly.read_patch(b"", resume=snapshot, rows="committed")


def test_scoped_labels_survive_a_snapshot() -> None:
    """The logical type, which decides about scopes, comes before the snapshot."""
    options = jb.rdf_options(logical=3)
    first = jb.frame(
        options, jb.rdf_entry("name", "urn:p"), jb.triple(s_bnode="b", p_iri=jb.iri(1), o_bnode="b")
    )
    data = jb.delimited(first, jb.frame(jb.triple(o_bnode="c")))
    how: Any = {"blank_nodes": "scoped", "source_name": "a"}
    whole = list(jelly.read_rdf(data, **how).rows())
    assert whole[0].subject != whole[1].subject
    reader = jelly.read_rdf(data, **how, batch_rows=1)
    next(reader)
    rest, snapshot = data[reader.position.offset :], reader.snapshot()
    assert list(jelly.read_rdf(rest, **how, resume=snapshot).rows()) == whole[1:]
    # the rest of bytes without a name is not known to be of those bytes
    with pytest.raises(ValueError, match="source_name"):
        jelly.read_rdf(rest, blank_nodes="scoped", resume=snapshot)


def test_source_that_reads_its_own_reader_is_an_error() -> None:
    def pieces() -> Iterator[bytes]:
        yield jb.small_rdf(1)
        next(reader)

    reader = jelly.read_rdf(pieces())
    assert next(reader).num_rows == 1
    with pytest.raises(RuntimeError, match="already using the reader"):
        next(reader)


def test_schemas() -> None:
    assert pa.schema(jelly.PATCH_SCHEMA).names == list(jelly.PatchRow._fields)
    assert pa.schema(jelly.RDF_SCHEMA).names == list(jelly.RdfRow._fields)
    assert all(field.nullable for field in pa.schema(jelly.PATCH_SCHEMA))
    assert jelly.RDF_SCHEMA_DDL == (
        "source string, frame bigint, seq bigint, "
        "subject string, predicate string, object string, graph string"
    )
    assert jelly.PATCH_SCHEMA.ddl == jelly.PATCH_SCHEMA_DDL
    some = jelly.Schema("patch", ["op", "object"], terms="struct", permissive=True)
    assert some.names == ("op", "object", "_corrupt_record")
    assert len(some) == 3
    assert (
        some
        == jelly.read_patch(b"", columns=["op", "object"], terms="struct", mode="permissive").schema
    )
    assert some != jelly.PATCH_SCHEMA
    assert hash(jelly.Schema("rdf")) == hash(jelly.RDF_SCHEMA)
    assert "struct<kind: string" in some.ddl
    assert "patch bigint" in repr(jelly.PATCH_SCHEMA)


@pytest.mark.parametrize(
    ("file", "rows"),
    [
        ("bsbm-50k.jelly.gz", 50_000),
        ("vocab-open.jelly.gz", 118_489),
        ("mixed-50k.jelly.gz", 50_000),
    ],
)
def test_corpus_rdf(file: str, rows: int) -> None:
    reader = jelly.read_rdf(shared(f"corpus/{file}"))
    assert pa.table(reader).num_rows == rows


def test_corpus_patch() -> None:
    reader = jelly.read_patch(shared("corpus/brick-versions.jellyp.gz"))
    table = pa.table(reader)
    assert table.num_rows == 114_990
    assert table.column("patch").to_pylist()[-1] == 5
    committed = jelly.read_patch(shared("corpus/brick-versions.jellyp.gz"), rows="committed")
    assert pa.table(committed).num_rows == 114_955
