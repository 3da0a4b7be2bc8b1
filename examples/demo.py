"""Decodes the change log of the Brick ontology in Spark and builds the latest Brick from it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import jelly
import jelly.spark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

HERE = Path(__file__).resolve().parent
LOG = HERE / "brick-versions.jellyp.gz"
TABLE = HERE.parent / "build" / "demo" / "brick.parquet"
QUADS = 38_589  # what Apache Jena has after the same log

VERSIONS = """
    SELECT version, count_if(op = 'A') AS adds, count_if(op = 'D') AS deletes
    FROM log JOIN (SELECT patch, value AS version FROM log WHERE op = 'H' AND name = 'version')
    USING (patch)
    GROUP BY patch, version ORDER BY patch
"""

# The last operation on a quad is the one that counts.
LATEST = """
    SELECT subject, predicate, object, graph
    FROM committed WHERE op IN ('A', 'D')
    GROUP BY subject, predicate, object, graph
    HAVING max_by(op, seq) = 'A'
"""


def main() -> int:
    print(f"\n{LOG.name}: {LOG.stat().st_size:,} bytes of Jelly-Patch, gzip")
    with jelly.read_patch(LOG) as reader:
        print(f"Stream options: {reader.options}")

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
        return show(spark)
    finally:
        spark.stop()


def show(spark: SparkSession) -> int:
    files = spark.createDataFrame([(str(LOG),)], "path string")

    log = files.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL).cache()
    log.createOrReplaceTempView("log")
    print(f"\nDecoded in Spark: {log.count():,} rows. Some of them:")
    columns = ["patch", "txn", "seq", "op", "subject", "predicate", "object", "name", "value"]
    log.where("seq BETWEEN 0 AND 3 OR seq BETWEEN 17837 AND 17839").select(columns).show(
        truncate=24
    )

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
    many = spark.createDataFrame([(str(LOG),)] * times, "path string")

    def alone() -> None:
        for _ in range(times):
            with jelly.read_patch(LOG) as reader:
                for _batch in reader:
                    pass

    def ready_made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What decode_batches gives, decoded once and given for each path."""
        made: list[pa.RecordBatch] = []
        for batch in batches:
            for row in range(batch.num_rows):
                made = made or list(jelly.decode_batches(iter([batch.slice(row, 1)])))
                yield from made

    def in_spark(function: Callable[..., Iterator[pa.RecordBatch]]) -> Callable[[], None]:
        rows = many.mapInArrow(function, jelly.PATCH_SCHEMA_DDL)
        return lambda: rows.write.format("noop").mode("overwrite").save()

    rows = times * spark.table("log").count()
    print(f"\nThe log {times} times over, {rows:,} rows, million rows a second, better of 2 runs:")
    for what, run in (
        ("decoding alone, gunzip to Arrow, one core", alone),
        ("Spark's hop alone, ready-made batches through mapInArrow", in_spark(ready_made)),
        ("both, decode_batches through mapInArrow, two workers", in_spark(jelly.decode_batches)),
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
