"""Limits for work that a server runs only a few times at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from jelly.service._problems import Problem

BUSY = ("publishes", "datasets", "watchers")


def take(request: Request, what: str, log: str = "") -> None:
    """Takes a slot, of a log or of the server; :func:`give_back` must follow.

    Raises:
        Problem: All slots are taken (503).
    """
    busy: Counter[tuple[str, str]] = request.app.state.busy
    most = getattr(request.app.state.limits, what)
    if busy[what, log] >= most:
        raise Problem(503, "busy", f"{most} {what} are running; try again", {"Retry-After": "1"})
    busy[what, log] += 1


def give_back(request: Request, what: str, log: str = "") -> None:
    """Gives a slot back."""
    busy: Counter[tuple[str, str]] = request.app.state.busy
    busy[what, log] -= 1
    if not busy[what, log]:
        del busy[what, log]


@contextmanager
def place(request: Request, what: str, log: str = "") -> Iterator[None]:
    """Holds a slot while the block runs."""
    take(request, what, log)
    try:
        yield
    finally:
        give_back(request, what, log)
