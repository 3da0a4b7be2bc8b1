"""``_states``: datasets at some versions of a log, from which others are computed. Derived: may be deleted."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from jelly._apply import applied
from jelly._log_files import LOG_JSON, STATES
from jelly._whole_file import sync_file, sync_folder, work_folder
from jelly.errors import JellyError
from jelly.log._begin import EMPTY, said_base_of, said_of
from jelly.log._folder import FolderLog
from jelly.service._limits import Limits

_NAME = re.compile(r"state-(\d+)-([0-9a-f]{16})\.jelly\.zst")
# a state is kept if the patches after the nearest one have 1/_SHARE of its size, or are _MANY
_SHARE, _MANY = 4, 64


class _Start(NamedTuple):
    """A dataset from which a version can be computed."""

    version: int
    source: Any
    format: str
    size: int
    is_kept: bool = False
    """Whether it is one of the kept states."""


def write_state(log: FolderLog, dest: Any, version: int, to: str, limits: Limits) -> None:
    """Writes the dataset at a version; applies patches to the nearest stored dataset.

    Args:
        log: The log.
        dest: Destination.
        version: An existing version.
        to: The format.
        limits: Maximum bytes of the kept states of the log, and bytes of the disk that stay free.

    Raises:
        PatchError: The log does not record how it begins (``patch.base``), or is damaged.
        JellyError: The dataset cannot be written in this format.
    """
    log.steadily(lambda check: _write(log, dest, version, to, limits, check))


def _write(
    log: FolderLog, dest: Any, version: int, to: str, limits: Limits, check: Callable[[], None]
) -> None:
    log.contents.range(version, version)
    if hasattr(dest, "truncate"):
        dest.seek(0)
        dest.truncate()
    with work_folder(log.work) as work:
        nearest = start = _nearest(log, version, work)
        files = log.paths(start.version, version)
        size = sum(path.stat().st_size for path in files)
        is_much = size * _SHARE >= start.size or len(files) >= _MANY
        try:
            if files and is_much and limits.states:
                start = _keep(log, start, files, version, work, limits, check)
                files = []
            _make(log, start, files, version, dest, to)
            check()
            return
        except JellyError as error:
            if not nearest.is_kept or error.source != str(nearest.source):
                raise
    # the state is damaged: without it, the dataset comes from another one, or from the base
    (log.folder / STATES / nearest.source.name).unlink(missing_ok=True)
    _write(log, dest, version, to, limits, check)


def _make(
    log: FolderLog, start: _Start, files: list[Path], version: int, dest: Any, to: str
) -> None:
    given = {"to": to, "base_format": start.format, "takes_positions": True}
    if to == "jelly":
        given["namespaces"] = True
    done = applied(start.source, files or b"", dest, given, None)
    log.check_count(done._replace(version=version))


def _nearest(log: FolderLog, version: int, work: Path) -> _Start:
    """Returns the last dataset at or before a version: a kept state, or the base."""
    base = said_base_of(log.folder)
    for number, path in sorted(_states(log), reverse=True):
        if number > version or number < log.info().first:
            continue
        if _name(log, number) != path.name:
            continue  # a state of another log that was here before
        with suppress(OSError):  # deleted meanwhile, or it belongs to another user
            mine = work / path.name
            mine.hardlink_to(path)  # the link stays, even if another process deletes the state
            os.utime(path)
            return _Start(number, mine, "jelly", mine.stat().st_size, is_kept=True)
    first = log.info().first - 1
    if base == EMPTY:
        return _Start(first, b"", "nq", 0)
    path = log.folder / base
    return _Start(first, path, "auto", path.stat().st_size)


def _keep(
    log: FolderLog,
    start: _Start,
    files: list[Path],
    version: int,
    work: Path,
    limits: Limits,
    check: Callable[[], None],
) -> _Start:
    """Computes the dataset at a version, and keeps it if there is enough space."""
    name = _name(log, version)
    made = work / (name or "state.jelly.zst")
    _make(log, start, files, version, made, "jelly")
    check()
    size = made.stat().st_size
    folder = log.folder / STATES
    has_room = shutil.disk_usage(log.folder).free - size > limits.free
    if name is not None and size <= limits.states and has_room:
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            _make_room(log, limits.states - size)
            sync_file(made)
            with suppress(FileExistsError):
                (folder / name).hardlink_to(made)
            sync_folder(folder)
    return _Start(version, made, "jelly", size)


def _make_room(log: FolderLog, kept: int) -> None:
    """Deletes the least recently used states."""
    found = [(path.stat(), path) for _, path in _states(log)]
    total = sum(stat.st_size for stat, _ in found)
    for stat, path in sorted(found, key=lambda one: one[0].st_mtime_ns):
        if total <= kept:
            return
        path.unlink(missing_ok=True)
        total -= stat.st_size


def _states(log: FolderLog) -> list[tuple[int, Path]]:
    folder = log.folder / STATES
    paths: list[Path] = []
    with suppress(OSError):  # no folder, or one of another user: datasets do not need it
        paths = list(folder.iterdir())
    found = ((_NAME.fullmatch(path.name), path) for path in paths)
    return [(int(match[1]), path) for match, path in found if match]


def _name(log: FolderLog, version: int) -> str | None:
    """Returns the name of a state, which identifies its log; None if the log has no id."""
    own = said_of(log.folder).get("id") if (log.folder / LOG_JSON).exists() else None
    if own is None:
        return None
    # all versions before it, as patches may be changed on purpose
    digest = hashlib.sha256(f"{own}\n{log.contents.chain(version)}".encode()).hexdigest()
    return f"state-{version:04}-{digest[:16]}.jelly.zst"
