"""Checks whether a place has a log, because a mistyped path would read as an empty log."""

from __future__ import annotations

import re
from pathlib import Path

from jelly.log._begin import is_log
from jelly.log._folder import FolderLog
from jelly.log._log import Log

# maximum number of names in an error
_NAMES = 3
_ADDRESS = re.compile(r"[\w.-]+:\d+(/|$)")
_CREATE = "create one with `jelly log create`"


def existing(log: Log) -> Log:
    """Returns the log, if it exists.

    Raises:
        FileNotFoundError: The log does not exist.
    """
    if isinstance(log, FolderLog):
        if not log.is_there():
            raise FileNotFoundError(_instead(log.place, log.folder))
        return log
    info = log.info()  # a server without this log answers with an error
    if info.id is None and info.head.version == 0:
        raise FileNotFoundError(f"{log.place}: there is no log; {_CREATE}")
    return log


def _instead(place: str, folder: Path) -> str:
    """Returns a message about what the place has instead of a log."""
    if folder.is_file():
        return (
            f"{place} is a file; expected a folder, a server or an object store with a log "
            "(`jelly between` and `jelly history` read files)"
        )
    if not folder.exists() and _ADDRESS.match(place):
        return (
            f"{place}: there is no log and no folder; the address of a log on a server begins "
            "with http:// or https://"
        )
    if not folder.exists():
        return f"{place}: there is no log and no folder; {_CREATE}"
    names = sorted(path.name for path in folder.iterdir())
    if not names:
        return f"{place}: there is no log, and the folder is empty; {_CREATE}"
    if logs := [name for name in names if is_log(folder / name)]:
        return (
            f"{place}: this is not a log, but a folder of logs: {_some(logs)}; give one of them, "
            f"such as {folder / logs[0]}"
        )
    return (
        f"{place}: there is no log, but {_some(names)}; expected log.json, or patches from "
        f"patch-0001 on; {_CREATE}"
    )


def _some(names: list[str]) -> str:
    more = len(names) - _NAMES
    return ", ".join(names[:_NAMES]) + (f" and {more:,} more" if more > 0 else "")
