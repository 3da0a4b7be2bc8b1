"""Requests that change something: making a log, publishing to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from jelly._log_files import LOG_JSON
from jelly._whole_file import work_folder, written_json
from jelly.log import Head, Published
from jelly.log._begin import begin, is_log, said_of, with_digest
from jelly.log._folder import FolderLog
from jelly.log._patch import Prepared
from jelly.log._types import as_json
from jelly.service import _bodies
from jelly.service import _rules as rules
from jelly.service._conditions import head_check, tag
from jelly.service._formats import PATCHES, READ_DATA, sent
from jelly.service._logs import Logs
from jelly.service._places import place
from jelly.service._problems import Problem

_NUMBER = re.compile(r"\d{1,18}", re.ASCII)


async def publish(request: Request) -> Response:
    """``POST /{log}``: 201, or 200 where the log had the patch."""
    log, done = await _published(request)
    status = 200 if done.replayed else 201
    where = f"/{request.path_params['log']}/patches/{done.version}"
    return JSONResponse(_said(done), status, {"Location": where, "ETag": _tag(log, done)})


async def patch_data(request: Request) -> Response:
    """``PATCH /{log}/data``: 200, or 204 with ``Prefer: return=minimal``."""
    log, done = await _published(request)
    headers = {"ETag": _tag(log, done)}
    if "return=minimal" in request.headers.get("prefer", ""):
        return Response(status_code=204, headers=headers | {"Preference-Applied": "return=minimal"})
    return JSONResponse(_said(done), 200, headers)


async def patch_alias(request: Request) -> Response:
    """``POST`` or ``PATCH /{log}/patch``, as clients of Fuseki send it: 200, empty."""
    log, done = await _published(request)
    return Response(status_code=200, headers={"ETag": _tag(log, done)})


async def _published(request: Request) -> tuple[FolderLog, Published]:
    logs: Logs = request.app.state.logs
    name = request.path_params["log"]
    log = await run_in_threadpool(logs.get, name)
    format, compression = sent(request, PATCHES)
    asked = request.query_params.get("expect")
    expect: Any = int(asked) if asked is not None and _NUMBER.fullmatch(asked) else asked
    read = reader_of(request, log, format, compression)
    return log, await published(request, name, log, read, lambda _: expect)


def reader_of(
    request: Request, log: FolderLog, format: Any, compression: Any
) -> Callable[[Path, Path], Prepared]:
    """Reads the file of a body, within the limits of the server, in a work folder."""
    headers, limits = rules.headers_of(request), request.app.state.limits.of_bodies

    def read(body: Path, work: Path) -> Prepared:
        return log.prepared(body, work, headers, format, compression=compression, limits=limits)

    return read


async def published(
    request: Request,
    name: str,
    log: FolderLog,
    read: Callable[[Path, Path], Prepared],
    expect_of: Callable[[Prepared], int | str | None],
) -> Published:
    """Publishes the body of a request, which ``read`` reads; ``expect_of`` says which head the patch wants."""
    logs: Logs = request.app.state.logs
    rules.refuse_draining(logs)
    held = ExitStack()
    with place(request, "publishes", name), held:
        work = held.enter_context(work_folder(logs.root))
        body = work / "body"
        await _bodies.received(request, body, request.app.state.limits)

        def publish() -> Published:
            with (
                held.pop_all()
            ):  # deleting may wait for the disk, and must not in the loop of events
                check, expect = head_check(request, log.info().id), expect_of(found)
                rules.check_condition(request, found, expect)
                if "handling=strict" not in request.headers.get("prefer", ""):
                    return log.publish_prepared(found, expect, check=check)
                return rules.published_strictly(log, found, expect, check, request.app.state.limits)

        found = await to_thread.run_sync(read, body, work, limiter=request.app.state.decoders)
        rules.check_publisher(rules.headers_of(request), found)
        done = await to_thread.run_sync(publish, limiter=request.app.state.writers)
    logs.pulse(name)
    return done


def _said(done: Published) -> Any:
    return as_json(done._replace(path=None))


def _tag(log: FolderLog, done: Published) -> str:
    head = Head(done.version, done.id)
    return tag(log.info().id, log.head if done.replayed else head)


async def create(request: Request) -> Response:
    """``PUT /{log}``: makes a log; the body, if any, is its base."""
    logs: Logs = request.app.state.logs
    name = request.path_params["log"]
    path = logs.path(name)
    rules.refuse_draining(logs)
    if request.headers.get("if-none-match") == "*" and path.exists() and is_log(path):
        raise Problem(412, "patch.conflict", "the log is there already")
    has_body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers  # fmt: skip
    format, compression = sent(request, READ_DATA) if has_body else ("auto", "none")
    if compression != "none":
        raise Problem(415, "media", "a base is sent without Content-Encoding", {"Accept-Encoding": "identity"})  # fmt: skip
    with place(request, "datasets"), work_folder(logs.root) as work:
        body = work / "body"
        size = await _bodies.received(request, body, request.app.state.limits)
        is_new = await run_in_threadpool(
            create_in, logs, name, body if size else None, format, work
        )
    log = logs.get(name)
    info = await run_in_threadpool(log.info)
    said = as_json(info._replace(name=name))
    headers = {"Location": f"/{name}", "ETag": tag(info.id, info.head)}
    return JSONResponse(said, 201 if is_new else 200, headers)


def create_in(
    logs: Logs,
    name: str,
    body: Path | None,
    format: str,
    work: Path,
    more: Mapping[str, str] | None = None,
) -> bool:
    """Makes a log aside, and gives it its name at the end; ``log.json`` of a new one says ``more``.

    Returns:
        Whether it was not there.
    """
    path = logs.root / name
    given = None if body is None else (*with_digest(body, work), format)
    if not path.exists():
        aside, inner = work / "new", work / "inner"
        aside.mkdir()
        inner.mkdir()
        begin(aside, inner, FolderLog(aside).alone(), ".jellyp", given)
        if more:
            written_json(aside / LOG_JSON, said_of(aside) | dict(more))
        try:
            aside.rename(path)
        except OSError:
            if not path.is_dir():
                raise
        else:
            return True
    inner = work / "again"
    inner.mkdir()
    was_log = is_log(path)
    begun = begin(path, inner, FolderLog(path).alone(), ".jellyp", given)
    logs.forget(name)
    return begun and not was_log
