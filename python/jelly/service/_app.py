"""The ASGI application of ``jelly serve``: the resources of logs."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from jelly.errors import JellyError
from jelly.service import _changes, _compare_views, _events, _feed, _pages, _views
from jelly.service._coding import Coding
from jelly.service._conditions import agrees
from jelly.service._delta import Delta
from jelly.service._formats import ACCEPT_PATCH
from jelly.service._guard import LOCAL, Guard
from jelly.service._limits import Limits, Rates
from jelly.service._logs import Logs, refuse_mixed
from jelly.service._places import BUSY
from jelly.service._problems import Problem, answer, is_logged, problem_of
from jelly.service._spool import Spooled
from jelly.service._stores import logs_at
from jelly.service._tokens import Tokens

_LOG = logging.getLogger("jelly.service")


def app(
    root: str | os.PathLike[str],
    *,
    tokens: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    read_only: bool = False,
    hosts: Collection[str] | None = LOCAL,
    cors: Collection[str] = (),
    trust_header: str | None = None,
    proxy_addresses: Collection[str] = (),
    require_condition: bool = False,
    record_publisher: bool = False,
    delta: bool = False,
    storage: Mapping[str, Any] | None = None,
) -> Any:
    """Makes the ASGI application that serves the logs in a folder or an object store.

    Args:
        root: A folder of logs, or an address in an object store such as ``s3://bucket/logs``. The server keeps copies
            of the logs in a temporary folder; patches are written to the store first.
        tokens: A file of ``name sha256 scopes logs``; without it, every request may do everything.
        limits: The limits of the server.
        read_only: Reject every request that changes something.
        hosts: Names of the server that ``Host`` of requests may have; None for any.
        cors: Origins such as ``https://example.org`` whose pages may send requests.
        trust_header: A header with the name of the user, which a proxy sets: a name in the tokens file, with ``-``
            for the hash. The header counts only from ``proxy_addresses``.
        proxy_addresses: Addresses of that proxy.
        require_condition: Reject publishes without If-Match, If-None-Match, ``?expect=`` or ``H prev``.
        record_publisher: Add the name of the token to each patch as ``H publisher``.
        delta: Speak the protocol of RDF Delta too, under ``/-/delta/``.
        storage: How to reach an object store, as for :class:`jelly.Log`.

    Returns:
        The application, for uvicorn and other ASGI servers.

    Raises:
        ValueError: The tokens file is not valid, or an option needs another option.
        OSError: The folder or the file of tokens cannot be read.
    """
    if bool(trust_header) != bool(proxy_addresses) or (trust_header and not tokens):
        raise ValueError("--trust-header needs --proxy-address and --tokens: only the proxy may name the user")  # fmt: skip
    if record_publisher and not tokens:
        raise ValueError("--record-publisher needs --tokens, because only tokens have names")
    logs = logs_at(root, storage)
    routes = [
        *(Delta().routes(_Methods) if delta else []),
        Route("/", _Methods(GET=_views.names)),
        Route("/-/health", _Methods(GET=_alive)),
        Route("/-/ready", _Methods(GET=_ready)),
        Route("/-/style.css", _Methods(GET=_pages.style)),
        Route("/-/metrics", _Methods(GET=_metrics)),
        Route(
            "/{log}",
            _Methods(
                {"GET": "format page q", "PUT": "", "POST": "expect"},
                GET=_views.info,
                PUT=_changes.create,
                POST=_changes.publish,
            ),
        ),
        Route("/{log}/versions", _Methods("after upto since format", GET=_views.versions)),
        Route("/{log}/patches", _Methods("after upto limit id chain format", GET=_views.patches)),
        Route("/{log}/patches/{version}", _Methods("chain format", GET=_views.patch)),
        Route(
            "/{log}/data",
            _Methods(
                {"GET": "version format", "PATCH": "expect"},
                GET=_views.data,
                PATCH=_changes.patch_data,
            ),
        ),
        Route(
            "/{log}/patch",
            _Methods("expect", POST=_changes.patch_alias, PATCH=_changes.patch_alias),
        ),
        Route("/{log}/compact", _Methods("upto", POST=_changes.compact)),
        Route("/{log}/diff", _Methods("from to format", GET=_compare_views.diff)),
        Route("/{log}/feed.atom", _Methods("", GET=_feed.feed)),
        Route(
            "/{log}/history",
            _Methods("subject predicate object graph format", GET=_compare_views.periods),
        ),
        Route("/{log}/events", _Methods("after", GET=_events.events)),
    ]
    handlers: dict[Any, Any] = dict.fromkeys(
        (Problem, JellyError, OSError, HTTPException, Exception), _refuse
    )
    service = Starlette(routes=routes, exception_handlers=handlers)
    service.router.redirect_slashes = False
    service.state.logs = logs
    limits = service.state.limits = limits or Limits()
    service.state.busy = Counter()
    service.state.known = {}
    service.state.decoders = CapacityLimiter(max(1, min(limits.decoders, os.cpu_count() or 1)))
    service.state.writers = CapacityLimiter(max(1, limits.publishes))
    service.state.requires_condition = require_condition
    service.state.records_publisher = record_publisher
    names = None if hosts is None else {name.lower() for name in hosts}
    guard = Guard(
        Coding(service), Tokens(Path(tokens)) if tokens else None, names,
        read_only=read_only, origins=cors, rates=Rates(limits.requests),
        trusted=(trust_header.lower(), proxy_addresses) if trust_header else None,
    )  # fmt: skip
    service.state.guard = guard
    guard.state = service.state
    if not cors:
        return guard
    return CORSMiddleware(
        guard, allow_origins=list(cors), allow_methods=["GET", "HEAD", "POST", "PUT", "PATCH"],
        allow_headers=_ASKED, expose_headers=_TOLD,
    )  # fmt: skip


def logs_of(application: Any) -> Logs:
    """Returns the logs that an application serves."""
    guard: Any = application.app if isinstance(application, CORSMiddleware) else application
    logs: Logs = guard.state.logs
    return logs


# headers that pages of other sites may send and read
_ASKED = ["Accept", "Authorization", "Content-Type", "Content-Encoding", "If-Match", "If-None-Match", "Prefer", "Last-Event-ID"]  # fmt: skip
_TOLD = ["ETag", "Location", "Accept-Patch", "jelly-after", "jelly-upto", "jelly-version", "jelly-digest"]  # fmt: skip


class _Methods:
    """Dispatches a path by method; other methods are 405, and ``OPTIONS`` lists the methods.

    Args:
        query: Names of query parameters, for all methods or by method; other parameters are 400, because the answer
            without them would look like the requested one. None: any. Pages accept other parameters, which sites add
            to links.
        **endpoints: Endpoints by method.
    """

    def __init__(self, query: str | Mapping[str, str] | None = None, **endpoints: Any) -> None:
        self._endpoints = endpoints
        if "GET" in endpoints:
            self._endpoints["HEAD"] = endpoints["GET"]
        self._query = dict.fromkeys(endpoints, query) if isinstance(query, str) else query
        self._allow = ", ".join([*self._endpoints, "OPTIONS"])

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive, send)
        headers = {"Allow": self._allow}
        if request.method == "OPTIONS":
            headers |= {"Accept-Patch": ACCEPT_PATCH, "Accept-Post": ACCEPT_PATCH}
            response: Response = Response(status_code=204, headers=headers)
        elif (endpoint := self._endpoints.get(request.method)) is None:
            raise Problem(405, "method", f"{request.method} is not allowed for this path; allowed: {self._allow}", headers)  # fmt: skip
        else:
            reads = request.method in ("GET", "HEAD")
            if self._query is not None and not (reads and _pages.asks_page(request)):
                known = self._query["GET" if reads else request.method]
                self._refuse_unknown(request, known.split())
            response = await self._answer(endpoint, request, reads=reads)
        await response(scope, receive, send)

    @staticmethod
    async def _answer(endpoint: Any, request: Request, *, reads: bool) -> Response:
        """An answer of one log, or the error of a log that is gone or was replaced."""
        try:
            response: Response = await endpoint(request)
        except Exception as error:
            await refuse_mixed(request, error)
            raise
        is_sent = False
        try:
            if reads:
                await refuse_mixed(request)
            # an answer with a tag was compared before it was made
            is_compared = not reads or response.status_code != 200 or "etag" in response.headers
            is_sent = is_compared or not agrees(request, None)
        finally:
            if not is_sent and isinstance(response, Spooled):
                response.close()
        return response if is_sent else Response(status_code=304)

    @staticmethod
    def _refuse_unknown(request: Request, known: list[str]) -> None:
        if unknown := [name for name in request.query_params if name not in known]:
            takes = ", ".join(f"{name}=" for name in known) or "none"
            raise Problem(400, "query", f"{unknown[0][:64]!r} is not a parameter of {request.method} for this path; its parameters: {takes}")  # fmt: skip


async def _refuse(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        detail = "there is nothing at this path" if error.status_code == 404 else error.detail
        error = Problem(error.status_code, "path", detail, dict(error.headers or {}))
    problem = problem_of(error, publishes=request.method not in ("GET", "HEAD"))
    if is_logged(problem):
        _LOG.error("request %s failed", request.state.number, exc_info=error)
    if problem.kind in ("patch.conflict", "patch.duplicate") and "head" not in problem.more:
        with suppress(Problem, JellyError, OSError):  # the log may be gone
            log = await run_in_threadpool(request.app.state.logs.get, request.path_params["log"])
            problem.more["head"] = log.head._asdict()
    if request.method == "GET" and _pages.asks_page(request):
        return _pages.problem(problem)
    return answer(problem)


async def _alive(request: Request) -> Response:  # noqa: ARG001
    return JSONResponse({"alive": True})


async def _ready(request: Request) -> Response:
    logs: Logs = request.app.state.logs
    tokens: Tokens | None = request.app.state.guard.tokens
    if logs.is_draining:
        return JSONResponse({"ready": False}, 503)
    if tokens is not None:
        tokens.read()
    return JSONResponse({"ready": True, "logs": len(await run_in_threadpool(logs.names))})


async def _metrics(request: Request) -> Response:
    lines = ["# TYPE jelly_answers_total counter"]
    for status, number in sorted(request.app.state.guard.answers.items()):
        lines.append(f'jelly_answers_total{{status="{status}"}} {number}')
    busy: Counter[tuple[str, str]] = request.app.state.busy
    for name in BUSY:
        number = sum(taken for (what, _), taken in busy.items() if what == name)
        lines += [f"# TYPE jelly_{name} gauge", f"jelly_{name} {number}"]
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")
