"""``GET /{log}/feed.atom``: the last versions, for feed readers (RFC 4287)."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from jelly._page._site import newest
from jelly._times import shown
from jelly.log._types import LogInfo, LogVersion
from jelly.service._conditions import agrees, tag_of
from jelly.service._logs import asked_log

_LAST = 50


async def feed(request: Request) -> Response:
    """Returns the last 50 versions, newest first."""
    name = request.path_params["log"]
    log = await asked_log(request)
    info = await run_in_threadpool(log.info)
    headers = {"ETag": tag_of(info, "atom"), "Cache-Control": "no-cache"}
    if agrees(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    versions = await run_in_threadpool(newest, log, info, 1, _LAST)
    at = str(request.base_url).rstrip("/") + f"/{name}"
    return Response(_written(name, at, info, versions), media_type="application/atom+xml", headers=headers)  # fmt: skip


def _written(name: str, at: str, info: LogInfo, versions: list[LogVersion]) -> str:
    begin = info.created or datetime.fromtimestamp(0, UTC)
    updated = shown(max([begin, *(one.time for one in versions if one.time)]))
    own = f"urn:uuid:{info.id}" if info.id else at
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(name)}</title><id>{escape(own)}</id><updated>{updated}</updated>",
        f"<author><name>{escape(name)}</name></author>",
        f'<link href={quoteattr(at)}/><link rel="self" href={quoteattr(at + "/feed.atom")}/>',
        *(_entry(at, own, one, shown(one.time or begin)) for one in versions),
        "</feed>",
    ]
    return "\n".join(parts) + "\n"


def _entry(at: str, own: str, one: LogVersion, updated: str) -> str:
    what = f"+{one.added:,} -{one.deleted:,}"
    where = f"{at}/patches/{one.version}"
    return (
        f"<entry><title>Version {one.version:,}: {what}</title><id>{escape(own)}#{one.version}</id>"
        f"<updated>{updated}</updated>"
        f"<link href={quoteattr(where)}/><summary>{escape(one.id or what)}</summary></entry>"
    )
