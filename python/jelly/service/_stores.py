"""Logs in an object store for a server: copies in a temporary folder, which follow the store."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from jelly import _internal
from jelly._log_files import LOG_JSON
from jelly._whole_file import local_path, work_folder
from jelly.errors import JellyError, PatchError
from jelly.log._begin import is_log
from jelly.log._folder import FolderLog
from jelly.log._manifest import parsed
from jelly.log._object import ObjectLog
from jelly.log._objects import Objects, StoreDownError, StoreRefusedError, is_store
from jelly.log._patch import Prepared, Summary
from jelly.log._types import Compacted, Head, LogInfo, Published
from jelly.service._logs import NAME, Logs
from jelly.service._problems import no_log

# minimum interval in seconds between requests to the store for waiting clients, as in `jelly.Log`
_SECONDS = 1.0
_STORE = (StoreDownError, StoreRefusedError)
# number of logs that are looked up in parallel
_AT_ONCE = 16


class Copy(FolderLog):
    """The copy of a log in an object store. Changes of the log go to the store first.

    Args:
        home: The folder of the copy.
        source: The log.
        work: A folder on the same disk.
        pool: Threads that ask the store for callers that cannot wait.
    """

    def __init__(
        self, home: Path, *, source: ObjectLog, work: Path, pool: ThreadPoolExecutor
    ) -> None:
        super().__init__(home)
        self.work = work
        self._source_log = source
        self._following = threading.RLock()
        self._known: LogInfo | None = None
        self._looked = 0.0
        self._failed: Exception | None = None
        self._pool = pool
        self._asking: Future[bool] | None = None

    def follow(self) -> bool:
        """Updates the copy to the current log; False if the log no longer exists.

        Raises:
            JellyError: The log is damaged.
            OSError: The store cannot be reached, or rejects the request; no request is sent within the next second.
        """
        with self._following:
            if isinstance(self._failed, _STORE) and time.monotonic() - self._looked < _SECONDS:
                raise self._failed.with_traceback(None)
            with self._noted(JellyError, OSError):
                info = self._source_log.info()
                if info.id is None:
                    shutil.rmtree(self.folder, ignore_errors=True)
                    self._known = None
                    return False
                if info != self._known:
                    self._take(info)
                    self._known = info
                return True

    @contextmanager
    def _noted(self, *kinds: type[Exception]) -> Iterator[None]:
        """Records the time of a request to the store, and an error of these kinds."""
        failed = None
        try:
            yield
        except kinds as error:
            failed = error
            raise
        finally:
            self._looked, self._failed = time.monotonic(), failed

    def _take(self, info: LogInfo) -> None:
        known = self._known
        if known and known.id == info.id and (known.base is None) == (info.base is None):
            with suppress(PatchError):  # the versions that the copy lacks are gone: make a new copy
                self._source_log.pull(self.folder)
                if self.info().first < info.first:
                    super().compact(info.first - 1)
                return
        with work_folder(self.work) as work:
            self._source_log.pull(work / "copy")
            if self.folder.exists():
                self.folder.rename(work / "before")
            (work / "copy").rename(self.folder)

    def seen(self) -> tuple[str | None, Head]:
        """Returns the id of the current log, and its head; asks the store at most once a second."""
        with self._following:
            if self._failed is not None or time.monotonic() - self._looked >= _SECONDS:
                self.follow()
            return super().seen()

    def has_moved(self, seen: tuple[str | None, Head]) -> bool:
        """Returns whether there is a change or an error since ``seen``; asks the store in the background."""
        if self._failed is not None or time.monotonic() - self._looked < _SECONDS:
            self._asking = None
        elif self._asking is None or self._asking.done():
            self._asking = self._pool.submit(self.follow)
        if not self._following.acquire(blocking=False):
            return False
        try:
            return self._failed is not None or super().has_moved(seen)
        finally:
            self._following.release()

    def publish_prepared(
        self, found: Prepared, expect: int | str | None, **check: Any
    ) -> Published:
        try:
            with self._noted(*_STORE):
                return self._source_log.publish_prepared(found, expect, **check)
        finally:
            with suppress(JellyError, OSError):  # the next request raises the error
                self.follow()

    def would_replay(self, found: Summary, head: Head, expect: int | str | None = None) -> bool:
        return self._source_log.would_replay(found, head, expect)

    def compact(self, upto: int | str) -> Compacted:
        done = self._source_log.compact(upto)
        self.follow()
        return done


def logs_at(root: str | os.PathLike[str], storage: Mapping[str, Any] | None = None) -> Logs:
    """Returns the logs in a folder, which is created if needed, or under an address in an object store.

    Raises:
        ImportError: obstore is not installed.
        ValueError: The address or an option is wrong, the options are not for a folder, or the folder is a log.
        OSError: The folder cannot be created.
    """
    if isinstance(root, str) and is_store(root):
        return StoreLogs(root, storage)
    if storage is not None:
        raise ValueError(
            f"storage= works only with object stores, such as s3://bucket/logs, not with {root}"
        )
    home = Path(local_path(root))
    if home.is_file():
        raise NotADirectoryError(f"{root} is a file; expected a folder of logs")
    if home.is_dir() and (is_log(home) or _internal.patch_files(home)):
        raise ValueError(
            f"{root} is a log; serve the folder that contains it: {home.absolute().parent}"
        )
    home.mkdir(parents=True, exist_ok=True)
    return Logs(home)


class StoreLogs(Logs):
    """The logs under an address in an object store.

    Args:
        url: The address, such as ``s3://bucket/logs``.
        storage: How to reach the store, as for :class:`jelly.Log`.

    Raises:
        ImportError: obstore is not installed.
        ValueError: The address or an option is wrong.
    """

    def __init__(self, url: str, storage: Mapping[str, Any] | None) -> None:
        self._objects = Objects(url, storage or {}, "folder of logs")
        self._storage = storage
        super().__init__(Path(tempfile.mkdtemp(prefix="jelly-serve-")))
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self._remove = weakref.finalize(self, shutil.rmtree, self.root, ignore_errors=True)

    def close(self) -> None:
        """Removes the copies."""
        self._pool.shutdown(cancel_futures=True)
        self._remove()

    def get(self, name: str) -> Copy:
        """Returns the log with a name, in its current state in the store.

        Raises:
            Problem: There is no such log (404).
            OSError: The store cannot be reached, or rejects the request.
        """
        path = self.path(name)
        with self._lock:
            log = self._open.get(name)
        if log is None:
            if not self.has(name):
                raise no_log(name)
            with self._lock:
                copy = Copy(path, source=self._at(name), work=self.root, pool=self._pool)
                log = self._open.setdefault(name, copy)
        assert isinstance(log, Copy)
        if not log.follow():
            raise no_log(name)
        return log

    def has(self, name: str) -> bool:
        self.path(name)
        return self._objects.get(f"{name}/{LOG_JSON}") is not None

    def is_free(self, name: str) -> bool:
        return not self.has(name)

    def said(self, name: str) -> dict[str, Any]:
        self.path(name)
        found = self._objects.get(f"{name}/{LOG_JSON}")
        return {} if found is None else parsed(found.data, f"{self._objects.url}/{name}")

    def make(
        self,
        name: str,
        body: Path | bytes | None,
        format: str,
        work: Path,
        more: Mapping[str, str] | None = None,
    ) -> bool:
        del work  # the log is created in the store, not in a work folder
        return self._at(name).create_with(body, format, more or {})

    def names(self) -> list[str]:
        found = [name for name in self._objects.folders() if NAME.fullmatch(name)]
        are_there = list(self._pool.map(self.has, found))
        return [name for name, is_there in zip(found, are_there, strict=True) if is_there]

    def _at(self, name: str) -> ObjectLog:
        return ObjectLog(f"{self._objects.url}/{name}", storage=self._storage)
