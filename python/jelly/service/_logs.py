"""The logs in a folder, by name."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from jelly._log_files import LOG_JSON
from jelly._whole_file import written_json
from jelly.log._begin import begin, is_log, said_of, with_digest
from jelly.log._folder import FolderLog
from jelly.log._followed import Followed
from jelly.log._guard import Guard
from jelly.log._patch import refused_at
from jelly.service._looks import Looks
from jelly.service._problems import no_log
from jelly.service._tokens import RECHECK, Token

_LOG = logging.getLogger("jelly.service")
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


class Logs:
    """The logs in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._open: dict[str, FolderLog] = {}
        self._lock = threading.Lock()
        self._pulses: dict[str, asyncio.Event] = {}
        self._looks: dict[str, Looks] = {}
        self.is_draining = False
        """Whether the server is stopping: nothing new is published, and no request waits any longer."""

    def drain(self) -> None:
        """Rejects new publishes, and ends requests that wait for versions."""
        self.is_draining = True

    def path(self, name: str) -> Path:
        """Returns the path of the log with a name.

        Raises:
            Problem: The name is not a valid name of a log (404).
        """
        path = self.root / name
        # names have no separators, so only a link can lead out of the folder
        if not NAME.fullmatch(name) or (
            path.is_symlink() and path.resolve().parent != self.root.resolve()
        ):
            raise no_log(name)
        return path

    def get(self, name: str) -> FolderLog:
        """Returns the log with a name.

        Raises:
            Problem: There is no such log (404).
        """
        path = self.path(name)
        with self._lock:
            log = self._open.get(name)
        if log is None:
            log = FolderLog(path)
            log.work = self.root
        if not log.is_there():
            raise no_log(name)
        with self._lock:
            return self._open.setdefault(name, log)

    def open_log(self, name: str) -> FolderLog | None:
        """Returns a log that was requested before, and that may no longer exist."""
        with self._lock:
            return self._open.get(name)

    def has(self, name: str) -> bool:
        """Returns whether there is a log with this name that has a manifest."""
        path = self.path(name)
        return path.exists() and is_log(path)

    def is_free(self, name: str) -> bool:
        """Returns whether a name is unused."""
        return not self.path(name).exists()

    def said(self, name: str) -> dict[str, Any]:
        """Returns the content of ``log.json`` of a log; an empty dict if there is no such file."""
        return said_of(self.path(name))

    def make(
        self,
        name: str,
        body: Path | bytes | None,
        format: str,
        work: Path,
        more: Mapping[str, str] | None = None,
    ) -> bool:
        """Creates a log in a work folder, and gives it its name at the end; a new ``log.json`` also gets ``more``.

        Returns:
            Whether the log did not exist.
        """
        path = self.path(name)
        given = None if body is None else (*with_digest(body, work), format)
        if not path.exists():
            aside, inner = work / "new", work / "inner"
            aside.mkdir()
            inner.mkdir()
            begin(aside, inner, FolderLog(aside).alone(), ".jellyp", given)
            if more:
                written_json(aside / LOG_JSON, said_of(aside) | dict(more))
            try:
                aside.rename(path)
            except OSError:
                if not path.is_dir():
                    raise
            else:
                return True
        inner = work / "again"
        inner.mkdir()
        was_log = is_log(path)
        begun = begin(path, inner, FolderLog(path).alone(), ".jellyp", given)
        self.forget(name)
        return begun and not was_log

    def close(self) -> None:
        """Removes copies of logs in other places; logs in a folder have no copies."""

    def names(self) -> list[str]:
        """Returns the names of all logs."""
        if not self.root.is_dir():
            return []
        found = (path.name for path in self.root.iterdir() if NAME.fullmatch(path.name))
        return sorted(name for name in found if is_log(self.root / name))

    def forget(self, name: str) -> None:
        """Makes the next request open the log again."""
        with self._lock:
            self._open.pop(name, None)

    def pulse(self, name: str) -> None:
        """Wakes the requests that wait for versions of a log."""
        if (event := self._pulses.pop(name, None)) is not None:
            event.set()

    async def moved(
        self,
        name: str,
        log: FolderLog,
        after: int,
        seconds: float,
        followed: Followed | None = None,
    ) -> int | None:
        """Waits until the head is after a version; None if the time is over.

        ``followed`` is the last known state of the log.
        """
        seen = Followed(name) if followed is None else followed
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        looks = self._looks.setdefault(name, Looks(lambda: self.pulse(name)))
        while True:
            event = self._pulses.setdefault(name, asyncio.Event())
            version = await run_in_threadpool(log.look, seen)
            if version > after:
                return version
            left = until - loop.time()
            if left <= 0 or self.is_draining:
                return None
            with looks.wanted(log, lambda: self.is_draining), suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), left)

    async def following(
        self, name: str, log: FolderLog, after: int, followed: Followed
    ) -> AsyncIterator[int | None]:
        """Yields the head each time that it moves; yields None now and then while it does not.

        The iteration ends when the server stops. ``followed`` is what was seen of the log before.

        Raises:
            PatchError: The name now belongs to another log (``patch.fork``).
        """
        while not self.is_draining:
            found = await self.moved(name, log, after, RECHECK, followed)
            after = after if found is None else found
            yield found


async def asked_log(request: Request, name: str | None = None) -> FolderLog:
    """Returns the log that the path of a request names, or another.

    The answer is of this one log, or an error (:func:`refuse_mixed`).

    Raises:
        Problem: There is no such log (404).
    """
    logs: Logs = request.app.state.logs
    asked: str = request.path_params["log"] if name is None else name

    def held() -> tuple[FolderLog, Guard]:
        log = logs.get(asked)
        return log, log.same()

    log, guard = await run_in_threadpool(held)
    request.state.held = asked, log, guard
    return log


async def refuse_mixed(request: Request, error: Exception | None = None) -> None:
    """Rejects what was read of a log that is no longer the one that the request began to read.

    Args:
        request: The request.
        error: Why reading failed, if it did.

    Raises:
        Problem: The log is gone (404).
        PatchError: Another one is there, or was meanwhile, or one of its files was not (``patch.changed``).
    """
    held: tuple[str, FolderLog, Guard] | None = getattr(request.state, "held", None)
    if held is None:
        return
    name, log, guard = held

    def check() -> None:
        if not log.is_there():
            raise no_log(name)
        guard.check_log()
        if isinstance(error, FileNotFoundError):
            _LOG.warning("request %s: %s", request.state.number, error)
            message = "a file of the log was not there while it was read; try again, and if that does not help, check the log with `jelly log verify`"
            raise refused_at("patch.changed", message, log.folder)

    await run_in_threadpool(check)


async def readable(request: Request) -> list[str]:
    """Returns the names of the logs that the token of a request may read."""
    logs: Logs = request.app.state.logs
    token: Token | None = getattr(request.state, "token", None)
    names = await run_in_threadpool(logs.names)
    return [name for name in names if token is None or token.may("read", name)]
