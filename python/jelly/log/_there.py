"""Whether a log stands at a place: a mistyped path would read as an empty log."""

from __future__ import annotations

from jelly.log._begin import is_log
from jelly.log._folder import FolderLog
from jelly.log._log import Log


def existing(log: Log) -> Log:
    """The log, if it is there.

    Raises:
        FileNotFoundError: It is not.
    """
    if isinstance(log, FolderLog):
        is_there = is_log(log.folder) or bool(log.files)
    else:
        info = log.info()  # a server answers with an error where it has none
        is_there = info.id is not None or info.head.version > 0
    if not is_there:
        message = f"{log.place}: no log is here; `jelly log create` makes one"
        if isinstance(log, FolderLog) and log.folder.is_file():
            message = f"{log.place} is a file; expected a folder, a server or an object store with a log: `jelly between` and `jelly history` read files"
        raise FileNotFoundError(message)
    return log
