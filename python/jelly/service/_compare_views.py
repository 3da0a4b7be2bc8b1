"""Requests that compare versions: ``/{log}/diff`` and ``/{log}/history``."""

from __future__ import annotations

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from jelly.service import _pages
from jelly.service._compare import pattern_of, write_change, write_history
from jelly.service._conditions import version_of
from jelly.service._formats import PATCHES, VARY, wanted
from jelly.service._limits import Limits
from jelly.service._logs import asked_log
from jelly.service._pages import asks_page
from jelly.service._places import place
from jelly.service._problems import Problem
from jelly.service._spool import Spooled, attached, spooled


async def diff(request: Request) -> Response:
    """``GET /{log}/diff?from=&to=``: the net change; if ``to`` is the earlier version, the patch that goes back."""
    log = await asked_log(request)
    asked = [request.query_params.get(name) for name in ("from", "to")]
    if None in asked:
        raise Problem(400, "query", "a difference needs ?from= and &to=, each the number or id of a version")  # fmt: skip
    old, new = [await run_in_threadpool(version_of, log, str(text)) for text in asked]
    if asks_page(request):
        return await _pages.diff(request, request.path_params["log"], log, old, new)
    format, media = wanted(request, PATCHES)
    limits: Limits = request.app.state.limits
    with place(request, "datasets"):
        spool = await run_in_threadpool(spooled, partial(write_change, log, old, new, limits, format))  # fmt: skip
    headers = {"jelly-from": str(old), "jelly-to": str(new), "Cache-Control": "no-cache"} | VARY
    headers |= attached(request, f"{old}-{new}", format)
    return Spooled(spool, media, headers)


async def periods(request: Request) -> Response:
    """``GET /{log}/history?subject=…``: from which to which version each quad existed, as JSON lines."""
    log = await asked_log(request)
    if asks_page(request):
        return await _pages.history(request, request.path_params["log"], log)
    pattern = pattern_of(request)
    with place(request, "datasets"):
        spool = await run_in_threadpool(spooled, lambda spool: write_history(log, pattern, spool))
    return Spooled(spool, "application/jsonl", VARY)
