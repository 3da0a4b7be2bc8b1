"""``GET /{log}/events``: versions as server-sent events."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from jelly.errors import JellyError
from jelly.log import Head, LogVersion
from jelly.log._folder import FolderLog
from jelly.log._followed import Followed
from jelly.log._patch import base_id, refused_at
from jelly.log._types import as_json
from jelly.service._conditions import number, tag
from jelly.service._logs import Logs, asked_log
from jelly.service._places import place
from jelly.service._problems import Problem, problem_of

_ID = re.compile(r"([0-9]{1,18})(\.[0-9a-f]{16})?")


async def events(request: Request) -> Response:
    """Sends one event per version; ``Last-Event-ID`` or ``?after=`` gives the version to begin after."""
    name = request.path_params["log"]
    log, followed = await asked_log(request), Followed(name)
    await run_in_threadpool(log.look, followed)
    last = request.headers.get("last-event-id")
    match = _ID.fullmatch(last or "")
    if last is not None and match is None:
        raise Problem(400, "query", f"Last-Event-ID is {last[:64]!r}; expected the id of an event, or a version")  # fmt: skip
    after = int(match[1]) if match else number(request, "after")
    if after is None:
        after = followed.seen[1].version
    stream = _stream(request, log, after, followed)
    if match and match[2] and (fork := await run_in_threadpool(_fork, log, after, match[0])):
        stream = _problem(fork)
    else:
        await run_in_threadpool(log.versions, after)  # a version that is gone is an error now
    if request.method == "HEAD":
        return _Events(request, _nothing())
    return _Watched(request, stream)


class _Events(StreamingResponse):
    """A stream of events."""

    def __init__(self, request: Request, stream: AsyncIterator[str]) -> None:
        headers = {"Cache-Control": "no-store"}
        super().__init__(stream, media_type="text/event-stream", headers=headers)
        self._request = request


class _Watched(_Events):
    """Events for a watcher, who has a place until the answer ends, however it does."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the answer."""
        with place(self._request, "watchers"):
            await super().__call__(scope, receive, send)


def _id(id: str | None, version: int, patch: str | None) -> str:
    """The id of an event: the tag that the log has at the version, which another log has not."""
    return tag(id, Head(version, patch)).strip('"')


def _fork(log: FolderLog, after: int, last: str) -> JellyError | None:
    """The error where an event came from another log; None: it is of this one, as far as can be known."""
    info = log.info()
    if after > info.head.version:
        found = f"its head is version {info.head.version}"
    elif after < info.first - 1:
        return None  # which is an error of its own
    else:
        is_base = after < info.first
        patch = base_id(info, log.versions) if is_base else next(log.versions(after - 1, after)).id
        found = f"its version {after} has the id {patch}"
        if patch is None or _id(info.id, after, patch) == last:
            return None
    message = f"the event {last} is not of the log that is here now: {found}; watch it again from its first version"
    return refused_at("patch.fork", message, log.folder)


async def _stream(
    request: Request, log: FolderLog, after: int, followed: Followed
) -> AsyncIterator[str]:
    logs: Logs = request.app.state.logs
    try:
        yield ": the versions of a log\n\n"
        async for head in logs.following(request.path_params["log"], log, after, followed):
            request.app.state.guard.refuse_revoked(request.scope)
            if head is None:
                yield ": nothing new\n\n"
                continue
            for version in await run_in_threadpool(_listed, log, after, head, followed):
                data = json.dumps(as_json(version))
                event = _id(followed.seen[0], version.version, version.id)
                yield f"id: {event}\nevent: version\ndata: {data}\n\n"
            after = head
        yield ": the server stops\nretry: 1000\n\n"
    except (Problem, JellyError, OSError) as error:
        async for event in _problem(error):
            yield event


async def _problem(error: Exception) -> AsyncIterator[str]:
    problem = problem_of(error, publishes=False)
    yield f"event: problem\ndata: {json.dumps({'kind': problem.kind, 'detail': problem.detail})}\n\n"


async def _nothing() -> AsyncIterator[str]:
    return
    yield


def _listed(log: FolderLog, after: int, upto: int, followed: Followed) -> list[LogVersion]:
    try:
        return list(log.versions(after, upto))
    finally:
        log.look(followed)  # another log would have other versions
