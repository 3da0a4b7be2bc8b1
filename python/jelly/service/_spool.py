"""Bodies of answers that are complete before they are sent: a failure gives a status, not half an answer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from jelly.errors import JellyError
from jelly.service._problems import Problem, detail_of

_PIECE = 1 << 18


def attached(request: Request, name: str, format: str) -> dict[str, str]:
    """Returns the header that makes browsers save an answer, if a link requests a format with ``?format=``."""
    if "format" not in request.query_params:
        return {}
    ending = {"jelly-patch": "jellyp"}.get(format, format)
    file = f"{request.path_params['log']}-{name}.{ending}"
    return {"Content-Disposition": f'attachment; filename="{file}"'}


def spooled(write: Callable[[IO[bytes]], object]) -> IO[bytes]:
    """Returns a temporary file that ``write`` filled, at its beginning; :class:`Spooled` closes it.

    Raises:
        Problem: The data cannot be written in this format (406).
    """
    spool: IO[Any] = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it
    try:
        write(spool)
    except BaseException as error:
        spool.close()
        if isinstance(error, JellyError) and error.kind.startswith("encode."):
            raise Problem(406, error.kind, detail_of(error)) from None
        raise
    spool.seek(0)
    return spool


async def decoded(request: Request, write: Callable[[IO[bytes]], object]) -> IO[bytes]:
    """Like :func:`spooled`, for decoders: each needs memory, so only a few run at once and others wait."""
    return await to_thread.run_sync(spooled, write, limiter=request.app.state.decoders)


class Spooled(StreamingResponse):
    """An answer with the content of a file, which is always closed at the end."""

    def __init__(self, file: IO[bytes], media: str, headers: Mapping[str, str]) -> None:
        super().__init__(pieces(file), media_type=media, headers=headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.close()

    def close(self) -> None:
        """Closes the file of an answer that is not sent."""
        self._file.close()


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yields a file in pieces."""
    with file:
        yield from iter(lambda: file.read(_PIECE), b"")


def gathered(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Joins short pieces, because each sent piece costs a thread switch."""
    held = bytearray()
    for part in parts:
        held += part
        if len(held) >= _PIECE:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
