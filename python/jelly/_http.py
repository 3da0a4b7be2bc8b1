"""Requests to servers of logs and to stores, with the standard library alone."""

from __future__ import annotations

import http.client
import io
import json
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import SplitResult, urlencode, urlsplit

from jelly import errors
from jelly._tls import client_context
from jelly.errors import JellyError, PatchError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PIECE = 1 << 18
_SECONDS = 120
# servers end a connection on which nothing comes; ours after 5 seconds
_IDLE = 4.0
PASSES = (ConnectionError, TimeoutError, errors.TruncatedError)
"""Errors of a server that a later request may not have."""
# less is read to its end, though nobody wants it, so that the connection can stay
_SHORT = 1 << 16
_PLACE = re.compile(r"https?://", re.IGNORECASE)


def is_address(place: object) -> bool:
    """Whether a place is the address of a server."""
    return isinstance(place, str) and _PLACE.match(place) is not None


def secret(name: str, url: str) -> str | None:
    """What the environment has for a server; it is sent over TLS and to this machine only."""
    parts = urlsplit(url)
    is_safe = parts.scheme.lower() == "https" or parts.hostname in LOOPBACK
    return os.environ.get(name) if is_safe else None


class Address:
    """An address on a server, and how the server knows who asks."""

    def __init__(self, url: str, authorization: str | None) -> None:
        parts = urlsplit(url)
        self.url = url.rstrip("/")
        self._host, self._port = parts.hostname or "", parts.port
        self._is_tls = parts.scheme.lower() == "https"
        self._path = parts.path.rstrip("/")
        self._kept = _Kept()
        self._authorization = authorization

    @classmethod
    def of_log(cls, url: str, token: str | None) -> Self:
        """Where a log stands on a server; ``JELLY_TOKEN`` is the token otherwise.

        Raises:
            ValueError: It is no address of a log.
        """
        parts = _without_user(url, "a log's address", "token=, or JELLY_TOKEN")
        if not parts.hostname or parts.query or parts.fragment or not parts.path.strip("/"):
            raise ValueError(
                f"{url!r} is not the address of a log; expected a server and a name, such as "
                "https://host/brick"
            )
        token = token or secret("JELLY_TOKEN", url)
        return cls(url, token and f"Bearer {token}")

    @classmethod
    def of_store(cls, url: str, authorization: str | None) -> Self:
        """An endpoint of a store; ``JELLY_STORE_AUTHORIZATION`` is the authorization otherwise.

        Raises:
            ValueError: It is no address of an endpoint.
        """
        parts = _without_user(url, "the address of an endpoint", "authorization=, or JELLY_STORE_AUTHORIZATION")  # fmt: skip
        if not is_address(url) or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{url!r} is not the address of an endpoint; expected an address such as http://localhost:3030/ds/update")  # fmt: skip
        return cls(url, authorization or secret("JELLY_STORE_AUTHORIZATION", url))

    def open(
        self,
        method: str,
        path: str = "",
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Path | bytes | None = None,
    ) -> Answer:
        """Sends a request; the answer is good, or an error is raised.

        Raises:
            JellyError: What the server says, as a folder would raise it.
            OSError: The server cannot be reached, or failed.
        """
        given = {name: value for name, value in (query or {}).items() if value is not None}
        target = (self._path + path or "/") + (f"?{urlencode(given)}" if given else "")
        sent = dict(headers or {})
        if self._authorization:
            sent["Authorization"] = self._authorization
        if body is None and method in ("PUT", "POST", "PATCH"):
            sent["Content-Length"] = "0"
        link = self._kept.take()
        if link is not None:
            try:
                return self._asked(link, method, target, sent, body)
            except ConnectionError:
                pass  # the server ended it meanwhile; what we send can be sent again
        kind: Any = http.client.HTTPSConnection if self._is_tls else http.client.HTTPConnection
        more = {"context": client_context()} if self._is_tls else {}
        link = kind(self._host, self._port, timeout=_SECONDS, **more)
        try:
            link.connect()
        except OSError as error:
            may_pass = isinstance(error, (ConnectionError, TimeoutError))
            message = (
                f"{self.url}: the server cannot be reached ({error.strerror or error}); check the "
                "address, and that the server is running"
            )
            raise (ConnectionError if may_pass else OSError)(message) from error
        return self._asked(link, method, target, sent, body)

    def _asked(
        self,
        link: http.client.HTTPConnection,
        method: str,
        target: str,
        headers: dict[str, str],
        body: Path | bytes | None,
    ) -> Answer:
        try:
            if body is None:
                link.request(method, target, headers=headers)
            else:
                length = len(body) if isinstance(body, bytes) else body.stat().st_size
                with io.BytesIO(body) if isinstance(body, bytes) else body.open("rb") as file:
                    headers = headers | {"Content-Length": str(length)}
                    # a server that rejects a body may answer, and end the connection, before it has it all
                    try:
                        link.request(method, target, body=file, headers=headers)
                    except (BrokenPipeError, ConnectionResetError):
                        if link.sock is None:  # nothing was reached at all
                            raise
            answer = Answer(self.url, link, link.getresponse(), self._kept)
        except http.client.HTTPException as error:
            link.close()
            raise ConnectionError(f"{self.url}: {self._what_is_wrong(error)}") from error
        except BaseException:
            link.close()
            raise
        if answer.status >= 300 and answer.status != 304:
            with answer:
                raise answer.error()
        return answer

    def _what_is_wrong(self, error: http.client.HTTPException) -> str:
        if isinstance(error, http.client.RemoteDisconnected):
            wanted = (
                "a certificate of the client: set JELLY_CLIENT_CERT and JELLY_CLIENT_KEY"
                if self._is_tls
                else "TLS: give an address with https://"
            )
            return f"the server closed the connection without an answer; it may require {wanted}"
        if isinstance(error, http.client.BadStatusLine):
            return (
                "the answer is not HTTP: another kind of server is at this address, such as a "
                "gRPC server"
            )
        return repr(error)


