"""Bodies of requests: long bodies go to a temporary file and are never held in memory as a whole."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from jelly.service._limits import Limits
from jelly.service._problems import Problem

# the free disk space is checked after this number of bytes of a body
_LOOK = 8 << 20
# bytes per write, because a thread switch for each network packet costs more than the writing
_HELD = 256 << 10
_CLOSE = {"Connection": "close"}


async def received(request: Request, path: Path, limits: Limits) -> bytes | Path:
    """Receives the body: a short one as bytes, a longer one in the file.

    Raises:
        Problem: The body is too large (413), too slow (408) or incomplete (400), or the disk is too full (507).
    """
    said = request.headers.get("content-length", "")
    length = int(said[:20]) if said.isascii() and said.isdecimal() else 0
    if length > limits.body:
        raise _too_large(limits)
    refuse_full(path.parent, length, limits)
    clock = asyncio.get_running_loop().time
    size, looked, began = 0, 0, clock()
    pieces, held = request.stream(), bytearray()
    file: IO[bytes] | None = None
    with ExitStack() as opened:
        while True:
            slowest = began + limits.idle + size / max(limits.rate, 1e-9)
            try:
                async with asyncio.timeout_at(min(clock() + limits.idle, slowest)):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                if file is None:
                    return bytes(held)
                file.write(held)
                return path
            except TimeoutError:
                detail = (
                    f"the body arrived too slowly: no byte for {limits.idle} s, or less than "
                    f"{limits.rate:g} bytes a second"
                )
                raise Problem(408, "slow", detail, _CLOSE) from None
            except ClientDisconnect:
                raise Problem(400, "cut", "the body is incomplete") from None
            size += len(piece)
            if size > limits.body:
                raise _too_large(limits)
            if size - looked >= _LOOK:
                looked = size
                refuse_full(path.parent, 0, limits)
            held += piece
            if len(held) >= _HELD:
                file = file or opened.enter_context(path.open("wb"))
                await run_in_threadpool(file.write, held)
                held.clear()


def refuse_full(folder: Path, more: int, limits: Limits) -> None:
    """Rejects data that would fill the disk.

    Raises:
        Problem: Too little disk space is free (507).
    """
    if shutil.disk_usage(folder).free - more < limits.free:
        raise Problem(507, "storage", "the disk is nearly full; nothing was published", _CLOSE)


def _too_large(limits: Limits) -> Problem:
    detail = f"the body has more than {limits.body} bytes; publish it in pieces"
    return Problem(413, "body", detail, _CLOSE)
