"""Status codes of errors, and the body that describes an error: ``application/problem+json``."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse, Response

from jelly.errors import JellyError
from jelly.log._objects import StoreDownError, StoreRefusedError

_UNPROCESSABLE = "unfinished stray several effect labels time header mixed nothing"
_STATUS = {f"patch.{name}": 422 for name in _UNPROCESSABLE.split()} | {
    "patch.conflict": 409,
    "patch.duplicate": 409,
    "patch.fork": 409,
    "patch.changed": 409,
    "patch.version": 404,
    "patch.base": 404,
    "patch.damaged": 500,
}


class Problem(Exception):  # noqa: N818 - it is what the body is called
    """An error answer.

    Attributes:
        status: The status code.
        kind: The stable kind in the body.
        detail: The cause of the error, and a remedy.
        headers: More headers of the answer.
        more: More members of the body.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.headers, self.more = headers or {}, more


def no_log(name: str) -> Problem:
    """Returns the error for a log that does not exist, or that the client must not know of."""
    return Problem(
        404, "log", f"there is no log {name[:128]!r}; create it with PUT or `jelly log create`"
    )


def detail_of(error: JellyError) -> str:
    """Returns the message of an error without the path of the file, which clients must not learn."""
    return str(error).replace(f" ({error.source})", "").replace(f"{error.source}: ", "")


@contextmanager
def reading_body() -> Iterator[None]:
    """Wraps the reading of the body of a request: its errors are answers about the body, not about files of the log.

    Raises:
        Problem: The body is at fault (4xx).
    """
    try:
        yield
    except JellyError as error:
        raise problem_of(error, publishes=True, is_of_body=True) from error


def problem_of(error: BaseException, *, publishes: bool, is_of_body: bool = False) -> Problem:
    """Converts an error to an HTTP problem.

    Args:
        error: The error.
        publishes: Whether the request changes a log.
        is_of_body: Whether the body of the request was being read.
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, JellyError):
        text = detail_of(error)
        if error.kind == "patch.gap":
            return Problem(409 if publishes else 410, error.kind, text)
        if error.kind == "patch.base" and publishes:
            return Problem(422, error.kind, text)
        if error.kind in _STATUS:
            return Problem(_STATUS[error.kind], error.kind, text)
        if is_of_body or (publishes and error.kind.startswith(("limit.", "patch."))):
            status = 413 if error.kind.startswith("limit.") else 400
            places = {"line": error.line, "column": error.column, "byte": error.offset}
            more: dict[str, Any] = {name: at for name, at in places.items() if at is not None}
            return Problem(status, error.kind, text, **more)
    # do not show messages of the store about itself and the credentials
    if isinstance(error, StoreDownError):
        detail = (
            "the object store behind the server does not answer; try again: a patch that is sent "
            "again with its id is published only once"
        )
        return Problem(503, "store", detail, {"Retry-After": "5"})
    if isinstance(error, StoreRefusedError):
        detail = (
            "the object store behind the server rejects the requests of the server: its "
            "credentials are wrong, or do not allow this; see the log of the server"
        )
        return Problem(502, "store.refused", detail)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Problem(507, "storage", "the disk is full; nothing was published")
    return Problem(500, "internal", "the server failed; see the number of this request in its log")


def is_logged(problem: Problem) -> bool:
    """Returns whether the operator of the server needs more information than the answer contains."""
    return problem.status in (500, 502, 507) or problem.kind == "store"


def answer(problem: Problem) -> Response:
    """Returns the answer for a problem."""
    body = {
        "type": f"urn:jelly:problem:{problem.kind}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
    }
    return JSONResponse(
        body | problem.more, problem.status, problem.headers, "application/problem+json"
    )
