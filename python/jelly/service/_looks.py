"""Who looks whether other processes published to a log: one task, however many wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.concurrency import run_in_threadpool

from jelly.log._folder import FolderLog
from jelly.log._types import Head

# what others publish to the same folder is seen this often, and that the server stops
_SECONDS = 0.25


class Looks:
    """Looks at a log again and again while somebody waits for it.

    Args:
        wake: Wakes those that wait; each looks itself, and goes on waiting if nothing is new to it.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._waiting = 0
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def wanted(self, log: FolderLog, stops: Callable[[], bool]) -> Iterator[None]:
        """Somebody waits within."""
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
            # those that are woken meet the error themselves
            with suppress(Exception):
                found = await run_in_threadpool(log.seen)
            # the first look comes after theirs, so that something may be new already
            if found is None or found != before or stops():
                self._wake()
            before = found
            await asyncio.sleep(_SECONDS)
