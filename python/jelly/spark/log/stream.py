"""Stream reading: reads each version of a log once, as it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from jelly.spark._older import FirstAnswer, SupportsTriggerAvailableNow
from jelly.spark.files.read import Shape
from jelly.spark.log.batch import rows
from jelly.spark.log.plan import Offset, offset_before, planned, require, versions_since

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

    from jelly.spark.log.options import LogReadOptions
    from jelly.spark.log.place import Readable, Version


# without a limit the first batch would be the whole log, and would begin again after a failure
VERSIONS_PER_TRIGGER = 1000


class LogStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a log; an offset is the last version that was read, with its id: ``{"version": 7, "id": "<x:7>"}``."""

    def __init__(self, options: LogReadOptions, schema: StructType) -> None:
        self._options = options
        self._shape = Shape(options.read, schema)
        self._opened: Readable | None = None
        self._target: Offset | None = None
        self._last: Offset | None = None
        self._first = FirstAnswer()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": None}

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Returns the offset at which a new query begins."""
        start = self._options.starting_version
        if start == "latest":
            found = self._end()
        else:
            found = offset_before(self._log, self._log.info().first if start == "earliest" else start)  # fmt: skip
        self._last = found
        self._first.begins()
        return found.stored()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Returns the limit of the options, or the default number of versions."""
        from pyspark.sql.streaming.datasource import ReadMaxBytes, ReadMaxFiles

        if (most := self._options.max_bytes_per_trigger) is not None:
            return ReadMaxBytes(most)
        return ReadMaxFiles(self._options.max_versions_per_trigger or VERSIONS_PER_TRIGGER)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Limits the query to the versions that exist now."""
        self._target = self._end()

    def latestOffset(  # noqa: N802
        self, start: dict[str, Any] | None = None, limit: ReadLimit | None = None
    ) -> dict[str, Any]:
        """Returns the offset at which the next batch ends."""
        takes_all = self._first.is_all(start)
        before = self._last if start is None else Offset.of(start)
        if before is None:  # before Spark 4.2, a restarted query does not pass its offset
            return (self._target or self._end()).stored()
        # the limit that Spark passes counts; there may be none
        most, most_bytes = getattr(limit, "max_files", None), getattr(limit, "max_bytes", None)
        if start is None and not takes_all:
            most = self._options.max_versions_per_trigger
            most_bytes = self._options.max_bytes_per_trigger
        last: Version | None = None
        size = 0
        with closing(self._since(before, most)) as found:
            for version in found:
                size += version.bytes
                if most_bytes is not None and size > most_bytes and last is not None:
                    break
                last = version
        end = before if last is None else Offset(last.version, last.id)
        self._last = end
        return end.stored()

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        """Returns the end of the log, for the progress of the query."""
        return self._end().stored()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Plans the tasks of a batch.

        Raises:
            PatchError: The place has another log now (``patch.fork``), or versions of the batch are gone
                (``patch.gap``).
        """
        first, last = Offset.of(start), Offset.of(end)
        self._last = last
        id = self._log.info().id
        found = list(versions_since(self._log, first, last.version))
        if found:
            require(self._log, last, found[-1].id)
        return planned(first.version, (one.bytes for one in found), self._options.read, id)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields the rows of one task."""
        return rows(self._options.place, self._shape, partition)

    def commit(self, end: dict[str, Any]) -> None:
        """Does nothing, because the stream does not own the log."""

    def stop(self) -> None:
        """Does nothing, because nothing is open."""

    @property
    def _log(self) -> Readable:
        if self._opened is None:
            self._opened = self._options.place.there()
        return self._opened

    def _end(self) -> Offset:
        return Offset(*self._log.head)

    def _since(self, before: Offset, most: int | None) -> Any:
        """Yields the versions of the next batch: at most this number, and none after the target."""
        last = self._log.head.version if self._target is None else self._target.version
        upto = last if most is None else min(last, before.version + most)
        return versions_since(self._log, before, max(upto, before.version))
