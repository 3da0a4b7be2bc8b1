"""Stream reading: reads each file that appears in folders once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from jelly.spark._older import FirstAnswer, SupportsTriggerAvailableNow
from jelly.spark.files.listing import File, files_of
from jelly.spark.files.offsets import Offset, key_of
from jelly.spark.files.plan import Part, plan
from jelly.spark.files.read import Parts, Shape, batches, state_now

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

    from jelly.spark._options import ReadOptions


# without a limit the first batch would have all files, and would begin again after a failure
FILES_PER_TRIGGER = 1000


class FilesStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads files as they appear; :mod:`jelly.spark.files.offsets` describes the offsets."""

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self._shape = Shape(options, schema)
        self._options = options
        self._snapshot: list[File] | None = None
        self._batch: dict[bytes, File] = {}
        self._known: Offset | None = None
        self._found: dict[str, Any] | None = None
        self._first = FirstAnswer()

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Returns the offset before the first file."""
        return Offset().stored()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Returns the limit of the options, or the default number of files."""
        from pyspark.sql.streaming.datasource import ReadMaxBytes, ReadMaxFiles

        if (most := self._options.max_bytes_per_trigger) is not None:
            return ReadMaxBytes(most)
        return ReadMaxFiles(self._options.max_files_per_trigger or FILES_PER_TRIGGER)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Limits the query to the files that exist now."""
        self._snapshot = files_of(self._options, complete=False)

    def latestOffset(  # noqa: N802
        self, start: dict[str, Any] | None = None, limit: ReadLimit | None = None
    ) -> dict[str, Any]:
        """Returns the offset after one more batch.

        Spark 4.1 passes neither ``start`` nor ``limit``. Its first offset includes all existing files, and
        :meth:`partitions` skips files that were already read.
        """
        known = self._known if start is None else Offset.of(start)
        listed = self._listed()
        takes_all = self._first.is_all(start)
        if known is None:
            return self._end(Offset(), Offset().new(listed), [])
        if not self._options.ignore_changed_files:
            _require_unchanged(known.changed(listed))
        new = known.new(listed)
        # the limit that Spark passes counts; there may be none
        max_files = getattr(limit, "max_files", len(new))
        max_bytes = getattr(limit, "max_bytes", None)
        if start is None and not takes_all:
            # use only an explicit limit, because with availableNow a limit ends the query after one batch
            max_files = self._options.max_files_per_trigger or len(new)
            max_bytes = self._options.max_bytes_per_trigger
        count = _fitting(new, max_files, max_bytes)
        waiting = new[count:]
        self._found = {
            "files": known.files + len(new),
            "waiting": len(waiting),
            "waitingBytes": sum(file.size for file in waiting),
        }
        if count == 0:
            return known.stored()
        return self._end(known, new[:count], waiting)

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        """Returns the state for the progress of the query: all files found, and files that wait for a later batch."""
        return self._found

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Plans tasks over the files of a batch.

        Raises:
            FileNotFoundError: Files of a batch that has begun are gone.
            ValueError: A file has changed since then.
        """
        last = Offset.of(end)
        self._known = last
        wanted = last.since(Offset.of(start))
        files = self._batch
        if not wanted <= files.keys():  # the batch was planned before a restart
            listed = files_of(self._options, complete=False) if wanted else []
            files = {key_of(file): file for file in listed}
            if gone := wanted - files.keys():
                paths = ", ".join(self._options.paths)
                raise FileNotFoundError(
                    f"{len(gone)} of {len(wanted)} files of a batch that has begun are gone: "
                    f"{paths}"
                )
        chosen = [file for key, file in files.items() if key in wanted]
        if not self._options.ignore_changed_files:
            _require_unchanged(last.changed(chosen))
        return [Parts(parts) for parts in plan(chosen, self._options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields the rows of one task."""
        if self._options.ignore_changed_files:
            return batches(partition.value, self._shape)
        return batches(partition.value, self._shape, self._require_same)

    def commit(self, end: dict[str, Any]) -> None:
        """Records the offset that Spark has committed."""
        self._known = Offset.of(end)

    def stop(self) -> None:
        """Does nothing, because no file is open."""

    def __getstate__(self) -> dict[str, Any]:
        # workers need no listing
        return self.__dict__ | {"_snapshot": None, "_batch": {}, "_known": None}

    def _listed(self) -> list[File]:
        if self._snapshot is not None:
            return self._snapshot
        return files_of(self._options, complete=False)

    def _end(self, start: Offset, taken: list[File], waiting: list[File]) -> dict[str, Any]:
        self._batch = {key_of(file): file for file in taken}
        return start.plus(taken, waiting, self._options.lateness_seconds).stored()

    def _require_same(self, part: Part) -> None:
        """Checks that the file has not changed since the batch was planned."""
        now = state_now(part, self._options)
        if not part.file.is_unchanged(now):
            _require_unchanged([now])


def _fitting(files: list[File], most_files: int, most_bytes: int | None) -> int:
    """Returns the number of files for a batch: at least one, if there are any."""
    if most_bytes is not None:
        sizes = accumulate(file.size for file in files)
        return max(sum(size <= most_bytes for size in sizes), min(1, len(files)))
    return min(most_files, len(files))


def _require_unchanged(files: Iterable[File]) -> None:
    for file in files:
        raise ValueError(
            f"{file.source} has changed since the stream found it, and now has {file.size} bytes: "
            "files must appear complete, by a rename, and must not change; until then, use a "
            "name that begins with . or _, which the stream ignores. ignoreChangedFiles=true "
            "continues with the file as it is"
        )
