"""Exceptions.

``str(error)`` is one line for a person: a stable ``kind``, what is wrong, and where. The same facts
are attributes. All classes can be pickled, so they survive the way from a worker to the driver.
"""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "DecodeError",
    "EncodeError",
    "InternalError",
    "JellyError",
    "JellyWarning",
    "LimitError",
    "OptionsError",
    "PatchError",
    "ReplicaError",
    "TableError",
    "TextError",
    "TruncatedError",
    "WireError",
]


class JellyError(Exception):
    """Base class of all errors of this library."""

    kind: str
    """Stable name of the cause, ``family.cause``, such as ``table.undefined``."""
    source: str | None
    """Path, topic or name of the stream."""
    frame: int | None
    """Frame in the stream, from 0."""
    row: int | None
    """Row in the frame, from 0; counts options and lookup entries too."""
    offset: int | None
    """First byte of the field at fault, from 0, in the decompressed stream."""
    field: str | None
    """Field at fault, dotted, such as ``triple.o_iri.name_id``."""
    limit: str | None
    """Field of :class:`jelly.Limits` that was reached."""
    line: int | None
    """Line of a text format, from 1."""
    column: int | None
    """Column of a text format, from 1."""

    def __init__(
        self,
        message: str = "",
        *,
        kind: str = "",
        source: str | None = None,
        frame: int | None = None,
        row: int | None = None,
        offset: int | None = None,
        field: str | None = None,
        limit: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.source = source
        self.frame = frame
        self.row = row
        self.offset = offset
        self.field = field
        self.limit = limit
        self.line = line
        self.column = column


class DecodeError(JellyError, ValueError):
    """The input is not what its format says. Rows before the error were delivered."""


class TruncatedError(DecodeError):
    """The input ends inside a frame or a compressed block."""


class WireError(DecodeError):
    """The bytes are not the protobuf messages of the format."""


class TableError(DecodeError):
    """A lookup id or a repeated term refers to nothing."""


class OptionsError(DecodeError):
    """The stream options are missing, wrong, or contradicted by the rows."""


class LimitError(DecodeError):
    """A limit was reached; ``limit`` names the field of :class:`jelly.Limits` that raises it."""


class TextError(DecodeError):
    """Text is not in the grammar of its format."""


class PatchError(JellyError, ValueError):
    """A patch has no meaning: an unfinished or stray transaction, a broken chain."""


class ReplicaError(JellyError, ValueError):
    """A replica cannot do that; nothing was changed.

    ``kind`` is ``replica.gap``, ``replica.fork`` or ``replica.log``: the log does not continue the
    table; ``replica.writer``: another writer was faster; ``replica.version``: there is no such
    version; ``replica.table``: this is no replica, one of a later version of this library, or a
    table of which another program changed rows.
    """


class EncodeError(JellyError, ValueError):
    """Rows cannot be written in the format asked for."""


class ArgumentError(JellyError, ValueError):
    """The call asks for something that cannot be done, such as writing to a URL; nothing was changed."""


class InternalError(JellyError, RuntimeError):
    """A fault of this library; please report it."""


class JellyWarning(UserWarning):
    """Something was found and passed over: an index that is not used, restart marks that mean nothing."""
