"""Checks whether the patches of a folder are a chain; unchanged patches that were checked are not read again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jelly import _internal
from jelly._log_files import name_of
from jelly.errors import JellyError
from jelly.log._index import Index, Line
from jelly.log._types import Head

if TYPE_CHECKING:
    from jelly.log._contents import Extent


class Checked(NamedTuple):
    """The versions that were checked to be a chain.

    Attributes:
        extent: The versions.
        others: Names in the folder that are not versions.
        doubts: The ``doubts`` of the index at the time of the check.
    """

    extent: Extent
    others: frozenset[str]
    doubts: int


def refuse_disorder(home: Path, lines: Sequence[Line], *, is_end: bool = False) -> None:
    """Rejects patches of a folder that are not a chain.

    Args:
        home: The folder.
        lines: The lines of the index for the patches, in order of their versions.
        is_end: Whether earlier versions, up to the first of these, were already checked.

    Raises:
        PatchError: The patches are not a chain.
    """
    facts = [
        (
            str(home / line.name),
            0,
            [(key, value) for key, value in line.headers],
            None,
            False,
            bool(line.added or line.deleted or line.prefixes),
            line.added - line.deleted,
        )
        for line in lines
    ]
    manifests: dict[str, tuple[bytes | None, bytes | None]] | None = None
    if is_end:
        folder = facts[0][0][: -len(lines[0].name) - 1]
        manifests = {folder: (_base_before(lines[0]), None)}
    _internal.order_log(facts, {}, None, manifests)


def _base_before(line: Line) -> bytes:
    """Returns the manifest of a log that was compacted up to the version before a patch."""
    after = line.statements
    said = {"base": "base", "timestamp": "-", "version": line.version - 1, "id": line.prev}
    before = 0 if after is None else after - line.added + line.deleted
    return json.dumps(said | {"statements": before}).encode()


def names_in(home: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Returns the entries of a folder that may matter to a log; the names of folders end with a slash."""
    with os.scandir(home) as entries:
        for entry in entries:
            if not entry.name.startswith((".", "_")):
                yield entry.name + "/" * entry.is_dir(), entry


def grown(
    home: Path, checked: Checked, index: Index, line: Callable[[int, Extent], Line]
) -> Extent | None:
    """Returns the current versions if the only change since a check is new patches that continue the chain.

    Each file that was checked must still match its line in the index. The new files are checked together with the
    last version before them, as in a log that was compacted up to that version.

    Args:
        home: The folder.
        checked: The versions that were checked.
        index: The index of the folder.
        line: Returns the line of a new version; reads the patch if the index does not match its file.

    Returns:
        The versions; None if something else may have changed, or the patches are not a chain.
    """
    extent, before = checked.extent, checked.extent.head.version
    try:
        # read the index before the files, because publishers create the file first and then its line
        more = index.more()
        stamp = home.stat().st_mtime_ns
        stats = ((name, entry.stat()) for name, entry in names_in(home))
        found = {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats}
    except OSError:
        return None
    for version in range(extent.first, before + 1):
        known = index.known(version)
        if known is None or found.pop(known.name, None) != (known.size, known.mtime):
            return None
    last = before
    while found.pop(name_of(last + 1, extent.ending), None) is not None:
        last += 1
    if more is None or found.keys() != checked.others:
        return None
    for one in more:
        if one.version > last or index.known(one.version) not in (None, one):
            return None
        index.keep(one)
    now = extent._replace(stamp=stamp, head=Head(last, None))
    try:
        lines = [line(version, now) for version in range(before, last + 1)]
        refuse_disorder(home, lines, is_end=True)
    except (JellyError, OSError):
        return None
    # no id occurs twice, and the first patch does not come after another patch of the log
    if index.doubts != checked.doubts or _comes_after(index, extent.first):
        return None
    return now._replace(head=Head(last, lines[-1].id))


def _comes_after(index: Index, first: int) -> bool:
    """Returns whether the first patch of a log comes after another patch of the same log."""
    known = index.known(first)
    if known is None or known.prev is None:
        return False
    return (index.version_of(_internal.identify(known.prev)[1]) or 0) >= first
