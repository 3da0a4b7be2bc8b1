"""Whether the files of a log are still what they were when the log was looked at.

A function such as :func:`apply` learns the patches and outcomes of a log when it is called; its result reads the log
again. Between the two a file must not change, or rows of one state would be taken by the outcomes of another.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from jelly.errors import PatchError


class Stamp(NamedTuple):
    """What tells a file from another state of it."""

    size: int | None
    """Bytes; None: the source is no file that the workers see by its path."""
    modified: int | None
    """Nanoseconds since 1970."""


def require_settled(stamps: Iterable[tuple[str | None, Stamp]], began: int) -> None:
    """Rejects files that changed while they were looked at.

    Args:
        stamps: Sources, and what they were afterwards.
        began: When it began, in nanoseconds since 1970.

    Raises:
        PatchError: There is one.
    """
    now = time.time_ns()
    for source, one in stamps:
        if one.modified is not None and began <= one.modified <= now:
            raise changed(source)


def require_unchanged(stamps: Mapping[str | None, Stamp], sources: Iterable[str | None]) -> None:
    """Rejects files that have another stamp now.

    Args:
        stamps: What the files must still be.
        sources: Those to look at.

    Raises:
        PatchError: There is one.
    """
    for source in sources:
        was = stamps.get(source)
        if was is not None and was.size is not None and stamp_of(source) != was:
            raise changed(source)


def stamp_of(source: str | None) -> Stamp:
    """The stamp of a local file, as it is now."""
    from jelly._inputs import local_path

    with suppress(OSError, ValueError):
        if source is not None and "://" not in source.removeprefix("file://"):
            path = Path(local_path(source))
            if path.is_file():
                found = path.stat()
                return Stamp(found.st_size, found.st_mtime_ns)
    return Stamp(None, None)


def changed(source: str | None) -> PatchError:
    """The error of a file that is not what it was."""
    message = (
        "patch.changed: this file of the log changed after the function was called; call the "
        f"function again when the file is complete, or cache the log first ({source})"
    )
    return PatchError(message, kind="patch.changed", source=source)
