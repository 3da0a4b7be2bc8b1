"""Extends uvicorn by a deadline for headers, a limit for connections, and draining."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from jelly.service._limits import Limits

with contextlib.suppress(ImportError):  # not available on Windows
    import fcntl
    import termios


def connection(limits: Limits) -> type[H11Protocol]:
    """Returns the connection class with the given limits."""

    class Connection(_Connection):
        kept_to = limits

    return Connection


class _Connection(H11Protocol):
    """A connection on which the headers of a request must arrive in time."""

    kept_to: Limits
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.kept_to.connections:
            self._refuse(503, "busy", "too many connections; try again", ("Retry-After", "1"))
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.kept_to.headers, self._too_late)

    def _too_late(self) -> None:
        self._late = None
        if self.conn.their_state is h11.IDLE and self.conn.our_state is h11.IDLE:
            detail = f"the headers of the request did not arrive within {self.kept_to.headers:g} s"
            self._refuse(408, "slow", detail)

    def _refuse(self, status: int, kind: str, detail: str, *more: tuple[str, str]) -> None:
        if self.transport.is_closing():
            return
        said = {"type": f"urn:jelly:problem:{kind}", "status": status, "detail": detail}
        body = json.dumps(said).encode()
        headers = [("Content-Type", "application/problem+json"), ("Content-Length", str(len(body))), ("Connection", "close"), *more]  # fmt: skip
        for event in (
            h11.Response(status_code=status, headers=headers),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class Server(uvicorn.Server):
    """A server that announces that it accepts requests, and that it stops, before it stops."""

    def __init__(
        self, config: uvicorn.Config, drain: Callable[[], None], ready: Callable[[], object] | None
    ) -> None:
        super().__init__(config)
        self._drain = drain
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens, and then says so; stops if that fails."""
        await super().startup(sockets)
        if self.started and self._ready is not None:
            try:
                self._ready()
            except BaseException:
                await self.shutdown(sockets)
                raise

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Rejects new publishes, and ends requests that wait for versions."""
        self._drain()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Closes connections; a TLS connection closes when all data is sent, without waiting for the client."""
        leaving = asyncio.create_task(self._leave())
        try:
            await super().shutdown(sockets)
        finally:
            leaving.cancel()

    async def _leave(self) -> None:
        sent: set[Any] = set()
        while True:
            await asyncio.sleep(0.1)
            closing = {
                each.transport
                for each in self.server_state.connections
                if each.transport.is_closing()
            }
            # checked twice, so that data buffered in Python was handed to the system in between
            before, sent = sent, {each for each in closing if _is_sent(each)}
            for each in before & sent:
                each.abort()


def _is_sent(transport: asyncio.Transport) -> bool:
    """Returns whether the client has received all written data, as far as the system reports it."""
    ours: socket.socket = transport.get_extra_info("socket")
    try:
        return not any(fcntl.ioctl(ours.fileno(), termios.TIOCOUTQ, bytes(4)))
    except (NameError, OSError):  # not available on this system, or closed
        return False
