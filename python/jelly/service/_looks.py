"""Checks whether other processes published to a log: one task for all waiting requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.concurrency import run_in_threadpool

from jelly.log._folder import FolderLog
from jelly.log._types import Head

# interval in seconds of the checks for patches of other processes, and for the end of the server
_SECONDS = 0.25


class Looks:
    """Polls a log while at least one request waits for it.

    Args:
        wake: Wakes the waiting requests; each one checks the log itself, and waits again if nothing is new.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._waiting = 0
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def wanted(self, log: FolderLog, stops: Callable[[], bool]) -> Iterator[None]:
        """Keeps the polling active while a request waits in this context."""
        loop, task = asyncio.get_running_loop(), self._task
        self._waiting += 1
        if task is None or task.done() or task.get_loop() is not loop:
            self._task = loop.create_task(self._look(log, stops))
        try:
            yield
        finally:
            self._waiting -= 1

    async def _look(self, log: FolderLog, stops: Callable[[], bool]) -> None:
        before: tuple[str | None, Head] | None = None
        while self._waiting:
            found = None
            # the woken requests will raise the error themselves
            with suppress(Exception):
                found = await run_in_threadpool(log.seen)
            # the first check here comes after those of the requests, so something may have changed between
            if found is None or found != before or stops():
                self._wake()
            before = found
            await asyncio.sleep(_SECONDS)
