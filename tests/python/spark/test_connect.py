"""Spark Connect: a server of PySpark in local mode, and a session that has no JVM of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from .apart import run_apart

pytestmark = pytest.mark.spark

JOB = """
import json, sys
import jelly, jelly.spark
from jelly import Replica
from pyspark.sql import SparkSession

folder = sys.argv[1]
jelly.spark.settings()
spark = SparkSession.builder.remote("local[2]").getOrCreate()
jelly.spark.register(spark)
base = folder + "/base.nq"
log = folder + "/log.rdfp"
with open(base, "w") as out:
    out.writelines(f'<a:s{n}> <a:p> "{n}" .\\n' for n in range(300))
with open(log, "w") as out:
    out.write("H id <u:1> .\\nTX .\\n")
    out.writelines(f'A <a:s{n}> <a:p> "{n}" .\\n' for n in range(200, 400))
    out.writelines(f'D <a:s{n}> <a:p> "{n}" .\\n' for n in range(100))
    out.write("TC .\\n")
replica = Replica.create(folder + "/table", base, bucket_rows=32)
done = replica.follow(log, spark=spark)
changes = spark.read.format("jelly-patch").load(log)
applied = jelly.spark.apply(spark.read.format("jelly").load(base), changes)
terms = ["subject", "predicate", "object", "graph"]
left = replica.dataframe(spark).exceptAll(applied.select(terms)).count()
print(json.dumps({
    "remote": type(spark).__module__, "added": done.added, "deleted": done.deleted, "files": done.files,
    "rows": replica.dataframe(spark).count(), "applied": applied.count(), "left": left,
    "counted": jelly.spark.count(spark, base),
}))
spark.stop()
"""


def test_a_replica_and_tables_on_connect(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    for module in ("grpc_status", "zstandard"):
        pytest.importorskip(module, reason=f"Spark Connect needs {module}")
    found = run_apart(JOB, tmp_path)
    assert found.pop("remote") == "pyspark.sql.connect.session"
    assert found.pop("files") > 4
    assert found == {
        "added": 100,
        "deleted": 100,
        "rows": 300,
        "applied": 300,
        "left": 0,
        "counted": 300,
    }
