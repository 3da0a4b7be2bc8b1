"""Requests that change something: creating a log, publishing to it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from jelly._inputs import number_or_id
from jelly._whole_file import work_folder
from jelly.log import Compacted, Head, Published
from jelly.log._folder import FolderLog
from jelly.log._patch import Prepared
from jelly.log._types import as_json
from jelly.service import _bodies
from jelly.service import _rules as rules
from jelly.service._conditions import agrees, head_check, tag, tag_of
from jelly.service._formats import PATCHES, READ_DATA, says_data, sent
from jelly.service._headers import listed, preferences
from jelly.service._logs import Logs, asked_log
from jelly.service._places import place
from jelly.service._problems import Problem, reading_body


async def publish(request: Request) -> Response:
    """``POST /{log}``: 201, or 200 if the log already has the patch."""
    done, tag = await _published(request)
    status = 200 if done.replayed else 201
    where = f"/{request.path_params['log']}/patches/{done.version}"
    return JSONResponse(_said(done), status, {"Location": where, "ETag": tag})


async def patch_data(request: Request) -> Response:
    """``PATCH /{log}/data``: 200, or 204 with ``Prefer: return=minimal``."""
    done, tag = await _published(request)
    headers = {"ETag": tag}
    if preferences(request.headers).get("return") == "minimal":
        return Response(status_code=204, headers=headers | {"Preference-Applied": "return=minimal"})
    return JSONResponse(_said(done), 200, headers)


async def patch_alias(request: Request) -> Response:
    """``POST`` or ``PATCH /{log}/patch``, as clients of Fuseki send it: 200, empty."""
    _, tag = await _published(request)
    return Response(status_code=200, headers={"ETag": tag})


async def _published(request: Request) -> tuple[Published, str]:
    name = request.path_params["log"]
    log = await log_of(request, name)
    format, compression = sent(request, PATCHES)
    asked = request.query_params.get("expect")
    expect = None if asked is None else number_or_id(asked)
    read = reader_of(request, log, format, compression)
    return await published(request, name, log, read, lambda _: expect)


async def log_of(request: Request, name: str) -> FolderLog:
    """Returns the log to publish to. If the log is already open, :func:`published` checks whether it still exists.

    Raises:
        Problem: There is no such log (404).
    """
    logs: Logs = request.app.state.logs
    if (log := logs.open_log(name)) is not None:
        return log
    return await run_in_threadpool(logs.get, name)


def reader_of(
    request: Request, log: FolderLog, format: Any, compression: Any
) -> Callable[[bytes | Path, Path], Prepared]:
    """Returns a function that reads a body in a work folder, within the limits of the server."""
    headers, limits = rules.headers_of(request), request.app.state.limits.of_bodies

    def read(body: bytes | Path, work: Path) -> Prepared:
        return log.prepared(body, work, headers, format, compression=compression, limits=limits)

    return read


async def published(
    request: Request,
    name: str,
    log: FolderLog,
    read: Callable[[bytes | Path, Path], Prepared],
    expect_of: Callable[[Prepared], int | str | None],
) -> tuple[Published, str]:
    """Publishes the body of a request, read by ``read``, after the head of ``expect_of``; also returns the tag."""
    logs: Logs = request.app.state.logs
    rules.refuse_draining(logs)
    held = ExitStack()
    with place(request, "publishes", name), held:
        work = held.enter_context(work_folder(logs.root))
        body = await _bodies.received(request, work / "body", request.app.state.limits)

        def checked() -> Prepared:
            logs.get(name)
            return rules.read_patch_of(log, lambda: read(body, work))

        def publish() -> tuple[Published, str]:
            with (
                held.pop_all()
            ):  # deleting may wait for the disk, so it must not run in the event loop
                id, _ = log.seen()
                check, expect = head_check(request, id), expect_of(found)
                rules.check_condition(request, found, expect)
                if preferences(request.headers).get("handling") == "strict":
                    limits = request.app.state.limits
                    done = rules.published_strictly(log, found, expect, check, limits)
                else:
                    done = log.publish_prepared(found, expect, check=check)
                head = log.head if done.replayed else Head(done.version, done.id)
                return done, tag(id, head, first=log.contents.expected().first)

        found = await to_thread.run_sync(checked, limiter=request.app.state.decoders)
        rules.check_publisher(rules.headers_of(request), found)
        done = await to_thread.run_sync(publish, limiter=request.app.state.writers)
    logs.pulse(name)
    return done


def _said(done: Published) -> Any:
    return as_json(done._replace(path=None))


async def compact(request: Request) -> Response:
    """``POST /{log}/compact?upto=``: 200; replaces the patches up to a version by the dataset at that version."""
    log = await asked_log(request)
    rules.refuse_draining(request.app.state.logs)
    asked = request.query_params.get("upto")
    if asked is None:
        raise Problem(400, "query", "?upto= is missing: the number of a version, or the id of its patch")  # fmt: skip

    def compacted() -> Compacted:
        id, head = log.seen()
        if check := head_check(request, id):
            check(head)
        return log.compact(number_or_id(asked))

    with place(request, "datasets"):
        return JSONResponse(as_json(await run_in_threadpool(compacted)))


async def create(request: Request) -> Response:
    """``PUT /{log}``: creates a log; the body, if any, is its base."""
    logs: Logs = request.app.state.logs
    name = request.path_params["log"]
    rules.refuse_draining(logs)

    def there() -> str | None:
        info = logs.get(name).info() if logs.has(name) else None
        return info and tag_of(info)

    now = await run_in_threadpool(there)
    if now is None and listed(request.headers, "if-match") is not None:
        raise Problem(412, "condition", f"If-Match needs a log, and there is no log {name!r}")
    if now is not None and agrees(request, now):
        raise Problem(412, "patch.conflict", "the log exists already")
    has_body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers  # fmt: skip
    format, compression = sent(request, READ_DATA) if has_body else ("auto", "none")
    if compression != "none":
        raise Problem(415, "media", "a base must be sent without Content-Encoding", {"Accept-Encoding": "identity"})  # fmt: skip
    with place(request, "datasets"), work_folder(logs.root) as work:
        body = work / "body"
        sent_body = await _bodies.received(request, body, request.app.state.limits)
        if isinstance(sent_body, bytes):
            body.write_bytes(sent_body)
        nothing = b"" if says_data(request) else None
        base = body if sent_body else nothing
        with reading_body():
            is_new = await run_in_threadpool(logs.make, name, base, format, work)
    log = await run_in_threadpool(logs.get, name)
    info = await run_in_threadpool(log.info)
    said = as_json(info._replace(name=name))
    headers = {"Location": f"/{name}", "ETag": tag_of(info)}
    return JSONResponse(said, 201 if is_new else 200, headers)
