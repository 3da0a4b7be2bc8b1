"""Spark's pages say which call a job is of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

import jelly
import jelly.spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PATCH = b"H id <u:1> .\nTX .\nA <a:1> <a:p> <a:o> .\nTC .\n"


def test_jobs_have_the_name_of_their_call(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "base.nt").write_text('<a:s> <a:p> "0" .\n')
    (tmp_path / "patch-0001.rdfp").write_bytes(PATCH)
    paths = spark.createDataFrame([(str(tmp_path / "patch-0001.rdfp"),)], "path string")
    rows = paths.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL)
    base = tmp_path / "base.nt"
    store = spark.sparkContext._jsc.sc().statusStore()

    def text(option: Any) -> str:
        return str(option.get()) if option.isDefined() else ""

    def jobs() -> set[Any]:
        found = store.jobsList(None)
        return {
            (found.apply(at).jobId(), text(found.apply(at).description()))
            for at in range(found.size())
        }

    one, two = (jelly.Replica.create(tmp_path / name) for name in ("one", "two"))
    calls = {
        "jelly.spark.count": lambda: jelly.spark.count(spark, base),
        "jelly.spark.write_parquet": lambda: jelly.spark.write_parquet(spark, base, tmp_path / "to", kind="rdf"),
        "jelly.Replica.foreach_batch": lambda: one.foreach_batch(rows),
        "jelly.Replica.compact": lambda: one.compact(100, spark=spark),
        "jelly.Replica.follow": lambda: two.follow(_long(), spark=spark),
    }  # fmt: skip
    for call, run in calls.items():
        before = jobs()
        run()  # type: ignore[no-untyped-call]
        made = jobs() - before
        assert made, call
        for _, said in made:
            assert said.startswith(f"{call}: "), (call, said)
    spark.sparkContext.setJobDescription("mine")
    before = jobs()
    jelly.spark.count(spark, base)
    assert {said[:25] for _, said in jobs() - before} == {"mine: jelly.spark.count: "}
    spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


def _long() -> bytes:
    """More changes than lie beside the buckets of a small table."""
    rows = b"".join(b"A <a:%d> <a:p> <a:o> .\n" % number for number in range(70_000))
    return b"H id <u:1> .\nTX .\n" + rows + b"TC .\n"
