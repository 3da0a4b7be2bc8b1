"""A log applied to a dataset in Spark, the ways to do it next to each other, and next to jelly.apply.

python benches/python/spark_patching.py FOLDER [--quads 10000000] [--changes 1000000] [--only WORD ...]

Seconds of wall, and of processor in the JVM and in Python. Parquet in, Parquet out.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

import jelly
import jelly.spark
from patching import generate
from spark_hop import jvm_of, session, timed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

QUAD = ["subject", "predicate", "object", "graph"]
SECRET = secrets.token_bytes(16)


def to_parquet(reader: jelly.RdfReader | jelly.PatchReader, path: Path) -> None:
    with pq.ParquetWriter(path, pa.schema(reader.schema), compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(pa.record_batch(batch))


def with_native_key(base: DataFrame, log: DataFrame) -> DataFrame:
    """The four columns, joined on the native key."""
    net = jelly.spark.quad_keys(jelly.spark.net(log), SECRET)
    kept = jelly.spark.quad_keys(base, SECRET).join(net, "quad_key", "left_anti").select(*QUAD)
    return kept.union(net.where("_change_type = 'insert'").select(*QUAD))


def with_native_filter(base: DataFrame, log: DataFrame) -> DataFrame:
    """The base goes through Python, which knows the keys of the net changes."""
    net = jelly.spark.net(log)
    rows = jelly.spark.quad_keys(net, SECRET).select("quad_key").toArrow()
    keys = base.sparkSession.sparkContext.broadcast(frozenset(rows.column(0).to_pylist()))

    def stay(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        changed = keys.value
        for batch in batches:
            found = pa.array(jelly.quad_keys(batch, SECRET)).to_pylist()
            yield batch.filter(pa.array([key not in changed for key in found]))

    kept = base.mapInArrow(stay, base.schema)
    return kept.union(net.where("_change_type = 'insert'").select(*QUAD))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quads", type=int, default=10_000_000)
    parser.add_argument("--changes", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*", default=[""])
    told = parser.parse_args()
    folder: Path = told.folder
    folder.mkdir(parents=True, exist_ok=True)
    old, log, result = folder / "old.parquet", folder / "log.parquet", folder / "result.parquet"
    if not log.exists():
        generate(folder, told.quads, told.changes)
        to_parquet(jelly.read_rdf(folder / "old.nq"), old)
        to_parquet(jelly.read_patch(folder / "log.rdfp", source_name="log"), log)
    if any(word in "jelly.apply" for word in told.only):
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
            "joined on the native key": lambda: with_native_key(base, patches),
            "native key, filter in Python": lambda: with_native_filter(base, patches),
            "net": lambda: jelly.spark.net(patches),
            "the base copied": lambda: base,
        }
        chosen = [name for name in ways if any(word in name for word in told.only)]
        for name in 2 * chosen:  # the second time the JVM has compiled what it runs
            way = ways[name]
            run = timed(lambda way=way: way().write.mode("overwrite").parquet(str(result)), jvm)  # type: ignore[misc]
            rows = spark.read.parquet(str(result)).count()
            if name != "net" and rows != told.quads:
                raise SystemExit(f"{name}: {rows} rows instead of {told.quads}")
            print(f"{name}: {run}", flush=True)
    shutil.rmtree(result, ignore_errors=True)


if __name__ == "__main__":
    main()
