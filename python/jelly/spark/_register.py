"""Registers data sources in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jelly.spark._session import require_data_sources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]


def register(spark: SparkSession) -> None:
    """Registers the data sources ``jelly``, ``jelly-patch``, ``jelly-log``, ``jelly-grpc`` and ``jelly-kafka`` in a session.

    If the library is on the driver's own path, Spark finds the sources by name without this call. The driver of a
    notebook service may have started before the library was on its path.

    Raises:
        ImportError: PySpark is not installed, or older than 4.0.
    """
    require_data_sources()
    from pyspark.errors import PySparkException

    from jelly.spark.grpc.source import GrpcSource
    from jelly.spark.kafka.source import KafkaSource
    from jelly.spark.log.source import LogSource
    from jelly.spark.sources import Patch, Rdf

    for source in (Rdf, Patch, LogSource, GrpcSource, KafkaSource):
        try:
            spark.dataSource.register(source)
        except PySparkException as error:
            # Spark 4.0 rejects a source that it found by its name
            if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
                raise
