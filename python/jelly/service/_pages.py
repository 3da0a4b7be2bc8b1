"""The pages of logs on a server, for requests that name ``text/html``."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from http import HTTPStatus
from itertools import islice
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from jelly._html import Html
from jelly._page._html import SERVED
from jelly._page._pages import (
    EACH,
    PERIODS,
    diff_page,
    found_page,
    history_page,
    log_page,
    logs_page,
    problem_page,
    search_form,
    version_page,
)
from jelly._page._read import Known, rows_of
from jelly._page._rows import Shown, show_change, show_rows
from jelly._page._site import newest
from jelly._page._style import STYLE
from jelly._readers import read_patch
from jelly._show import show_style
from jelly._terms import Terms
from jelly._whole_file import work_folder
from jelly.log._folder import FolderLog
from jelly.log._types import LogInfo, LogVersion
from jelly.service._compare import pattern_of, periods_of, write_change
from jelly.service._conditions import agrees, number, tag_of
from jelly.service._formats import VARY, quality
from jelly.service._headers import listed
from jelly.service._limits import Limits
from jelly.service._places import place
from jelly.service._problems import Problem
from jelly.service._states import write_state

_STYLE = "/-/style.css"
# of a larger net change (in bytes), a page shows only the first rows
_READABLE = 8 << 20
# limit for counting what changes most: in larger logs the first page would take too long
_COUNTED = 32 << 20


def asks_page(request: Request) -> bool:
    """Returns whether the request wants a page: it names ``text/html``, and prefers nothing else."""
    if (asked := request.query_params.get("format")) is not None:
        return asked == "html"
    accepted = listed(request.headers, "accept") or ""
    is_named = any(
        item.split(";")[0].strip().lower() == "text/html" for item in accepted.split(",")
    )
    return is_named and quality(accepted, "text/html") >= quality(accepted, "application/json") > -1


class _Links:
    """Addresses of the pages of a log on this server."""

    style: str | None = _STYLE

    def __init__(self, name: str, asked: str = "") -> None:
        self._at = f"/{name}"
        self._asked = asked

    def log(self, page: int) -> str:
        return self._at if page == 1 else f"{self._at}?page={page}"

    def version(self, version: int) -> str:
        return f"{self._at}/patches/{version}"

    def patch(self, version: int, format: str) -> str:
        return f"{self._at}/patches/{version}?format={format}"

    def undo(self, version: int) -> str:
        return self._change(version, version - 1, "rdfp")

    def since(self, version: int) -> None: ...

    def data(self, version: int) -> str:
        return f"{self._at}/data?version={version}&format=nq"

    def diff(self) -> str:
        return f"{self._at}/diff"

    def history(self) -> str:
        return f"{self._at}/history"

    def search(self) -> Html:
        return search_form(self._at, self._asked)

    def of_subject(self, term: str) -> str:
        return f"{self._at}/history?{urlencode({'subject': term})}"

    def _change(self, old: int, new: int, format: str) -> str:
        return f"{self._at}/diff?{urlencode({'from': old, 'to': new, 'format': format})}"


def sent(page: str, **headers: str) -> Response:
    """Returns the answer with a page."""
    policy = {"Content-Security-Policy": SERVED, "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"} | VARY  # fmt: skip
    return HTMLResponse(page, headers=policy | headers)


def problem(found: Problem) -> Response:
    """Returns the page of an error."""
    title = HTTPStatus(found.status).phrase
    page = sent(problem_page(found.status, title, found.detail, _STYLE), **found.headers)
    page.status_code = found.status
    return page


async def style(request: Request) -> Response:  # noqa: ARG001
    """``GET /-/style.css``."""
    return Response(
        STYLE + show_style(), media_type="text/css", headers={"Cache-Control": "max-age=3600"}
    )


def logs(names: list[str]) -> Response:
    """Returns the page that lists the logs."""
    return sent(logs_page(names, _STYLE))


async def log(request: Request, name: str, found: FolderLog, info: LogInfo) -> Response:
    """Returns the page of a log."""
    page = number(request, "page") or 1
    asked = request.query_params.get("q", "").strip()
    now = tag_of(info, f"page{page}")
    if not asked and agrees(request, now):
        return Response(status_code=304, headers={"ETag": now})

    def make() -> str:
        links = _Links(name, asked)
        if asked:
            return found_page(info._replace(name=name), asked, _matching(found, info, asked), links)
        known = known_of(request, name, found, info)
        counts = known.counts(info.head.version)
        versions = newest(found, info, page)
        if not versions and page > 1:
            raise Problem(404, "path", "there is no such page")
        churn = []
        if page == 1 and counts.bytes <= _COUNTED:
            terms = _terms(request, name, found, info, info.head.version)
            churn = known.churn(info.head.version).html(terms)
        return log_page(info._replace(name=name), counts, churn, versions, page, links)

    said = {} if asked else {"ETag": now}
    return sent(await run_in_threadpool(make), **said)


async def version(request: Request, name: str, found: FolderLog, of: int) -> Response:
    """Returns the page of a version."""

    def make() -> str:
        info = found.info()
        one = next(found.versions(of - 1, of))
        terms = _terms(request, name, found, info, of)
        return version_page(info._replace(name=name), one, rows_of(found, one, terms), terms, _Links(name))  # fmt: skip

    return sent(await run_in_threadpool(make))


async def diff(request: Request, name: str, found: FolderLog, old: int, new: int) -> Response:
    """Returns the page of a difference."""
    limits: Limits = request.app.state.limits

    def make() -> str:
        info, links = found.info(), _Links(name)
        terms = _terms(request, name, found, info, max(old, new))
        change = found_change(found, old, new, limits, terms)
        files = {
            format: links._change(old, new, format) for format in ("rdfp", "jelly-patch", "trp")
        }
        return diff_page(info._replace(name=name), old, new, change, links, files)

    with place(request, "datasets"):
        return sent(await run_in_threadpool(make))


def found_change(found: FolderLog, old: int, new: int, limits: Limits, terms: Terms) -> Shown:
    """Renders the net change as HTML: with labels and nested nodes, or, if it is large, only the first rows."""
    if old == new:
        return show_rows((), terms)
    with work_folder(found.work) as work:
        patch, base = work / "net.jellyp", work / "old.jelly"
        with patch.open("wb") as file:
            write_change(found, old, new, limits, "jelly-patch", file)
        if patch.stat().st_size <= _READABLE:
            write_state(found, base, old, "jelly", limits)
            return show_change(patch, base)
        with closing(read_patch(patch)) as reader:
            return show_rows(reader.rows(), terms)


async def history(request: Request, name: str, found: FolderLog) -> Response:
    """Returns the page of a history."""
    pattern = pattern_of(request)

    def make() -> str:
        info = found.info()
        terms = _terms(request, name, found, info, info.head.version)
        periods = list(islice(periods_of(found, pattern), PERIODS + 1))
        return history_page(info._replace(name=name), pattern, periods, terms, _Links(name))  # fmt: skip

    with place(request, "datasets"):
        return sent(await run_in_threadpool(make))


def _matching(found: FolderLog, info: LogInfo, asked: str) -> list[LogVersion]:
    """Returns the newest versions that contain a text in their number, time, headers or id."""
    wanted = asked.lower()
    last = deque(maxlen=EACH)  # type: deque[LogVersion]
    for one in found.versions(info.first - 1, info.head.version):
        said = (
            one.version,
            one.time or "",
            one.id or "",
            *(part for pair in one.headers for part in pair),
        )
        if any(wanted in str(part).lower() for part in said):
            last.append(one)
    return [*reversed(last)]


def known_of(request: Request, name: str, found: FolderLog, info: LogInfo) -> Known:
    """Returns the cached data for the pages of a log; the cache is dropped when the log is opened again."""
    kept: dict[str, Known] = request.app.state.known
    if name not in kept or kept[name].log is not found:
        kept[name] = Known(found, info)
    return kept[name]


def _terms(request: Request, name: str, found: FolderLog, info: LogInfo, upto: int) -> Terms:
    prefixes = known_of(request, name, found, info).prefixes(upto)
    return Terms(prefixes, _Links(name).of_subject if info.base is not None else None)
