"""Requests to the server of a log, with the standard library alone."""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from jelly import errors
from jelly.errors import JellyError, PatchError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PIECE = 1 << 18
_SECONDS = 120


class Address:
    """Where a log stands on a server, and with which token it is asked."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url)
        if parts.username is not None or parts.password is not None:
            raise ValueError(
                "a log's address has no user and password: give token=, or JELLY_TOKEN"
            )
        if not parts.hostname or parts.query or parts.fragment or not parts.path.strip("/"):
            raise ValueError(f"{url!r} is no address of a log, such as https://host/brick")
        self.url = url.rstrip("/")
        self._host, self._port = parts.hostname, parts.port
        self._is_tls = parts.scheme.lower() == "https"
        self._path = parts.path.rstrip("/")
        is_safe = self._is_tls or self._host in LOOPBACK
        self._token = token or (os.environ.get("JELLY_TOKEN") if is_safe else None)

    def open(
        self,
        method: str,
        path: str = "",
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Path | None = None,
    ) -> Answer:
        """Sends a request; the answer is good, or an error is raised.

        Raises:
            JellyError: What the server says, as a folder would raise it.
            OSError: The server cannot be reached, or failed.
        """
        kind: Any = http.client.HTTPSConnection if self._is_tls else http.client.HTTPConnection
        more = {"context": ssl.create_default_context()} if self._is_tls else {}
        link = kind(self._host, self._port, timeout=_SECONDS, **more)
        given = {name: value for name, value in (query or {}).items() if value is not None}
        target = self._path + path + (f"?{urlencode(given)}" if given else "")
        told = dict(headers or {})
        if self._token:
            told["Authorization"] = f"Bearer {self._token}"
        try:
            if body is None:
                told |= {"Content-Length": "0"} if method in ("PUT", "POST", "PATCH") else {}
                link.request(method, target, headers=told)
            else:
                with body.open("rb") as file:
                    told["Content-Length"] = str(body.stat().st_size)
                    link.request(method, target, body=file, headers=told)
            answer = link.getresponse()
        except http.client.HTTPException as error:
            link.close()
            raise ConnectionError(f"{self.url}: {error!r}") from error
        except BaseException:
            link.close()
            raise
        if answer.status >= 300 and answer.status != 304:
            with Answer(self.url, link, answer) as failed:
                raise failed.error()
        return Answer(self.url, link, answer)


class Answer:
    """The answer of a server. Close it."""

    def __init__(
        self, url: str, link: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> None:
        self.url, self._link, self._answer = url, link, answer
        self.status = answer.status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._answer.close()
        self._link.close()

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
    message = "truncated.stream: the server stopped before the end; ask again"
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
