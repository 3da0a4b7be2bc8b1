"""Decodes the messages of a range to rows, in a worker."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jelly import _internal
from jelly._ddl import arrow_type
from jelly._frames import length_of
from jelly.errors import JellyError
from jelly.spark.kafka.client import lost, messages
from jelly.spark.kafka.offsets import Range
from jelly.spark.kafka.snapshots import Snapshots, State

if TYPE_CHECKING:
    import pyarrow as pa
    from confluent_kafka import Message

    from jelly._internal import PatchReader, RdfReader
    from jelly.spark.kafka.options import KafkaOptions

# the type of timestamp that means that there is none
_NO_TIMESTAMP = 0


# advice for queries that fail again at each start
_OF_MESSAGE = (
    "to continue without bad messages, start the query again with the option badRecordsPath (a "
    "folder for their bytes and "
    "errors) or with mode=permissive (a row with the error)"
)
_OF_SHARED = (
    "no later message in this partition can be decoded: start a new query with another "
    "checkpoint and snapshotLocation, and with startingOffsets where a later stream begins"
)


def rows(options: KafkaOptions, part: Range, begin: int, topic_id: str) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a range; ``begin`` is the first offset of its partition."""
    try:
        if options.shared_lookups:
            yield from _Continued(options, part, begin, topic_id).rows()
        else:
            decoder = replace(options.decoder, scope=topic_id or None)
            yield from decoder(_table(options, found) for found in messages(options, part))
    except JellyError as error:
        advice = _OF_SHARED if options.shared_lookups else _OF_MESSAGE
        raise _with_text(error, f"{error}; {advice}", error.source) from error


def _table(options: KafkaOptions, found: list[Message]) -> pa.RecordBatch:
    """Returns messages in the form of Spark's own Kafka source, with the requested columns."""
    import pyarrow as pa

    wanted = {"topic": "string", "partition": "int", "offset": "bigint", "value": "binary"}
    wanted |= options.message_columns
    arrays = [
        pa.array([_FIELDS[name](message) for message in found], arrow_type(kind))
        for name, kind in wanted.items()
    ]
    return pa.record_batch(arrays, names=list(wanted))


def _timestamp(message: Message) -> int | None:
    kind, milliseconds = message.timestamp()
    return None if kind == _NO_TIMESTAMP else milliseconds * 1000


def _headers(message: Message) -> list[dict[str, Any]] | None:
    found = message.headers()
    return None if found is None else [{"key": key, "value": value} for key, value in found]


_FIELDS: dict[str, Any] = {
    "topic": lambda message: message.topic(),
    "partition": lambda message: message.partition(),
    "offset": lambda message: message.offset(),
    "value": lambda message: message.value(),
    "key": lambda message: message.key(),
    "timestamp": _timestamp,
    "headers": _headers,
}


# stored instead of a decoder state: the start of the log is lost, and no stream has begun since then
_WAITING = b""


