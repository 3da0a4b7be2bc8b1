"""Information about a log: its head, its versions, published patches."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from jelly._times import shown

WrittenPatch: TypeAlias = Literal["auto", "text", "jelly-patch", "rdfp", "trp"]
"""Formats in which a patch of a log is written."""


class Head(NamedTuple):
    """The last version of a log.

    Attributes:
        version: The number of the last patch; 0 if the log has none.
        id: The id of that patch.
    """

    version: int
    id: str | None


class Published(NamedTuple):
    """A patch of a log.

    Attributes:
        version: The number of its version.
        id: Its id.
        prev: The id of the patch before it.
        path: Its file, for a log in a folder; otherwise None.
        replayed: Whether the log already had the patch, so that nothing was written.
    """

    version: int
    id: str
    prev: str | None
    path: Path | None
    replayed: bool


class Compacted(NamedTuple):
    """A summary of the result.

    Attributes:
        version: The version that the log now begins after.
        statements: Statements of the dataset at this version.
        patches: Number of patches whose rows are gone now.
        bytes: Bytes by which the folder shrank; negative if the new dataset is larger.
    """

    version: int
    statements: int
    patches: int
    bytes: int


class LogVersion(NamedTuple):
    """A version of a log.

    Attributes:
        version: Its number; the first patch after an empty dataset makes version 1.
        id: The id of the patch that makes it.
        prev: The id of the patch before.
        time: The latest ``H timestamp`` up to this version, in UTC; None if no patch up to it has one.
        added: Committed ``A`` rows.
        deleted: Committed ``D`` rows.
        prefixes: Committed ``PA`` and ``PD`` rows.
        bytes: The size of the patch as it is stored.
        headers: The headers of the patch, key and term, in order.
    """

    version: int
    id: str | None
    prev: str | None
    time: datetime | None
    added: int
    deleted: int
    prefixes: int
    bytes: int
    headers: tuple[tuple[str, str], ...]


class LogInfo(NamedTuple):
    """Information about a log.

    Attributes:
        name: Its name: that of the folder.
        id: Its UUID; None if it has none.
        head: The last version.
        first: The first version whose patch can be read.
        base: What it begins with: ``empty``, or the name of the file with the dataset before the first patch. None if
            this is unknown; the log then has versions, but no dataset.
        format: The format of its patches: ``jelly-patch``, ``rdfp`` or ``trp``.
        created: When it was created, in UTC; None if this is unknown.
        statements: Statements of the dataset that it begins with; 0 if it begins empty, None if this is unknown.
    """

    name: str
    id: str | None
    head: Head
    first: int
    base: str | None
    format: str
    created: datetime | None
    statements: int | None = None


def as_json(found: Any) -> Any:
    """Converts a result for JSON: fields by name, times as text, headers as pairs."""
    if isinstance(found, tuple) and hasattr(found, "_asdict"):
        return {name: as_json(value) for name, value in found._asdict().items()}
    if isinstance(found, tuple | list):
        return [as_json(value) for value in found]
    if isinstance(found, datetime):
        return shown(found)
    return str(found) if isinstance(found, Path) else found


def time_of(text: str | None) -> datetime | None:
    """Parses a time of JSON; None if there is no time."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    # a time without time zone is taken as UTC, so that it is the same on each machine
    return found and (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
