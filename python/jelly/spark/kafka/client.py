"""Requests to brokers. Each process creates its own handles, because librdkafka does not survive a fork."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jelly.spark.kafka.config import for_admin, for_consumer
from jelly.spark.kafka.offsets import EARLIEST, LATEST, Offsets, Place, Range, TopicIds

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

    from jelly.spark.kafka.options import KafkaOptions

_LOG = logging.getLogger(__name__)
# number of messages per chunk; the settings of librdkafka limit their bytes
_CHUNK = 1000
_CONSUMER = {
    "group.id": "jelly-spark",  # required by librdkafka; no group is joined, nothing is committed
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "error",
    "queued.max.messages.kbytes": "16384",
}


class DataLossError(RuntimeError):
    """Messages that should be read are no longer in the log."""


def require_confluent_kafka() -> None:
    """Checks that confluent-kafka is installed.

    Raises:
        ImportError: confluent-kafka is not installed.
    """
    try:
        import confluent_kafka  # noqa: F401
    except ModuleNotFoundError as error:
        raise ImportError(
            "confluent-kafka is not installed: pip install 'jelly-patch[kafka]'"
        ) from error


@contextmanager
def asking(what: str, settings: Mapping[str, str]) -> Iterator[None]:
    """Converts errors of librdkafka to one line that names the request and the servers."""
    from confluent_kafka import KafkaException

    try:
        yield
    except KafkaException as error:
        servers = settings["bootstrap.servers"]
        raise OSError(f"{what} (kafka.bootstrap.servers={servers}): {said(error)}") from error


def said(error: Any) -> str:
    """Returns the text of an error of librdkafka."""
    fault = error.args[0] if isinstance(error, Exception) and error.args else error
    return fault.str() if hasattr(fault, "str") else str(fault)


def lost(options: KafkaOptions, message: str) -> None:
    """Reports lost messages: raises an error, or logs a warning with ``failOnDataLoss=false``.

    Raises:
        DataLossError: ``failOnDataLoss`` is true.
    """
    if options.fail_on_data_loss:
        raise DataLossError(
            f"{message}; to continue with the remaining messages, use failOnDataLoss=false"
        )
    _LOG.warning(message)


class Cluster:
    """Topics and offsets, requested on the driver."""

    def __init__(self, options: KafkaOptions) -> None:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        self._options = options
        settings = for_admin(options.settings)
        try:
            self._admin = AdminClient(settings)
        except KafkaException as error:
            raise ValueError(f"an option kafka.*: {said(error)}") from error

    def places(self) -> list[Place]:
        """Returns the partitions that the options name.

        Raises:
            OSError: No broker answers.
            ValueError: A topic or partition does not exist.
        """
        options = self._options
        with asking("the topics could not be listed", options.settings):
            topics = self._admin.list_topics(timeout=options.timeout).topics
        known = {name: sorted(topic.partitions) for name, topic in topics.items()}
        if options.assign:
            wanted = options.assign
            missing = [place for place in wanted if place[1] not in known.get(place[0], ())]
            if missing:
                missing_parts = ", ".join(f"{topic}/{partition}" for topic, partition in missing)
                raise ValueError(f"option 'assign': there is no {missing_parts}")
            return sorted(wanted)
        if options.subscribe_pattern is not None:
            pattern = re.compile(options.subscribe_pattern)
            names = [
                name for name in known if pattern.fullmatch(name) and not name.startswith("__")
            ]
        else:
            names = list(options.subscribe)
            if missing_topics := [name for name in names if not known.get(name)]:
                message = f"option 'subscribe': there is no topic {', '.join(missing_topics)}"
                if options.fail_on_data_loss:
                    raise ValueError(message)
                _LOG.warning(message)
        return sorted((name, partition) for name in names for partition in known.get(name, ()))

    def earliest(self, places: Iterable[Place]) -> Offsets:
        """Returns the first available offsets."""
        from confluent_kafka.admin import OffsetSpec

        return self._offsets(places, OffsetSpec.earliest())

    def latest(self, places: Iterable[Place]) -> Offsets:
        """Returns the offsets of the next messages; with ``read_committed``, after the last committed message."""
        from confluent_kafka.admin import OffsetSpec

        return self._offsets(places, OffsetSpec.latest())

    def at_time(self, places: Iterable[Place], milliseconds: int) -> Offsets:
        """Returns the first offsets of messages that are not older than a time."""
        from confluent_kafka.admin import OffsetSpec

        places = list(places)
        found = self._offsets(places, OffsetSpec.for_timestamp(milliseconds))
        ends = self.latest(place for place in places if found[place] < 0)
        return found | ends

    def resolved(self, places: list[Place], wanted: str | Offsets, what: str) -> Offsets:
        """Resolves ``earliest``, ``latest`` or given offsets to numbers.

        Raises:
            ValueError: Partitions are missing, or a given partition is not read.
        """
        if wanted == "earliest":
            return self.earliest(places)
        if wanted == "latest":
            return self.latest(places)
        assert not isinstance(wanted, str)
        for topic, partition in sorted(set(places) ^ wanted.keys()):
            fault = "is not read" if (topic, partition) in wanted else "is missing there"
            raise ValueError(f"option {what!r}: {topic}/{partition} {fault}")
        found = dict(wanted)
        for mark, ask in ((EARLIEST, self.earliest), (LATEST, self.latest)):
            found |= ask([place for place in places if wanted[place] == mark])
        return found

    def topic_ids(self, places: Iterable[Place]) -> TopicIds:
        """Returns the ids of topics, which differ if a topic was created again; empty texts if the broker has none."""
        from confluent_kafka import KafkaException, TopicCollection, Uuid

        found: TopicIds = {}
        topics = sorted({topic for topic, _ in places})
        if not topics:
            return found
        none = str(Uuid(0, 0))  # the answer of brokers before Kafka 2.8
        asked = self._admin.describe_topics(
            TopicCollection(topics), request_timeout=self._options.timeout
        )
        for topic, answer in asked.items():
            try:
                id = str(answer.result().topic_id)
                found[topic] = "" if id == none else id
            except KafkaException:  # an old broker, or one that does not allow describing topics
                found[topic] = ""
        return found

    def _offsets(self, places: Iterable[Place], spec: Any) -> Offsets:
        from confluent_kafka import IsolationLevel, TopicPartition

        options = self._options
        asked = {TopicPartition(*place): spec for place in places}
        if not asked:
            return {}
        committed = options.settings.get("isolation.level", "read_committed") == "read_committed"
        level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        with asking("offsets could not be read", options.settings):
            answers = self._admin.list_offsets(
                asked, isolation_level=level, request_timeout=options.timeout
            )
            return {
                (place.topic, place.partition): answer.result().offset
                for place, answer in answers.items()
            }


def messages(options: KafkaOptions, part: Range) -> Iterator[list[Message]]:
    """Yields the messages of a range in order, in chunks.

    Raises:
        DataLossError: The messages are no longer in the log.
        OSError: The broker does not answer, or answers with an error.
    """
    require_confluent_kafka()
    from confluent_kafka import Consumer, KafkaError, TopicPartition

    if part.start >= part.end:
        return
    consumer = Consumer({**_CONSUMER, **for_consumer(options.settings)})
    try:
        consumer.assign([TopicPartition(part.topic, part.partition, part.start)])
        next_offset = part.start
        while next_offset < part.end:
            first = consumer.poll(options.timeout)
            if first is None:
                raise TimeoutError(
                    f"{part.name}: no message from offset {next_offset} to {part.end} in "
                    f"{options.timeout} s; is the broker running, and are the messages still in "
                    "the log?"
                )
            found = []
            for message in [first, *consumer.consume(_CHUNK - 1, 0)]:
                error, offset = message.error(), message.offset()
                if error is None and offset < part.end:
                    found.append(message)
                    next_offset = offset + 1
                elif error is None or error.code() == KafkaError._PARTITION_EOF:
                    # the offsets between have no messages: removed by compaction, or transaction markers
                    if offset >= part.end:
                        next_offset = part.end
                elif error.code() in (
                    KafkaError._AUTO_OFFSET_RESET,
                    KafkaError.OFFSET_OUT_OF_RANGE,
                ):
                    begin = _begin(consumer, options, part)
                    missing_parts = (
                        f"{part.name}: offsets {next_offset} to {min(begin, part.end) - 1} are no "
                        "longer in the log"
                    )
                    lost(options, missing_parts)
                    next_offset = min(begin, part.end)
                    consumer.assign([TopicPartition(part.topic, part.partition, next_offset)])
                    break
                elif error.fatal() or not error.retriable():
                    raise OSError(f"{part.name}@{next_offset}: {said(error)}")
            if found:
                yield found
    finally:
        consumer.close()


def _begin(consumer: Consumer, options: KafkaOptions, part: Range) -> int:
    from confluent_kafka import TopicPartition

    with asking(f"{part.name}: offsets could not be read", options.settings):
        where = TopicPartition(part.topic, part.partition)
        begin, _ = consumer.get_watermark_offsets(where, options.timeout)
    return int(begin)
