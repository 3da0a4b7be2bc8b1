"""Checks each request before all else: known hosts, cross-site requests, tokens; and writes a log line for each."""

from __future__ import annotations

import json
import logging
import re
import time
from collections import Counter
from collections.abc import Collection
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jelly.service._limits import Rates
from jelly.service._problems import Problem, answer, no_log
from jelly.service._tokens import Token, Tokens

_LOG = logging.getLogger("jelly.service")
MOST_HEADERS = 16 << 10
_SAFE = ("GET", "HEAD", "OPTIONS")
_METRICS = "/-/metrics"
DELTA = "/-/delta/"
"""Paths with this prefix call :func:`check_scope` themselves, because the path does not show the scope."""
LOCAL = ("localhost", "127.0.0.1", "[::1]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Guard:
    """Rejects requests before they reach the logs, and counts all requests."""

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens | None,
        hosts: Collection[str] | None,
        *,
        read_only: bool,
        origins: Collection[str],
        rates: Rates,
        trusted: tuple[str, Collection[str]] | None,
    ) -> None:
        self._app, self.tokens, self._hosts, self._read_only = app, tokens, hosts, read_only
        self._origins, self._rates = origins, rates
        self._header, self._proxies = trusted or ("", ())
        self.state: Any = None
        """The state of the wrapped application."""
        self._numbers = count(1)
        self.answers: Counter[int] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number, began, status = next(self._numbers), time.monotonic(), 0
        scope.setdefault("state", {})
        scope["state"]["number"] = number
        sent = 0

        async def counted(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                self.answers[status] += 1
                message["headers"] = [*message["headers"], (b"x-content-type-options", b"nosniff")]
            sent += len(message.get("body", b""))
            await send(message)

        try:
            self._check(scope)
        except Problem as problem:
            await answer(problem)(scope, receive, counted)
        else:
            await self._app(scope, receive, counted)
        finally:
            token = scope["state"].get("token")
            line: dict[str, Any] = {
                "request": number, "token": token.name if token else None, "method": scope["method"],
                "path": scope["path"], "status": status, "bytes": sent,
                "seconds": round(time.monotonic() - began, 4),
            }  # fmt: skip
            _LOG.info("%s", json.dumps(line))  # JSON escapes control characters

    def _check(self, scope: Scope) -> None:
        headers, method = Headers(scope=scope), scope["method"]
        size = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
        if size + len(scope["raw_path"]) + len(scope["query_string"]) > MOST_HEADERS:
            raise Problem(431, "headers", f"the headers have more than {MOST_HEADERS} bytes", {"Connection": "close"})  # fmt: skip
        host = headers.get("host", "")
        name = host if host.endswith("]") else host.rsplit(":", 1)[0]
        if self._hosts is not None and name.lower() not in self._hosts:
            raise Problem(403, "host", "the Host is not a name of this server: add it with --host-name NAME")  # fmt: skip
        if method not in _SAFE:
            origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
            is_other = origin is not None and urlsplit(origin).netloc.lower() != host.lower()
            is_other = is_other or site not in ("none", "same-origin")
            if is_other and origin not in self._origins:
                raise Problem(403, "site", "a page of another site sent the request")
        path = path_of(scope)
        if _CONTROL.search(path):
            raise Problem(404, "path", "the path has a control character; there is nothing at such a path")  # fmt: skip
        wanted, log = _wanted(method, path)
        scope["state"]["reads_only"] = self._read_only
        check_scope(scope, wanted, log)
        if path in ("/-/health", "/-/ready", "/-/style.css"):
            return
        if self.tokens is None:
            self._rates.take("", time.monotonic())
            return
        token = self._trusted(scope, headers) or self.tokens.of(headers, method)
        self._rates.take(token.name, time.monotonic())
        scope["state"]["token"] = token
        check_scope(scope, wanted, log)

    def refuse_revoked(self, scope: Scope) -> None:
        """Ends a request that goes on for a long time, as :meth:`Tokens.refuse_revoked` does."""
        if self.tokens is not None:
            self.tokens.refuse_revoked(scope["state"].get("token"))

    def _trusted(self, scope: Scope, headers: Headers) -> Token | None:
        """Returns the token of the user that the proxy names; None if it names none."""
        client = scope.get("client")
        if self.tokens is None or client is None or client[0] not in self._proxies:
            return None
        names = headers.getlist(self._header)
        return self.tokens.named(names[0] if len(names) == 1 else None) if names else None


def path_of(scope: Scope) -> str:
    """The path that routes match: that of the request, without the one that the application stands under."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] if path == root or path.startswith(f"{root}/") else path


def check_scope(scope: Scope, wanted: str, log: str | None) -> None:
    """Rejects an action that the server or the token of the request does not allow.

    Args:
        scope: The ASGI scope of the request.
        wanted: ``read``, ``publish`` or ``admin``; empty if the handler of the request checks again.
        log: The log of the action; None: all logs.

    Raises:
        Problem: The action is not allowed (403), or the token must not know of the log (404).
    """
    if (
        wanted in ("publish", "admin")
        and path_of(scope) != _METRICS
        and scope["state"]["reads_only"]
    ):
        raise Problem(403, "scope", "this server is read-only")
    token: Token | None = scope["state"].get("token")
    if not wanted or token is None or token.may(wanted, log):
        return
    if log is not None and not token.may("read", log):
        raise no_log(log)
    raise Problem(403, "scope", f"the token does not allow {wanted}")


def _wanted(method: str, path: str) -> tuple[str, str | None]:
    """Returns the scope that a request needs, and its log."""
    if path.startswith(DELTA):
        return "", None
    if path == _METRICS:
        return "admin", None
    log, _, rest = path.removeprefix("/").partition("/")
    changes = "admin" if method == "PUT" or rest == "compact" else "publish"
    return "read" if method in _SAFE else changes, log or None
