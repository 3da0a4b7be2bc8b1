"""Publishing: the rows of a batch are one patch, whose id makes a retry a replay."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from jelly import _internal
from jelly.spark._of_task import query_and_batch
from jelly.spark._older import DataSourceStreamArrowWriter
from jelly.spark.log.rows import check_columns, encoded

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark.log.options import LogWriteOptions
    from jelly.spark.log.place import Place

# UUID namespace for ids of batches, which are computed from query and batch number
_BATCHES = uuid.UUID("6f0c3c36-3c2f-5d0b-9a55-0d3f2c0b7f11")


@dataclass(frozen=True)
class Rows(WriterCommitMessage):
    """The rows of a task: a patch, compressed."""

    patch: bytes
    count: int


class LogWriter(DataSourceArrowWriter):
    """Publishes a DataFrame as one patch, when all tasks are done."""

    def __init__(self, options: LogWriteOptions, schema: StructType, overwrite: bool) -> None:
        _check(schema, overwrite)
        self._place = options.place
        self._id = options.id or f"<urn:uuid:{uuid.uuid4()}>"

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Encodes the rows of a task."""
        return Rows(*encoded(iterator, self._id))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Publishes the patch."""
        _publish(self._place, messages)


class LogStreamWriter(DataSourceStreamArrowWriter):
    """Publishes each batch of a stream as one patch.

    The id of a patch is computed from query and batch, so a batch that is repeated after a restart is a replay.
    """

    def __init__(self, options: LogWriteOptions, schema: StructType, overwrite: bool) -> None:
        _check(schema, overwrite)
        self._place = options.place
        self._id = options.id

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Encodes the rows of a task."""
        return Rows(*encoded(iterator, self._id_now()))

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Publishes the patch, unless an earlier attempt did."""
        del batchId
        _publish(self._place, messages)

    def _id_now(self) -> str:
        """Returns the id of the batch of this task."""
        query, number = query_and_batch()
        if self._id is not None:
            return _internal.identify(f"{self._id[1:-1]}/{number}")[0]
        return f"<urn:uuid:{uuid.uuid5(_BATCHES, f'{query} {number}')}>"


def _check(schema: StructType, overwrite: bool) -> None:
    """Rejects rows and modes that cannot be published.

    Raises:
        ValueError: The columns are not those of a patch, or the mode would overwrite patches.
    """
    if overwrite:
        raise ValueError('a log only grows: mode("append"), outputMode("append")')
    check_columns(schema)


def _publish(place: Place, messages: Sequence[WriterCommitMessage | None]) -> None:
    """Publishes the patch of the task that has rows; a batch without rows publishes nothing.

    Raises:
        ValueError: Several tasks have rows. Nothing is published.
        JellyError: As for :meth:`jelly.Log.publish`.
        OSError: The log cannot be reached.
    """
    found = [one for one in cast("list[Rows | None]", messages) if one is not None and one.count]
    if len(found) > 1:
        raise ValueError(
            f"{len(found)} tasks have rows of the batch, but a batch is published as one patch, "
            "from one task: use df.repartition(1) or df.coalesce(1); nothing was published"
        )
    for one in found:
        place.open().publish(one.patch)
