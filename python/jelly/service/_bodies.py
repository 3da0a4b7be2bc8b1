"""Bodies of requests, which go to a temporary file and never whole into memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from jelly.service._problems import Problem


class Limits(NamedTuple):
    """What a server puts up with.

    Attributes:
        body: Bytes of a body as it is sent.
        decompressed: Bytes of a body once its ``Content-Encoding`` is off.
        idle: Seconds without a byte of a body.
        publishes: Publishes that may be under way in all; more are refused (503).
        datasets: Datasets that are made at once; more are refused (503).
        watchers: Requests that wait for versions at once; more are refused (503).
        states: Bytes of the datasets that are kept for a log (``_states``); 0: none are.
        free: Bytes of the disk that stay free; what would take them is refused (507).
    """

    body: int = 256 << 20
    decompressed: int = 2 << 30
    idle: float = 60
    publishes: int = 64
    datasets: int = 2
    watchers: int = 128
    states: int = 1 << 30
    free: int = 256 << 20


async def received(request: Request, path: Path, limits: Limits) -> int:
    """Writes the body into a file; returns its size.

    Raises:
        Problem: It is too large (413), comes too slowly (408), or not whole (400).
    """
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > limits.body:
        raise _too_large(limits)
    size = 0
    pieces = request.stream()
    with path.open("wb") as file:
        while True:
            try:
                piece = await asyncio.wait_for(anext(pieces), limits.idle)
            except StopAsyncIteration:
                return size
            except TimeoutError:
                raise Problem(408, "slow", f"no byte of the body came for {limits.idle} s", {"Connection": "close"}) from None  # fmt: skip
            except ClientDisconnect:
                raise Problem(400, "cut", "the body ended before its end") from None
            size += len(piece)
            if size > limits.body:
                raise _too_large(limits)
            if piece:
                await run_in_threadpool(file.write, piece)


def _too_large(limits: Limits) -> Problem:
    detail = f"the body has more than {limits.body} bytes; publish it in pieces"
    return Problem(413, "body", detail, {"Connection": "close"})
