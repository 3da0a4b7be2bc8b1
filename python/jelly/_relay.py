"""A Kafka topic that follows a log: each version is sent once, as a message."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Unpack
from urllib.parse import urlsplit

from jelly._convert import convert
from jelly._going_on import going_on
from jelly._patching import Report, Step
from jelly._push import identified, identity, next_versions
from jelly.log import Log
from jelly.log._guard import guarded
from jelly.log._patch import refused

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError, Producer

RelayFormat = Literal["jelly-patch", "rdfp", "trp"]
_MEDIA = {
    "jelly-patch": "application/x-jelly-rdf-patch",
    "rdfp": "application/rdf-patch",
    "trp": "application/rdf-patch+thrift",
}
# seconds for one answer of the brokers; messages of a transaction, and bytes of patches after which it ends
_SECONDS = 30.0
_MOST, _BYTES = 1000, 8 << 20
# offsets that are read first, from the end, to find the last version
_LOOK = 16


class Relayed(NamedTuple):
    """The result of a relay to a topic.

    Attributes:
        version: The version that the topic has now.
        id: The id of its patch; None if it has none.
        patches: Messages that were sent.
        bytes: Their bytes, without keys and headers.
    """

    version: int
    id: str | None
    patches: int
    bytes: int


class RelayOptions(TypedDict, total=False):
    """Options of :func:`relay`.

    Attributes:
        partition: The partition of the topic that gets all versions; 0 by default.
        after: The version that readers of the topic have already; only if the topic has no version.
        to: The format of messages; Jelly-Patch by default.
        settings: More settings of librdkafka, such as ``security.protocol``.
    """

    partition: int
    after: int | None
    to: RelayFormat
    settings: Mapping[str, str] | None


def relay(
    log: Log | str, topic: str, *, progress: Report | None = None, **options: Unpack[RelayOptions]
) -> Relayed:
    """Brings a Kafka topic to the head of a log: one message per version, in order, in one partition.

    A message is a whole stream with one patch. Its key is the id of the patch; its headers are ``log``
    (the UUID of the log), ``version``, ``id``, ``prev`` and ``Content-Type``. Messages are sent in transactions, by
    one producer for each log and partition, and the last message of the log shows where to continue: readers with
    ``isolation.level=read_committed`` see each version once, even if processes are killed. If two relays run, the
    later one stops the earlier one.

    Args:
        log: The log, or its place as in :class:`Log`.
        topic: ``kafka://host:9092/topic``, with commas between several brokers. It must exist.
        progress: As for :func:`apply`.
        **options: See :class:`RelayOptions`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The topic has a patch that the log does not have (``patch.fork``), the next version is gone
            (``patch.gap``), or it is unknown which version readers have (``patch.base``).
        OSError: The brokers cannot be reached or reject a request, a message is too large, or another relay took
            over.
        ValueError: The address, an option or a setting is wrong.
        ImportError: confluent-kafka is not installed.
    """
    with closing(_Relaying(log, topic, options, progress)) as relaying:
        return relaying.to_head()


def relay_on(
    log: Log | str, topic: str, *, progress: Report | None = None, **options: Unpack[RelayOptions]
) -> Iterator[Relayed]:
    """Like :func:`relay`, but continues with new versions as they arrive, and waits for brokers that do not answer.

    Yields:
        A summary since the last one, each time that the topic reaches the head.
    """
    return going_on(lambda: _Relaying(log, topic, options, progress), progress)


class _Relaying:
    """A log, and the partition that gets it."""

    def __init__(
        self, log: Log | str, topic: str, options: RelayOptions, progress: Report | None
    ) -> None:
        self.log = log if isinstance(log, Log) else Log(log)
        servers, self._topic = _parsed(topic)
        self._info = identified(self.log, "the topic")
        self._partition, self._after = options.get("partition", 0), options.get("after")
        self._to: RelayFormat = options.get("to", "jelly-patch")
        if self._to not in _MEDIA:
            raise ValueError(f"to is {self._to!r}; it can be {', '.join(_MEDIA)}")
        self._settings = {"log_level": "0"} | dict(options.get("settings") or {}) | {"bootstrap.servers": servers}  # fmt: skip
        self._progress = progress
        self._producer: Producer | None = None
        self._at: tuple[int, str] | None = None

    def close(self) -> None:
        """Forgets the producer; what it has not committed never happened."""
        producer, self._producer, self._at = self._producer, None, None
        if producer is not None:
            with suppress(Exception):  # else the brokers end it
                producer.abort_transaction(1)

    def to_head(self) -> Relayed:
        """Relays what is new; returns what was done."""
        count = size = 0
        try:
            with _asking(f"{self._topic} ({self._settings['bootstrap.servers']})"):
                if self._producer is None:
                    # ends what an earlier one began, and stops it for good
                    self._producer = self._begun()
                if self._at is None:
                    self._at = self._last() or self._start()
                while versions := next_versions(self.log, self._at, f"the topic {self._topic}"):
                    sent, bytes_sent = self._send(self._producer, versions[:_MOST])
                    count, size = count + sent, size + bytes_sent
                    if self._progress is not None:
                        self._progress(Step("relaying", count, size))
        except BaseException:
            self.close()
            raise
        return Relayed(self._at[0], self.log.head.id, count, size)

    def _begun(self) -> Producer:
        from confluent_kafka import Producer

        name = f"jelly-relay-{self._info.id}-{self._topic}-{self._partition}"
        producer = Producer({"linger.ms": "5"} | self._settings | {"transactional.id": name})
        producer.init_transactions(_SECONDS)
        return producer

    def _send(self, producer: Producer, versions: list[Any]) -> tuple[int, int]:
        """Sends patches in one transaction."""
        count = size = 0
        failed: list[KafkaError] = []
        at, after = self._at, versions[0].version - 1
        guard = guarded(self.log, self._info.id, after, versions[-1].version)
        producer.begin_transaction()
        with closing(self.log._each(after, [one.bytes for one in versions])) as patches:  # fmt: skip
            for version, (source, format) in zip(versions, patches, strict=False):
                out = io.BytesIO()
                convert(source, out, to=self._to, format=format)
                self._produce(producer, version, out.getvalue(), failed)
                count, size = count + 1, size + out.tell()
                at = version.version, identity(version.id)
                if size >= _BYTES or failed:
                    break
        guard.check()  # after all was read, and before anybody sees it
        try:
            producer.commit_transaction(_SECONDS)
        except Exception as error:
            if failed:  # they say more
                raise _error(failed[0], f"a message to {self._topic}") from error
            raise
        self._at = at
        return count, size

    def _produce(self, producer: Producer, version: Any, value: bytes, failed: list[Any]) -> None:
        said = [("log", self._info.id), ("version", str(version.version)), ("id", version.id), ("prev", version.prev), ("Content-Type", _MEDIA[self._to])]  # fmt: skip
        headers = [(key, text.encode()) for key, text in said if text is not None]
        key = f"{self._info.id}/{version.version}" if version.id is None else version.id

        def delivered(error: Any, _: object) -> None:
            if error is not None:
                failed.append(error)

        while True:
            try:
                producer.produce(self._topic, value, key, self._partition, delivered, headers=headers)  # fmt: skip
            except BufferError:  # the queue is full
                producer.poll(1)
            else:
                producer.poll(0)
                return

    def _start(self) -> tuple[int, str]:
        """Where a topic begins that has no version of the log."""
        first = self._info.first
        after = self._after
        if after is None:
            if first > 1:
                raise refused("patch.base", f"the topic has no version of the log, which begins after version {first - 1}: if readers have that version, relay with after={first - 1} (--after {first - 1}) ({self.log.place})")  # fmt: skip
            after = 0
        if after < first:
            for _ in self.log.versions(after, after):  # refuses what is gone
                pass
            return after, ""
        return after, identity(next(iter(self.log.versions(after - 1, after))).id)

    def _last(self) -> tuple[int, str] | None:
        """The last version of the log that the partition has; None: it never had one."""
        from confluent_kafka import Consumer, TopicPartition

        place = TopicPartition(self._topic, self._partition)
        consumer = Consumer(
            self._settings
            | {"group.id": "jelly-relay", "enable.auto.commit": "false", "enable.partition.eof": "true"}
            | {"auto.offset.reset": "error", "isolation.level": "read_committed"}
        )  # fmt: skip
        with closing(consumer):
            low, high = consumer.get_watermark_offsets(place, timeout=_SECONDS)
            end, look = high, _LOOK
            while end > low:
                begin = max(low, end - look)
                if (found := self._last_in(consumer, begin, end)) is not None:
                    return found
                end, look = begin, look * 4
        if low > 0 and self._after is None:
            raise refused("patch.base", f"the first messages of {self._topic} are gone, and none of the remaining messages belongs to this log: set the version that readers have with after= (--after)")  # fmt: skip
        return None

    def _last_in(self, consumer: Consumer, begin: int, end: int) -> tuple[int, str] | None:
        """The last version of the log between two offsets."""
        from confluent_kafka import KafkaError, KafkaException, TopicPartition

        consumer.assign([TopicPartition(self._topic, self._partition, begin)])
        found = None
        while True:
            message = consumer.poll(_SECONDS)
            if message is None:
                raise TimeoutError(f"{self._topic}: no message arrived within {_SECONDS:g} s")
            fault = message.error()
            if fault is not None:
                if fault.code() == KafkaError._PARTITION_EOF:
                    return found
                raise KafkaException(fault)
            if (message.offset() or 0) >= end:
                return found
            said = {key: value or b"" for key, value in message.headers() or []}
            if said.get("log") == str(self._info.id).encode():
                id = said.get("id", b"").decode()
                found = int(said["version"]), identity(id or None)


def _parsed(topic: str) -> tuple[str, str]:
    parts = urlsplit(topic)
    name = parts.path.strip("/")
    if parts.scheme != "kafka" or not parts.netloc or not name or "/" in name or "@" in parts.netloc:  # fmt: skip
        raise ValueError(f"{topic!r} is not the address of a topic; expected an address such as kafka://localhost:9092/changes")  # fmt: skip
    return parts.netloc, name


@contextmanager
def _asking(what: str) -> Iterator[None]:
    """Turns errors of librdkafka into one line; those that may pass are a ``ConnectionError``."""
    try:
        from confluent_kafka import KafkaException
    except ModuleNotFoundError as error:
        raise ImportError("confluent-kafka is not installed: pip install 'jelly-patch[kafka]'") from error  # fmt: skip
    try:
        yield
    except KafkaException as error:
        raise _error(error.args[0], what) from error


def _error(fault: Any, what: str) -> OSError | ValueError:
    from confluent_kafka import KafkaError

    if fault.code() == KafkaError._INVALID_ARG:
        return ValueError(f"{what}: {fault.str()}")
    if fault.code() in (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH):  # fmt: skip
        return OSError(f"{what}: another relay of this log took over")
    if fault.code() in (KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC, KafkaError.UNKNOWN_TOPIC_OR_PART):  # fmt: skip
        return OSError(f"{what}: the topic or partition does not exist; create it first")
    passes = fault.retriable() or fault.code() in (
        KafkaError._ALL_BROKERS_DOWN, KafkaError._TRANSPORT, KafkaError._TIMED_OUT,
        KafkaError._MSG_TIMED_OUT, KafkaError._RESOLVE, KafkaError._PURGE_QUEUE,
    )  # fmt: skip
    return (ConnectionError if passes else OSError)(f"{what}: {fault.str()}")
