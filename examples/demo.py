"""Makes a change log of the Brick ontology from its versions, decodes it in Spark and builds the latest Brick from it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import jelly
import jelly.spark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

HERE = Path(__file__).resolve().parent
GIVEN = HERE / "brick-versions.jellyp.gz"
BUILD = HERE.parent / "build" / "demo"
TABLE = BUILD / "brick.parquet"
LOGS = BUILD / "logs"
QUADS = 38_589  # what Apache Jena has after the same log

VERSIONS = """
    SELECT version, count_if(op = 'A') AS adds, count_if(op = 'D') AS deletes
    FROM log JOIN (SELECT source, value AS version FROM log WHERE op = 'H' AND name = 'version')
    USING (source)
    GROUP BY source, version ORDER BY source
"""

# The last operation on a quad is the one that counts.
LATEST = """
    SELECT subject, predicate, object, graph
    FROM committed WHERE op IN ('A', 'D')
    GROUP BY subject, predicate, object, graph
    HAVING max_by(op, struct(source, seq)) = 'A'
"""


def main() -> int:
    with TemporaryDirectory(prefix="jelly-demo-") as work:
        log = make_log(Path(work))
    done = in_spark(log)
    print(f"\nThe log stays: `jelly serve {os.path.relpath(LOGS)}` shows it at http://127.0.0.1:8080/brick, and takes patches.")  # fmt: skip
    return done


def make_log(work: Path) -> list[str]:
    """Publishes what changed from each Turtle file to the next one; returns the files of the log."""
    shutil.rmtree(LOGS, ignore_errors=True)
    log = jelly.Log.create(LOGS / "brick")
    dump, state, change = work / "brick.ttl", work / "state.jelly", work / "change.jellyp"
    print("\nA log of the Turtle files of Brick, made by jelly.diff, which matches blank nodes:")
    with jelly.read_patch(GIVEN) as reader:
        names = [row.value for row in reader.rows() if row.op == "H" and row.name == "version"]
    files = []
    for number, name in enumerate(names, 1):
        # what Brick publishes: blank nodes have no stable labels
        jelly.as_of(b"", GIVEN, number, dump)
        log.dataset(state)
        done = jelly.diff(state, dump, change, blank_nodes="match")
        published = log.publish(change, headers={"version": name or ""})
        files.append(str(published.path))
        print(f"  {name:18} {done.new:7,} statements  +{done.added:,} -{done.deleted:,}, {done.kept_nodes:,} blank nodes kept")  # fmt: skip
    return files


def in_spark(log: list[str]) -> int:

    # Not an option of Java: what the environment says of those would replace it.
    os.environ["LOG4J_CONFIGURATION_FILE"] = str(HERE / "log4j2.properties")
    spark = jelly.spark.session(
        "Brick",
        {
            "spark.master": "local[2]",
            "spark.ui.enabled": False,
        },
    )
    try:
        return show(spark, log)
    finally:
        spark.stop()


def show(spark: SparkSession, paths: list[str]) -> int:
    files = spark.createDataFrame([(path,) for path in paths], "path string")

    log = files.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL).cache()
    log.createOrReplaceTempView("log")
    print(f"\nDecoded in Spark: {log.count():,} rows. Some of them:")
    columns = ["patch", "txn", "seq", "op", "subject", "predicate", "object", "name", "value"]
    log.where("source LIKE '%patch-0006%' AND seq < 9").select(columns).show(truncate=24)

    print("Changes by version:")
    spark.sql(VERSIONS).show()

    decoder = jelly.batch_decoder("patch", rows="committed")
    committed = files.mapInArrow(decoder, decoder.ddl)
    committed.createOrReplaceTempView("committed")
    spark.sql(LATEST).write.mode("overwrite").parquet(str(TABLE))
    count = spark.read.parquet(str(TABLE)).count()
    print(f"Latest Brick: {count:,} quads in {TABLE.relative_to(HERE.parent)}")
    if count != QUADS:
        print(f"demo: the latest Brick should have {QUADS:,} quads, not {count:,}", file=sys.stderr)
        return 1

    print_speed(spark)
    return 0


def print_speed(spark: SparkSession) -> None:
    """Decoding, Spark's hop from Python to the JVM, and both, on enough rows to tell."""
    times = 16
    many = spark.createDataFrame([(str(GIVEN),)] * times, "path string")

    def alone() -> None:
        for _ in range(times):
            with jelly.read_patch(GIVEN) as reader:
                for _batch in reader:
                    pass

    def ready_made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What decode_batches gives, decoded once and given for each path."""
        made: list[pa.RecordBatch] = []
        for batch in batches:
            for row in range(batch.num_rows):
                made = made or list(jelly.decode_batches(iter([batch.slice(row, 1)])))
                yield from made

    def hop(function: Callable[..., Iterator[pa.RecordBatch]]) -> Callable[[], None]:
        rows = many.mapInArrow(function, jelly.PATCH_SCHEMA_DDL)
        return lambda: rows.write.format("noop").mode("overwrite").save()

    rows = times * jelly.stats(GIVEN).rows
    print(
        f"\n{GIVEN.name} {times} times over, {rows:,} rows, million rows a second, better of 2 runs:"
    )
    for what, run in (
        ("decoding alone, gunzip to Arrow, one core", alone),
        ("Spark's hop alone, ready-made batches through mapInArrow", hop(ready_made)),
        ("both, decode_batches through mapInArrow, two workers", hop(jelly.decode_batches)),
    ):
        print(f"  {what + ':':60}{rows / better(run) / 1e6:5.1f}")


def better(run: Callable[[], object]) -> float:
    def seconds() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return min(seconds(), seconds())


if __name__ == "__main__":
    sys.exit(main())
