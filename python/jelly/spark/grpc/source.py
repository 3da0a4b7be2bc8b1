"""The data source ``jelly-grpc``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from jelly.spark.grpc.log import read_options, write_options
from jelly.spark.grpc.options import NAME, GrpcReadOptions, GrpcWriteOptions, kind_of

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )
    from pyspark.sql.types import StructType

__all__ = ["GrpcSource"]


class GrpcSource(DataSource):
    """``format("jelly-grpc")``; :mod:`jelly.spark.grpc` describes the options."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return NAME

    def schema(self) -> str:
        """Returns the columns of the rows, according to ``columns``, ``terms`` and ``mode``."""
        # Spark does not tell here whether this is a stream; the reader checks options that depend on it
        if kind_of(self.options) == "patch":
            return read_options(self.options, stream=None).ddl
        return GrpcReadOptions.of(self.options, stream=None).ddl

    def reader(self, schema: StructType) -> DataSourceReader:
        """Returns a reader of the current content of a topic or a log."""
        if kind_of(self.options) == "patch":
            from jelly.spark.log.batch import LogReader

            return LogReader(read_options(self.options, stream=False), schema)
        from jelly.spark.grpc.batch import GrpcReader

        return GrpcReader(GrpcReadOptions.of(self.options, stream=False), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Returns a reader that reads a topic or a log as it grows."""
        if kind_of(self.options) == "patch":
            from jelly.spark.log.stream import LogStreamReader

            return LogStreamReader(read_options(self.options, stream=True), schema)
        from jelly.spark.grpc.stream import GrpcStreamReader

        return GrpcStreamReader(GrpcReadOptions.of(self.options, stream=True), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Returns a writer that publishes the rows of each task as one stream, or all rows as one patch."""
        if kind_of(self.options) == "patch":
            from jelly.spark.log.sink import LogWriter

            return LogWriter(write_options(self.options), schema, overwrite)
        from jelly.spark.grpc.sink import GrpcWriter

        return GrpcWriter(GrpcWriteOptions.of(self.options, schema.names), schema, overwrite)

    def streamWriter(  # noqa: N802
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamWriter:
        """Returns a writer that publishes the rows of each task as one stream, or of each batch as one patch."""
        if kind_of(self.options) == "patch":
            from jelly.spark.log.sink import LogStreamWriter

            return LogStreamWriter(write_options(self.options), schema, overwrite)
        from jelly.spark.grpc.sink import GrpcStreamWriter

        return GrpcStreamWriter(GrpcWriteOptions.of(self.options, schema.names), schema, overwrite)
