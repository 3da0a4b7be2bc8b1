"""Reads the current content of Kafka topics, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, InputPartition

from jelly.spark._columns import arrow_schema, as_wanted
from jelly.spark.kafka.client import Cluster, lost
from jelly.spark.kafka.decode import rows
from jelly.spark.kafka.offsets import Offsets, Range, TopicIds, divided, made_anew

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark.kafka.options import KafkaOptions


@dataclass
class KafkaPartition(InputPartition):
    """The range that one task reads."""

    part: Range | None
    """The range; None if there is nothing to read."""
    begin: int = 0
    """The first offset of the Kafka partition."""
    topic_id: str = ""

    def __repr__(self) -> str:
        part = self.part
        return "nothing" if part is None else f"{part.name}@{part.start}..{part.end}"


class KafkaReader(DataSourceReader):
    """Plans on the driver, and reads in the workers."""

    def __init__(self, options: KafkaOptions, schema: StructType) -> None:
        self._options = options
        self._wanted = chosen(options, schema)

    def partitions(self) -> list[InputPartition]:
        """Plans a task for each partition, or as many tasks as ``minPartitions`` requests."""
        options = self._options
        cluster = Cluster(options)
        places = cluster.places()
        start = starting(cluster, options, places)
        end = cluster.resolved(places, options.ending_offsets, "endingOffsets")
        # one task is needed even if there is nothing to read
        return planned(cluster, options, start, end, {}) or [KafkaPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a range."""
        return read(self._options, self._wanted, partition)


def starting(
    cluster: Cluster,
    options: KafkaOptions,
    places: list[tuple[str, int]],
    default: str = "earliest",
) -> Offsets:
    """Returns the start offsets according to the options."""
    if options.starting_timestamp is not None:
        return cluster.at_time(places, options.starting_timestamp)
    return cluster.resolved(places, options.starting_offsets or default, "startingOffsets")


def planned(
    cluster: Cluster, options: KafkaOptions, start: Offsets, end: Offsets, ids: TopicIds
) -> list[InputPartition]:
    """Divides ranges with messages among tasks; ``ids`` are the ids of the topics at the time of the end offsets."""
    now = cluster.topic_ids(end)
    for topic in sorted(made_anew(ids, now)):
        lost(
            options,
            f"{topic} was deleted and created again: messages that were not read yet are gone",
        )
        end = {place: last for place, last in end.items() if place[0] != topic}
        start = {place: first for place, first in start.items() if place in end}
    # partitions with nothing to read may no longer exist
    start = {place: first for place, first in start.items() if first != end[place]}
    earliest = cluster.earliest(start)
    ranges = []
    for (topic, partition), first in sorted(start.items()):
        begin, last = earliest[topic, partition], end[topic, partition]
        if first > last:
            message = (
                f"{topic}/{partition}: expected messages from offset {first} on, but the log ends "
                f"at {last}; was the topic deleted and created again?"
            )
            lost(options, message)
            first = begin
        if first < begin < last or first < last <= begin:
            message = f"{topic}/{partition}: offsets {first} to {min(begin, last) - 1} are no longer in the log"
            lost(options, message)
            first = min(begin, last)
        if first < last:
            ranges.append(Range(topic, partition, first, last))
    parts = divided(ranges, options.min_partitions, options.max_records_per_partition)
    return [
        KafkaPartition(each, earliest[each.topic, each.partition], now.get(each.topic, ""))
        for each in parts
    ]


def read(
    options: KafkaOptions, wanted: pa.Schema, partition: InputPartition
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of one task, in the requested columns.

    Raises:
        ValueError: A column that the schema declares as NOT NULL has a null.
    """
    assert isinstance(partition, KafkaPartition)
    if partition.part is None:
        return
    for batch in rows(options, partition.part, partition.begin, partition.topic_id):
        yield as_wanted(batch, wanted)


def chosen(options: KafkaOptions, schema: StructType) -> pa.Schema:
    """Returns the columns that Spark requests, which ``.schema(...)`` may select, as an Arrow schema.

    Raises:
        ValueError: A column does not exist, or has another type.
    """
    wanted = arrow_schema(schema)
    known = options.arrow_schema
    for field in wanted:
        if field.name not in known.names:
            raise ValueError(
                f"there is no column {field.name!r}; there are {', '.join(known.names)}"
            )
        if (right := known.field(field.name).type) != field.type:
            raise ValueError(f"column {field.name!r} has the type {right}, not {field.type}")
    return wanted
