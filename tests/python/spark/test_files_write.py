"""Writers: what a job writes counts as a whole, once, here and on an object store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

import pyarrow as pa

import jelly
import jelly.spark
from jelly.spark.files import manifest
from jelly.storage import open_input
from object_store import ObjectStore

from .raising import spark_raises
from .tables import RDF, TRIPLE, Table, literals, statements

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def frame(spark: SparkSession, start: int, stop: int, partitions: int = 2) -> DataFrame:
    """Statements whose columns are NOT NULL."""
    numbers = spark.range(start, stop, 1, partitions)
    return numbers.selectExpr(
        "'<http://e/s>' subject",
        "'<http://e/p>' predicate",
        "concat('\"', id, '\"') object",
        "'' graph",
    )


# Attempts of tasks, without Spark


def test_attempts_of_a_task_count_once(table: Table) -> None:
    writer = table.writer()
    writer.write(iter([statements(0, 1)]))
    second = writer.write(iter([statements(0, 1)]))
    assert table.files() == []
    writer.commit([second])
    assert table.objects() == literals(range(2))
    # A third, of an executor that was thought lost, comes late.
    writer.write(iter([statements(0, 1)]))
    assert table.objects() == literals(range(2))
    assert table.files() == [file for file in table.files() if file in table.stored()]


def test_task_that_fails_leaves_nothing_that_counts(table: Table) -> None:
    writer = table.writer()

    def rows() -> Iterator[pa.RecordBatch]:
        yield statements(*range(5000))
        raise ArithmeticError("of the query")

    with pytest.raises(ArithmeticError):
        writer.write(rows())
    assert [name for name in table.stored() if "part-" in name] == []
    good = writer.write(iter([statements(7)]))
    writer.commit([good])
    assert table.objects() == ['"7"']


def test_abort_deletes_what_was_written(table: Table) -> None:
    writer = table.writer()
    writer.abort([writer.write(iter([statements(0)])), None])
    assert [name for name in table.stored() if "part-" in name] == []
    assert table.files() == []
    # An attempt that goes on after that leaves a file that never counts.
    writer.write(iter([statements(0)]))
    assert table.files() == []
    deleted = jelly.spark.vacuum(table.path, hours=0, storage=table.storage)
    assert [name for name in deleted if "part-" in name]
    assert [name for name in table.stored() if "part-" in name] == []


def test_job_that_dies_in_its_commit_leaves_nothing_that_counts(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = table.writer()
    old.commit([old.write(iter([statements(1)]))])
    writer = table.writer(overwrite=True)
    part = writer.write(iter([statements(2)]))

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(manifest, "publish", killed)
    with pytest.raises(KeyboardInterrupt):
        writer.commit([part])
    monkeypatch.undo()
    assert table.objects() == ['"1"']
    again = table.writer(overwrite=True)
    again.commit([again.write(iter([statements(3)]))])
    assert table.objects() == ['"3"']


def test_no_rows_make_an_empty_file(table: Table) -> None:
    writer = table.writer()
    writer.commit([writer.write(iter([])), writer.write(iter([statements()]))])
    assert len(table.files()) == 1
    assert table.objects() == []


@pytest.mark.parametrize(
    ("kind", "format", "compression", "extension"),
    [
        ("rdf", "auto", "none", "jelly"),
        ("rdf", "jelly", "gzip", "jelly.gz"),
        ("rdf", "nq", "zstd", "nq.zst"),
        ("patch", "auto", "zstd", "jellyp.zst"),
        ("patch", "rdfp", "gzip", "rdfp.gz"),
        ("patch", "trp", "none", "trp"),
    ],
)
def test_formats_and_compressions(
    tmp_path: Path, kind: str, format: str, compression: str, extension: str
) -> None:
    table = Table(str(tmp_path / "to"))
    rows = statements(1, 2)
    if kind == "patch":
        rows = rows.append_column("op", pa.array(["A", "D"]))
    ddl = RDF + (", op string" if kind == "patch" else "")
    writer = table.writer(ddl=ddl, format=format, compression=compression)
    writer.commit([writer.write(iter([rows]))])
    (name,) = table.files(kind)
    assert name.partition(".")[2] == extension
    assert table.objects(kind) == ['"1"', '"2"']


def test_options_of_the_stream(tmp_path: Path) -> None:
    table = Table(str(tmp_path / "to"))
    writer = table.writer(
        ddl=TRIPLE, streamname="it", physicaltype="TRIPLES", maxnametablesize="20", framerows="2"
    )
    writer.commit([writer.write(iter([statements(*range(9)).drop_columns(["graph"])]))])
    found = jelly.inspect(tmp_path / "to" / table.files()[0])
    options: Any = found.options
    assert options.stream_name == "it"
    assert options.max_name_table_size == 20
    assert found.frames > 3


@pytest.mark.parametrize("columns", [RDF, TRIPLE])
def test_physical_type_goes_by_the_columns(tmp_path: Path, columns: str) -> None:
    table = Table(str(tmp_path / "to"))
    writer = table.writer(ddl=columns)
    batches = [statements(1), statements(2, graph="<http://e/g>")]
    if columns == TRIPLE:
        batches = [batch.drop_columns(["graph"]) for batch in batches]
    writer.commit([writer.write(iter(batches))])
    found = jelly.inspect(tmp_path / "to" / table.files()[0])
    options: Any = found.options
    assert options.physical_type == ("QUADS" if columns == RDF else "TRIPLES")


@pytest.mark.parametrize(
    ("ddl", "message"),
    [
        ("subject string, predicate string", "there is no column 'object'; jelly has source,"),
        (RDF + ", op string, extra int", "column 'extra' cannot be written, use df.drop('extra')"),
        (
            RDF + ", extra int, more int",
            "columns 'extra', 'more' cannot be written, use df.drop('extra', 'more')",
        ),
        (RDF + ", _corrupt_record string", "column '_corrupt_record' cannot be written"),
        (RDF + ", seq string", "column 'seq' is string; it must be long"),
        ("subject string, predicate string, object int", "column 'object' is integer; it must be"),
    ],
)
def test_wrong_columns(tmp_path: Path, ddl: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is below
        Table(str(tmp_path)).writer(ddl=ddl)
    assert message in str(caught.value)


def test_wrong_options_and_places(tmp_path: Path) -> None:
    table = Table(str(tmp_path))
    with pytest.raises(ValueError, match="frameRow"):
        table.writer(framerow="2")
    with pytest.raises(ValueError, match="lz4"):
        table.writer(compression="lz4")
    with pytest.raises(ValueError, match="rdfxml"):
        table.writer(format="rdfxml")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match=r"/file: this is a file; choose a folder"):
        Table(str(tmp_path / "file")).writer()
    (tmp_path / "file").unlink()


def test_restart_points_on_an_object_store(store: ObjectStore, tmp_path: Path) -> None:
    table = Table(f"{store.bucket()}/to", store)
    writer = table.writer(framerows="100", restartbytes="20k")
    writer.commit([writer.write(iter([statements(*range(9000))]))])
    (name,) = table.files()
    with open_input(f"{table.path}/{name}", table.storage) as file:
        (tmp_path / "copy.jelly").write_bytes(file.read())
    assert len(jelly.splits(tmp_path / "copy.jelly", split_bytes=1)) > 2
    assert len(table.objects()) == 9000


# In Spark


@pytest.mark.spark
def test_append_and_overwrite(jelly_spark: SparkSession, table: Table) -> None:
    table.write(frame(jelly_spark, 0, 5), "append")
    table.write(frame(jelly_spark, 5, 9), "append", compression="gzip")
    assert table.objects() == literals(range(9))
    read = table.read(jelly_spark)
    assert sorted(row.object for row in read.collect()) == literals(range(9))
    table.write(frame(jelly_spark, 3, 5, 3), "overwrite")
    rows = table.read(jelly_spark).collect()
    assert sorted(row.object for row in rows) == literals(range(3, 5))
    assert {row.source for row in rows} <= {f"{table.path}/{name}" for name in table.files()}


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["patch", "rdf"])
def test_folder_that_spark_wrote_is_read_in_batches_and_as_a_stream(
    jelly_spark: SparkSession, tmp_path: Path, kind: Literal["patch", "rdf"]
) -> None:
    spark = jelly_spark
    out, log = tmp_path / "out", tmp_path / "log.rdfp"
    log.write_text("A <http://e/s> <http://e/p> <http://e/o> .\n")
    rows = frame(spark, 0, 3) if kind == "rdf" else spark.read.format("jelly-patch").load(str(log))
    name = "jelly-patch" if kind == "patch" else "jelly"
    for _ in range(2):
        rows.write.format(name).mode("append").save(str(out))
    read = spark.read.format(name).load(str(out))
    expected = 2 * rows.count()
    assert len(read.collect()) == expected > 0
    jelly.spark.write_parquet(spark, str(out), str(tmp_path / "parquet"), kind=kind)
    assert spark.read.parquet(str(tmp_path / "parquet")).count() == expected
    stream = spark.readStream.format(name).load(str(out)).writeStream
    query = stream.trigger(availableNow=True).format("parquet")
    query.option("checkpointLocation", str(tmp_path / "ck")).start(
        str(tmp_path / "copy")
    ).awaitTermination()
    assert spark.read.parquet(str(tmp_path / "copy")).count() == expected


@pytest.mark.spark
def test_table_is_read_while_it_is_overwritten_by_itself(
    jelly_spark: SparkSession, table: Table
) -> None:
    table.write(frame(jelly_spark, 0, 6), "append")
    table.write(table.read(jelly_spark).drop("source").where("object < '\"3\"'"), "overwrite")
    assert table.objects() == literals(range(3))


@pytest.mark.spark
def test_patches_are_read_back_equal(jelly_spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        with jelly.PatchWriter(tmp_path / f"{name}.jellyp") as writer:
            for patch in range(3):
                rows: list[dict[str, Any]] = [
                    {"op": "H", "name": "id", "value": f"_:{name}{patch}"}
                ]
                rows += [{"op": "TX"}, {"op": "PA", "name": "p", "value": "<http://e/>"}]
                rows += [
                    {
                        "op": op,
                        "subject": f"<http://e/{name}>",
                        "predicate": "<http://e/p>",
                        "object": f'"{n}"@en',
                        "graph": graph,
                    }
                    for op, n, graph in (("A", 1, ""), ("D", 2, "<http://e/g>"))
                ]
                writer.write([*rows, {"op": "TC"}])
                writer.end_patch()
    read = jelly_spark.read.format("jelly-patch").load(str(tmp_path))
    wanted = [tuple(row)[1:] for row in read.orderBy("source", "seq").collect()]
    assert len(wanted) == 63
    table = Table(str(tmp_path / "to"))
    ordered = read.repartition(2, "source").sortWithinPartitions("source", "seq")
    table.write(ordered, "append", "patch")
    written = table.read(jelly_spark, "patch").orderBy("source", "seq").collect()
    # Each file is one stream, so its patches and rows are counted from 0.
    content = sorted(
        (r.op, r.subject or "", r.object or "", r.graph or "", r.name or "", r.value or "")
        for r in written
    )
    assert content == sorted(
        tuple(value or "" for value in (r[3], r[4], r[6], r[7], r[8], r[9])) for r in wanted
    )
    apart = read.repartition(2, "object").sortWithinPartitions("source", "seq")
    with spark_raises("AnalysisException", "would be cut: partitions 0 and 1 both have rows of it"):
        table.write(apart, "append", "patch")
    assert table.read(jelly_spark, "patch").count() == 63


@pytest.mark.spark
def test_empty_frame(jelly_spark: SparkSession, table: Table) -> None:
    table.write(frame(jelly_spark, 0, 5), "append")
    table.write(frame(jelly_spark, 0, 0), "overwrite")
    assert len(table.files()) == 1
    assert table.read(jelly_spark).count() == 0


@pytest.mark.spark
def test_failing_query_leaves_the_table_as_it_was(jelly_spark: SparkSession, table: Table) -> None:
    table.write(frame(jelly_spark, 0, 5), "append")
    files = table.files()
    bad = frame(jelly_spark, 5, 9).selectExpr(
        "subject", "predicate", "if(object = '\"8\"', raise_error('bad'), object) object", "graph"
    )
    with spark_raises("SparkRuntimeException", r"\[USER_RAISED_EXCEPTION\] bad"):
        table.write(bad, "overwrite")
    assert table.objects() == literals(range(5))
    # a task that ends after its job was given up may leave a file, which nobody sees
    assert table.files() == files


@pytest.mark.spark
def test_bad_term_is_named(jelly_spark: SparkSession, tmp_path: Path) -> None:
    table = Table(str(tmp_path / "to"))
    bad = frame(jelly_spark, 0, 3).selectExpr("subject", "predicate", "'nonsense' object", "graph")
    with spark_raises(
        "PythonException", r'TextError: text\.term: "nonsense" is not the canonical text'
    ):
        table.write(bad, "append")
    assert table.files() == []
    with spark_raises("AnalysisException", "there is no column 'object'"):
        table.write(bad.drop("object"), "append")


@pytest.mark.spark
def test_tasks_that_fail_are_repeated(jelly_spark: SparkSession, table: Table) -> None:
    """Each first attempt fails when it has written its rows."""

    def fails_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        yield from batches
        if TaskContext().attemptNumber() == 0:
            raise ArithmeticError("the first attempt")

    rows = frame(jelly_spark, 0, 10, 3).mapInArrow(fails_once, RDF)
    table.write(rows, "append")
    assert table.objects() == literals(range(10))
    assert len(table.files()) == 3
    assert [name for name in table.stored() if "part-" in name] == table.files()
