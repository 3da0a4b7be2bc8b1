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

_MEDIA = "text/event-stream"
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
    # what is an error now gets its status, which browsers do not try again, unlike a stream that ends
    begin = await run_in_threadpool(_begin, log, after, match[0] if match and match[2] else None)
    headers = {"Cache-Control": "no-store"}
    if request.method == "HEAD":
        head = Response(media_type=_MEDIA, headers=headers)
        del head.headers["content-length"]  # a stream has none
        return head
    return _Watched(request, _stream(request, log, after, begin, followed), headers)


class _Watched(StreamingResponse):
    """Events for a watcher, who has a place until the answer ends, however it does."""

    def __init__(
        self, request: Request, stream: AsyncIterator[str], headers: dict[str, str]
    ) -> None:
        super().__init__(stream, media_type=_MEDIA, headers=headers)
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the answer."""
        with place(self._request, "watchers"):
            await super().__call__(scope, receive, send)


def _id(id: str | None, version: int, patch: str | None) -> str:
    """The id of an event: the tag that the log has at the version, which another log has not."""
    return tag(id, Head(version, patch)).strip('"')


def _begin(log: FolderLog, after: int, last: str | None) -> str | None:
    """Returns the id of the event of a version; None: it is not known.

    Args:
        log: The log.
        after: The version, after which a stream begins.
        last: The event of this version that a client has; None: it has a version alone.

    Raises:
        PatchError: The log does not have this version, or the event is of another log (``patch.fork``).
    """
    info = log.info()
    if last is not None and after > info.head.version:
        found = f"its head is version {info.head.version}"
    else:
        log.versions(after)  # a version that is gone is an error now
        is_base = after < info.first
        patch = base_id(info, log.versions) if is_base else next(log.versions(after - 1, after)).id
        begin = _id(info.id, after, patch) if patch or not after else None
        # a log that had no id may have got one
        if last is None or begin in (None, last) or last == _id(None, after, patch):
            return begin
        found = f"its version {after} has the id {patch}" if patch else "it was created anew"
    message = f"the event {last} is not of the log that is here now: {found}; watch it again from its first version"
    raise refused_at("patch.fork", message, log.folder)


async def _stream(
    request: Request, log: FolderLog, after: int, begin: str | None, followed: Followed
) -> AsyncIterator[str]:
    logs: Logs = request.app.state.logs
    try:
        # a browser sends this id when it connects again, also if it got no event before
        yield ": the versions of a log\n" + (f"id: {begin}\n\n" if begin else "\n")
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
        problem = problem_of(error, publishes=False)
        data = json.dumps({"kind": problem.kind, "detail": problem.detail})
        yield f"event: problem\ndata: {data}\n\n"


def _listed(log: FolderLog, after: int, upto: int, followed: Followed) -> list[LogVersion]:
    try:
        return list(log.versions(after, upto))
    finally:
        log.look(followed)  # another log would have other versions