class _Kept:
    """Connections that wait for the next request, of one process."""

    def __init__(self) -> None:
        self._links: list[tuple[float, int, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()

    def __del__(self) -> None:
        for _, _, link in self._links:
            link.close()

    def take(self) -> http.client.HTTPConnection | None:
        """The connection that was used last; None: there is none, or the server ended it by now."""
        with self._lock:
            while self._links:
                since, process, link = self._links.pop()
                if process == os.getpid() and time.monotonic() - since < _IDLE:
                    return link
                link.close()
        return None

    def keep(self, link: http.client.HTTPConnection) -> None:
        """Takes a connection whose answer was read to its end."""
        with self._lock:
            self._links.append((time.monotonic(), os.getpid(), link))


class Answer:
    """The answer of a server. Close it."""

    def __init__(
        self,
        url: str,
        link: http.client.HTTPConnection,
        answer: http.client.HTTPResponse,
        kept: _Kept,
    ) -> None:
        self.url, self._answer, self._kept = url, answer, kept
        self._link: http.client.HTTPConnection | None = link
        self.status = answer.status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves the connection to the next request, if the answer was read to its end; else ends it."""
        link, self._link = self._link, None
        if link is None:
            return
        if (self._answer.length or _SHORT) < _SHORT:
            with suppress(OSError, http.client.HTTPException):
                self._answer.read()
        if self._answer.isclosed() and link.sock is not None and not self._answer.will_close:
            self._kept.keep(link)
        else:
            self._answer.close()
            link.close()

    def header(self, name: str) -> str:
        """A header; empty, if there is none."""
        return self._answer.getheader(name) or ""

    def read(self, size: int = -1, /) -> bytes:
        """Bytes of the body; all of it without a size.

        Raises:
            JellyError: The server stopped before its end (``truncated.stream``).
        """
        try:
            return self._answer.read(None if size < 0 else size)
        except (http.client.IncompleteRead, ConnectionError) as error:
            raise _cut(self.url) from error

    def pieces(self) -> Iterator[bytes]:
        """The body in pieces; the connection ends with it.

        Raises:
            JellyError: The server stopped before its end.
        """
        with self:
            while piece := self.read(_PIECE):
                yield piece
            # a body whose length was said may end too early without an error
            if self._answer.length:
                raise _cut(self.url)

    def part(self, size: int) -> Iterator[bytes]:
        """The next bytes of the body, so many; the connection stays."""
        return _Part(self, size)

    def lines(self) -> Iterator[Any]:
        """The JSON of each line."""
        rest = b""
        for piece in self.pieces():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield json.loads(line)

    def error(self) -> JellyError | OSError:
        """The error that the server says."""
        body = self._answer.read(1 << 20)
        try:
            said = json.loads(body)
            kind = str(said["type"]).removeprefix("urn:jelly:problem:")
            detail = str(said["detail"])
        except (ValueError, KeyError, TypeError):
            kind, detail = "", ""
            if self.header("content-type").startswith("text/plain"):
                line = next(iter(body.decode(errors="replace").strip().splitlines()), "")
                detail = "".join(c for c in line[:500] if c.isprintable())
        text = f"{detail or self._answer.reason} ({self.url}: status {self.status})"
        if self.status in (401, 403):
            return PermissionError(text)
        if "." in kind:
            return error_class(kind)(text, kind=kind, source=self.url)
        if self.status == 404:
            return FileNotFoundError(text)
        return ConnectionError(text) if self.status >= 500 else OSError(text)


class _Part(Iterator[bytes]):
    """A part of an answer, which goes on where it was left."""

    def __init__(self, answer: Answer, size: int) -> None:
        self._answer, self._left = answer, size

    def __next__(self) -> bytes:
        if not self._left:
            raise StopIteration
        piece = self._answer.read(min(self._left, _PIECE))
        if not piece:
            raise _cut(self._answer.url)
        self._left -= len(piece)
        return piece


def _cut(url: str) -> JellyError:
    message = "truncated.stream: the answer of the server is incomplete; try again"
    return errors.TruncatedError(f"{message} ({url})", kind="truncated.stream", source=url)


def _classes() -> dict[str, type[JellyError]]:
    found: dict[str, type[JellyError]] = {"patch": PatchError}
    for name in dir(errors):
        if name.endswith("Error") and issubclass(getattr(errors, name), JellyError):
            found.setdefault(name.removesuffix("Error").lower(), getattr(errors, name))
    return found


_CLASSES = _classes()


def error_class(kind: str) -> type[JellyError]:
    """The class of errors of a kind."""
    return _CLASSES.get(kind.split(".")[0], JellyError)


def _without_user(url: str, what: str, instead: str) -> SplitResult:
    """The parts of an address, which names no user and no password.

    Raises:
        ValueError: It does.
    """
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"{what} cannot contain a user or password: use {instead}")
    return parts
