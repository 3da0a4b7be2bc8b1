"""Writers: what goes in comes out, of every kind of input; errors; files whole or not at all."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import jelly
from jelly.errors import EncodeError, JellyError, TextError

QUADS = [
    ("<http://e/a#s>", "<http://e/p>", '"x"@en', "<http://e/g>"),
    ("<http://e/a#s>", "<http://e/p>", '"1"^^<http://e/int>', ""),
    ("_:b", "<http://e/p>", '"a\\n\\"b"', "_:g"),
    ("<<( <http://e/s> <http://e/p> _:b )>>", "<http://e/p>", '<<( _:b <u:p> "" )>>', ""),
    ("<\\u005F:x>", "<http://e/\\u0020>", "<_:a\\u0020b>", ""),
]
PATCH = [
    {"op": "H", "name": "id", "value": "<urn:x>"},
    {"op": "TX"},
    {"op": "PA", "name": "e", "value": "<http://e/>", "graph": ""},
    *({"op": "A", "subject": s, "predicate": p, "object": o, "graph": g} for s, p, o, g in QUADS),
    {"op": "TC"},
    {"op": "TX"},
    {"op": "D", "subject": "_:b", "predicate": "<u:p>", "object": '"o"', "graph": "<u:g>"},
    {"op": "PD", "name": "e", "graph": "<u:g>"},
    {"op": "TA"},
    {"op": "Z"},
    {"op": "A", "subject": "_:b", "predicate": "<u:p>", "object": '"o"', "graph": ""},
    {"op": "Z"},
]

PATCH_COLUMNS = pa.schema(
    [
        (name, pa.string())
        for name in ("op", "subject", "predicate", "object", "graph", "name", "value")
    ]
)


def quads(data: bytes, **options: Any) -> list[tuple[str, ...]]:
    return [
        (r.subject, r.predicate, r.object, r.graph) for r in jelly.read_rdf(data, **options).rows()
    ]


def patch(data: bytes, **options: Any) -> list[dict[str, str]]:
    rows = (row._asdict() for row in jelly.read_patch(data, **options).rows())
    dropped = ("source", "patch", "txn", "seq")
    return [
        {name: value for name, value in row.items() if value is not None and name not in dropped}
        for row in rows
    ]


def table() -> pa.Table:
    return pa.table(
        dict(
            zip(("subject", "predicate", "object", "graph"), zip(*QUADS, strict=True), strict=True)
        )
    )


def large(source: pa.Table) -> pa.Table:
    return source.cast(pa.schema([(name, pa.large_string()) for name in source.column_names]))


def dictionary(source: pa.Table) -> pa.Table:
    return pa.table({name: source[name].dictionary_encode() for name in source.column_names})


INPUTS: dict[str, Callable[[], Any]] = {
    "tuples": lambda: QUADS,
    "mappings": lambda: [dict(zip(("subject", "predicate", "object", "graph"), q, strict=True)) for q in QUADS],
    "rows": lambda: [jelly.RdfRow(None, 0, 0, *quad) for quad in QUADS],
    "generator": lambda: (quad for quad in QUADS),
    "batch": lambda: table().to_batches()[0],
    "table": table,
    "sliced": lambda: pa.concat_tables([table(), table()]).slice(len(QUADS), len(QUADS)),
    "chunked": lambda: pa.concat_tables([table()[:2], table()[2:]]),
    "large": lambda: large(table()),
    "dictionary": lambda: dictionary(table()),
    "reader": lambda: jelly.read_rdf(encoded()),
    "struct reader": lambda: jelly.read_rdf(encoded(), terms="struct"),
    "struct rows": lambda: jelly.read_rdf(encoded(), terms="struct").rows(),
    "polars": lambda: pl.DataFrame(table()),
    "pandas": lambda: pa.table(pd.DataFrame(QUADS, columns=["subject", "predicate", "object", "graph"])),
}  # fmt: skip


def encoded() -> bytes:
    out = io.BytesIO()
    with jelly.RdfWriter(out, jelly.RdfOptions(physical_type="QUADS")) as writer:
        assert writer.write(QUADS) == len(QUADS)
    return out.getvalue()


@pytest.mark.parametrize("name", INPUTS)
def test_every_kind_of_input_writes_the_same_bytes(name: str) -> None:
    out = io.BytesIO()
    with jelly.RdfWriter(out, jelly.RdfOptions(physical_type="QUADS")) as writer:
        assert writer.write(INPUTS[name]()) == len(QUADS)
    assert out.getvalue() == encoded()
    assert quads(out.getvalue()) == QUADS


@pytest.mark.parametrize("physical", ["QUADS", "GRAPHS"])
@pytest.mark.parametrize("delimited", [True, False])
def test_statements_of_all_types(physical: str, delimited: bool) -> None:
    out = io.BytesIO()
    options = jelly.RdfOptions(physical_type=physical, max_name_table_size=16)
    with jelly.RdfWriter(out, options, delimited=delimited) as writer:
        writer.write(QUADS)
    assert quads(out.getvalue()) == QUADS
    read = jelly.read_rdf(out.getvalue()).options
    assert read is not None
    assert read == options


def test_the_first_statement_tells_the_type() -> None:
    for rows, physical in ((QUADS, "QUADS"), ([q[:3] for q in QUADS], "TRIPLES")):
        out = io.BytesIO()
        with jelly.RdfWriter(out) as writer:
            writer.write(rows)
        options = jelly.read_rdf(out.getvalue()).options
        assert options is not None
        assert options.physical_type == physical


@pytest.mark.parametrize("stream_type", ["PUNCTUATED", "FRAME"])
@pytest.mark.parametrize("arrow", [True, False])
def test_patches_come_back(stream_type: str, arrow: bool) -> None:
    out = io.BytesIO()
    with jelly.PatchWriter(out, jelly.PatchOptions(stream_type=stream_type)) as writer:
        written = writer.write(
            pa.Table.from_pylist(PATCH, schema=PATCH_COLUMNS) if arrow else PATCH
        )
    assert written == len(PATCH)
    rows = patch(out.getvalue())
    for row in rows:
        if row["op"] == "Z":
            row.pop("name", None)
    assert rows == PATCH


def test_a_patch_ends_where_the_number_changes() -> None:
    rows = [{"patch": n, **row} for n in (3, 4) for row in PATCH if row["op"] == "A"]
    out = io.BytesIO()
    with jelly.PatchWriter(out) as writer:
        writer.write(rows)
    numbers = [(row.patch, row.op) for row in jelly.read_patch(out.getvalue()).rows()]
    adds = len(rows) // 2
    assert numbers == [(0, "A")] * adds + [(0, "Z")] + [(1, "A")] * adds + [(1, "Z")]


def test_flat_streams_hold_one_patch() -> None:
    writer = jelly.PatchWriter(io.BytesIO(), jelly.PatchOptions(stream_type="FLAT"))
    with pytest.raises(EncodeError, match="FLAT") as caught:
        writer.write(PATCH)
    assert caught.value.kind == "encode.patch"


def test_frames_and_metadata() -> None:
    out = io.BytesIO()
    writer = jelly.RdfWriter(out, namespaces={"e": "http://e/"})
    writer.write([q[:3] for q in QUADS[:2]])
    writer.end_frame({"key": b"\x00\xff"})
    writer.write([q[:3] for q in QUADS[2:]])
    writer.close()
    writer.close()
    with jelly.read_rdf(out.getvalue(), batch_rows=1) as reader:
        rows = list(reader.rows())
        assert reader.namespaces == {"e": "http://e/"}
    assert [row.frame for row in rows] == [0, 0, 1, 1, 1]
    found = jelly.inspect(out.getvalue())
    assert found.metadata_keys == ["jelly.restart", "key"]
    assert found.options is not None
    assert found.options.version == 2


WRONG: dict[str, tuple[list[Any], str]] = {
    "literal subject": ([('"x"', "<u:p>", "<u:o>")], "encode.undeclared"),
    "no object": ([{"subject": "<u:s>", "predicate": "<u:p>"}], "encode.row"),
    "no term": ([("<u:s>", "<u:p>", "x y")], "text"),
    "half a literal": ([("<u:s>", "<u:p>", '"x')], "text"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_rows_are_named(name: str, tmp_path: Path) -> None:
    rows, kind = WRONG[name]
    path = tmp_path / "out.jelly"
    options = jelly.RdfOptions(generalized_statements=False, physical_type="QUADS")
    writer = jelly.RdfWriter(path, options)
    writer.write(QUADS[:2])
    with pytest.raises(JellyError) as caught:
        writer.write(rows)
    assert str(caught.value.kind).startswith(kind)
    assert caught.value.row == 2
    assert isinstance(caught.value, EncodeError if kind != "text" else TextError)
    with pytest.raises(ValueError, match="failed before"):
        writer.write(QUADS)
    writer.abort()
    assert list(tmp_path.iterdir()) == []


def test_a_graph_in_triples_is_refused() -> None:
    writer = jelly.RdfWriter(io.BytesIO(), jelly.RdfOptions(physical_type="TRIPLES"))
    with pytest.raises(EncodeError) as caught:
        writer.write(QUADS)
    assert caught.value.kind == "encode.graph"


def test_files_appear_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.jelly"

    def fail() -> None:
        with jelly.RdfWriter(path) as writer:
            writer.write(QUADS)
            assert not path.exists()
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        fail()
    assert list(tmp_path.iterdir()) == []
    with jelly.RdfWriter(path) as writer:
        writer.write(QUADS)
        assert not path.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.jelly"]
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert quads(path.read_bytes()) == QUADS


@pytest.mark.parametrize("name", ["out.jelly.gz", "out.jelly.zst"])
def test_compression_by_name(name: str, tmp_path: Path) -> None:
    with jelly.RdfWriter(tmp_path / name) as writer:
        writer.write(QUADS)
    data = (tmp_path / name).read_bytes()
    assert data[:2] in (b"\x1f\x8b", b"\x28\xb5")
    assert quads(data) == QUADS


def test_a_file_object_that_fails() -> None:
    class Full(io.RawIOBase):
        def write(self, _: Any, /) -> int:
            raise OSError(28, "No space left on device")

    writer = jelly.RdfWriter(Full())
    with pytest.raises(OSError, match="No space left"):
        writer.write(QUADS * 100_000)


def test_wrong_arguments() -> None:
    for wrong, message in (
        ({"format": "xml"}, "format is 'xml'|format is \"xml\""),
        ({"frame_rows": 0}, "frame_rows"),
        ({"compression": "lzma"}, "compression"),
        (
            {"compression": "bzip2"},
            'compression is "bzip2"; it can be "auto", "none", "gzip", "zstd"$',
        ),
    ):
        with pytest.raises(ValueError, match=message):
            jelly.RdfWriter(io.BytesIO(), **wrong)
    with pytest.raises(TypeError, match="PatchOptions"):
        jelly.PatchWriter(io.BytesIO(), jelly.RdfOptions())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="dest must be a path"):
        jelly.RdfWriter(7)  # type: ignore[arg-type]
    writer = jelly.RdfWriter(io.BytesIO(), jelly.RdfOptions(max_name_table_size=7))
    with pytest.raises(EncodeError, match="name table"):
        writer.write(QUADS)
    with pytest.raises(ValueError, match="strings"):
        jelly.RdfWriter(io.BytesIO()).write(
            pa.table({"subject": [1], "predicate": [2], "object": [3]})
        )
    with pytest.raises(TypeError, match="named tuple"):
        jelly.RdfWriter(io.BytesIO()).write([7])


def test_slices_without_rows_are_no_rows() -> None:
    rows = pa.record_batch(
        {"subject": ["_:a"] * 2, "predicate": ["<p:p>"] * 2, "object": ["_:b"] * 2}
    )
    out = io.BytesIO()
    with jelly.RdfWriter(out) as writer:
        assert [writer.write(rows.slice(start, 0)) for start in range(3)] == [0, 0, 0]
        assert writer.write(pa.table(rows).slice(2)) == 0
        assert writer.write(rows) == 2
    assert [row.object for row in jelly.read_rdf(out.getvalue()).rows()] == ["_:b"] * 2


@pytest.mark.parametrize("name", ["Graph", "grpah", "graph "])
def test_a_column_with_nearly_the_name_of_a_missing_one_is_rejected(
    name: str, tmp_path: Path
) -> None:
    """Before, it was ignored, and statements of a named graph went into the default graph."""
    row = {"subject": "<a:s>", "predicate": "<a:p>", "object": "<a:o>"}
    table = pa.Table.from_pylist([row | {name: "<a:g>"}])
    for rows in ([row, row | {name: "<a:g>"}], table, table.to_batches()[0]):
        with (
            pytest.raises(ValueError, match='but no column "graph"'),
            jelly.RdfWriter(io.BytesIO()) as writer,
        ):
            writer.write(rows)
    with jelly.RdfWriter(io.BytesIO(), jelly.RdfOptions(physical_type="QUADS")) as writer:
        assert writer.write([row, row | {"graph": "<a:g>", name: "x", "more": 7}]) == 2
    path = tmp_path / "table.parquet"
    pq.write_table(table, path)
    with pytest.raises(ValueError, match='but no column "graph"'):
        jelly.convert(path, tmp_path / "out.nq")
