"""Batch reading: a worker reads its versions of a log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, InputPartition

from jelly.log._guard import guarded
from jelly.spark.files.read import Shape
from jelly.spark.log.plan import Versions, planned

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark.log.options import LogReadOptions
    from jelly.spark.log.place import Place


class LogReader(DataSourceReader):
    """Reads the versions that a log has now."""

    def __init__(self, options: LogReadOptions, schema: StructType) -> None:
        self._options = options
        self._shape = Shape(options.read, schema)

    def partitions(self) -> list[InputPartition]:
        """Plans tasks over the requested versions."""
        options = self._options
        log, start = options.place.there(), options.starting_version
        info = log.info()
        after = start - 1 if isinstance(start, int) else info.first - 1
        found = log.versions(after, options.ending_version)
        # without partitions, Spark would create one itself
        return planned(after, (one.bytes for one in found), options.read, info.id) or [
            Versions(after, (), None)
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields the rows of one task."""
        return rows(self._options.place, self._shape, partition)


def rows(place: Place, shape: Shape, partition: InputPartition) -> Iterator[pa.RecordBatch]:
    """Yields the rows of versions, in order, up to the first error.

    Each version is a separate source, in which all numbers count from 0.

    Raises:
        JellyError: A version is damaged, or was compacted or replaced since the tasks were planned.
        OSError: The log cannot be read.
    """
    assert isinstance(partition, Versions)
    if not partition.sizes:
        return
    log, upto = place.open(), partition.after + len(partition.sizes)
    guard = guarded(log, partition.id, partition.after, upto)
    with closing(log._each(partition.after, partition.sizes)) as found:
        yield from guard.end(
            shape.rows(
                (source, {"source_name": place.source(version), "format": format})
                for version, (source, format) in enumerate(found, partition.after + 1)
            )
        )
