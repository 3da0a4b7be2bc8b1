"""Deletes leftovers of jobs that failed or were killed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from jelly.spark.files.commits import FOLDER
from jelly.spark.files.manifest import State, below, delete, job_of
from jelly.storage import resolve


def vacuum(path: str, *, hours: float = 168, storage: Mapping[str, str] | None = None) -> list[str]:
    """Deletes files that no commit of a folder names: leftovers of attempts that failed or were killed.

    Files of other programs are never deleted. Readers never see the files that this deletes.

    Args:
        path: A folder that Spark wrote to, as a path or URI.
        hours: Delete only files that have not changed for this time. It must be longer than any job takes, because
            files of running jobs look the same.
        storage: Options ``storage.*`` without the prefix.

    Returns:
        The paths within the folder that were deleted.

    Raises:
        OSError: The folder cannot be read, or a file cannot be deleted.
        ValueError: An option is wrong.
    """
    import pyarrow.fs as pafs

    options = {name.lower(): value for name, value in (storage or {}).items()}
    place = resolve(path, options)
    before = time.time_ns() - int(hours * 3600 * 10**9)
    listing = place.fs.get_file_info(pafs.FileSelector(place.path, recursive=True))
    state = State.load(place.fs, place.path)
    live = {file.name for commit in state.live for file in commit.files}
    files = {below(place, info): info for info in listing if info.is_file}
    leftovers = [
        name
        for name, info in files.items()
        if (info.mtime_ns or 0) <= before and name not in live and state.is_leftover(name, info)
    ]
    # a job may only be forgotten when no file with its name is left
    left = {job_of(name.rpartition("/")[2]) for name in files.keys() - set(leftovers)}
    begun = [
        name
        for name, info in files.items()
        if name.startswith(f"{FOLDER}/")
        and name.endswith(".begun")
        and (info.mtime_ns or 0) <= before
        and Path(name).stem not in left
    ]
    delete(place, leftovers)
    delete(place, begun)
    return sorted(leftovers + begun)
