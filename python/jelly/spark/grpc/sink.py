"""Publishing: the rows of a task are one stream, whose id makes repetitions harmless."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from jelly._writers import RdfWriter
from jelly.spark._of_task import number_of_task, query_and_batch
from jelly.spark._older import DataSourceStreamArrowWriter
from jelly.spark.files.output import require_columns

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark.grpc.options import GrpcWriteOptions

_TERMS = ("graph", "subject", "predicate", "object")


class GrpcWriter(DataSourceArrowWriter):
    """Publishes a DataFrame, task by task."""

    def __init__(self, options: GrpcWriteOptions, schema: StructType, overwrite: bool) -> None:
        _check(schema, overwrite)
        self._options = options
        self._id = options.id or str(uuid.uuid4())

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Publishes the rows of a task."""
        return published(iterator, self._options, self._id)


class GrpcStreamWriter(DataSourceStreamArrowWriter):
    """Publishes each batch of a stream, task by task, with the query and the batch in the ids."""

    def __init__(self, options: GrpcWriteOptions, schema: StructType, overwrite: bool) -> None:
        _check(schema, overwrite)
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Publishes the rows of a task."""
        query, number = query_and_batch()
        return published(iterator, self._options, f"{self._options.id or query}/{number}")


def _check(schema: StructType, overwrite: bool) -> None:
    """Rejects rows and modes that cannot be published.

    Raises:
        ValueError: Columns are missing or unknown, terms are not text, or the mode would overwrite a topic.
    """
    if overwrite:
        raise ValueError('a topic only grows: mode("append"), outputMode("append")')
    require_columns("rdf", schema)
    for name in _TERMS:
        if name in schema.names and schema[name].dataType.simpleString() not in ("string", "void"):
            raise ValueError(f"rows are sorted by their terms, but {name!r} is not text: give terms as text")  # fmt: skip


def published(
    batches: Iterator[pa.RecordBatch], options: GrpcWriteOptions, job: str
) -> WriterCommitMessage:
    """Publishes the rows of this task, sorted, under an id of the job and the task.

    Raises:
        JellyError: A row is wrong, or the topic has other types, or other rows under the id.
        OSError: The server cannot be reached, or rejects the request.
    """
    import pyarrow as pa

    kept = [batch for batch in batches if batch.num_rows]
    if kept:
        import jelly.grpc

        names = [name for name in _TERMS if name in kept[0].schema.names]
        table = pa.Table.from_batches(kept).select(names)
        table = table.sort_by([(name, "ascending") for name in names])
        server = options.server
        with tempfile.NamedTemporaryFile(suffix=".jelly") as spool:
            with RdfWriter(spool.name, format="jelly", options=options.options) as writer:
                writer.write(table)
            jelly.grpc.publish(
                server.target, spool.name, topic=server.topic, format="jelly",
                publish_id=f"{job}/{number_of_task()}", **server.call,
            )  # fmt: skip
    return WriterCommitMessage()
