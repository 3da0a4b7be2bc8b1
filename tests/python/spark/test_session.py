"""Sessions whose workers find the library."""

from __future__ import annotations

import builtins
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly.spark

from .streams import rdf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_settings_name_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    assert jelly.spark.settings()["spark.sql.execution.pyspark.python"] == sys.executable
    monkeypatch.setenv("PYSPARK_PYTHON", "./environment/bin/python")
    assert (
        jelly.spark.settings()["spark.sql.execution.pyspark.python"] == "./environment/bin/python"
    )


def test_missing_pyspark_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("pyspark"):
            raise ModuleNotFoundError(f"No module named {name!r}", name="pyspark")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'jelly-patch\[spark\]'"):
        jelly.spark.session()


def test_missing_java_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    for name in ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"Java 17 or later, and there is no java\. Get it"):
        jelly.spark.session()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    java = tmp_path / "bin" / "java"
    with pytest.raises(RuntimeError, match=f"there is no {re.escape(str(java))}"):
        jelly.spark.session()
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(RuntimeError, match=r'is openjdk version "1\.8\.0_392"'):
        jelly.spark.session()


def test_only_its_own_names_are_offered() -> None:
    names = {"count", "from_kafka", "register", "session", "settings", "vacuum", "write_parquet"}
    names |= {"changes", "prefixes", "net", "apply", "as_of", "between", "diff", "history"}
    assert set(dir(jelly.spark)) == {*names, "quad_keys"}


@pytest.mark.spark
def test_session_is_the_running_one(spark: SparkSession) -> None:
    assert jelly.spark.session("other") is spark
    assert spark.conf.get("spark.ui.enabled") == "false"


@pytest.mark.spark
def test_sessions_of_this_machine_reach_workers_by_unix_domain_sockets(spark: SparkSession) -> None:
    found = spark.sparkContext.getConf().get("spark.python.unix.domain.socket.enabled")
    assert found == str(os.name == "posix").lower()


@pytest.mark.spark
def test_workers_have_the_interpreter_of_the_driver(spark: SparkSession, tmp_path: Path) -> None:
    """In a process of its own: nothing outside says which Python the workers take."""
    del spark  # only to skip where Spark cannot run
    file = tmp_path / "a.jelly"
    file.write_bytes(rdf(3))
    code = """
import sys
import jelly.spark
import pyarrow as pa
from pyspark.sql import SparkSession

def where(batches):
    for _ in batches:
        yield pa.record_batch({"python": [sys.executable]})

def start():
    local = {"spark.master": "local[1]", "spark.ui.enabled": "false", "spark.log.level": "OFF"}
    yield SparkSession.builder.config(map={**jelly.spark.settings(), **local}).getOrCreate()
    yield jelly.spark.session("second", local)

for spark in start():
    print(spark.range(1).mapInArrow(where, "python string").first().python)
    print(spark.read.format("jelly").load(sys.argv[1]).count())
    spark.stop()
"""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
    env["PATH"] = f"{Path(shutil.which('java') or '/usr/bin/java').parent}:/usr/bin:/bin"
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], env=env, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [sys.executable, "3"] * 2, done.stderr[-2000:]
