"""Writes rows as messages; each message is a whole stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from jelly.spark._columns import NEEDED
from jelly.spark._of_task import number_of_task
from jelly.spark._older import DataSourceStreamArrowWriter
from jelly.spark.files.order import Order, Run, require_whole_patches
from jelly.spark.kafka.client import said
from jelly.spark.kafka.config import for_producer

if TYPE_CHECKING:
    import pyarrow as pa
    from confluent_kafka import KafkaError, Message, Producer
    from pyspark.sql.types import StructType

    from jelly.spark.kafka.options import KafkaWriteOptions


@dataclass
class Sent(WriterCommitMessage):
    """A summary of the messages of a task, which are all acknowledged."""

    partition: int
    messages: int
    runs: tuple[Run, ...]
    """The patches that have rows in this task."""


class Target(NamedTuple):
    """Topic and key of a message."""

    topic: str
    key: bytes | None


class _Sender:
    """The common part of both writers."""

    def __init__(self, options: KafkaWriteOptions, schema: StructType, overwrite: bool) -> None:
        check(options, schema, overwrite)
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Sends messages, and waits until all are acknowledged."""
        return send(self._options, iterator)


class KafkaWriter(_Sender, DataSourceArrowWriter):
    """Appends messages to topics. A task that runs twice sends its messages twice."""

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Checks that no patch was split."""
        require_uncut(messages)


class KafkaStreamWriter(_Sender, DataSourceStreamArrowWriter):
    """Appends the rows of each batch to topics: at least once, because a batch may run again."""

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Checks that no patch was split."""
        del batchId
        require_uncut(messages)


def require_uncut(messages: list[WriterCommitMessage | None]) -> None:
    """Rejects patches whose rows were sent by several tasks.

    Raises:
        ValueError: There is such a patch. It was sent in pieces.
    """
    sent = [message for message in messages if isinstance(message, Sent)]
    require_whole_patches([(each.partition, each.runs) for each in sent])


def check(options: KafkaWriteOptions, schema: StructType, overwrite: bool) -> None:
    """Rejects rows and modes that cannot be written.

    Raises:
        ValueError: A column or the topic is missing, or the mode is not ``append``.
    """
    if overwrite:
        raise ValueError('messages cannot be overwritten: mode("append"), outputMode("append")')
    missing = [name for name in NEEDED[options.kind] if name not in schema.names]
    if missing:
        raise ValueError(f"kind={options.kind} needs the columns {', '.join(missing)}")
    for name, of_option in (("topic", options.topic), ("key", options.key)):
        if name not in schema.names or of_option is not None:
            continue
        kind = schema[name].dataType.simpleString()
        if kind not in ("string", "binary"):
            raise ValueError(f"column {name!r} is {kind}; it must be string or binary")
    if options.topic is None and "topic" not in schema.names:
        raise ValueError("option 'topic' is missing, and there is no column 'topic'")


def send(options: KafkaWriteOptions, batches: Iterable[pa.RecordBatch]) -> Sent:
    """Sends the rows of a task.

    Raises:
        OSError: A message could not be delivered.
        ValueError: A row has no topic, or its topic or key differs within a patch, or rows are out of order.
    """
    from confluent_kafka import KafkaException, Producer

    failed: list[tuple[str | None, KafkaError]] = []
    sent = 0
    order = Order()

    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failed.append((message.topic(), error))

    producer = Producer(
        {"linger.ms": "20", **for_producer(options.settings), "enable.idempotence": "true"}
    )
    for target, value in encoded(options, batches, order):
        try:
            _produce(producer, target, value, delivered, options)
        except (KafkaException, BufferError) as error:
            raise OSError(
                f"a message of {len(value)} bytes to {target.topic}: {said(error)}"
            ) from error
        sent += 1
        producer.poll(0)
        if failed:
            break
    left = producer.flush(options.timeout)
    if failed:
        topic, why = failed[0]
        raise OSError(
            f"{len(failed)} of {sent} messages could not be delivered, the first one to {topic}: {said(why)}"
        )
    if left:
        raise TimeoutError(
            f"{left} of {sent} messages were not acknowledged in {options.timeout} s"
        )
    return Sent(number_of_task(), sent, order.runs)


def _produce(
    producer: Producer, target: Target, value: bytes, delivered: Any, options: KafkaWriteOptions
) -> None:
    try:
        producer.produce(target.topic, value, target.key, on_delivery=delivered)
    except BufferError:  # the queue is full: wait for acknowledgements once
        producer.poll(options.timeout)
        producer.produce(target.topic, value, target.key, on_delivery=delivered)


def encoded(
    options: KafkaWriteOptions, batches: Iterable[pa.RecordBatch], order: Order
) -> Iterator[tuple[Target, bytes]]:
    """Yields messages and their targets; consecutive rows with the same topic and key are in one message."""
    encoder = options.encoder()
    for target, pieces in groupby(_pieces(options, batches, order), key=lambda piece: piece[0]):
        for values in encoder(rows for _, rows in pieces):
            for value in values.column(0).to_pylist():
                yield target, value


def _pieces(
    options: KafkaWriteOptions, batches: Iterable[pa.RecordBatch], order: Order
) -> Iterator[tuple[Target, pa.RecordBatch]]:
    """Yields rows with one target each."""
    before: Target | None = None
    inside = False
    for batch in batches:
        if options.kind == "patch":
            order.check(batch)
        start = 0
        for stop, target in _runs(options, batch):
            rows = batch.slice(start, stop - start)
            if inside and target != before:
                raise ValueError(
                    f"topic or key changes inside a patch, from {before} to {target}: all rows up "
                    "to the Z of the patch must have the same topic and key"
                )
            yield target, rows
            before, start = target, stop
            inside = options.kind == "patch" and rows.column("op")[-1].as_py() != "Z"


def _runs(options: KafkaWriteOptions, batch: pa.RecordBatch) -> Iterator[tuple[int, Target]]:
    """Yields the end and the target of each run of rows with the same target."""
    topics = _column(batch, "topic") if options.topic is None else None
    keys = _column(batch, "key") if options.key is None else None
    fixed = None if options.key is None else options.key.encode()
    if topics is None and keys is None:
        if batch.num_rows:
            yield batch.num_rows, Target(str(options.topic), fixed)
        return
    size = batch.num_rows
    pairs = zip(topics or [options.topic] * size, keys or [fixed] * size, strict=True)
    stop = 0
    for (topic, key), run in groupby(pairs):
        stop += sum(1 for _ in run)
        if topic is None:
            raise ValueError(f"row {stop - 1} of a batch has no topic")
        name = topic.decode() if isinstance(topic, bytes) else topic
        yield stop, Target(name, key.encode() if isinstance(key, str) else key)


def _column(batch: pa.RecordBatch, name: str) -> list[Any] | None:
    index = batch.schema.get_field_index(name)
    return None if index < 0 else batch.column(index).to_pylist()
