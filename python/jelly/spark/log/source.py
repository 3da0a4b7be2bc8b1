"""The data source ``jelly-log``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from jelly.spark.log.options import NAME, LogReadOptions, LogWriteOptions

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )
    from pyspark.sql.types import StructType

__all__ = ["LogSource"]


class LogSource(DataSource):
    """``format("jelly-log")``; :mod:`jelly.spark.log` describes the options."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return NAME

    def schema(self) -> str:
        """Returns the columns of the rows, according to ``columns``, ``terms`` and ``mode``."""
        # Spark does not tell here whether this is a stream; the reader checks options that depend on it
        return LogReadOptions.of(self.options, stream=None).ddl

    def reader(self, schema: StructType) -> DataSourceReader:
        """Returns a reader of existing versions."""
        from jelly.spark.log.batch import LogReader

        return LogReader(LogReadOptions.of(self.options, stream=False), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Returns a reader that reads versions as they arrive."""
        from jelly.spark.log.stream import LogStreamReader

        return LogStreamReader(LogReadOptions.of(self.options, stream=True), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Returns a writer that publishes rows as one patch."""
        from jelly.spark.log.sink import LogWriter

        return LogWriter(LogWriteOptions.of(self.options), schema, overwrite)

    def streamWriter(  # noqa: N802
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamWriter:
        """Returns a writer that publishes the rows of each batch as one patch."""
        from jelly.spark.log.sink import LogStreamWriter

        return LogStreamWriter(LogWriteOptions.of(self.options), schema, overwrite)
