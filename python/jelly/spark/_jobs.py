"""Descriptions in the Spark UI for jobs that a function runs itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DESCRIPTION = "spark.job.description"


@contextmanager
def described(spark: SparkSession, text: str) -> Iterator[None]:
    """Describes the jobs that run in this context; Spark Connect has no job descriptions."""
    from pyspark.errors import PySparkException

    try:
        context = spark.sparkContext
    except (PySparkException, AttributeError):
        yield
        return
    before = context.getLocalProperty(_DESCRIPTION)
    # keep the user's own description in front
    context.setLocalProperty(_DESCRIPTION, f"{before}: {text}" if before else text)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)  # type: ignore[arg-type]
