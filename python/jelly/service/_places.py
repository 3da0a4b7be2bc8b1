"""Places for work that a server does only so often at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from jelly.service._problems import Problem


def take(request: Request, what: str) -> None:
    """Takes a place; :func:`give_back` must follow.

    Raises:
        Problem: All are taken (503).
    """
    busy, most = request.app.state.busy, getattr(request.app.state.limits, what)
    if busy[what] >= most:
        raise Problem(503, "busy", f"{most} {what} are under way; ask again", {"Retry-After": "1"})
    busy[what] += 1


def give_back(request: Request, what: str) -> None:
    """Gives a place back."""
    request.app.state.busy[what] -= 1


@contextmanager
def place(request: Request, what: str) -> Iterator[None]:
    """A place for as long as the block runs."""
    take(request, what)
    try:
        yield
    finally:
        give_back(request, what)
