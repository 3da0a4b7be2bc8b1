"""``GET /{log}/events``: versions as server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from jelly.errors import JellyError
from jelly.log import LogVersion
from jelly.log._folder import FolderLog
from jelly.log._followed import Followed
from jelly.log._types import as_json
from jelly.service._conditions import number
from jelly.service._logs import Logs, asked_log
from jelly.service._places import give_back, take
from jelly.service._problems import Problem, problem_of


async def events(request: Request) -> Response:
    """Sends one event per version; ``Last-Event-ID`` or ``?after=`` gives the version to begin after."""
    logs: Logs = request.app.state.logs
    name = request.path_params["log"]
    log, followed = await asked_log(request), Followed(name)
    await run_in_threadpool(log.look, followed)
    last = request.headers.get("last-event-id")
    if last is not None and not (last.isascii() and last.isdecimal()):
        raise Problem(400, "query", f"Last-Event-ID is {last!r}; expected a version")
    after = int(last) if last is not None else number(request, "after")
    if after is None:
        after = (await run_in_threadpool(lambda: log.head)).version
    await run_in_threadpool(lambda: log.versions(after))  # raises if a version is gone
    take(request, "watchers")
    stream = _stream(request, logs, log, after, followed)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})  # fmt: skip


async def _stream(
    request: Request, logs: Logs, log: FolderLog, after: int, followed: Followed
) -> AsyncIterator[str]:
    try:
        yield ": the versions of a log\n\n"
        async for head in logs.following(request.path_params["log"], log, after, followed):
            if head is None:
                yield ": nothing new\n\n"
                continue
            for version in await run_in_threadpool(_listed, log, after, head, followed):
                data = json.dumps(as_json(version))
                yield f"id: {version.version}\nevent: version\ndata: {data}\n\n"
            after = head
        yield ": the server stops\nretry: 1000\n\n"
    except (JellyError, OSError) as error:
        problem = problem_of(error, publishes=False)
        yield f"event: problem\ndata: {json.dumps({'kind': problem.kind, 'detail': problem.detail})}\n\n"
    finally:
        give_back(request, "watchers")


def _listed(log: FolderLog, after: int, upto: int, followed: Followed) -> list[LogVersion]:
    found = list(log.versions(after, upto))
    log.look(followed)  # another log would have other versions
    return found
