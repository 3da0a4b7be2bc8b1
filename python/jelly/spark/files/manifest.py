"""The visible files of a folder: how commits publish files, and which files readers see.

A folder that Spark wrote to has a subfolder ``_jelly``. A commit is one small file in it that names the files it
adds. This file is written atomically, so a reader sees all of a commit or nothing, even on object stores, where files
cannot be renamed.

- ``<time>-<id>.commit``: a commit. Commits are ordered by their names. A commit that overwrites hides all commits
  before it, and the files of other programs that it found (it then deletes both).
- ``<time>-<id>.commits``: earlier commits, merged so that readers have fewer files to open.
- ``<job>.begun``: files of the job, which have the name of the job in their names, count only after it has committed.
- ``<job>/``: the place where the tasks of a job write if files can be renamed.

Files of other programs are visible as in any folder. Files of attempts that failed, were repeated or were killed are
never visible, and :func:`jelly.spark.vacuum` deletes them.

Several writers: all concurrent appends are kept. Concurrent overwrites and appends have the same result as one after
the other; this needs no lock and no conditional write. A batch of a stream counts once, even if it is committed
several times. A query that listed files before an overwrite and opens them later fails, because they are deleted, as
with other files in Spark.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from jelly.spark.files.commits import FOLDER, Batch, Commit, Written, decoded, encoded
from jelly.storage import Place, put

if TYPE_CHECKING:
    import pyarrow.fs as pafs

_LOG = logging.getLogger(__name__)
# a reader opens at most this number of commits, and one file with the earlier ones merged
_LOOSE = 32
_TRIES = 20
_JOB = re.compile(r"part-([0-9a-z]+-[0-9a-z]+)-")


def new_job() -> str:
    """Returns a name for a job; the names sort by the times when the jobs began."""
    now = time.time_ns()
    clock = time.strftime("%Y%m%dt%H%M%S", time.gmtime(now // 10**9))
    return f"{clock}{now // 10**6 % 1000:03d}-{secrets.token_hex(8)}"


def stream_job(query: str) -> str:
    """Returns the name of the job of a streaming query, which is the same after a restart."""
    return f"stream-{query.replace('-', '')}"


def visible(
    fs: pafs.FileSystem, folder: str, found: Sequence[pafs.FileInfo]
) -> list[pafs.FileInfo]:
    """Returns the visible files of a folder, given the files found in it.

    Files that commits name get the time of their commit; they are included even if they appeared after the listing.
    Commits are read after the listing, so that the job of each listed file is already announced.

    Args:
        fs: The file system of the folder.
        folder: Path of the folder.
        found: The result of a listing, with or without files in subfolders, including hidden names.

    Raises:
        OSError: A commit cannot be read.
        ValueError: A commit was written by a later version of this library.
    """
    folder = folder.rstrip("/")
    governed = {folder} | {
        info.path.partition(f"/{FOLDER}/")[0] for info in found if f"/{FOLDER}/" in info.path
    }
    governed |= {info.path.rpartition("/")[0] for info in found if _JOB.match(info.base_name)}
    shown = [info for info in found if info.is_file and not is_inside(info.path, folder)]
    for inner in sorted(governed, key=len, reverse=True):
        shown = State.load(fs, inner).shown(shown)
    return shown


def counting(fs: pafs.FileSystem, found: Sequence[pafs.FileInfo]) -> list[pafs.FileInfo]:
    """Filters files that were found by their names to the visible ones; folders are kept.

    Raises:
        OSError: A commit cannot be read.
        ValueError: A commit was written by a later version of this library.
    """
    by_folder: dict[str, list[pafs.FileInfo]] = {}
    for info in found:
        if info.is_file:
            by_folder.setdefault(info.path.rpartition("/")[0], []).append(info)
    paths = {
        info.path for folder, files in by_folder.items() for info in visible(fs, folder, files)
    }
    return [info for info in found if not info.is_file or info.path in paths]


def announce(place: Place, job: str) -> None:
    """Announces that a job begins to write files into the folder itself.

    Raises:
        OSError: The folder is not writable.
    """
    _put(place, f"{job}.begun", b"")


def is_committed(place: Place, job: str, batch: Batch | None = None) -> bool:
    """Returns whether a job was committed, or this or a later batch of a stream.

    Raises:
        OSError: A commit cannot be read.
    """
    state = State.load(place.fs, place.path)
    if batch is not None:
        return batch.number <= state.batches.get(batch.stream, -1)
    return any(commit.job == job for commit in state.commits)


def leftovers(place: Place, label: str) -> list[str]:
    """Returns the files of tasks in the folder itself whose names have this label."""
    import pyarrow.fs as pafs

    selector = pafs.FileSelector(place.path, allow_not_found=True)
    return [
        info.base_name
        for info in place.fs.get_file_info(selector)
        if info.base_name.startswith(f"part-{label}-")
    ]


def publish(
    place: Place,
    job: str,
    files: Iterable[Written],
    *,
    overwrite: bool = False,
    batch: Batch | None = None,
) -> None:
    """Commits files: they become visible, and with ``overwrite`` only they are visible.

    Args:
        place: The folder.
        job: The name of the announced job.
        files: The files that the job wrote.
        overwrite: Hide and delete all earlier files.
        batch: The batch of a stream that is committed; a batch that is already committed does not count again.

    Raises:
        OSError: The commit could not be written; it may or may not count.
    """
    state = State.load(place.fs, place.path)
    commit = Commit(
        time=max(time.time_ns(), state.last + 1),
        id=secrets.token_hex(8),
        job=job,
        files=list(files),
        overwrite=overwrite,
        batch=batch,
    )
    if overwrite:
        others = _others(place, state)
        commit.gone.extend((below(place, info), info.size, info.mtime_ns or 0) for info in others)
        commit.retired.extend(sorted(state.retired | {old.job for old in state.commits}))
        commit.batches.update(state.batches)
    _put(place, f"{commit.name}.commit", encoded(commit))
    try:
        if overwrite:
            delete(place, [below(place, info) for info in others])
            delete(place, [file.name for old in state.commits for file in old.files])
            delete(place, [f"{FOLDER}/{name}" for name in state.markers])
        elif len(state.markers) >= _LOOSE:
            _put_together(place, state)
        if batch is None:
            delete(place, [f"{FOLDER}/{job}.begun"])
    except OSError as error:
        # the commit is already visible, so it must not fail
        _LOG.warning("%s: could not delete leftovers: %s", place.uri, error)


class State:
    """The combined state of all commits of a folder."""

    def __init__(
        self, folder: str, commits: Iterable[Commit], begun: set[str], markers: list[str]
    ) -> None:
        self.folder = folder
        self.markers = markers
        self.commits = sorted(
            {commit.name: commit for commit in commits}.values(), key=lambda commit: commit.name
        )
        self.last = self.commits[-1].time if self.commits else 0
        self.batches: dict[str, int] = {}
        self.live: list[Commit] = []
        self.gone: set[tuple[str, int, int]] = set()
        self.retired: set[str] = set()
        seen: set[Batch] = set()
        for commit in self.commits:
            for stream, number in commit.batches.items():
                self.batches[stream] = max(number, self.batches.get(stream, -1))
            self.gone.update(commit.gone)
            self.retired.update(commit.retired)
            # the first commit of a batch counts: a driver that seemed dead may repeat the batch
            if commit.batch in seen:
                continue
            if (batch := commit.batch) is not None:
                seen.add(batch)
                self.batches[batch.stream] = max(batch.number, self.batches.get(batch.stream, -1))
            if commit.overwrite:
                self.live.clear()
            self.live.append(commit)
        self.jobs = begun | self.retired | {commit.job for commit in self.commits}

    @classmethod
    def load(cls, fs: pafs.FileSystem, folder: str) -> State:
        """Reads the commits of a folder; a folder without commits has an empty state."""
        import pyarrow.fs as pafs

        base = f"{folder.rstrip('/')}/{FOLDER}"
        for _ in range(_TRIES):
            entries = fs.get_file_info(pafs.FileSelector(base, allow_not_found=True))
            names = [info.base_name for info in entries if info.is_file]
            markers = [name for name in names if name.endswith((".commit", ".commits"))]
            begun = {Path(name).stem for name in names if name.endswith(".begun")}
            try:
                commits = [
                    commit
                    for content in _contents(fs, [f"{base}/{name}" for name in markers])
                    for commit in decoded(content, folder)
                ]
            except FileNotFoundError:
                continue  # another writer has just merged or overwritten the commits
            return cls(folder, commits, begun, markers)
        raise OSError(f"{folder}: its commits change faster than they can be read")

    def shown(self, found: Iterable[pafs.FileInfo]) -> list[pafs.FileInfo]:
        """Returns the visible files: those of other programs, then those of commits in order."""
        import pyarrow.fs as pafs

        base = self.folder.rstrip("/") + "/"
        named = {base + file.name for commit in self.live for file in commit.files}
        shown = [
            info
            for info in found
            if info.path not in named
            and not (info.path.startswith(base) and self.is_leftover(info.path[len(base) :], info))
        ]
        for commit in self.live:
            shown += [
                pafs.FileInfo(
                    base + file.name, pafs.FileType.File, size=file.size, mtime_ns=commit.time
                )
                for file in commit.files
            ]
        return shown

    def is_leftover(self, name: str, info: pafs.FileInfo) -> bool:
        """Returns whether a file that no commit names is a leftover, not a file of another program."""
        if (name, info.size, info.mtime_ns or 0) in self.gone:
            return True
        folder, _, rest = name.partition("/")
        if folder == FOLDER:
            return "/" in rest or rest.startswith(".")
        return not rest and job_of(name) in self.jobs


def job_of(name: str) -> str | None:
    """Returns the job in the name of a file."""
    job = _JOB.match(name)
    return job[1] if job else None


def is_inside(path: str, folder: str) -> bool:
    """Returns whether a path is in a folder ``_jelly`` below a folder."""
    return f"/{FOLDER}/" in path[len(folder) :]


def below(place: Place, info: pafs.FileInfo) -> str:
    """Returns the path of a file relative to a folder."""
    name: str = info.path.removeprefix(place.path.rstrip("/") + "/")
    return name


def _others(place: Place, state: State) -> list[pafs.FileInfo]:
    """Returns the visible files that no commit of the folder names."""
    import pyarrow.fs as pafs

    selector = pafs.FileSelector(place.path, recursive=True, allow_not_found=True)
    ours = {file.name for commit in state.commits for file in commit.files}
    return [
        info
        for info in visible(place.fs, place.path, place.fs.get_file_info(selector))
        if (name := below(place, info)) not in ours
        and not any(part.startswith((".", "_")) for part in name.split("/"))
    ]


def _put_together(place: Place, state: State) -> None:
    """Merges all commits that were read into one file, then deletes their files."""
    name = f"{state.commits[-1].name}-{secrets.token_hex(8)}.commits"
    _put(place, name, b"".join(encoded(commit) for commit in state.commits))
    delete(place, [f"{FOLDER}/{marker}" for marker in state.markers])


# small files


def _contents(fs: pafs.FileSystem, paths: list[str]) -> list[bytes]:
    def content(path: str) -> bytes:
        with fs.open_input_stream(path, compression=None) as file:
            read: bytes = file.read()
            return read

    if len(paths) < 3 or fs.type_name == "local":
        return [content(path) for path in paths]
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(content, paths))


def _put(place: Place, name: str, content: bytes) -> None:
    """Writes a file of ``_jelly`` atomically."""
    put(place.under(FOLDER), name, content)


def delete_folder(place: Place, name: str) -> None:
    """Deletes a folder and its content, if it exists."""
    if place.can_rename:
        with suppress(FileNotFoundError):
            place.fs.delete_dir(place.under(name).path)


def delete(place: Place, names: Iterable[str]) -> None:
    """Deletes files, if they exist."""
    for name in names:
        with suppress(FileNotFoundError):
            place.fs.delete_file(place.under(name).path)
