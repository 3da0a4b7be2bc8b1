"""The data sources in batches, in a real Spark session."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly
import jelly.spark
from jellybytes import delimited, frame, iri, literal, rdf_entry, rdf_options, triple

from .raising import spark_raises
from .streams import patch, rdf
from .watched import watch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STATEMENTS = [(f"<http://a/{n}>", "<http://a/p>", f'"{n}"', "") for n in range(40)]


def in_order(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=str)


def sorted_rows(df: Any) -> list[tuple[Any, ...]]:
    return in_order(tuple(row) for row in df.collect())


def expected(read: Any, *paths: Path, **options: Any) -> list[tuple[Any, ...]]:
    return in_order(tuple(row) for path in paths for row in read(path, **options).rows())


def test_statements_of_every_format(spark: SparkSession, tmp_path: Path) -> None:
    names = ["a.jelly", "b.jelly.gz", "c.jelly.zst", "d.nt", "e.nq", "f.ttl", "g.trig.gz"]
    for name in names:
        with jelly.RdfWriter(tmp_path / name) as writer:
            writer.write(STATEMENTS)
    xml = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    (tmp_path / "h.rdf").write_text(
        f'<r:RDF xmlns:r="{xml[1:]}" xmlns:a="http://a/"><r:Description r:about="http://a/0">'
        "<a:p>0</a:p></r:Description></r:RDF>"
    )
    (tmp_path / "i.jsonld").write_text('{"@id": "http://a/0", "http://a/p": "0"}')
    df = spark.read.format("jelly").load(str(tmp_path))
    files = sorted(tmp_path.iterdir())
    rows = sorted_rows(df)
    assert rows == expected(jelly.read_rdf, *files)
    assert Counter(row[0] for row in rows) == {
        **{str(tmp_path / name): len(STATEMENTS) for name in names},
        str(tmp_path / "h.rdf"): 1,
        str(tmp_path / "i.jsonld"): 1,
    }


def test_folders_give_columns(spark: SparkSession, tmp_path: Path) -> None:
    for number, folder in enumerate(("day=2026-03-01/h=1", "day=2026-03-02/h=x%20y")):
        place = tmp_path / folder
        place.mkdir(parents=True)
        with jelly.RdfWriter(place / "a.jelly") as writer:
            writer.write(STATEMENTS[: number + 1])
    reader = spark.read.format("jelly").option("partitionColumns", "day,H")
    rows = reader.load(str(tmp_path))
    assert rows.columns[-2:] == ["day", "H"]
    assert sorted_rows(rows.select("day", "H", "object")) == [
        ("2026-03-01", "1", '"0"'),
        ("2026-03-02", "x y", '"0"'),
        ("2026-03-02", "x y", '"1"'),
    ]
    assert rows.where("day > date'2026-03-01'").count() == 2
    assert reader.load(f"{tmp_path}/day=2026-03-0[2-9]").count() == 2
    chosen = reader.schema("h string, object string").load(str(tmp_path))
    assert sorted_rows(chosen) == [("1", '"0"'), ("x y", '"0"'), ("x y", '"1"')]
    assert jelly.spark.count(spark, tmp_path, partition_columns=["day"]) == 3
    with spark_raises(
        "AnalysisException", "comes from a folder name, so it is a string, not date32"
    ):
        spark.read.format("jelly").option("partitionColumns", "day").schema("day date").load(str(tmp_path)).count()  # fmt: skip
    with spark_raises("PythonException", "is not in a folder other="):
        spark.read.format("jelly").option("partitionColumns", "other").load(str(tmp_path)).count()


def test_patches_of_every_format(spark: SparkSession, tmp_path: Path) -> None:
    data = patch(["TX", "A", "D", "TC"])
    paths = [tmp_path / name for name in ("a.jellyp", "b.jellyp.gz", "c.rdfp", "d.trp")]
    paths[0].write_bytes(data)
    paths[1].write_bytes(gzip.compress(data))
    for path in paths[2:]:
        jelly.convert(paths[0], path)
    # A name that says nothing, and a format that only an option can tell.
    old = tmp_path / "old" / "data"
    old.parent.mkdir()
    old.write_text("A <http://a/s> <http://a/p> 7 .\n")
    df = spark.read.format("jelly-patch").load([str(path) for path in paths])
    rows = sorted_rows(df)
    assert rows == expected(jelly.read_patch, *paths)
    assert len(rows) == 20
    df = spark.read.format("jelly-patch").option("format", "rdfp-v1").load(str(old.parent))
    assert sorted_rows(df) == expected(jelly.read_patch, old, format="rdfp-v1")
    assert df.first()["object"] == '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'  # type: ignore[index]


@pytest.mark.parametrize(("compression", "pack"), [("bzip2", bz2.compress), ("xz", lzma.compress)])
def test_large_files_that_are_only_read(spark: SparkSession, tmp_path: Path, compression: str, pack: Any) -> None:  # fmt: skip
    path = tmp_path / "a.nt.packed"
    lines = b"".join(b"<urn:%d> <urn:p> <urn:o> .\n" % n for n in range(1000))
    path.write_bytes(pack(lines))
    for given in ("auto", compression):
        options: dict[str, Any] = {
            "splitBytes": 100,
            "openCostBytes": 1,
            "compression": given,
            "format": "nt",
        }
        assert spark.read.format("jelly").options(**options).load(str(path)).count() == 1000
    with spark_raises("AnalysisException", f'compression is "{compression}"; it can be "auto", "none", "gzip", "zstd"'):  # fmt: skip
        out = spark.read.format("jelly").options(**options).load(str(path))
        out.write.format("jelly").option("compression", compression).mode("append").save(str(tmp_path / "out"))  # fmt: skip


def test_options_columns_and_schemas(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    path.write_bytes(rdf(25))
    read = spark.read.format("jelly")
    df = read.options(columns="object,seq", batchRows=7, blankNodes="scoped").load(str(path))
    assert df.columns == ["object", "seq"]
    assert sorted_rows(df) == expected(jelly.read_rdf, path, columns=["object", "seq"])
    structs = spark.read.format("jelly").option("terms", "struct").load(str(path))
    assert structs.selectExpr("object.value", "subject.kind").first() == ("0", "bnode")

    # Chosen by a schema, and NOT NULL where the user says so.
    typed = spark.read.format("jelly").schema("graph string NOT NULL, seq bigint").load(str(path))
    assert typed.columns == ["graph", "seq"]
    assert sorted(typed.collect()) == [("", n) for n in range(25)]
    for schema, told in [
        ("seq string", "column 'seq' has the type bigint"),
        ("seq bigint, extra string", "no column 'extra'"),
        ("_corrupt_record string", "it exists only with mode permissive"),
    ]:
        with spark_raises("AnalysisException", told):
            spark.read.format("jelly").schema(schema).load(str(path)).count()
    log = tmp_path / "a.jellyp"
    log.write_bytes(patch(["A"]))
    with spark_raises("PythonException", "'graph' is declared NOT NULL, but has a null"):
        spark.read.format("jelly-patch").schema("graph string NOT NULL").load(str(log)).collect()
    with spark_raises("AnalysisException", "has no option 'colums' here; did you mean 'columns'"):
        spark.read.format("jelly").option("colums", "seq").load(str(path))


def test_registered_sources_and_views(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    path.write_bytes(rdf(3))
    other = spark.newSession()
    jelly.spark.register(other)
    assert other.read.format("jelly").load(str(path)).count() == 3
    spark.sql(f"CREATE TEMPORARY VIEW seen USING jelly OPTIONS (path '{path}', columns 'seq')")
    assert spark.sql("SELECT max(seq) FROM seen").first() == (2,)
    spark.catalog.dropTempView("seen")


def test_empty_folders_and_missing_ones(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "_SUCCESS").write_text("")
    df = spark.read.format("jelly-patch").load(str(tmp_path))
    assert df.columns[:4] == ["source", "patch", "txn", "seq"]
    assert df.collect() == []
    with spark_raises("AnalysisException", "nowhere: there is no such file or folder"):
        spark.read.format("jelly").load(f"{tmp_path}/nowhere").collect()


def test_large_files_in_parts_have_the_rows_of_the_whole(
    spark: SparkSession, tmp_path: Path
) -> None:
    log = tmp_path / "a.jellyp"
    with jelly.PatchWriter(log, restart_bytes=3_000) as writer:
        for version in range(300):
            writer.write([{"op": op} for op in ("TX", "TC")])
            writer.write(
                {"op": "A", "subject": s, "predicate": p, "object": f'"{version}"', "graph": g}
                for s, p, _, g in STATEMENTS
            )
            writer.end_patch()
    paths = [log, tmp_path / "b.rdfp", tmp_path / "c.rdfp.zst"]
    for path in paths[1:]:
        jelly.convert(log, path)
    read = spark.read.format("jelly-patch").options(splitBytes=10_000, openCostBytes=0)
    df = read.option("blankNodes", "scoped").load([str(path) for path in paths])
    assert df.rdd.getNumPartitions() > 10
    rows = sorted_rows(df)
    assert len(rows) == 3 * 300 * 43
    assert rows == expected(jelly.read_patch, *paths, blank_nodes="scoped")
    other = tmp_path / "d.nq"
    other.write_text("<a:s> <a:p> <a:o> .\n" * 5_000)
    with spark_raises("PythonException", r"this looks like N-Triples.*not patches \(.*d\.nq\)"):
        read.load(str(other)).count()


@pytest.mark.parametrize("bad", ["cut", "foreign", "empty"])
def test_bad_files_are_named(spark: SparkSession, tmp_path: Path, bad: str) -> None:
    whole = rdf(500)
    (tmp_path / "good.jelly").write_bytes(whole)
    path = tmp_path / "bad.jelly"
    path.write_bytes({"cut": whole[:-300], "foreign": b"no jelly\n", "empty": b""}[bad])
    df = spark.read.format("jelly").load(str(tmp_path))
    kind = {"cut": r"truncated\.frame", "foreign": r"wire\.type", "empty": r"truncated\.stream"}[
        bad
    ]
    with spark_raises("PythonException", rf"{kind}: .*{path}"):
        df.count()
    permissive = spark.read.format("jelly").option("mode", "permissive").load(str(tmp_path))
    rows = permissive.collect()
    corrupt = [row for row in rows if row["_corrupt_record"] is not None]
    assert [str(path) in row["_corrupt_record"] for row in corrupt] == [True]
    good = Counter(row["source"] for row in rows if row["_corrupt_record"] is None)
    assert good[str(tmp_path / "good.jelly")] == 500
    assert (0 < good[str(path)] < 500) == (bad == "cut")


def same_rows(count: int, text: str = "x") -> bytes:
    """Many rows at once: the same hundred, again and again."""
    entries = [rdf_options(), rdf_entry("name", "p")]
    row = triple(s_bnode="s", p_iri=iri(1), o_literal=literal(text))
    return delimited(frame(*entries)) + delimited(frame(*[row] * 100)) * (count // 100)


def test_limit_does_not_read_on_and_closes_the_file(spark: SparkSession, tmp_path: Path) -> None:
    path, pipe = tmp_path / "a.jelly", str(tmp_path / "pipe")
    path.write_bytes(same_rows(300_000))
    os.mkfifo(pipe)
    ours = os.open(pipe, os.O_RDWR)  # so that the worker need not wait for a reader
    name = str(path)

    def around(batches: Iterator[Any]) -> Iterator[Any]:
        import os

        def is_open() -> bool:
            fds = "/proc/self/fd"
            return any(
                os.path.realpath(f"{fds}/{fd}") == name
                for fd in os.listdir(fds)  # noqa: PTH208
            )

        taken, was_open = 0, False
        try:
            for batch in batches:
                taken += 1
                was_open |= is_open()
                yield batch
        finally:
            batches.close()  # type: ignore[attr-defined]
            with open(pipe, "w") as told:  # noqa: PTH123
                told.write(f"{taken} {was_open} {is_open()}")

    watch(spark, "limit-watch", around)
    df = spark.read.format("limit-watch").option("splitBytes", "1g").load(name)
    assert df.limit(1).collect()[0]["seq"] == 0
    taken, *opened = os.read(ours, 100).decode().split()
    assert opened == ["True", "False"]
    assert df.count() == 300_000
    of_all = int(os.read(ours, 100).decode().split()[0])
    os.close(ours)
    # Spark takes a few batches ahead of the one that it needs; how many depends on its threads
    assert 1 <= int(taken) < of_all / 2


def test_a_task_that_fails_is_repeated_whole(spark: SparkSession, tmp_path: Path) -> None:
    """Needs a master that repeats tasks: local[2,2]."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.jelly").write_bytes(rdf(30_000, name))
    failures = tmp_path / "failures"

    def around(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        for number, batch in enumerate(batches):
            context = TaskContext.get()
            if number == 2 and context is not None and context.attemptNumber() == 0:
                with failures.open("a") as told:
                    told.write("x")
                raise OSError("the worker lost its disk")
            yield batch

    watch(spark, "failing", around)
    rows = (
        spark.read.format("failing")
        .option("batchRows", 10_000)
        .load(f"{tmp_path}/*.jelly")
        .select("source", "seq")
        .collect()
    )
    assert failures.read_text() in ("x", "xx")
    assert Counter(row["source"] for row in rows) == {
        f"{tmp_path}/{name}.jelly": 30_000 for name in ("a", "b", "c")
    }
    assert len(set(rows)) == 90_000


def test_the_memory_of_a_worker_is_bounded(spark: SparkSession, tmp_path: Path) -> None:
    """A file of 400 MB must not take 288 MiB, whatever the batches hold."""
    path, told = tmp_path / "a.jelly", tmp_path / "told"
    path.write_bytes(same_rows(40_000, "x" * 10_000))

    def around(batches: Iterator[Any]) -> Iterator[Any]:
        def kilobytes(name: str) -> int:
            lines = open("/proc/self/status").read().split(f"{name}:")  # noqa: PTH123, SIM115
            return int(lines[1].split()[0])

        idle = kilobytes("VmRSS")
        yield from batches
        told.write_text(str(kilobytes("VmHWM") - idle))

    watch(spark, "memory-watch", around)
    df = spark.read.format("memory-watch").load(str(path))
    assert df.selectExpr("sum(length(object))").first() == (40_000 * 10_002,)
    assert 0 < int(told.read_text()) < 288 << 10
