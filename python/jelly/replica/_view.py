"""The view of a Parquet replica: a glob matches exactly the files of the last version that was fully written."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from jelly.replica._state import DataFile

VIEW = "data"
_AT_HERE = -100
_EXCHANGE = 2


def is_shown(table: Path, files: Sequence[DataFile]) -> bool:
    """Returns whether the view of a table has these files."""
    try:
        found = {path.name for path in (table / VIEW).iterdir()}
    except FileNotFoundError:
        return False
    return found == {f"{file.name}.parquet" for file in files}


def show(table: Path, files: Sequence[DataFile]) -> None:
    """Makes the view of a table show these files, atomically; the caller must hold the lock.

    The new view is made of links in another place, and then replaces the old view. So that a glob over the table does
    not match it too early, it is made beside the table if possible.

    Raises:
        OSError: The view cannot be made.
    """
    table = table.resolve()
    places = [table.parent / f".{table.name}.view", table / "_replica" / "view"]
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    if is_shown(table, files):
        return
    for place in places:
        try:
            place.mkdir()
            for file in files:
                os.link(table / file.path, place / f"{file.name}.parquet")
            _exchange(place, table / VIEW)
            break
        except OSError:
            if place == places[-1]:
                raise
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _exchange(new: Path, place: Path) -> None:
    """Swaps a folder with another one; atomically if the system supports it."""
    place.mkdir(exist_ok=True)
    try:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, TypeError, OSError):
        failed = errno.ENOSYS
    else:
        names = os.fsencode(new), os.fsencode(place)
        done = exchange(_AT_HERE, names[0], _AT_HERE, names[1], _EXCHANGE)
        failed = ctypes.get_errno() if done else 0
    if failed in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        old = new.with_name(f"{new.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        place.rename(old)
        new.rename(place)
        shutil.rmtree(old)
    elif failed:
        raise OSError(failed, os.strerror(failed), str(place))
