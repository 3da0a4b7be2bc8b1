"""Executors as processes of their own, with an environment that came with the job (docs/clusters.md)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOG = ROOT / "examples" / "brick-versions.jellyp.gz"

JOB = """
import json, sys
import jelly, jelly.spark

archive, log = sys.argv[1:]
spark = jelly.spark.session("cluster", {
    "spark.master": "local-cluster[1,2,1024]",
    "spark.archives": archive + "#environment",
    "spark.ui.enabled": False,
    "spark.log.level": "OFF",
})
paths = spark.createDataFrame([(log,)], "path string")

def where(batches):
    import jelly, pyarrow
    for _ in batches:
        yield pyarrow.record_batch([[jelly.__file__]], ["file"])

print(json.dumps({
    "rows": paths.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL).count(),
    "files": [row.file for row in paths.mapInArrow(where, "file string").collect()],
}))
spark.stop()
"""


@pytest.mark.soak
@pytest.mark.spark
def test_an_environment_that_comes_with_the_job(tmp_path: Path) -> None:
    pyspark = pytest.importorskip("pyspark")
    wheels = sorted((ROOT / "target" / "wheels").glob("*.whl"))
    if not wheels:
        pytest.skip("no wheel in target/wheels: make demo makes it")
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", env], check=True)
    packages = [f"{name}=={version(name)}" for name in ("pyarrow", "pandas")]
    install = [
        str(env / "bin/python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        str(wheels[-1]),
        *packages,
    ]
    subprocess.run([*install, "venv-pack", "setuptools"], check=True)
    archive = tmp_path / "environment.tar.gz"
    subprocess.run([env / "bin/venv-pack", "-q", "-p", env, "-o", archive], check=True)

    ran = subprocess.run(
        [sys.executable, "-c", JOB, archive, LOG],
        env=os.environ
        | {
            "PYSPARK_PYTHON": "./environment/bin/python",
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    # this kind of cluster unpacks the archive beside Spark, wherever it is told to work
    shutil.rmtree(Path(pyspark.__file__).parent / "work", ignore_errors=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found["rows"] == 114990
    assert found["files"]
    assert all("/environment/lib/" in file for file in found["files"])
