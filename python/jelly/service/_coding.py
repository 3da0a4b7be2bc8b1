"""``Content-Encoding`` of answers: gzip or zstd, by ``Accept-Encoding`` (RFC 9110, section 12.5.3)."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jelly import _internal
from jelly.service._formats import quality
from jelly.service._headers import listed

CODINGS = ("zstd", "gzip")
# shorter answers are not compressed, because they gain nothing
_LEAST = 512
# larger pieces are compressed outside the event loop
_MANY = 1 << 14


def chosen(accepted: str) -> str | None:
    """Returns the coding that a client prefers; None if it accepts none."""
    likes = {coding: quality(accepted, coding) for coding in CODINGS}
    best = max(CODINGS, key=lambda coding: likes[coding])
    return best if likes[best] > 0 else None


class Coding:
    """Compresses answers; the strong tag of a compressed answer ends with the name of the coding."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        coding = chosen(listed(headers, "accept-encoding") or "")
        if coding is None:
            await self._app(scope, receive, send)
            return
        known = listed(headers, "if-none-match") or ""
        await self._app(scope, receive, _Coded(send, coding, known, scope["method"] == "HEAD"))


class _Coded:
    """Sends one answer, compressed if that is worthwhile."""

    def __init__(self, send: Send, coding: str, known: str, is_head: bool) -> None:
        self._send, self._coding, self._known, self._is_head = send, coding, known, is_head
        self._start: Message | None = None
        self._compressor: _internal.Compressor | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            if message["status"] == 304 and (tag := _coded(headers, self._coding)) in self._known:
                headers["ETag"] = tag
            fits = message["status"] in (200, 201) and "content-encoding" not in headers
            if not fits or headers.get("content-type", "").startswith("text/event-stream"):
                await self._send(message)
                return
            self._start = message
            return
        body, last = message.get("body", b""), not message.get("more_body", False)
        if self._start is not None:
            start, self._start = self._start, None
            headers = MutableHeaders(raw=start["headers"])
            length = int(headers.get("content-length", _LEAST))
            if length >= _LEAST and not (last and len(body) < _LEAST and not self._is_head):
                self._compressor = _internal.Compressor(self._coding)
                headers["Content-Encoding"] = self._coding
                if "Accept-Encoding" not in headers.get("vary", ""):
                    headers.add_vary_header("Accept-Encoding")
                if "etag" in headers:
                    headers["ETag"] = _coded(headers, self._coding)
                if "content-length" in headers:
                    del headers["Content-Length"]
            await self._send(start)
        if self._compressor is not None and not self._is_head:
            if len(body) > _MANY:
                body = await run_in_threadpool(self._compressor.write, body, last=last)
            else:
                body = self._compressor.write(body, last=last)
        await self._send({**message, "body": body})


def _coded(headers: MutableHeaders, coding: str) -> str:
    return headers.get("etag", "").removesuffix('"') + f'.{coding}"'
