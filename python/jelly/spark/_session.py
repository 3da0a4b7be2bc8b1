"""Spark settings and sessions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["session", "settings"]

Setting: TypeAlias = bool | float | int | str | None

_GET_SPARK = "Spark is not installed: pip install 'jelly-patch[spark]'"
_GET_JAVA = (
    "Get it from https://adoptium.net, with `apt install openjdk-17-jre-headless` or with "
    "`brew install openjdk@17`; JAVA_HOME selects the Java to use"
)


def settings() -> dict[str, str]:
    """Returns the settings that a Spark session needs to run this library in its workers.

    The first entry is also a setting of running sessions: ``spark.conf.set(key, value)``.
    If the environment has no ``PYSPARK_PYTHON``, it is set to this interpreter too, because functions on RDDs and the
    planning of data sources read only this variable.
    """
    python = os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return {
        "spark.sql.execution.pyspark.python": python,
        "spark.pyspark.python": python,
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }


def session(app_name: str = "jelly", conf: Mapping[str, Setting] | None = None) -> SparkSession:
    """Returns a Spark session with ``settings()``; the running session if there is one.

    Without ``spark.master``, and not under ``spark-submit``, it is a local session on all cores.

    Args:
        app_name: The name that Spark shows.
        conf: Spark's own settings, such as ``{"spark.master": "local[2]"}``. They override the settings of this
            library.

    Raises:
        ImportError: PySpark is not installed.
        RuntimeError: A JVM must be started, but there is no Java 17 or later.
    """
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise ImportError(_GET_SPARK) from error

    chosen: dict[str, Setting] = {**settings(), **(conf or {})}
    if _is_local(str(chosen.get("spark.master", ""))):
        chosen = {**_local_defaults(), **chosen}
    if not _has_jvm():
        _require_java()
    return SparkSession.builder.appName(app_name).config(map=chosen).getOrCreate()


def _is_local(master: str) -> bool:
    return master.startswith("local") or (not master and not _has_jvm())


def _has_jvm() -> bool:
    """Returns whether Spark runs elsewhere, or has started this program."""
    return "PYSPARK_GATEWAY_PORT" in os.environ or "SPARK_REMOTE" in os.environ


def _require_java() -> None:
    """Raises an error that names what is missing, because Spark only reports that it could not start."""
    home = os.environ.get("JAVA_HOME")
    name = str(Path(home, "bin", "java")) if home else "java"
    java = shutil.which(name)
    if java is None:
        raise RuntimeError(f"Spark needs Java 17 or later, and there is no {name}. {_GET_JAVA}")
    run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)', run.stderr)
    if version and int(version[1]) < 17:
        found = run.stderr.splitlines()[0]
        raise RuntimeError(f"Spark needs Java 17 or later; {java} is {found}. {_GET_JAVA}")


def _local_defaults() -> dict[str, Setting]:
    return {
        "spark.master": "local[*]",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": max(2, os.cpu_count() or 2),
        "spark.ui.showConsoleProgress": "false",
        # data exchange with workers costs a fifth less than over TCP; known by Spark 4.1 and newer
        "spark.python.unix.domain.socket.enabled": os.name == "posix",
    }


def parallelism(spark: SparkSession) -> int | None:
    """Returns the default number of parallel tasks of a session; None on Spark Connect, which does not report it."""
    from pyspark.errors import PySparkException

    try:
        return spark.sparkContext.defaultParallelism
    except (PySparkException, AttributeError):
        return None


def require_data_sources() -> None:
    """Checks that PySpark supports data sources in Python.

    Raises:
        ImportError: PySpark does not support them, or is not installed.
    """
    try:
        import pyspark
    except ModuleNotFoundError as error:
        raise ImportError(_GET_SPARK) from error
    if find_spec("pyspark.sql.datasource") is None:
        raise ImportError(
            f"this is PySpark {pyspark.__version__}, but Python data sources need 4.0 or newer: "
            "pip install "
            "'jelly-patch[spark]'. With PySpark 3.5 df.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL) works"
        )
