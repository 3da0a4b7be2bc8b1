"""Stream writing: writes each batch once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from pyspark.sql.datasource import WriterCommitMessage

from jelly.spark._of_task import number_of_task, query_and_batch
from jelly.spark._older import DataSourceStreamArrowWriter
from jelly.spark.files import manifest
from jelly.spark.files.commits import Batch
from jelly.spark.files.output import Job, Output, Part

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark._options import WriteOptions


class FilesStreamWriter(DataSourceStreamArrowWriter):
    """Writes files named by query, batch and partition.

    The query is identified by its checkpoint, so a batch that is repeated after a restart does not count twice. In
    output mode ``complete``, each batch replaces all earlier files.
    """

    def __init__(self, options: WriteOptions, schema: StructType, overwrite: bool) -> None:
        self._output = Output.of(options, schema)
        self._overwrite = overwrite

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Part:
        """Writes a partition of a batch."""
        query, number = query_and_batch()
        job = Job(manifest.stream_job(query), Batch(query, int(number)))
        return self._output.write(iterator, job, number_of_task())

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Makes the files of a batch visible, unless they already are."""
        parts = cast("list[Part | None]", messages)
        if job := _job(parts, batchId):
            self._output.commit(parts, job, overwrite=self._overwrite)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Deletes the files of a batch."""
        parts = cast("list[Part | None]", messages)
        if job := _job(parts, batchId):
            self._output.abort(parts, job)


def _job(parts: list[Part | None], number: int) -> Job | None:
    """Returns the job of the tasks."""
    for part in parts:
        if part is not None:
            batch = part.job.batch
            assert batch is not None
            assert batch.number == number
            return part.job
    return None
