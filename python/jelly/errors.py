"""Exceptions.

``str(error)`` is one line of text: a stable ``kind``, what is wrong, and where. The same facts are attributes. All
classes can be pickled, so errors keep their class on the way from a worker to the driver.
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
    """First byte of the wrong field, from 0, in the decompressed stream."""
    field: str | None
    """The wrong field, with dots, such as ``triple.o_iri.name_id``."""
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
    """The input does not follow its format. Rows before the error were delivered."""


class TruncatedError(DecodeError):
    """The input ends inside a frame or a compressed block."""


class WireError(DecodeError):
    """The bytes are not valid messages of the format."""


class TableError(DecodeError):
    """A lookup id or a repeated term refers to nothing."""


class OptionsError(DecodeError):
    """The stream options are missing, wrong, or contradicted by the rows."""


class LimitError(DecodeError):
    """A limit was reached; ``limit`` names the field of :class:`jelly.Limits` that raises it."""


class TextError(DecodeError):
    """The text does not follow the grammar of its format."""


class PatchError(JellyError, ValueError):
    """A patch or a log is not valid: an unfinished or stray transaction, a broken chain."""


class ReplicaError(JellyError, ValueError):
    """A replica cannot do what was asked; nothing was changed.

    ``kind`` is ``replica.gap``, ``replica.fork`` or ``replica.log`` if the log does not continue the table;
    ``replica.writer`` if another writer changed the table at the same time; ``replica.version`` if this version
    cannot be read; ``replica.table`` if there is no replica, a later version of this library made it, another
    program changed rows of the table, or a file of it is damaged.
    """


class EncodeError(JellyError, ValueError):
    """Rows cannot be written in the requested format."""


class ArgumentError(JellyError, ValueError):
    """The call asks for something that does not exist, such as writing to a URL; nothing was changed."""


class InternalError(JellyError, RuntimeError):
    """A bug of this library; please report it."""


class JellyWarning(UserWarning):
    """Something was found and ignored, such as an index that is not used or sync points in the wrong place."""
