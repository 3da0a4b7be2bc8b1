"""Spark sessions whose workers find this library. Needs the extra ``jelly-patch[spark]``.

Spark starts its Python workers as ``python3``, not with the interpreter that runs the driver. Where
those differ, as in a virtual environment that is not activated, workers lack this library and
pyarrow. So either

    spark = jelly.spark.session("my app")

or, with a builder or a session of your own,

    spark = SparkSession.builder.config(map=jelly.spark.settings()).getOrCreate()

On a cluster, ``PYSPARK_PYTHON`` names the interpreter that the executors have; it is respected.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["session", "settings"]

Setting: TypeAlias = bool | float | int | str | None


def settings() -> dict[str, str]:
    """What a Spark session needs to run this library in its workers.

    The first entry is also a setting of running sessions: ``spark.conf.set(key, value)``.
    """
    python = os.environ.get("PYSPARK_PYTHON", sys.executable)
    return {
        "spark.sql.execution.pyspark.python": python,
        "spark.pyspark.python": python,
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }


def session(app_name: str = "jelly", conf: Mapping[str, Setting] | None = None) -> SparkSession:
    """A Spark session, the running one if there is one, with ``settings()``.

    Without ``spark.master``, and not under ``spark-submit``, it is a local session on all cores.

    Args:
        app_name: The name that Spark shows.
        conf: Spark's own settings, as ``{"spark.master": "local[2]"}``. They override ours.

    Raises:
        ImportError: PySpark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise ImportError("Spark is not installed: pip install 'jelly-patch[spark]'") from error

    chosen: dict[str, Setting] = {**settings(), **(conf or {})}
    if _is_local(str(chosen.get("spark.master", ""))):
        chosen = {**_local_defaults(), **chosen}
    # RDD functions take the interpreter from here alone.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkSession.builder.appName(app_name).config(map=chosen).getOrCreate()


def _is_local(master: str) -> bool:
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ or "SPARK_REMOTE" in os.environ
    return master.startswith("local") or (not master and not submitted)


def _local_defaults() -> dict[str, Setting]:
    return {
        "spark.master": "local[*]",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": max(2, os.cpu_count() or 2),
        "spark.ui.showConsoleProgress": "false",
    }
