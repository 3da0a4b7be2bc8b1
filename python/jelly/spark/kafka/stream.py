"""Reads topics as they grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from jelly.spark._older import FirstAnswer, SupportsTriggerAvailableNow
from jelly.spark.kafka.batch import chosen, planned, read, starting
from jelly.spark.kafka.client import Cluster, lost
from jelly.spark.kafka.offsets import (
    Offsets,
    TopicIds,
    from_json,
    ids_of,
    limited,
    made_anew,
    to_json,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark.kafka.options import KafkaOptions

try:
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
except ImportError:  # before Spark 4.2, which requests offsets without a limit
    ReadAllAvailable = ReadMaxRows = None  # type: ignore[assignment,misc]


class KafkaStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a stream; offsets are those of Kafka, ``{"topic": {"0": 23, "id": "7dS…"}}``, and Spark stores them."""

    def __init__(self, options: KafkaOptions, schema: StructType) -> None:
        self._options = options
        self._wanted = chosen(options, schema)
        self._cluster: Cluster | None = None
        self._target: Offsets | None = None
        self._target_ids: TopicIds = {}
        self._last: dict[str, Any] | None = None
        self._first = FirstAnswer()

    def __getstate__(self) -> dict[str, Any]:
        # a handle of librdkafka is only valid in its process
        return self.__dict__ | {"_cluster": None}

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Returns the offsets at which a new query begins."""
        cluster = self._brokers()
        found = starting(cluster, self._options, cluster.places(), "latest")
        self._last = to_json(found, cluster.topic_ids(found))
        self._first.begins()
        return self._last

    def getDefaultReadLimit(self) -> Any:  # noqa: N802
        """Returns the limit ``maxOffsetsPerTrigger``."""
        most = self._options.max_offsets_per_trigger
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def latestOffset(  # noqa: N802
        self, start: dict[str, Any] | None = None, limit: Any = None
    ) -> dict[str, Any]:
        """Returns the offsets at which the next batch ends."""
        cluster = self._brokers()
        latest, ids = self._latest() if self._target is None else (self._target, self._target_ids)
        takes_all = self._first.is_all(start)
        known = start if start is not None else self._last
        if known is None:  # before Spark 4.2, a restarted query does not pass its offset
            return to_json(latest, ids)
        before = from_json(known)
        most = None if takes_all else self._options.max_offsets_per_trigger
        if limit is not None:
            most = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        if gone := before.keys() - latest.keys():
            names = ", ".join(f"{topic}/{partition}" for topic, partition in sorted(gone))
            lost(self._options, f"partitions that were read no longer exist: {names}")
        other = made_anew(ids_of(known), ids)
        # new partitions, and those that were created again, begin at their start
        anew = [
            place
            for place in latest
            if place[0] in other or place not in before or latest[place] < before[place]
        ]
        end = limited(before | cluster.earliest(anew), latest, most)
        self._last = to_json(end, ids)
        return self._last

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        """Returns the end of the log, for the progress of the query."""
        return to_json(*self._latest())

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Limits the query to the messages that exist now."""
        self._target, self._target_ids = self._latest()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Plans the tasks of a batch."""
        cluster = self._brokers()
        first, last = from_json(start), from_json(end)
        self._last = end
        before, ids = ids_of(start), ids_of(end)
        for topic in sorted(other := made_anew(before, ids)):
            message = (
                f"{topic} was deleted and created again: unread messages of the topic "
                f"{before[topic]} are gone, and {ids[topic]} is read from its start"
            )
            lost(self._options, message)
        new = [place for place in last if place not in first or place[0] in other]
        first = {place: offset for place, offset in first.items() if place in last}
        return planned(cluster, self._options, first | cluster.earliest(new), last, ids)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a range."""
        return read(self._options, self._wanted, partition)

    def commit(self, end: dict[str, Any]) -> None:
        """Does nothing, because the stream does not own the log."""

    def stop(self) -> None:
        """Closes the connection."""
        self._cluster = None

    def _latest(self) -> tuple[Offsets, TopicIds]:
        cluster = self._brokers()
        latest = cluster.latest(cluster.places())
        return latest, cluster.topic_ids(latest)

    def _brokers(self) -> Cluster:
        if self._cluster is None:
            self._cluster = Cluster(self._options)
        return self._cluster
