"""Delta Lake in Spark reads the tables of replicas, and what it does to them the replica accepts or refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .apart import run_apart

pytest.importorskip("pyspark")
pytest.importorskip("deltalake")

JOB = """
import json, sys
from pathlib import Path
import jelly, jelly.spark
from jelly.errors import JellyError

folder, package = Path(sys.argv[1]), sys.argv[2]
spark = jelly.spark.session("delta", {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.jars.packages": package,
    "spark.jars.excludes": "org.xerial.snappy:snappy-java",  # Spark has it
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
})
base, log, table = folder / "base.nq", jelly.Log.create(folder / "log"), folder / "table"
base.write_text("".join(f'<a:s{n}> <a:p> "{n}" <a:g{n % 3}> .\\n' for n in range(1000)))
replica = jelly.Replica.create(table, base, format="delta", bucket_rows=256)

def publish(row):
    log.publish(f"TX .\\n{row} .\\nTC .\\n".encode())
    replica.follow(log.place)

def rows(**options):
    read = spark.read.format("delta").options(**options).load(str(table))
    return sorted(map(tuple, read.select("subject", "predicate", "object", "graph").collect()))

def kept():
    return sorted(tuple(row[:4]) for batch in replica.read() for row in zip(*batch.to_pydict().values()))

def sql(text):
    spark.sql(text.replace("@", f"delta.`{table}`")).collect()

found = {"version": spark.version}
old = spark.read.format("delta").load(str(table)).count()
publish('A <a:x> <a:p> "x" <a:g0>')
publish('D <a:s1> <a:p> "1" <a:g1>')
found["same"] = [old, len(rows()), rows() == kept()]
publish('A <a:y> <a:p> "y" <a:g0>')
first = spark.sql(f"DESCRIBE HISTORY delta.`{table}`").orderBy("version").first().version
found["as of"] = len(rows(versionAsOf=first))
sql("OPTIMIZE @")
sql("ALTER TABLE @ SET TBLPROPERTIES ('note' = 'x')")
sql("VACUUM @ RETAIN 0 HOURS")
publish('A <a:z> <a:p> "z" <a:g0>')
found["goes on"] = [replica.version, len(rows()), rows() == kept()]
good = spark.sql(f"DESCRIBE HISTORY delta.`{table}`").orderBy("version", ascending=False).first().version
refused = []
for change in (
    "DELETE FROM @ WHERE subject = '<a:s2>'",
    "UPDATE @ SET object = '<a:o>' WHERE subject = '<a:s2>'",
    "INSERT INTO @ SELECT * FROM @ LIMIT 1",
):
    sql(change)
    try:
        jelly.Replica(table).follow(log.place)
    except JellyError as error:
        refused.append(error.kind)
    sql(f"RESTORE TABLE @ TO VERSION AS OF {good}")
found["refused"] = refused
replica = jelly.Replica(table)
publish('A <a:w> <a:p> "w" <a:g0>')
found["restored"] = [replica.version, len(rows()), rows() == kept()]
print(json.dumps(found))
spark.stop()
"""

PAIRS = [
    ("4.2", "delta-spark_4.2_2.13:4.4.0"),
    ("4.1", "delta-spark_4.1_2.13:4.4.0"),
    ("4.1", "delta-spark_4.1_2.13:4.3.1"),
    ("4.0", "delta-spark_4.0_2.13:4.1.0"),
    ("4.0", "delta-spark_2.13:4.0.1"),
]


@pytest.mark.soak
@pytest.mark.spark
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("version", "package"), PAIRS)
def test_a_pair(tmp_path: Path, version: str, package: str) -> None:
    packages = tmp_path / "packages"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages)]
    made = subprocess.run([*pip, f"pyspark=={version}.*"], capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"PySpark {version} cannot be installed here")
    job = tmp_path / "job"
    job.mkdir()
    found = run_apart(JOB, job, f"io.delta:{package}", PYTHONPATH=str(packages))
    assert found.pop("version").startswith(version)
    assert found == {
        "same": [1000, 1000, True],
        "as of": 1000,
        "goes on": [4, 1002, True],
        "refused": ["replica.table"] * 3,
        "restored": [5, 1003, True],
    }
