"""What a site of files can say of pairs of versions: patches that undo the newest ones, and changes up to the head."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from jelly._apply import apply
from jelly._changes import between, canonicalize, invert
from jelly._convert import convert
from jelly._html import Html
from jelly._page._rows import Shown, show_change
from jelly._page._texts import new_text_beside
from jelly.log._log import Log
from jelly.log._types import LogInfo

UNDO = "-undo"
"""Behind the names of patches that undo others."""
_NEWEST = 20
"""Versions that can be undone and compared with the head."""
MOST_BYTES = 64 << 20
"""Of the dataset, in Jelly, which such pages read some times."""


def compare(log: Log, info: LogInfo, home: Path) -> dict[int, Shown]:
    """Writes the files of the newest versions; returns what changed since each, up to the head.

    Args:
        log: The log.
        info: What it is.
        home: The folder of the site, which has the patches.

    Returns:
        Nothing where the log does not say how it begins, or the dataset is large.

    Raises:
        JellyError: The log is damaged.
        OSError: Writing failed.
    """
    found: dict[int, Shown] = {}
    head = info.head.version
    if info.base is None or head < info.first:
        return found
    with TemporaryDirectory(prefix="jelly-page-") as folder:
        state, after = Path(folder, "state.jelly"), Path(folder, "after.jelly")
        at = max(info.first - 1, head - _NEWEST)
        log.dataset(state, at, to="jelly")
        for version in range(at + 1, head + 1):
            if state.stat().st_size > MOST_BYTES:
                return found
            patch = home / "patches" / f"{version:04}.jellyp"
            invert(patch, new_text_beside(patch, UNDO), state, chain="ignore")
            apply(state, patch, after, to="jelly", chain="ignore")
            after.replace(state)
            if version < head:
                found[version] = _since(log, version, head, state, home / "since")
            else:
                found[version] = Shown(Html(""), 0, is_all=True)
    return found


def _since(log: Log, version: int, head: int, state: Path, folder: Path) -> Shown:
    change = folder / f"{version:04}.jellyp"
    last_rows = state.with_name("last.jellyp")
    between(log, version, head, last_rows)
    # without rows that change nothing in the end
    canonicalize(last_rows, state, change)
    convert(change, new_text_beside(change))
    return show_change(change, state)
