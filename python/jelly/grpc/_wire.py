"""What both ends say: names of services, the small messages, the frames of a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from jelly import _internal
from jelly._frames import length_at, length_of
from jelly._times import shown
from jelly.errors import WireError
from jelly.log import Head, LogInfo, Published
from jelly.log._types import time_of

RDF_SERVICE = "eu.ostrzyciel.jelly.core.proto.v1.RdfStreamService"
LOG_SERVICE = "jellypatch.v1.PatchLog"

# the longest message that peers take
MOST = 4 << 20
_PIECE = 1 << 20


class Readable(Protocol):
    """What frames are read from."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, or fewer."""

    def tell(self) -> int:
        """Bytes that were read."""


class Frames:
    """Frames of a file, as far as it is whole."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._left = b""

    def upto(self, most: int | None = None) -> Iterator[bytes]:
        """The frames up to a byte of the file, or its end."""
        left, at = self._left, 0
        while True:
            found = length_at(left, at)
            end = None if found is None else sum(found)
            if found is not None and end is not None and end <= len(left):
                yield left[found[1] : end]
                at = end
                continue
            left, at = left[at:], 0
            want = max(_PIECE, len(left))  # a long frame is not copied once for each piece
            want = want if most is None else min(want, most - self._file.tell())
            piece = self._file.read(want) if want > 0 else b""
            left += piece
            if not piece:
                self._left = left
                return


def pieces_of(messages: Any) -> Iterator[bytes]:
    """Messages as a stream with lengths."""
    for message in messages:
        yield length_of(message)
        yield message


def reading(*, follow: bool, given: dict[str, Any]) -> dict[str, Any]:
    """Options of the reader of a call. A stream that goes on gives rows with their frame, not when a batch is full."""
    return {"batch_frames": follow} | given


class Fields:
    """The fields of a message; of one that comes twice, the last counts."""

    def __init__(self, message: bytes) -> None:
        self._found: dict[int, Any] = dict(_internal.read_message(message))

    def text(self, field: int) -> str:
        """A text; empty, if it is not there."""
        found = self._found.get(field, b"")
        try:
            return str(found, "utf-8") if isinstance(found, bytes) else self._wrong(field)
        except UnicodeDecodeError:
            self._wrong(field)
            raise

    def number(self, field: int) -> int:
        """A number; 0, if it is not there."""
        found = self._found.get(field, 0)
        return found if isinstance(found, int) else self._wrong(field)

    def message(self, field: int) -> bytes | None:
        """A message; None, if it is not there."""
        found = self._found.get(field)
        return found if isinstance(found, bytes | None) else self._wrong(field)

    def _wrong(self, field: int) -> Any:
        kind = "wire.type"
        raise WireError(f"{kind}: field {field} of the message has the wrong type", kind=kind)


def written(*values: str | int | bytes | None) -> bytes:
    """The message with these fields, from field 1 on; what is empty is left out."""
    return _internal.write_message([(n, value) for n, value in enumerate(values, 1) if value])


class Subscribe(NamedTuple):
    """``RdfStreamSubscribe``."""

    topic: str
    options: bytes | None


def subscribe_of(message: bytes) -> Subscribe:
    """Reads ``RdfStreamSubscribe``."""
    fields = Fields(message)
    return Subscribe(fields.text(1), fields.message(2))


class PatchSubscribe(NamedTuple):
    """``PatchSubscribe``; an ``upto`` of 0 is the head."""

    log: str
    after: int
    after_id: str
    upto: int
    follow: bool
    options: bytes | None


def patch_subscribe_of(message: bytes) -> PatchSubscribe:
    """Reads ``PatchSubscribe``."""
    fields = Fields(message)
    return PatchSubscribe(
        fields.text(1), fields.number(2), fields.text(3), fields.number(4),
        bool(fields.number(5)), fields.message(6),
    )  # fmt: skip


def info_message(info: LogInfo) -> bytes:
    """``LogInfo``."""
    created = shown(info.created) if isinstance(info.created, datetime) else None
    return written(
        info.name, info.id, info.head.version, info.head.id, info.first, info.base, info.format, created,
        info.statements,
    )  # fmt: skip


def info_of(message: bytes) -> LogInfo:
    """Reads ``LogInfo``."""
    fields = Fields(message)
    head = Head(fields.number(3), fields.text(4) or None)
    base, created = fields.text(6) or None, time_of(fields.text(8))
    statements = fields.number(9) or (0 if base == "empty" else None)
    return LogInfo(
        fields.text(1), fields.text(2) or None, head, fields.number(5), base, fields.text(7), created,
        statements,
    )  # fmt: skip


def published_message(done: Published) -> bytes:
    """``Published``."""
    return written(done.version, done.id, done.prev, int(done.replayed))


def published_of(message: bytes) -> Published:
    """Reads ``Published``."""
    fields = Fields(message)
    return Published(
        fields.number(1), fields.text(2), fields.text(3) or None, None, replayed=bool(fields.number(4))
    )  # fmt: skip
