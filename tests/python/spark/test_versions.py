"""Other versions of PySpark: the oldest one that has data sources in Python, and the last one that has none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .apart import run_apart

pytest.importorskip("pyspark")

JOB = """
import json, sys
from pathlib import Path
import jelly, jelly.spark
import pyspark

folder = Path(sys.argv[1])
spark = jelly.spark.session("versions", {"spark.master": "local[2]", "spark.ui.enabled": "false"})
base, log = folder / "base.nq", folder / "log"
log.mkdir()
base.write_text("".join(f'<a:s{n}> <a:p> "{n}" .\\n' for n in range(100)))
(log / "patch-0001.rdfp").write_text('H id <u:1> .\\nTX .\\nA <a:x> <a:p> "x" .\\nD <a:s1> <a:p> "1" .\\nTC .\\n')
(log / "patch-0002.rdfp").write_text('H id <u:2> .\\nH prev <u:1> .\\nTX .\\nA <a:y> <a:p> "x" .\\nTC .\\n')
paths = spark.createDataFrame([(str(path),) for path in sorted(log.iterdir())], "path string")
rows = paths.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL)
found = {"version": pyspark.__version__, "rows": rows.count(), "changes": jelly.spark.changes(rows).count()}
try:
    jelly.spark.register(spark)
except ImportError as error:
    found["error"] = str(error)
else:
    jelly.spark.register(spark)
    dataset = spark.read.format("jelly").load(str(base))
    patches = spark.read.format("jelly-patch").load(str(log))
    now = jelly.spark.apply(dataset, patches)
    now.drop("source", "seq", "frame").write.format("jelly").mode("append").save(str(folder / "now"))
    replica = jelly.Replica.create(folder / "table", base)
    stream = spark.readStream.format("jelly-patch").load(str(log)).writeStream
    stream = stream.foreachBatch(replica.foreach_batch).option("checkpointLocation", str(folder / "state"))
    stream.trigger(availableNow=True).start().awaitTermination()
    copied = spark.readStream.format("jelly-patch").load(str(log)).writeStream.format("jelly-patch")
    copied = copied.option("checkpointLocation", str(folder / "copied")).trigger(availableNow=True)
    copied.start(str(folder / "copy")).awaitTermination()
    made = jelly.Log.create(folder / "made")
    patches.where("source like '%0001%'").write.format("jelly-log").mode("append").save(str(made.place))
    found |= {
        "copied": spark.read.format("jelly-patch").load(str(folder / "copy")).count(),
        "published": [version.added + version.deleted for version in made.versions()],
        "counted": jelly.spark.count(spark, base),
        "applied": spark.read.format("jelly").load(str(folder / "now")).count(),
        "net": jelly.spark.net(patches).count(),
        "diff": jelly.spark.diff(dataset, now).count(),
        "parquet": sum(file.rows for file in jelly.spark.write_parquet(spark, base, str(folder / "p"), kind="rdf")),
        "replica": [replica.version, len(replica)],
    }
print(json.dumps(found))
spark.stop()
"""


@pytest.mark.soak
@pytest.mark.spark
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("version", ["4.2", "4.1", "4.0", "3.5"])
def test_another_pyspark(tmp_path: Path, version: str) -> None:
    packages = tmp_path / "packages"
    # py4j of its own: each PySpark takes another range of versions
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages)]
    made = subprocess.run([*pip, f"pyspark=={version}.*"], capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"PySpark {version} cannot be installed here")
    job = tmp_path / "job"
    job.mkdir()
    found = run_apart(JOB, job, PYTHONPATH=str(packages))
    assert found.pop("version").startswith(version)
    of_columns = {"rows": 12, "changes": 3}
    if version == "3.5":
        assert "Python data sources need 4.0 or newer" in found.pop("error")
        assert found == of_columns
    else:
        assert found == of_columns | {
            "counted": 100, "applied": 101, "net": 3, "diff": 6, "parquet": 100, "replica": [2, 101],
            "copied": 12, "published": [2],
        }  # fmt: skip


def test_a_source_that_is_registered_already_is_no_error() -> None:
    from pyspark.errors import AnalysisException

    import jelly.spark

    class Refused(AnalysisException):
        """As the JVM raises it."""

        condition = ""

        def getCondition(self) -> str:  # noqa: N802
            return self.condition

    class Sources:
        """Refuses each source, as Spark 4.0 does where it found it by its name."""

        def __init__(self, condition: str) -> None:
            self.condition = condition
            self.names: list[str] = []

        def register(self, source: Any) -> None:
            self.names.append(source.name())
            if source.name() == "jelly-patch":
                error = Refused("refused")
                error.condition = self.condition
                raise error

    class Session:
        def __init__(self, condition: str) -> None:
            self.dataSource = Sources(condition)

    session: Any = Session("DATA_SOURCE_ALREADY_EXISTS")
    jelly.spark.register(session)
    assert session.dataSource.names == [
        "jelly",
        "jelly-patch",
        "jelly-log",
        "jelly-grpc",
        "jelly-kafka",
    ]
    with pytest.raises(AnalysisException):
        jelly.spark.register(Session("DATA_SOURCE_NOT_FOUND"))  # type: ignore[arg-type]


def test_an_old_pyspark_says_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    import jelly.spark
    from jelly.spark import _session

    monkeypatch.setattr(_session, "find_spec", lambda _: None)
    session: Any = None
    for call in (
        lambda: jelly.spark.register(session),
        lambda: jelly.spark.count(session, "x"),
        lambda: jelly.spark.write_parquet(session, "x", "y"),
    ):
        with pytest.raises(
            ImportError, match=r"Python data sources need 4\.0 or newer: pip install"
        ):
            call()
