"""Checks that the files of a log have not changed since the log was first read.

A function such as :func:`apply` finds the patches and outcomes of a log when it is called; its result reads the log
again. If a file changes between the two, rows of one state would be combined with outcomes of another.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from jelly.errors import PatchError


class Stamp(NamedTuple):
    """Distinguishes a file from other states of the file."""

    size: int | None
    """Size in bytes; None if the source is not a file that workers can read by its path."""
    modified: int | None
    """Modification time in nanoseconds since 1970."""


def require_settled(stamps: Iterable[tuple[str | None, Stamp]], began: int) -> None:
    """Rejects files that changed while they were read.

    Args:
        stamps: Sources, and their stamps after reading.
        began: The time when reading began, in nanoseconds since 1970.

    Raises:
        PatchError: A file changed.
    """
    now = time.time_ns()
    for source, one in stamps:
        if one.modified is not None and began <= one.modified <= now:
            raise changed(source)


def require_unchanged(stamps: Mapping[str | None, Stamp], sources: Iterable[str | None]) -> None:
    """Rejects files whose current stamp differs.

    Args:
        stamps: The expected stamps.
        sources: The files to check.

    Raises:
        PatchError: A file changed.
    """
    for source in sources:
        was = stamps.get(source)
        if was is not None and was.size is not None and stamp_of(source) != was:
            raise changed(source)


def stamp_of(source: str | None) -> Stamp:
    """Returns the current stamp of a local file."""
    from jelly._inputs import local_path

    with suppress(OSError, ValueError):
        if source is not None and "://" not in source.removeprefix("file://"):
            path = Path(local_path(source))
            if path.is_file():
                found = path.stat()
                return Stamp(found.st_size, found.st_mtime_ns)
    return Stamp(None, None)


def changed(source: str | None) -> PatchError:
    """Returns the error for a file that has changed."""
    message = (
        "patch.changed: this file of the log changed after the function was called; call the "
        f"function again when the file is complete, or cache the log first ({source})"
    )
    return PatchError(message, kind="patch.changed", source=source)
