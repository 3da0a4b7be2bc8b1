"""What Spark's pages say of the jobs that a function runs by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DESCRIPTION = "spark.job.description"


@contextmanager
def described(spark: SparkSession, text: str) -> Iterator[None]:
    """Names the jobs that run meanwhile; Spark Connect has no such names."""
    from pyspark.errors import PySparkException

    try:
        context = spark.sparkContext
    except (PySparkException, AttributeError):
        yield
        return
    before = context.getLocalProperty(_DESCRIPTION)
    # the user's own name of what runs stays in front
    context.setLocalProperty(_DESCRIPTION, f"{before}: {text}" if before else text)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)  # type: ignore[arg-type]
