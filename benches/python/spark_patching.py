"""A log applied to a dataset in Spark, the ways to do it next to each other, and next to jelly.apply.

python benches/python/spark_patching.py FOLDER [--quads 10000000] [--changes 1000000] [--only WORD ...]

Seconds of wall, and of processor in the JVM and in Python. Parquet in, Parquet out.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F  # noqa: N812

import jelly
import jelly.spark
from patching import generate
from spark_hop import jvm_of, session, timed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

QUAD = ["subject", "predicate", "object", "graph"]


def to_parquet(reader: jelly.RdfReader | jelly.PatchReader, path: Path) -> None:
    with pq.ParquetWriter(path, pa.schema(reader.schema), compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(pa.record_batch(batch))


def by_hand(base: DataFrame, log: DataFrame, *, broadcast: bool) -> DataFrame:
    """What one writes in Spark SQL: it checks no chain, no aborted transaction and no case of language tags."""
    changed = log.where("op IN ('A', 'D')").groupBy(*QUAD).agg(F.max_by("op", "seq").alias("op"))
    quads = changed.select(*QUAD)
    kept = base.join(F.broadcast(quads) if broadcast else quads, QUAD, "left_anti")
    return kept.unionByName(changed.where("op = 'A'").select(*QUAD))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quads", type=int, default=10_000_000)
    parser.add_argument("--changes", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*", default=[""])
    parsed = parser.parse_args()
    folder: Path = parsed.folder
    folder.mkdir(parents=True, exist_ok=True)
    old, log, result = folder / "old.parquet", folder / "log.parquet", folder / "result.parquet"
    if not log.exists():
        generate(folder, parsed.quads, parsed.changes)
        to_parquet(jelly.read_rdf(folder / "old.nq"), old)
        to_parquet(jelly.read_patch(folder / "log.rdfp", source_name="log"), log)
    if any(word in "jelly.apply" for word in parsed.only):
        began, used = time.perf_counter(), time.process_time()
        jelly.apply(folder / "old.nq", folder / "log.rdfp", folder / "after.nq")
        wall, cpu = time.perf_counter() - began, time.process_time() - used
        print(f"jelly.apply, N-Quads: {wall:.1f} s, {cpu:.1f} s of CPU", flush=True)
    with session("local[2]") as spark:
        jvm = jvm_of(spark)
        base, patches = spark.read.parquet(str(old)).select(*QUAD), spark.read.parquet(str(log))
        ways: dict[str, Callable[[], DataFrame]] = {
            "apply, broadcast": lambda: jelly.spark.apply(base, patches, broadcast=True),
            "apply, shuffled": lambda: jelly.spark.apply(base, patches, broadcast=False),
            "by hand, broadcast": lambda: by_hand(base, patches, broadcast=True),
            "by hand, shuffled": lambda: by_hand(base, patches, broadcast=False),
            "net": lambda: jelly.spark.net(patches),
            "the base copied": lambda: base,
        }
        chosen = [name for name in ways if any(word in name for word in parsed.only)]
        tracker = spark.sparkContext.statusTracker()
        for number, name in enumerate(
            2 * chosen
        ):  # the second time the JVM has compiled what it runs
            way, group = ways[name], f"way {number}"
            spark.sparkContext.setJobGroup(group, name)
            run = timed(lambda way=way: way().write.mode("overwrite").parquet(str(result)), jvm)  # type: ignore[misc]
            jobs = len(tracker.getJobIdsForGroup(group))
            rows = spark.read.parquet(str(result)).count()
            if name != "net" and rows != parsed.quads:
                raise SystemExit(f"{name}: {rows} rows instead of {parsed.quads}")
            print(f"{name}: {run}, {jobs} jobs", flush=True)
    shutil.rmtree(result, ignore_errors=True)


if __name__ == "__main__":
    main()