class _Continued:
    """Decodes messages that continue the stream of their partition."""

    def __init__(self, options: KafkaOptions, part: Range, begin: int, topic_id: str) -> None:
        self._options = options
        self._part = part
        self._begin = begin
        self._topic_id = topic_id
        self._snapshots = Snapshots(options, part, topic_id)

    def rows(self) -> Iterator[pa.RecordBatch]:
        part = self._part
        state = self._state()
        if state is None:
            self._snapshots.keep(part.end, _WAITING)
        else:
            if (
                state.offset < part.start
            ):  # the stored state is older: decode the messages between again
                between = part._replace(start=state.offset, end=part.start)
                state = yield from self._through(between, state, silent=True)
            state = yield from self._through(part._replace(start=state.offset), state)
            assert state.snapshot is not None
            self._snapshots.keep(part.end, state.snapshot)
        self._snapshots.prune(part.start)

    def _state(self) -> State | None:
        """Returns the state at which to begin decoding; None if no stream begins in the range after a loss."""
        part, begin = self._part, self._begin
        state = self._snapshots.before(part.start)
        if state is not None and state.snapshot == _WAITING:
            message = (
                f"{part.name}: the start of the log is lost, and no stream has begun between the "
                f"loss and the message before offset {state.offset}: the lookups that later "
                "messages refer to are lost"
            )
            lost(self._options, message)
            return self._stream_start(max(state.offset, begin))
        if state is not None and state.offset >= begin:
            return state
        if state is not None:
            message = (
                f"{part.name}: the state of the lookups was stored at offset {state.offset}, but "
                f"the log begins at {begin}: the messages between are lost, and the lookups that "
                "later messages refer to"
            )
            lost(self._options, message)
        elif begin > 0 and part.start > begin:
            message = (
                f"{part.name}: no state of the lookups is stored for offset {part.start}, and the "
                f"log begins at {begin}: the lookups that messages refer to may be lost; begin at "
                "the earliest offset"
            )
            lost(self._options, message)
        if begin == 0:
            return self._fresh(0) if self._topic_id else State(0, None)
        return self._stream_start(begin)

    def _stream_start(self, begin: int) -> State | None:
        """Returns a new decoder at the first message; if data may be lost, at the first message that begins a stream."""
        if self._options.fail_on_data_loss:
            return self._fresh(begin)
        for found in messages(self._options, self._part._replace(start=begin)):
            for message in found:
                if begins_stream(message.value(), self._options.framing):
                    return self._fresh(int(message.offset()))
        return None

    def _fresh(self, offset: int) -> State:
        """Returns a new decoder at a message; its blank nodes without labels differ from all earlier ones."""
        number = offset
        if self._topic_id:
            text = f"{self._topic_id} {offset}".encode()
            number = int.from_bytes(hashlib.blake2b(text, digest_size=5).digest()) >> 1
        return State(offset, _internal.state_after_loss(self._options.read.kind == "patch", number))

    def _through(
        self, part: Range, state: State, *, silent: bool = False
    ) -> Generator[pa.RecordBatch, None, State]:
        """Yields the rows of a range; returns the state after it."""
        each = self._options.message_columns and not silent
        found = messages(self._options, part)
        if not each:
            flat = (message for chunk in found for message in chunk)
            snapshot = yield from self._decode(flat, state.snapshot, silent=silent)
            return State(part.end, snapshot)
        after = state.snapshot
        for chunk in found:
            for message in chunk:
                columns = _table(self._options, [message])
                decoded = self._decode([message], after)
                after = yield from _extended(decoded, columns, self._options.message_columns)
        if after is None:  # the range has no messages
            after = yield from self._decode([], None)
        return State(part.end, after)

    def _decode(
        self, found: Iterable[Message], snapshot: bytes | None, *, silent: bool = False
    ) -> Generator[pa.RecordBatch, None, bytes]:
        """Yields the rows of messages; returns the snapshot after them."""
        import pyarrow as pa

        feed = _Feed(found, self._options.framing == "delimited")
        with self._open(feed, snapshot, silent=silent) as reader:
            first = reader.position.offset
            held: pa.RecordBatch | None = None
            try:
                for batch in reader:
                    if silent:
                        continue
                    if held is not None:
                        yield held
                    held = pa.record_batch(batch)
                after = reader.snapshot()
            except JellyError as error:
                if held is not None:
                    yield held
                raise _of_message(
                    error, self._part.name, feed.at((error.offset or 0) - first)
                ) from error
        if held is not None:
            # the stream continues, so rows implied by its end are not part of this range
            implied = self._implied(after)
            if held.num_rows > implied:
                yield held.slice(0, held.num_rows - implied)
        return after

    def _implied(self, snapshot: bytes) -> int:
        with self._open(b"", snapshot) as reader:
            return sum(batch.num_rows for batch in reader)

    def _open(
        self, source: Any, snapshot: bytes | None, *, silent: bool = False
    ) -> PatchReader[Any] | RdfReader[Any]:
        # the feed puts the length of each frame before the frame
        framing = "concatenated" if self._options.new_stream_at_options else "delimited"
        keywords: dict[str, Any] = {"columns": ["seq"]} if silent else {}
        form = "jelly-patch" if self._options.read.kind == "patch" else "jelly"
        return self._options.read.open(
            source, framing=framing, compression="none", format=form, resume=snapshot,
            source_name=self._part.name, **keywords,
        )  # fmt: skip


class _Feed:
    """A file object with the bytes of messages; adds the length before each message that has none."""

    def __init__(self, found: Iterable[Message], delimited: bool) -> None:
        self._found = iter(found)
        self._delimited = delimited
        self._starts: list[int] = []
        self._offsets: list[int] = []
        self._length = 0

    def __iter__(self) -> Iterator[bytes]:
        for message in self._found:
            value = message.value()
            if value is None:
                continue
            piece = value if self._delimited else length_of(value) + value
            self._starts.append(self._length)
            self._offsets.append(message.offset())
            self._length += len(piece)
            yield piece

    def at(self, byte: int) -> int | None:
        """Returns the offset of the message that contains a byte."""
        if not self._starts:
            return None
        return self._offsets[max(bisect_right(self._starts, byte) - 1, 0)]


def begins_stream(value: bytes | None, framing: str) -> bool:
    """Returns whether the first row of a message is the options of a stream."""
    at = 0
    if value and framing == "delimited":
        while at < len(value) and value[at] & 0x80:
            at += 1
        at += 1
    # a row, its length, and the options: each is field 1 with bytes
    if not value or at >= len(value) or value[at] != 0x0A:
        return False
    at += 1
    while at < len(value) and value[at] & 0x80:
        at += 1
    return at + 1 < len(value) and value[at + 1] == 0x0A


def _extended(
    batches: Generator[pa.RecordBatch, None, bytes],
    message: pa.RecordBatch,
    columns: dict[str, str],
) -> Generator[pa.RecordBatch, None, bytes]:
    """Yields batches with the columns of their message; returns the return value of ``batches``."""
    import pyarrow as pa

    try:
        while True:
            batch = next(batches)
            arrays = [pa.repeat(message.column(name)[0], batch.num_rows) for name in columns]
            fields = [pa.field(name, arrow_type(kind)) for name, kind in columns.items()]
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, *arrays], schema=pa.schema([*batch.schema, *fields])
            )
    except StopIteration as end:
        snapshot: bytes = end.value
        return snapshot


def _of_message(error: JellyError, name: str, offset: int | None) -> JellyError:
    """Returns the error with the name of its message."""
    if offset is None:
        return error
    where = f"{name}@{offset}"
    text = str(error).replace(f"({name}:", f"({where}:")
    if where not in text:
        text = f"{text} ({where})"
    return _with_text(error, text, where)


def _with_text(error: JellyError, text: str, source: str | None) -> JellyError:
    facts = {
        fact: getattr(error, fact)
        for fact in ("kind", "frame", "row", "offset", "field", "limit", "line", "column")
    }
    return type(error)(text, source=source, **facts)
