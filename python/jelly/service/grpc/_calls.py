"""Common parts of all calls: tokens, status codes, a log line for each."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

import grpc

from jelly import _internal
from jelly._inputs import whole_number
from jelly.errors import JellyError
from jelly.service._limits import Rates
from jelly.service._problems import Problem, is_logged, problem_of
from jelly.service._tokens import Token, Tokens
from jelly.types import PatchOptions, RdfOptions

Options = TypeVar("Options", RdfOptions, PatchOptions)
Piece = TypeVar("Piece")

_LOG = logging.getLogger("jelly.service")
# seconds until a disconnected client is detected
_LEAVES = 0.02
_STATUS = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    401: grpc.StatusCode.UNAUTHENTICATED,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.NOT_FOUND,
    409: grpc.StatusCode.FAILED_PRECONDITION,
    410: grpc.StatusCode.OUT_OF_RANGE,
    413: grpc.StatusCode.RESOURCE_EXHAUSTED,
    422: grpc.StatusCode.INVALID_ARGUMENT,
    428: grpc.StatusCode.FAILED_PRECONDITION,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    503: grpc.StatusCode.RESOURCE_EXHAUSTED,
    507: grpc.StatusCode.RESOURCE_EXHAUSTED,
}
_KINDS = {
    "drain": grpc.StatusCode.UNAVAILABLE,
    "store": grpc.StatusCode.UNAVAILABLE,
    "tokens": grpc.StatusCode.UNAVAILABLE,
    "patch.conflict": grpc.StatusCode.ABORTED,
    "patch.duplicate": grpc.StatusCode.ALREADY_EXISTS,
    "patch.fork": grpc.StatusCode.FAILED_PRECONDITION,
    "limit.table": grpc.StatusCode.INVALID_ARGUMENT,
}


def status_of(problem: Problem) -> grpc.StatusCode:
    """Returns the status code of a problem."""
    found = _KINDS.get(problem.kind) or _STATUS.get(problem.status)
    return found or grpc.StatusCode.INTERNAL


class Calls:
    """Admits calls, and answers their errors."""

    def __init__(self, tokens: Tokens | None, rates: Rates, *, read_only: bool) -> None:
        self._tokens, self._rates, self._read_only = tokens, rates, read_only
        self._drains = threading.Event()
        self._numbers = count(1)

    def drain(self) -> None:
        """Makes all calls end as soon as possible."""
        self._drains.set()

    def check_open(self) -> None:
        """Raises an error if the server is stopping.

        Raises:
            Problem: The server is stopping.
        """
        if self._drains.is_set():
            raise Problem(503, "drain", "the server is stopping; try again")

    def allow(self, context: Any, scope: str, name: str, log: str | None = None) -> Token | None:
        """Checks the token of a call, and returns it.

        Args:
            context: The call.
            scope: What the call does.
            name: The log or topic as the client names it.
            log: The log whose dataset this is; a right to it is a right to all its versions.

        Raises:
            Problem: There is no valid token (401), it does not allow this (403, 404), or there are too many requests
                (429).
        """
        self.check_open()
        if self._read_only and scope != "read":
            raise Problem(403, "scope", "this server is read-only")
        token = None if self._tokens is None else self._tokens.of(metadata_of(context), "POST")
        self._rates.take(token.name if token else "", time.monotonic())
        if token is None:
            return None
        if not token.may(scope, log or name):
            if not token.may("read", log or name):
                raise Problem(404, "topic", f"there is no topic {name!r}")
            raise Problem(403, "scope", f"the token does not allow {scope}")
        return token

    def while_valid(self, token: Token | None, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Yields what a call sends or gets, and checks before each piece that its token was not revoked.

        Raises:
            Problem: As for :meth:`Tokens.refuse_revoked`.
        """
        for piece in pieces:
            if self._tokens is not None:
                self._tokens.refuse_revoked(token)
            yield piece

    @contextmanager
    def call(self, context: Any, method: str, *, publishes: bool) -> Iterator[None]:
        """Wraps a call: an exception inside becomes its status."""
        number, began, status = next(self._numbers), time.monotonic(), "OK"
        problem: Problem | None = None
        try:
            yield
        except (grpc.RpcError, GeneratorExit):
            status = "CANCELLED"  # the client disconnected
            raise
        except Exception as error:
            is_of_options = isinstance(error, JellyError) and (
                error.kind == "limit.frame_bytes" or error.kind.startswith(("options.", "encode."))
            )
            problem = problem_of(error, publishes=publishes, is_of_body=is_of_options)
            status = status_of(problem).name
            if is_logged(problem):
                _LOG.exception("request %d failed", number)
        finally:
            line = {"request": number, "method": method, "status": status, "seconds": round(time.monotonic() - began, 4)}  # fmt: skip
            _LOG.info("%s", json.dumps(line))
        if problem is not None:
            more: list[tuple[str, str | bytes]] = [("jelly-kind", problem.kind)]
            if (head := problem.more.get("head")) is not None:
                more += [("jelly-head", str(head.version)), ("jelly-head-id-bin", (head.id or "").encode())]  # fmt: skip
            context.set_trailing_metadata(more)
            context.abort(status_of(problem), problem.detail)


def whole(messages: Iterator[bytes], context: Any) -> Iterator[bytes]:
    """Yields the messages of a call that counts only if it is complete.

    A client that disconnects looks like one that has sent everything, until the call ends a moment later.

    Raises:
        Problem: The client disconnected.
    """
    left = threading.Event()
    is_there = context.add_callback(left.set)
    yield from messages
    if not is_there or left.wait(_LEAVES):
        raise Problem(400, "truncated.stream", "the client disconnected before the end of its stream; nothing of the stream is stored")  # fmt: skip


def met(have: Options, asked: bytes | None) -> tuple[Options, bool]:
    """Returns the options that a subscriber gets for a stream, and whether the stream can be sent unchanged.

    Raises:
        Problem: The stream is not available with the requested options.
    """
    try:
        return (have, True) if asked is None else _internal.met_options(have, asked)
    except JellyError as error:
        raise problem_of(error, publishes=True, is_of_body=True) from None


def metadata_of(context: Any) -> Mapping[str, str]:
    """Returns the metadata of a call."""
    return {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}


def number_of(metadata: Mapping[str, str], name: str) -> int | None:
    """Returns a number in the metadata; None if it is missing.

    Raises:
        Problem: The value is not a number.
    """
    text = metadata.get(name)
    found = None if text is None else whole_number(text)
    if text is not None and found is None:
        raise Problem(400, "metadata", f"{name} is {text!r}; expected a number")
    return found
