"""Writing the batches of a stream, each once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from pyspark import TaskContext
from pyspark.sql.datasource import WriterCommitMessage

from jelly.spark._older import DataSourceStreamArrowWriter
from jelly.spark.files import manifest
from jelly.spark.files.commits import Batch
from jelly.spark.files.output import Job, Output, Part

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark._options import WriteOptions


class FilesStreamWriter(DataSourceStreamArrowWriter):
    """Files named by query, batch and partition.

    The query is known by its checkpoint, so a batch that is repeated after a restart is not counted
    twice. In the output mode ``complete`` each batch replaces all that is there.
    """

    def __init__(self, options: WriteOptions, schema: StructType, overwrite: bool) -> None:
        self._output = Output.of(options, schema)
        self._overwrite = overwrite

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Part:
        """Writes a partition of a batch."""
        context = TaskContext.get()
        query = context.getLocalProperty("sql.streaming.queryId") if context else None
        number = context.getLocalProperty("streaming.sql.batchId") if context else None
        if context is None or query is None or number is None:
            raise RuntimeError("Spark does not say of which query and batch this task is")
        batch = Batch(query, int(number))
        job = Job(manifest.stream_job(query), batch)
        return self._output.write(iterator, job, context.partitionId())

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Makes the files of a batch count, unless they do."""
        parts = cast("list[Part | None]", messages)
        if job := _job(parts, batchId):
            self._output.commit(parts, job, overwrite=self._overwrite)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Deletes the files of a batch."""
        parts = cast("list[Part | None]", messages)
        if job := _job(parts, batchId):
            self._output.abort(parts, job)


def _job(parts: list[Part | None], number: int) -> Job | None:
    """The job that the tasks were of."""
    for part in parts:
        if part is not None:
            batch = part.job.batch
            assert batch is not None
            assert batch.number == number
            return part.job
    return None
