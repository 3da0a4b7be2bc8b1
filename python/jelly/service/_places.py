"""Limits for work that a server runs only a few times at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from jelly.service._problems import Problem

BUSY = ("publishes", "datasets", "watchers")


@contextmanager
def place(request: Request, what: str, log: str = "") -> Iterator[None]:
    """Holds a slot, of a log or of the server, while the block runs.

    Raises:
        Problem: All slots are taken (503).
    """
    busy: Counter[tuple[str, str]] = request.app.state.busy
    most = getattr(request.app.state.limits, what)
    if busy[what, log] >= most:
        raise Problem(503, "busy", f"{most} {what} are running; try again", {"Retry-After": "1"})
    busy[what, log] += 1
    try:
        yield
    finally:
        busy[what, log] -= 1
        if not busy[what, log]:
            del busy[what, log]
