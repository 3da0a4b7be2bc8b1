"""Stream reading: the frames of a topic, through a spool."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from jelly.spark._older import FirstAnswer, SupportsTriggerAvailableNow
from jelly.spark.files.plan import packed
from jelly.spark.files.read import Shape
from jelly.spark.grpc.batch import rows
from jelly.spark.grpc.receiver import Receiver
from jelly.spark.grpc.spool import Offset, Spool, ends

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

    from jelly.spark.grpc.options import GrpcReadOptions


class Spooled(InputPartition):
    """The files that one task reads."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(paths)
        self.paths = paths


class GrpcStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a topic; an offset counts the frames of a spool: ``{"spool": id, "frames": 42}``."""

    def __init__(self, options: GrpcReadOptions, schema: StructType) -> None:
        self._options = options
        self._shape = Shape(options.read, schema)
        self._opened: Spool | None = None
        self._receiver: Receiver | None = None
        self._target: int | None = None
        self._last: int | None = None
        self._first = FirstAnswer()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": None, "_receiver": None}

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Returns the start of the spool.

        Raises:
            ArgumentError: The spool belonged to another checkpoint, and its first frames are gone.
        """
        if (files := self._spool.files()) and files[0].first:
            self._spool.between(0, files[0].first)
        self._last = 0
        self._first.begins()
        return self._offset(0)

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Returns the limit in bytes."""
        from pyspark.sql.streaming.datasource import ReadMaxBytes

        return ReadMaxBytes(self._options.max_bytes_per_trigger)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Receives the current content of the topic, and limits the query to it."""
        self._target = self._have_now()

    def latestOffset(  # noqa: N802
        self, start: dict[str, Any] | None = None, limit: ReadLimit | None = None
    ) -> dict[str, Any]:
        """Returns the offset at which the next batch ends."""
        if self._first.is_all(start):
            have = self._have_now()
            self.stop()  # another receiver receives later frames
            return self._offset(have)
        receiver = self._receive(follow=True)
        have = receiver.flush() if self._target is None else self._target
        before = self._last if start is None else Offset.of(start, self._spool).frames
        if before is None:  # before Spark 4.2, a restarted query does not pass its offset
            return self._offset(have)
        receiver.consumed(before)
        if have <= before:
            receiver.check()  # frames received before an error are read first
        # the limit that Spark passes counts; there may be none
        most = getattr(limit, "max_bytes", None)
        if start is None:
            most = self._options.max_bytes_per_trigger
        end = before
        for place, size in ends(self._spool.files(), before):
            if place > have or (most is not None and size > most and end > before):
                break
            end = place
        self._last = end
        return self._offset(end)

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        """Returns the end of the spool, for the progress of the query."""
        files = self._spool.files()
        return self._offset(files[-1].end if files else 0)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Plans the tasks of a batch.

        Raises:
            ArgumentError: The offsets belong to another spool, or files of the batch are gone.
        """
        first, last = (Offset.of(one, self._spool).frames for one in (start, end))
        self._last = last
        files = self._spool.between(first, last)
        tasks = packed([one.size for one in files], min(len(files), os.cpu_count() or 1))
        return [Spooled(tuple(str(files[at].path) for at in task)) for task in tasks]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields the rows of one task."""
        assert isinstance(partition, Spooled)
        return rows(((path, path) for path in partition.paths), self._shape)

    def commit(self, end: dict[str, Any]) -> None:
        """Deletes files that will not be read again."""
        frames = Offset.of(end, self._spool).frames
        self._spool.delete_before(frames)
        if self._receiver is not None:
            self._receiver.consumed(frames)

    def stop(self) -> None:
        """Stops the receiver."""
        if self._receiver is not None:
            self._receiver.close()
            self._receiver = None

    def _have_now(self) -> int:
        """Returns the number of frames of the spool, after receiving the current content of the topic."""
        receiver = self._receive(follow=False)
        receiver.done.wait()
        receiver.check()
        return receiver.flush()

    @property
    def _spool(self) -> Spool:
        if self._opened is None:
            self._opened = Spool(self._options.folder, self._options.server.topic)
        return self._opened

    def _receive(self, *, follow: bool) -> Receiver:
        if self._receiver is None:
            options = self._options
            # the current content of the topic is received completely before the first batch
            most = options.spool_bytes if follow else None
            self._receiver = Receiver(self._spool, options.server, most, follow=follow)
        return self._receiver

    def _offset(self, frames: int) -> dict[str, Any]:
        return Offset(self._spool.id, frames).stored()
