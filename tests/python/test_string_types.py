"""Columns of strings as views and dictionaries: the same rows, in fewer bytes, for Arrow libraries and back again."""

import gzip
import io
import pickle
from pathlib import Path
from typing import Any, Literal

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import jelly
import jellybytes as jb
from jelly.spark._options import DECODE
from shared_data import shared

Strings = Literal["view", "dictionary"]
TYPES: dict[Strings, pa.DataType] = {
    "view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
}
VECTORS = Path(__file__).parents[1] / "vectors"
LONG = "http://example.org/a-name-that-no-view-has-inline/"
QUADS = "".join(
    f'_:b{n % 7} <{LONG}p{n % 3}> "{n * n % 11} é"@en <{LONG}g{n // 100}> .\n'
    for n in range(25_000)
).encode()


def read(source: Any, kind: str, **options: Any) -> Any:
    return (jelly.read_rdf if kind == "rdf" else jelly.read_patch)(source, **options)


def type_of(strings: Strings, field: pa.Field) -> pa.DataType:
    """The type of a column, where it is a plain one by default."""
    if pa.types.is_struct(field.type):
        return pa.struct([(part.name, TYPES[strings]) for part in field.type])
    return TYPES[strings] if pa.types.is_string(field.type) else field.type


@pytest.mark.parametrize("strings", TYPES)
@pytest.mark.parametrize("options", [{}, {"terms": "struct"}, {"batch_rows": 3}])
def test_rows_are_those_of_plain_strings(strings: Strings, options: dict[str, Any]) -> None:
    damaged = jb.small_rdf(9)[:-3]
    sources: list[tuple[str, bytes | Path]] = [
        ("rdf", damaged),
        ("rdf", QUADS[:5000] + b"x\n"),
        ("patch", jb.small_patch()[:-2]),
    ]
    for kind in ("rdf", "patch"):
        sources += [(kind, path) for path in sorted((VECTORS / kind).glob("*.jelly*"))]
    for kind, source in sources:
        options = {"mode": "permissive", "source_name": "a name of the source", **options}
        usual = pa.table(read(source, kind, **options))
        batches = [
            pa.record_batch(batch) for batch in read(source, kind, strings=strings, **options)
        ]
        schema = pa.schema(read(source, kind, strings=strings, **options).schema)
        assert schema == pa.schema(
            [field.with_type(type_of(strings, field)) for field in usual.schema]
        )
        table = pa.Table.from_batches(batches, schema)
        table.validate(full=True)
        assert table.to_pylist() == usual.to_pylist(), source
        rows = read(source, kind, strings=strings, **options).rows()
        assert list(rows) == list(read(source, kind, **options).rows())
    assert len(sources) > 50


@pytest.mark.parametrize("strings", TYPES)
def test_arrow_libraries_take_them_and_writers_take_them_back(
    strings: Strings, tmp_path: Path
) -> None:
    def columns() -> jelly.RdfReader:
        return jelly.read_rdf(QUADS, strings=strings)

    def written(data: Any) -> bytes:
        out = io.BytesIO()
        with jelly.RdfWriter(out) as writer:
            writer.write(data)
        return out.getvalue()

    wanted = written(jelly.read_rdf(QUADS))
    table = pa.table(columns())
    assert [column.num_chunks for column in table.columns] == [3] * 7
    frame = pl.DataFrame(columns())
    assert frame.schema["subject"] == (pl.Categorical if strings == "dictionary" else pl.String)
    pq.write_table(table, tmp_path / "a.parquet")
    ducks = duckdb.from_arrow(columns()).select("*").to_arrow_table()
    for data in (columns(), table, frame, pq.read_table(tmp_path / "a.parquet"), ducks):
        assert written(data) == wanted
    assert written(table.slice(7, 20_000)) == written(
        pa.table(jelly.read_rdf(QUADS)).slice(7, 20_000)
    )


@pytest.mark.parametrize("strings", TYPES)
def test_patches_are_written_back(strings: Strings) -> None:
    data = jb.small_patch(30, 40)

    def written(**options: Any) -> bytes:
        out = io.BytesIO()
        with jelly.PatchWriter(out) as writer:
            writer.write(pa.table(jelly.read_patch(data, **options)))
        return out.getvalue()

    for terms in ("text", "struct"):
        assert written(strings=strings, terms=terms) == written(terms=terms)


def test_batches_that_are_kept_are_small() -> None:
    for name, view, dictionary in (
        ("brick-1.5.nt.gz", 0.65, 0.4),
        ("schemaorg-releases.jellyp.gz", 0.75, 0.55),
    ):
        data = gzip.decompress(shared(f"corpus/{name}").read_bytes())
        kind = "patch" if "jellyp" in name else "rdf"
        columns = {"columns": ["subject", "predicate", "object"]}
        plain, views, dictionaries = (
            pa.table(read(data, kind, strings=strings, **columns)).get_total_buffer_size()
            for strings in ("utf8", "view", "dictionary")
        )
        assert views / plain <= view, (name, views / plain)
        assert dictionaries / plain <= dictionary, (name, dictionaries / plain)


def test_schemas_say_the_type() -> None:
    schema = jelly.Schema("patch", strings="view")
    assert pickle.loads(pickle.dumps(schema)) == schema != jelly.PATCH_SCHEMA
    assert pa.schema(schema).field("op").type == pa.string_view()
    assert schema.ddl == jelly.PATCH_SCHEMA.ddl
    with pytest.raises(ValueError, match='strings is "views"; it can be "utf8", "view"'):
        jelly.read_rdf(b"", strings="views")  # type: ignore[call-overload]


def test_spark_has_plain_strings_only() -> None:
    assert "strings" not in {option.name for option in DECODE["rdf"] + DECODE["patch"]}
    with pytest.raises(TypeError, match="strings"):
        jelly.batch_decoder("rdf", strings="view")  # type: ignore[call-overload]
