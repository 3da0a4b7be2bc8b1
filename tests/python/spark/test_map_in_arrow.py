"""`mapInArrow` in a real Spark session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly

from .raising import spark_raises
from .streams import patch, rdf, row_length

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

OPS = ["TX", "A", "D", "TC"]
STREAM = patch(OPS)
ROWS = [*OPS, "Z"]


def decode(df: DataFrame, decoder: Any = None) -> DataFrame:
    if decoder is None:
        return df.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL)
    return df.mapInArrow(decoder, decoder.ddl)


def found(df: DataFrame) -> list[tuple[str | None, str]]:
    rows = decode(df).orderBy("source", "seq").collect()
    return [(row.source, row.op) for row in rows]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a b.jellyp", tmp_path / "c%20d.jellyp"]
    for path in paths:
        path.write_bytes(STREAM)
    return paths


def test_binary_file(spark: SparkSession, files: list[Path]) -> None:
    df = spark.read.format("binaryFile").load(str(files[0].parent))
    rows = found(df)
    assert rows == [(f"file:{path}", op) for path in files for op in ROWS]


def test_path_column(spark: SparkSession, files: list[Path]) -> None:
    given = [str(files[0]), files[1].as_uri()]
    df = spark.createDataFrame([(path,) for path in given], "path string")
    assert found(df) == [(path, op) for path in given for op in ROWS]


def test_paths_that_binary_file_lists(spark: SparkSession, files: list[Path]) -> None:
    listed = spark.read.format("binaryFile").load(str(files[0].parent))
    expected = [(f"file:{path}", op) for path in files for op in ROWS]
    assert found(listed.select("path")) == expected
    encoded = listed.selectExpr("_metadata.file_path AS path")
    uris = sorted(row.path for row in encoded.collect())
    assert [uri.rpartition("/")[2] for uri in uris] == ["a%20b.jellyp", "c%2520d.jellyp"]
    assert found(encoded) == [(uri, op) for uri in uris for op in ROWS]


def test_topic_and_value(spark: SparkSession) -> None:
    columns = "key binary, value binary, topic string, partition int, offset bigint"
    messages = [(b"k", STREAM, "t", 0, 7), (b"k", None, "t", 0, 8), (None, STREAM, "t", 1, 7)]
    df = spark.createDataFrame(messages, columns)
    assert found(df) == [(name, op) for name in ("t/0@7", "t/1@7") for op in ROWS]


def test_only_binary_column(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, STREAM)], "id int, payload binary")
    assert found(df) == [(None, op) for op in ROWS]


def test_ambiguous_columns(spark: SparkSession) -> None:
    df = spark.createDataFrame([(STREAM, STREAM)], "a binary, b binary")
    with spark_raises("PythonException", r"`content`.*`topic`.*`path`.*a \(binary\), b \(binary\)"):
        decode(df).collect()


def test_rdf_with_columns_and_passthrough(spark: SparkSession) -> None:
    from pyspark.sql import functions as F  # noqa: N812 - the name everybody uses

    df = spark.createDataFrame([("x", rdf(3))], "n string, content binary").select(
        "content",
        "n",
        F.expr("date'2026-01-02'").alias("day"),
        F.expr("timestamp'2026-01-02 03:04:05'").alias("at"),
        F.expr("map('k', array(1, 2))").alias("tags"),
        F.expr("1.50BD").alias("price"),
    )
    passed = df.drop("content")
    decoder = jelly.batch_decoder(
        "rdf", columns=["object", "seq"], source_column="n", passthrough=passed.schema
    )
    rows = decode(df, decoder)
    assert rows.drop("object", "seq").schema.simpleString() == passed.schema.simpleString()
    (values,) = passed.collect()
    assert [tuple(row) for row in rows.orderBy("seq").collect()] == [
        (f'"{number}"', number, *values) for number in range(3)
    ]


TYPES = [
    *("boolean", "byte", "tinyint", "short", "smallint", "int", "integer", "long", "bigint"),
    *("float", "real", "double", "decimal", "dec", "numeric(12)", "DECIMAL(5, 2)"),
    *("string", "binary", "date", "timestamp", "timestamp_ltz", "timestamp_ntz"),
    *("array<string>", "map<string,int>", "struct<a:int, b: array<date>>", "struct<a int>"),
    *("struct<`a, b`: int>", "array<map<string, struct<x: decimal(3,1), y: string>>>"),
]


def test_ddl_types_are_those_of_spark(spark: SparkSession) -> None:
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    names = [f"c{number}" for number in range(len(TYPES))]
    passed = jelly.batch_decoder("patch", passthrough=dict(zip(names, TYPES, strict=True)))
    decoded = len(pa.schema(jelly.batch_decoder("patch").schema))
    df = spark.createDataFrame([], passed.ddl)
    expected = to_arrow_schema(df.schema, timezone="UTC")
    assert list(passed.schema) == list(expected)
    assert passed.schema.names[decoded:] == names


def test_committed_rows(spark: SparkSession) -> None:
    stream = patch(["TX", "A", "TA", "TX", "A", "D", "TC", "A"])
    df = spark.createDataFrame([(stream,)], "content binary")
    rows = decode(df, jelly.batch_decoder("patch", rows="committed"))
    assert [(row.op, row.object) for row in rows.orderBy("seq").collect()] == [
        ("A", '"4"'),
        ("D", '"5"'),
        ("A", '"7"'),
    ]


def test_structs(spark: SparkSession) -> None:
    df = spark.createDataFrame([(rdf(1),)], "content binary")
    (row,) = decode(df, jelly.batch_decoder("rdf", terms="struct")).collect()
    assert row.predicate.asDict() == {
        "kind": "iri",
        "value": "p",
        "datatype": None,
        "language": None,
    }


def test_bad_input_is_told_to_the_driver(spark: SparkSession, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jellyp"
    whole = patch(["A"] * 250)
    cut.write_bytes(whole[:-5])
    df = spark.createDataFrame([(str(cut),)], "path string")
    with spark_raises("PythonException", r"jelly\.errors\.TruncatedError: truncated") as raised:
        decode(df).collect()
    last = len(whole) - row_length("A", "s", 249)
    assert f"({cut}: frame 2, row 51, byte {last})" in str(raised.value)


def test_permissive(spark: SparkSession) -> None:
    streams = [("a", STREAM), ("b", STREAM[:-1]), ("c", STREAM)]
    df = spark.createDataFrame(streams, "path string, content binary").coalesce(1)
    rows = decode(df, jelly.batch_decoder("patch", mode="permissive")).collect()
    good = [(row.source, row.op) for row in rows if row._corrupt_record is None]
    assert good == [("a", op) for op in ROWS] + [("b", op) for op in OPS[:-1]] + [
        ("c", op) for op in ROWS
    ]
    (bad,) = [row for row in rows if row._corrupt_record is not None]
    assert bad.source == "b"
    assert "truncated.frame" in bad._corrupt_record
    assert "frame 0, row 5" in bad._corrupt_record


def test_limit_closes_its_file(spark: SparkSession, tmp_path: Path) -> None:
    file, report = tmp_path / "long.jellyp", tmp_path / "report"
    file.write_bytes(patch(["A"] * 200_000))
    os.mkfifo(report)

    def watched(batches: Iterator[Any]) -> Iterator[Any]:
        rows = jelly.decode_batches(batches)
        given = 0
        try:
            for batch in rows:
                given += batch.num_rows
                yield batch
        finally:
            rows.close()  # type: ignore[attr-defined]
            fds = Path("/proc/self/fd")
            still = [fd for fd in fds.iterdir() if os.path.realpath(fd) == str(file)]
            report.write_text(f"{given} {len(still)}")

    df = spark.createDataFrame([(str(file),)], "path string").coalesce(1)
    rows = df.mapInArrow(watched, jelly.PATCH_SCHEMA_DDL).limit(1).collect()
    assert [row.seq for row in rows] == [0]
    given, still = map(int, report.read_text().split())  # waits for the worker
    assert 0 < given < 200_000
    assert still == 0


def test_many_small_values(spark: SparkSession) -> None:
    messages = [("t", number, patch(["A"], f"s{number}")) for number in range(5000)]
    df = spark.createDataFrame(messages, "topic string, offset bigint, value binary")
    rows = decode(df)
    assert rows.count() == 10_000
    assert rows.where("op = 'A'").select("subject").distinct().count() == 5000
    (one,) = rows.where("subject = '_:s4321'").collect()
    assert one.source == "t@4321"


def test_empty_input(spark: SparkSession) -> None:
    assert found(spark.createDataFrame([], "content binary")) == []
    assert found(spark.createDataFrame([(None,)], "content binary")) == []
    with spark_raises("PythonException", r"truncated\.stream: the source is empty"):
        found(spark.createDataFrame([(b"",), (None,)], "content binary"))
