"""Requests to an ASGI application without a network."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        return str(json.loads(self.body)["type"]).removeprefix("urn:jelly:problem:")


def ask(
    app: Any,
    method: str,
    path: str,
    body: bytes = b"",
    *more: tuple[str, str],
    client: str = "127.0.0.1",
    root: str = "",
    **headers: str,
) -> Reply:
    """Sends one request; names of headers are written with ``_`` for ``-``; ``root`` is where the application stands."""
    path, _, query = path.partition("?")
    pairs = [("host", "localhost"), *((k.replace("_", "-").lower(), v) for k, v in headers.items()), *more]  # fmt: skip
    if body and "content_type" not in headers:
        pairs.append(("content-type", "application/rdf-patch"))
    pairs.append(("content-length", str(len(body))))
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "path": root + path,
        "raw_path": (root + path).encode(), "query_string": query.encode(), "root_path": root,
        "headers": [(key.encode(), value.encode()) for key, value in pairs],
        "client": (client, 1), "server": ("localhost", 80),
    }  # fmt: skip
    messages: list[Any] = []

    async def run() -> None:
        sent = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if not sent:
                await asyncio.Event().wait()  # the client stays
            return sent.pop()

        async def send(message: Any) -> None:
            messages.append(message)

        await app(scope, receive, send)

    asyncio.run(run())
    start = messages[0]
    found = {key.decode().lower(): value.decode() for key, value in start["headers"]}
    return Reply(start["status"], found, b"".join(m.get("body", b"") for m in messages[1:]))
