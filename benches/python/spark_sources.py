"""The ways from files into Spark and into Parquet, next to Spark's own text and Parquet.

The same change log many times, as Jelly-Patch, as text and as Parquet; two tasks at a time.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

import jelly
import jelly.spark
from measure import Effort, WrongAnswerError
from places import BUILD, SkippedError, corpus, need, write_whole
from spark_hop import Measured, Run, drain, jvm_of, session, timed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOG = "brick-versions"
COPIES = 40
WARM_UP = 2


def compare(effort: Effort) -> list[Measured]:
    need("java")
    copies = COPIES // 4 if effort.quick else COPIES
    folders, rows = made(copies)
    written = BUILD / "spark" / "written"

    with session("local[2]") as spark:
        jvm = jvm_of(spark)
        reads = {
            "mapInArrow, binaryFile": binary(spark, folders["jellyp"]),
            "mapInArrow, paths": paths_of(spark, folders["jellyp"]),
            "data source": spark.read.format("jelly-patch").load(str(folders["jellyp"])),
            "data source, RDF Patch text": spark.read.format("jelly-patch").load(
                str(folders["rdfp"])
            ),
            "Spark's text, not parsed": spark.read.text(str(folders["rdfp"])),
            "Spark's Parquet": spark.read.parquet(str(folders["parquet"])),
        }
        for what, frame in reads.items():
            if "text" not in what and frame.count() != rows:
                raise WrongAnswerError(f"{what}: {frame.count()} rows instead of {rows}")
        source = reads["data source"]

        def by_spark() -> Run:
            return timed(lambda: source.write.mode("overwrite").parquet(str(written)), jvm)

        def by_workers() -> Run:
            def write() -> object:
                return jelly.spark.write_parquet(
                    spark, folders["jellyp"], written, mode="overwrite"
                )

            return timed(write, jvm)

        ways: dict[str, Callable[[], Run]] = {
            what: lambda frame=frame: drain(frame, jvm)  # type: ignore[misc]
            for what, frame in reads.items()
        }
        ways |= {"data source, write.parquet": by_spark, "write_parquet": by_workers}
        for write in (by_spark, by_workers):
            write()
            if (count := spark.read.parquet(str(written)).count()) != rows:
                raise WrongAnswerError(f"{count} rows were written instead of {rows}")
        for _ in range(WARM_UP):
            for way in ways.values():
                way()
        passes = [{what: way() for what, way in ways.items()} for _ in range(effort.pairs)]
    shutil.rmtree(written, ignore_errors=True)
    return [Measured(what, rows, [each[what] for each in passes]) for what in ways]


def made(copies: int) -> tuple[dict[str, Path], int]:
    """A folder for each format, of so many files with the same rows."""
    log = next((path for path in corpus(".jellyp") if path.stem == LOG), None)
    if log is None:
        raise SkippedError(f"no {LOG}.jellyp in the corpus")
    root = BUILD / "spark" / f"copies-{copies}"
    batches = [pa.record_batch(batch) for batch in jelly.read_patch(log)]
    rows = copies * sum(batch.num_rows for batch in batches)
    folders = {name: root / name for name in ("jellyp", "rdfp", "parquet")}
    if not root.exists():
        part = root.with_name(f"{root.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        table = pa.Table.from_batches(batches)
        for name in folders:
            (part / name).mkdir(parents=True)
            one = part / name / f"0.{name}"
            if name == "parquet":
                pq.write_table(table, one, compression="snappy")
            else:
                jelly.convert(log, one)
            for number in range(1, copies):
                write_whole(one.with_name(f"{number}.{name}"), one.read_bytes())
        part.rename(root)
    return folders, rows


def paths_of(spark: "SparkSession", folder: Path) -> "DataFrame":
    paths = [(str(path),) for path in sorted(folder.iterdir())]
    files = spark.createDataFrame(paths, "path string").repartition(8)
    return files.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL)


def binary(spark: "SparkSession", folder: Path) -> "DataFrame":
    files = spark.read.format("binaryFile").load(str(folder))
    return files.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL)
