"""Requests that read: logs, versions, patches, datasets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from jelly import _internal
from jelly._inputs import whole_number
from jelly._log_files import name_of
from jelly._times import start_of
from jelly.log._folder import FolderLog
from jelly.log._joined import is_part, joined
from jelly.log._types import Head, LogVersion, as_json
from jelly.service import _pages
from jelly.service._conditions import agrees, number, tag, tag_of, version_of
from jelly.service._formats import DATA, PATCHES, VARY, wanted
from jelly.service._headers import wait_of
from jelly.service._limits import Limits
from jelly.service._logs import UUID, Logs, asked_log, readable
from jelly.service._places import place
from jelly.service._problems import Problem
from jelly.service._spool import Spooled, attached, decoded, gathered, pieces, spooled
from jelly.service._states import write_state

# number of files of patches that are opened before the log is checked again
_OPENED = 32


async def names(request: Request) -> Response:
    """``GET /``: the logs that the token of the request may read."""
    mine = await readable(request)
    return _pages.logs(mine) if _pages.asks_page(request) else JSONResponse({"logs": mine}, headers=VARY)  # fmt: skip


async def info(request: Request) -> Response:
    """``GET /{log}``: a description of the log; waits with ``Prefer: wait=N`` and ``If-None-Match``."""
    logs: Logs = request.app.state.logs
    name, log = request.path_params["log"], await asked_log(request)
    found = await run_in_threadpool(log.info)
    if _pages.asks_page(request):
        return await _pages.log(request, name, log, found)
    now = tag_of(found)
    if agrees(request, now) and (seconds := wait_of(request.headers)):
        with place(request, "watchers"):
            await logs.moved(name, log, found.head.version, seconds)
        request.app.state.guard.refuse_revoked(request.scope)
        found = await run_in_threadpool(log.info)
        now = tag_of(found)
    headers = {"ETag": now, "Cache-Control": "no-cache"} | VARY
    if agrees(request, now):
        return Response(status_code=304, headers=headers)
    return JSONResponse(as_json(found._replace(name=name)), headers=headers)


async def versions(request: Request) -> Response:
    """``GET /{log}/versions``: versions as JSON lines."""
    log = await asked_log(request)
    after, upto = number(request, "after") or 0, number(request, "upto")
    since = request.query_params.get("since")
    try:
        start = None if since is None else start_of(since.replace(" ", "+"))
    except ValueError as error:
        raise Problem(400, "query", f"since: {error}") from None
    found = await run_in_threadpool(log.versions, after, upto)

    def lines(found: Iterator[LogVersion]) -> Iterator[bytes]:
        for version in found:
            if start is None or (version.time is not None and version.time >= start):
                yield json.dumps(as_json(version)).encode() + b"\n"

    stored = gathered(lines(found))
    first = await run_in_threadpool(next, stored, b"")  # what fails there is an error
    return StreamingResponse(chain([first], stored), media_type="application/jsonl", headers=VARY)


async def patches(request: Request) -> Response:
    """``GET /{log}/patches``: a range as one stream, or one patch with ``?id=``."""
    log = await asked_log(request)
    if (id := request.query_params.get("id")) is not None:
        return await _patch(request, log, id)
    after, upto = number(request, "after") or 0, number(request, "upto")
    limit = number(request, "limit")
    format, media = wanted(request, PATCHES)
    guard = await run_in_threadpool(log.guard, after, upto)
    files = (await run_in_threadpool(log.paths, after, upto))[:limit]
    headers = {"jelly-after": str(after), "jelly-upto": str(after + len(files))} | VARY
    if format == "jelly-patch" and await run_in_threadpool(lambda: all(map(is_part, files))):
        headers["Content-Length"] = str(sum(path.stat().st_size for path in files))
        groups = ([path.open("rb") for path in files[at : at + _OPENED]] for at in range(0, len(files), _OPENED))  # fmt: skip
        # files opened before the check are the patches
        opened = (file for group in guard.each(groups) for file in group)
        stored = gathered(piece for file in opened for piece in pieces(file))
        return StreamingResponse(stored, media_type=media, headers=headers)

    def write(spool: Any) -> None:
        joined(files, spool, format)
        guard.check()

    spool = await decoded(request, write)
    return Spooled(spool, media, headers)


async def patch(request: Request) -> Response:
    """``GET /{log}/patches/{version or uuid}``: one patch, which never changes."""
    log = await asked_log(request)
    text = request.path_params["version"]
    if (version := whole_number(text)) is not None:
        return await _patch(request, log, version)
    if UUID.fullmatch(text):
        return await _patch(request, log, f"urn:uuid:{text}")
    raise Problem(404, "patch.version", "a version must be a number or a UUID; ?id= takes any id")


async def _patch(request: Request, log: FolderLog, version: int | str) -> Response:
    if _pages.asks_page(request):
        number_of = await run_in_threadpool(log.number, version)
        return await _pages.version(request, request.path_params["log"], log, number_of)
    format, media = wanted(request, PATCHES)
    number_of = await run_in_threadpool(log.number, version)
    guard = await run_in_threadpool(log.guard, number_of - 1, number_of)
    found = next(await run_in_threadpool(log.versions, number_of - 1, number_of))
    identity = None if found.id is None else _internal.identify(found.id)[1]
    known = await run_in_threadpool(log.known, identity)
    digest = known[1] if known else ""
    own = hashlib.sha256(f"{found.id}\n{digest}\n{format}".encode()).hexdigest()[:16]
    public = "private" if getattr(request.state, "token", None) else "public"
    headers = (
        {
            "ETag": f'"{found.version}.{own}"',
            "Cache-Control": f"{public}, max-age=31536000, immutable",
            "Content-Location": f"/{request.path_params['log']}/patches/{found.version}",
            "jelly-version": str(found.version),
            "jelly-digest": digest,
        }
        | VARY
        | attached(request, str(found.version), format)
    )
    if "chain" in request.query_params:
        headers["jelly-chain"] = await run_in_threadpool(log.chain, found.version)
        headers["Cache-Control"] = "no-cache"
    if agrees(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    path = log.folder / name_of(found.version, log.ending)
    if format == "jelly-patch" and log.ending == ".jellyp":
        file = path.open("rb")
        await run_in_threadpool(guard.check)  # a file opened before this check is the patch
        return Spooled(file, media, headers)
    spool = await decoded(request, lambda spool: log.fetch(number_of, spool, to=format))
    return Spooled(spool, media, headers)


async def data(request: Request) -> Response:
    """``GET /{log}/data``: the dataset at a version."""
    log = await asked_log(request)
    format, media = wanted(request, DATA)
    found = await run_in_threadpool(log.info)
    head = found.head
    if (asked := request.query_params.get("version")) is not None:
        head = await run_in_threadpool(_head_at, log, asked)
    version = head.version
    chain = await run_in_threadpool(log.contents.chain, version)  # patches may change on purpose
    headers = {"ETag": tag(found.id, head, chain[:16], format), "Accept-Ranges": "none", "jelly-version": str(version), "Cache-Control": "no-cache"} | VARY  # fmt: skip
    headers |= attached(request, str(version), format)
    if agrees(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    limits: Limits = request.app.state.limits
    with place(request, "datasets"):
        spool = await run_in_threadpool(
            spooled, lambda spool: write_state(log, spool, version, format, limits)
        )
    return Spooled(spool, media, headers)


def _head_at(log: FolderLog, asked: str) -> Head:
    version = version_of(log, asked)
    if version < log.info().first:
        return Head(version, None)
    return Head(version, next(log.versions(version - 1, version)).id)
