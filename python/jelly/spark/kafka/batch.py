"""Reads what a log holds, once."""

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
    """What one task reads."""

    part: Range | None
    """None: nothing."""
    begin: int = 0
    """The first offset of the log."""
    topic_id: str = ""

    def __repr__(self) -> str:
        part = self.part
        return "nothing" if part is None else f"{part.name}@{part.start}..{part.end}"


class KafkaReader(DataSourceReader):
    """Plans on the driver, reads in the workers."""

    def __init__(self, options: KafkaOptions, schema: StructType) -> None:
        self._options = options
        self._wanted = chosen(options, schema)

    def partitions(self) -> list[InputPartition]:
        """A task for each partition, or as many as ``minPartitions`` says."""
        options = self._options
        cluster = Cluster(options)
        places = cluster.places()
        start = starting(cluster, options, places)
        end = cluster.resolved(places, options.ending_offsets, "endingOffsets")
        # a worker is needed all the same, to say that there is nothing
        return planned(cluster, options, start, end, {}) or [KafkaPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a range."""
        return read(self._options, self._wanted, partition)


def starting(
    cluster: Cluster,
    options: KafkaOptions,
    places: list[tuple[str, int]],
    default: str = "earliest",
) -> Offsets:
    """Where the options say to begin."""
    if options.starting_timestamp is not None:
        return cluster.at_time(places, options.starting_timestamp)
    return cluster.resolved(places, options.starting_offsets or default, "startingOffsets")


def planned(
    cluster: Cluster, options: KafkaOptions, start: Offsets, end: Offsets, ids: TopicIds
) -> list[InputPartition]:
    """Ranges that hold messages, divided among tasks; ``ids`` are those of the topics that the ends are of."""
    now = cluster.topic_ids(end)
    for topic in sorted(made_anew(ids, now)):
        lost(
            options,
            f"{topic} was deleted and created again: messages that were not read yet are gone",
        )
        end = {place: last for place, last in end.items() if place[0] != topic}
        start = {place: first for place, first in start.items() if place in end}
    # what there is nothing to read of may be gone
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
    """The rows of what one task reads, in the columns that are wanted.

    Raises:
        ValueError: There is a null where the schema has NOT NULL.
    """
    assert isinstance(partition, KafkaPartition)
    if partition.part is None:
        return
    for batch in rows(options, partition.part, partition.begin, partition.topic_id):
        yield as_wanted(batch, wanted)


def chosen(options: KafkaOptions, schema: StructType) -> pa.Schema:
    """The columns that Spark wants, which may be chosen by ``.schema(...)``, as Arrow has them.

    Raises:
        ValueError: There is no such column, or it has another type.
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
