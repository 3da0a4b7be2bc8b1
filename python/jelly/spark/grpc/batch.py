"""Batch reading: one task subscribes, until the server ends the stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from jelly.spark.files.read import Shape

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark.grpc.options import GrpcReadOptions


class GrpcReader(DataSourceReader):
    """Reads the current content of a topic."""

    def __init__(self, options: GrpcReadOptions, schema: StructType) -> None:
        self._options = options
        self._shape = Shape(options.read, schema)

    def partitions(self) -> list[InputPartition]:
        """Plans one task."""
        return [InputPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields all rows."""
        del partition
        from jelly.grpc._streams import Subscription
        from jelly.grpc._wire import pieces_of

        server = self._options.server
        with Subscription(server.target, server.topic, **server.call) as frames:
            yield from rows([(server.source, pieces_of(frames))], self._shape)


def rows(streams: Iterable[tuple[str, Any]], shape: Shape) -> Iterator[pa.RecordBatch]:
    """Yields the rows of streams, each with its name, up to the first error.

    Raises:
        JellyError: A stream has an error.
        OSError: The server cannot be reached, or rejects the request.
    """
    is_jelly = {"format": "jelly", "framing": "delimited"}
    yield from shape.rows((source, {"source_name": name, **is_jelly}) for name, source in streams)
