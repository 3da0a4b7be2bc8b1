"""A log applied to a dataset in Spark, next to what one writes in Spark SQL by hand.

python benches/python/spark_patching.py FOLDER [--quads 2500000] [--changes 200000] [--rounds 3] [--only WORD ...]

First the answer of `jelly.spark.apply` is compared with that of `jelly.apply`. Then all ways run in turn, into a sink that keeps
nothing: seconds of processor of the driver, the JVM and the workers together, those of the call among them, and jobs. The first round, in which
the JVM compiles, does not count.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F  # noqa: N812

import jelly
import jelly.spark
from measure import WrongAnswerError
from patching import generate
from processes import cpu_seconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

QUAD = ["subject", "predicate", "object", "graph"]


def to_parquet(reader: jelly.RdfReader | jelly.PatchReader, path: Path) -> None:
    with pq.ParquetWriter(path, pa.schema(reader.schema), compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(pa.record_batch(batch))


def net_by_hand(log: DataFrame) -> DataFrame:
    return log.where("op IN ('A', 'D')").groupBy(*QUAD).agg(F.max_by("op", "seq").alias("op"))


def by_hand(base: DataFrame, log: DataFrame, *, broadcast: bool) -> DataFrame:
    """What one writes in Spark SQL: it checks no chain, no aborted transaction and no case of language tags."""
    changed = net_by_hand(log)
    quads = changed.select(*QUAD)
    kept = base.join(F.broadcast(quads) if broadcast else quads, QUAD, "left_anti")
    return kept.unionByName(changed.where("op = 'A'").select(*QUAD))


def diff_by_hand(old: DataFrame, new: DataFrame) -> DataFrame:
    gone, come = old.exceptAll(new), new.exceptAll(old)
    return gone.withColumn("op", F.lit("D")).unionByName(come.withColumn("op", F.lit("A")))


def prove(found: DataFrame, expected: DataFrame) -> None:
    more, less = found.exceptAll(expected).count(), expected.exceptAll(found).count()
    if more or less or not expected.count():
        raise WrongAnswerError(f"{more} rows too many and {less} too few")


@contextlib.contextmanager
def started() -> Iterator[SparkSession]:
    """A session with this library's settings, for all ways."""
    conf: dict[str, bool | int | str] = {
        "spark.driver.memory": "2g",
        "spark.log.level": "ERROR",
        "spark.master": "local[2]",
        "spark.sql.shuffle.partitions": 200,  # Spark's own default
        "spark.ui.enabled": False,
    }
    spark = jelly.spark.session("patching", conf)
    try:
        yield spark
    finally:
        spark.stop()


def cpu() -> float:
    return sum(cpu_seconds(os.getpid()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quads", type=int, default=2_500_000)
    parser.add_argument("--changes", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[""])
    parsed = parser.parse_args()
    folder: Path = parsed.folder
    folder.mkdir(parents=True, exist_ok=True)
    old, log, after = (folder / f"{name}.parquet" for name in ("old", "log", "after"))
    if not after.exists():
        generate(folder, parsed.quads, parsed.changes)
        to_parquet(jelly.read_rdf(folder / "old.nq"), old)
        to_parquet(jelly.read_patch(folder / "log.rdfp", source_name="log"), log)
        jelly.apply(folder / "old.nq", folder / "log.rdfp", folder / "after.nq")
        to_parquet(jelly.read_rdf(folder / "after.nq"), after)
    with started() as spark:
        base, patches = spark.read.parquet(str(old)).select(*QUAD), spark.read.parquet(str(log))
        now = spark.read.parquet(str(after)).select(*QUAD)
        prove(jelly.spark.apply(base, patches), now)
        ways: dict[str, Callable[[], DataFrame]] = {
            "apply": lambda: jelly.spark.apply(base, patches),
            "apply by hand": lambda: by_hand(base, patches, broadcast=False),
            "apply by hand, broadcast": lambda: by_hand(base, patches, broadcast=True),
            "apply, shuffled": lambda: jelly.spark.apply(base, patches, broadcast=False),
            "net": lambda: jelly.spark.net(patches),
            "net by hand": lambda: net_by_hand(patches),
            "diff": lambda: jelly.spark.diff(base, now),
            "diff by hand": lambda: diff_by_hand(base, now),
            "the base alone": lambda: base,
        }
        chosen = {
            name: way for name, way in ways.items() if any(word in name for word in parsed.only)
        }
        used: dict[str, list[float]] = {name: [] for name in chosen}
        tracker = spark.sparkContext.statusTracker()
        for number in range(parsed.rounds + 1):
            for name, way in chosen.items():
                group = f"{name} {number}"
                spark.sparkContext.setJobGroup(group, name)
                before = cpu()
                result = way()
                called = cpu()
                result.write.format("noop").mode("overwrite").save()
                ended, jobs = cpu(), len(tracker.getJobIdsForGroup(group))
                print(
                    f"{name}: {ended - before:.2f} s of CPU, {called - before:.2f} of the call, {jobs} jobs",
                    flush=True,
                )
                if number:
                    used[name].append(ended - before)
    for name, seconds in used.items():
        yardstick = used.get(name.split(",")[0] + " by hand")
        if yardstick:
            ratios = [one / other for one, other in zip(seconds, yardstick, strict=True)]
            print(f"{name}: {statistics.median(ratios):.2f} of what is written by hand")


if __name__ == "__main__":
    main()
