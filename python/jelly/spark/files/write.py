"""Batch writing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from jelly.spark._of_task import number_of_task
from jelly.spark.files import manifest
from jelly.spark.files.output import Job, Output, Part

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark._options import WriteOptions


class FilesWriter(DataSourceArrowWriter):
    """Writes one file for each partition that has rows; the files become visible together or not at all."""

    def __init__(self, options: WriteOptions, schema: StructType, overwrite: bool) -> None:
        self._output = Output.of(options, schema)
        self._overwrite = overwrite
        self._job = Job(manifest.new_job())

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Part:
        """Writes a partition."""
        return self._output.write(iterator, self._job, number_of_task())

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Makes the files visible."""
        self._output.commit(
            cast("list[Part | None]", messages), self._job, overwrite=self._overwrite
        )

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Deletes the files."""
        self._output.abort(cast("list[Part | None]", messages), self._job)
