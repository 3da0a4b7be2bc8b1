"""Replicas as Parquet files, with a manifest that lists the files of each version.

A table is a folder with the folders ``_replica`` and ``data``. A commit writes files whose names contain its own name
into ``_replica/files``, then one manifest, ``_replica/<number>.json``, that lists all files of the table; the
manifest appears atomically, and only if there is no manifest with that number. So a reader sees all of a commit or
nothing, and one of two concurrent writers is rejected.

``data`` has links to the files of the buckets in the last version, for programs that read a folder.

During a commit, its process locks a file ``_replica/<commit>.attempt``. If the lock is free, the process is dead, and
the next commit or ``vacuum`` deletes its files.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from jelly._whole_file import sync_file, sync_folder
from jelly.replica._refused import no_replica, no_version, overtaken, too_new
from jelly.replica._state import DataFile, State, newest, state_of
from jelly.replica._view import VIEW, is_shown, show

try:
    import fcntl
except ImportError:  # no locks on this system: leftover files wait for vacuum
    fcntl = None  # type: ignore[assignment]

_FORMAT = 2
_HAS_LOCKS = fcntl is not None
_MANIFESTS = "_replica"
_BESIDE = ("adds", "deletes")
_FILES = f"{_MANIFESTS}/files"


@dataclass(frozen=True)
class LocalFiles:
    """Files in a folder; see :class:`jelly.replica._state.Files`."""

    folder: str

    def open(self, path: str) -> Any:
        import pyarrow as pa

        return pa.OSFile(f"{self.folder}/{path}", "rb")

    def create(self, path: str) -> Any:
        import pyarrow as pa

        return pa.OSFile(f"{self.folder}/{path}", "wb")

    def keep(self, path: str) -> int:
        written = Path(self.folder, path)
        sync_file(written)
        return written.stat().st_size

    def name(self, code: str, unique: str) -> str:
        return f"{_FILES}/{code or 'all'}-{unique}"


class ParquetStore:
    """A folder with a replica; see :class:`jelly.replica._state.Store`."""

    merges = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifests = folder / _MANIFESTS
        self.files = LocalFiles(str(folder.absolute()))

    @property
    def root(self) -> str:
        """The place of the files, for other programs."""
        return self.files.folder

    @classmethod
    def create(cls, folder: Path) -> ParquetStore:
        """Returns a store for a table that the first commit creates.

        Raises:
            FileExistsError: The folder has a table or other files.
        """
        store = cls(folder)
        if store._numbers():
            raise FileExistsError(f"{folder}: there is already a replica")
        known = {VIEW, _MANIFESTS}
        if folder.exists() and any(path.name not in known for path in folder.iterdir()):
            raise FileExistsError(f"{folder}: the folder is not empty")
        for place in (VIEW, _FILES):
            (folder / place).mkdir(parents=True, exist_ok=True)
        return store

    def load(self, version: int | None = None) -> State:
        while True:
            numbers = self._numbers()
            if not numbers:
                raise no_replica(str(self._folder))
            try:
                return self._state(self._find(numbers, version))
            except FileNotFoundError:
                # another process deleted it; there are newer ones
                if self._numbers() == numbers:
                    raise

    def versions(self) -> list[int]:
        return sorted({self._read(number)["version"] for number in self._numbers()})

    def begin(self, state: State) -> _Attempt:
        self._bury()
        self.mend(state)
        return _Attempt(self, state)

    def mend(self, state: State) -> None:
        if state.commit >= 0 and not is_shown(self._folder, state.files):
            self._show()

    def vacuum(self, keep: int, hours: float, *, dry_run: bool) -> list[str]:
        gone = set(self._bury(dry_run=dry_run))
        before = time.time() - hours * 3600
        with nullcontext() if dry_run else self._lock():
            numbers = self._numbers()
            stay = newest((number, self._read(number)["version"]) for number in reversed(numbers))
            old = [self._path(number) for number in numbers if number not in stay[:keep]]
            # an attempt without its file can no longer commit
            old += [
                path
                for path in self._manifests.glob("*.attempt")
                if path not in gone and not _may_live(path, before)
            ]
            for path in old:
                _delete(path, dry_run=dry_run)
        gone.update(old)
        # list the files first: a file of a commit that ends meanwhile is live, or belongs to a living attempt
        found = list((self._folder / _FILES).iterdir())
        names = [path.stem for path in self._manifests.glob("*.attempt") if path not in gone]
        live = self._live(gone)
        for path in found:
            of_living = any(name in path.name for name in names)
            if f"{_FILES}/{path.name}" not in live and not of_living:
                _delete(path, dry_run=dry_run)
                gone.add(path)
        if not dry_run:
            self._show()
        return sorted(str(path.relative_to(self._folder)) for path in gone)

    def _numbers(self) -> list[int]:
        with suppress(FileNotFoundError):
            # unlike glob, iterdir raises an error if the folder cannot be read
            ours = (path.stem for path in self._manifests.iterdir() if path.suffix == ".json")
            return sorted(int(name) for name in ours if name.isdecimal())
        return []

    def _path(self, number: int) -> Path:
        return self._manifests / f"{number:010d}.json"

    def _read(self, number: int) -> dict[str, Any]:
        path = self._path(number)
        try:
            stored: dict[str, Any] = json.loads(path.read_bytes())
        except ValueError:
            raise too_new(str(path)) from None
        if stored.get("jelly-replica") != _FORMAT:
            raise too_new(str(path))
        return stored

    def _find(self, numbers: Sequence[int], version: int | None) -> int:
        if version is None:
            return numbers[-1]
        at = bisect_right(numbers, version, key=lambda number: self._read(number)["version"])
        if not at or self._read(numbers[at - 1])["version"] != version:
            raise no_version(version, self.versions(), str(self._folder))
        return numbers[at - 1]

    def _state(self, number: int) -> State:
        stored = self._read(number)
        buckets: dict[str, list[DataFile]] = {}
        for code, *file in stored["files"]:
            buckets.setdefault(code, []).append(DataFile(*file))
        state = state_of(number, stored, stored, buckets)
        beside = [None if stored[kind] is None else DataFile(*stored[kind]) for kind in _BESIDE]
        return replace(state, adds=beside[0], deletes=beside[1])

    def _live(self, gone: Collection[Path] = ()) -> set[str]:
        """Returns the files of all versions, except versions whose manifests are or will be deleted."""
        numbers = [number for number in self._numbers() if self._path(number) not in gone]
        live: set[str] = set()
        for number in numbers:
            stored = self._read(number)
            live.update(file[1] for file in stored["files"])
            live.update(stored[kind][0] for kind in _BESIDE if stored[kind] is not None)
        return live

    def _bury(self, *, dry_run: bool = False) -> list[Path]:
        """Deletes the files of dead attempts; returns their paths."""
        dead = []
        for path in self._manifests.glob("*.attempt"):
            with suppress(OSError):
                if _is_known(path):
                    with _held(path):
                        dead.append(path)
        if not dead:
            return []
        live, gone = self._live(), []
        for attempt in dead:
            left = [*(self._folder / _FILES).glob(f"*-{attempt.stem}-*"), *self._manifests.glob(f"{attempt.stem}.part")]  # fmt: skip
            for path in (*left, attempt):
                if f"{_FILES}/{path.name}" not in live:
                    _delete(path, dry_run=dry_run)
                    gone.append(path)
        return gone

    def _show(self) -> None:
        """Updates the view to the last version."""
        with self._lock():
            show(self._folder, self.load().files)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Locks out other processes that publish, delete manifests or change the view, if locks are available."""
        if fcntl is None:
            yield
            return
        with (self._manifests / "lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class _Attempt:
    """A commit in progress."""

    def __init__(self, store: ParquetStore, state: State) -> None:
        self._store = store
        self._before = state.commit
        self._committed = False
        self.name = secrets.token_hex(6)
        self._path = store._manifests / f"{self.name}.attempt"
        self._mark = self._path.open("xb")
        if fcntl is not None:
            fcntl.flock(self._mark, fcntl.LOCK_EX)
        self._mark.write(json.dumps({"host": _host(), "pid": os.getpid()}).encode())
        self._mark.flush()

    def commit(
        self, state: State, removed: Sequence[DataFile], added: Sequence[tuple[str, DataFile]]
    ) -> None:
        """Publishes a state as the last one, atomically; files that it does not list stay for older versions.

        Raises:
            ReplicaError: Another writer committed first.
        """
        del removed, added
        store = self._store
        files = [[code, *file] for code in sorted(state.buckets) for file in state.buckets[code]]
        stored: Mapping[str, Any] = {
            "jelly-replica": _FORMAT,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            **state.fixed(),
            **state.meaning(),
            "files": files,
            **dict(zip(_BESIDE, (state.adds, state.deletes), strict=True)),
        }
        part = store._manifests / f"{self.name}.part"
        part.write_bytes(json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode())
        sync_file(part)
        sync_folder(Path(store.files.folder) / _FILES)
        place = store._path(self._before + 1)
        with store._lock():
            numbers = store._numbers()
            if (numbers and numbers[-1] != self._before) or not self._path.exists():
                raise overtaken(store.files.folder)
            if not numbers:  # so that a table never exists with an empty view
                show(store._folder, state.files)
            try:
                os.link(part, place)
            except OSError as error:
                if not numbers:
                    with suppress(OSError):
                        show(store._folder, store.load().files if store._numbers() else [])
                if isinstance(error, FileExistsError):
                    raise overtaken(store.files.folder) from None
                raise
            self._committed = True
            show(store._folder, state.files)
        part.unlink()
        sync_folder(store._manifests)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        store = self._store
        if not self._committed:
            (store._manifests / f"{self.name}.part").unlink(missing_ok=True)
            for path in Path(store.files.folder, _FILES).glob(f"*-{self.name}-*"):
                path.unlink(missing_ok=True)
        self._path.unlink(missing_ok=True)
        self._mark.close()


def _delete(path: Path, *, dry_run: bool) -> None:
    if not dry_run:
        path.unlink(missing_ok=True)


def _may_live(attempt: Path, before: float) -> bool:
    """Returns whether an attempt may be in progress: its process lives here, or it is younger than a time."""
    with suppress(FileNotFoundError):
        return _is_known(attempt) or attempt.stat().st_mtime > before
    return True  # it has just ended


def _is_known(attempt: Path) -> bool:
    """Returns whether locks show if the process of an attempt lives, because it runs on this machine."""
    host: str | None = json.loads(attempt.read_bytes() or b"{}").get("host")
    return _HAS_LOCKS and host == _host()


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Holds the lock of a file.

    Raises:
        OSError: Another process holds the lock, or locks are not available.
    """
    if fcntl is None:
        raise OSError
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def _host() -> str:
    """Identifies this machine since its last boot: locks show only the processes of this boot."""
    with suppress(OSError):
        return (
            f"{socket.gethostname()} {Path('/proc/sys/kernel/random/boot_id').read_text().strip()}"
        )
    return socket.gethostname()
