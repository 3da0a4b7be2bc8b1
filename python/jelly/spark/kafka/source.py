"""The data source ``jelly-kafka``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from jelly.spark.kafka.client import require_confluent_kafka
from jelly.spark.kafka.options import NAME, KafkaOptions, KafkaWriteOptions

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )
    from pyspark.sql.types import StructType

__all__ = ["KafkaSource"]


class KafkaSource(DataSource):
    """``format("jelly-kafka")``; :mod:`jelly.spark.kafka` describes the options."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return NAME

    def schema(self) -> str:
        """Returns the columns of the rows, according to the options."""
        # Spark does not tell here whether this is a stream; the reader checks options that depend on it
        return KafkaOptions.of(self.options, stream=None).ddl

    def reader(self, schema: StructType) -> DataSourceReader:
        """Returns a reader of the current content of the topics."""
        require_confluent_kafka()
        from jelly.spark.kafka.batch import KafkaReader

        return KafkaReader(KafkaOptions.of(self.options, stream=False), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Returns a reader that reads new messages as they arrive."""
        require_confluent_kafka()
        from jelly.spark.kafka.stream import KafkaStreamReader

        return KafkaStreamReader(KafkaOptions.of(self.options, stream=True), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Returns a writer of rows as messages."""
        require_confluent_kafka()
        from jelly.spark.kafka.sink import KafkaWriter

        return KafkaWriter(KafkaWriteOptions.of(self.options), schema, overwrite)

    def streamWriter(  # noqa: N802
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamWriter:
        """Returns a writer of the rows of each batch as messages."""
        require_confluent_kafka()
        from jelly.spark.kafka.sink import KafkaStreamWriter

        return KafkaStreamWriter(KafkaWriteOptions.of(self.options), schema, overwrite)
