"""The protocol of RDF Delta, under ``/-/delta/``: clients create logs, append patches and fetch them."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from jelly._whole_file import work_folder
from jelly.errors import JellyError
from jelly.log import Head
from jelly.log._folder import FolderLog
from jelly.log._patch import Prepared
from jelly.service import _bodies, _changes
from jelly.service._delta_ids import Known, renamed, shown
from jelly.service._delta_locks import Locks
from jelly.service._formats import PATCHES, sent
from jelly.service._guard import check_scope
from jelly.service._logs import Logs, asked_log, readable
from jelly.service._places import place
from jelly.service._problems import Problem, no_log
from jelly.service._rules import refuse_draining
from jelly.service._spool import Spooled, spooled
from jelly.service._states import write_state

# an RPC request names only a log or some locks
_MOST_RPC = 1 << 20
# literals and IRIs, which may contain "_:", and blank node labels
_TERM = re.compile(rb'"(?:[^"\\]|\\.)*"|<[^<>]*>|_:(\S+)')


class Delta:
    """The state of the protocol for the logs of a server, in memory."""

    def __init__(self) -> None:
        self.known, self.locks = Known(), Locks()

    def routes(self, methods: Callable[..., Any]) -> list[Route]:
        """Returns the routes; ``methods`` dispatches a path by the method of the request."""
        return [
            Route("/-/delta/$/ping", methods(GET=_ping, POST=_ping)),
            Route("/-/delta/$/rpc", methods(POST=self._rpc)),
            Route("/-/delta/init-data", methods(GET=self._initial)),
            Route("/-/delta/{log}", methods(GET=self._fetch, POST=self._append, PATCH=self._append)),
            Route("/-/delta/{log}/init", methods(GET=self._initial)),
            Route("/-/delta/{log}/{version}", methods(GET=self._fetch)),
        ]  # fmt: skip

    async def _log(
        self,
        request: Request,
        wanted: str,
        given: str,
        find: Callable[[Request, str], Awaitable[FolderLog]] = asked_log,
    ) -> tuple[str, FolderLog]:
        """Returns the name and the log given by name, URI or UUID, and checks the scope ``wanted``.

        Raises:
            Problem: There is no such log or the token must not know about it (404), or the token does not allow this
                (403).
        """
        name = await run_in_threadpool(self.known.name_of, request.app.state.logs, given)
        try:
            check_scope(request.scope, wanted, name)
            return name, await find(request, name)
        except Problem as problem:
            if problem.status != 404:
                raise
            raise no_log(given) from None  # not what else the log is called

    async def _append(self, request: Request) -> Response:
        """``POST /-/delta/{log}``: appends a patch; a patch without ``H prev`` begins the log."""
        given = request.path_params["log"]
        name, log = await self._log(request, "publish", given, _changes.log_of)
        format, compression = sent(request, PATCHES, untyped="application/rdf-patch")
        reading = _changes.reader_of(request, log, format, compression)

        def read(body: bytes | Path, work: Path) -> Prepared:
            found = reading(body, work)
            real = self._real_prev(log, found.summary.prev)
            if real is None:
                return found
            again = work / "again"
            again.mkdir()
            renamed(body, again / "body", format, {"prev": real}, compression=compression)
            return _changes.reader_of(request, log, "rdfp", "none")(again / "body", again)

        def expect(found: Prepared) -> int | None:
            return None if found.summary.prev else 0

        try:
            done, _ = await _changes.published(request, name, log, read, expect)
        except JellyError as error:
            if error.kind != "patch.conflict":
                raise
            said = {
                "error": "patch-conflict",
                "log_info": await self._described(request, name, log),
            }
            return JSONResponse(said, 400)
        where = f"{request.url.path}?version={done.version}"
        return JSONResponse(
            {"version": done.version, "location": where}, headers={"Location": where}
        )

    def _real_prev(self, log: FolderLog, prev: str | None) -> str | None:
        """Returns the id of the head, if ``prev`` is the UUID that clients see instead of it."""
        head = log.head
        if prev is None or head.id is None or shown(prev) != shown(head.id):
            return None
        return head.id if shown(head.id) not in head.id.lower() else None

    async def _fetch(self, request: Request) -> Response:
        """``GET /-/delta/{log}/{version or uuid}``: one patch, as text."""
        _, log = await self._log(request, "read", request.path_params["log"])
        query = request.query_params
        asked = request.path_params.get("version") or query.get("version") or query.get("patch")
        if asked is None:
            raise Problem(
                400,
                "query",
                "this is neither a version nor the id of a patch; use GET /{log}/{version}",
            )
        version = await run_in_threadpool(self.known.version_of, log, asked)

        def write(spool: Any) -> None:
            found = log.fetch(version, spool, to="rdfp")
            new = {key: f"<uuid:{shown(id)}>" for key, id in (("id", found.id), ("prev", found.prev)) if id and shown(id) not in id.lower()}  # fmt: skip
            if new:
                spool.seek(0)
                old = spool.read()
                spool.seek(0)
                spool.truncate()
                renamed(old, spool, "rdfp", new)

        spool = await run_in_threadpool(spooled, write)
        return Spooled(spool, "application/rdf-patch", {"jelly-version": str(version)})

    async def _initial(self, request: Request) -> Response:
        """``GET /-/delta/init-data?datasource=``, ``/-/delta/{log}/init``: the dataset before the first patch."""
        given = request.path_params.get("log") or request.query_params.get("datasource", "")
        name, log = await self._log(request, "read", given)
        limits = request.app.state.limits

        def write(spool: Any) -> None:
            plain = spooled(lambda file: write_state(log, file, log.info().first - 1, "nq", limits))
            with plain:
                spool.writelines(_TERM.sub(_label, line) for line in plain)

        with place(request, "datasets"):
            spool = await run_in_threadpool(spooled, write)
        return Spooled(spool, "application/n-quads", {"Content-Disposition": f'attachment; filename="{name}.nq"'})  # fmt: skip

    async def _rpc(self, request: Request) -> Response:
        """``POST /-/delta/$/rpc``: ``{"operation": ..., "opid": ..., "arg": {...}}``."""
        said = await _json_of(request)
        operation, arg = said.get("operation"), said.get("arg")
        if not isinstance(operation, str) or "opid" not in said or not isinstance(arg, dict):
            raise Problem(400, "rpc", "expected an object with operation, opid and arg; arg must be an object")  # fmt: skip
        if operation in _LOCKS:
            return JSONResponse(await self._lock(request, operation, arg))
        if operation in _LISTS:
            check_scope(request.scope, "read", None)
            return JSONResponse({"array": await self._all(request, operation)})
        if operation == "ping":
            return await _ping(request)
        if operation in ("describe_datasource", "describe_log"):
            return JSONResponse(await self._describe(request, operation, arg))
        if operation == "create_datasource":
            return JSONResponse({"id": await self._create(request, arg)})
        if operation in ("copy_datasource", "rename_datasource", "remove_datasource"):
            raise Problem(400, "rpc", f"{operation}: the owner of the folder of the logs does this in the folder")  # fmt: skip
        raise Problem(400, "rpc", f"there is no operation {operation[:64]!r}")

    async def _all(self, request: Request, operation: str) -> list[Any]:
        found: list[Any] = []
        for name in await readable(request):
            log = await asked_log(request, name)
            found.append(_part(await self._described(request, name, log), operation))
        return found

    async def _describe(self, request: Request, operation: str, arg: dict[str, Any]) -> Any:
        if operation == "describe_log":
            given = _text(arg, "datasource")
        else:
            keys = [key for key in ("datasource", "name", "uri") if key in arg]
            given = _text(arg, keys[0] if keys else "datasource, name or uri")
        try:
            found = await self._log(request, "read", given)
        except Problem as problem:
            if problem.status != 404:
                raise
            return {}
        return _part(await self._described(request, *found), operation)

    async def _described(self, request: Request, name: str, log: FolderLog) -> dict[str, Any]:
        info = await run_in_threadpool(log.info)
        head: Head = info.head
        is_empty = head.version < info.first
        return {
            "id": f"id:{self.known.id_of(name, info.id)}",
            "name": name,
            "uri": await run_in_threadpool(self.known.uri_of, request.app.state.logs, name),
            "min_version": head.version if is_empty else info.first,
            "max_version": head.version,
            "latest": f"id:{shown(head.id)}" if head.id is not None else "",
        }

    async def _create(self, request: Request, arg: dict[str, Any]) -> str:
        name, uri = _text(arg, "name"), arg.get("uri")
        if not (uri is None or isinstance(uri, str)):
            raise Problem(400, "rpc", "uri must be a string")
        check_scope(request.scope, "admin", name)
        logs: Logs = request.app.state.logs
        refuse_draining(logs)
        more = {} if uri is None else {"uri": uri}
        with place(request, "datasets"), work_folder(logs.root) as work:
            is_new = await run_in_threadpool(lambda: logs.is_free(name) and logs.make(name, None, "auto", work, more))  # fmt: skip
        if not is_new:
            raise Problem(400, "rpc", f"the log {name!r} exists already")
        log = await run_in_threadpool(logs.get, name)
        return self.known.id_of(name, log.info().id)

    async def _lock(self, request: Request, operation: str, arg: dict[str, Any]) -> Any:
        if operation == "lock-refresh":
            asked = arg.get("array")
            if not isinstance(asked, list) or not all(isinstance(one, dict) for one in asked):
                raise Problem(400, "rpc", "lock-refresh needs array, an array of objects")
            failed = []
            for one in asked:
                name, _ = await self._log(request, "publish", _text(one, "datasource"))
                if not self.locks.refresh(name, _text(one, "lock-ref")):
                    failed.append(one)
            return {"array": failed}
        wanted = "read" if operation == "lock-read" else "publish"
        name, _ = await self._log(request, wanted, _text(arg, "datasource"))
        if operation == "lock":
            return {"lock-ref": self.locks.take(name)}
        if operation == "lock-read":
            held = self.locks.read(name)
            return {} if held is None else {"lock-ref": held[0], "lock-ticks": held[1]}
        if operation == "lock-grab":
            return {"lock-ref": self.locks.grab(name, _text(arg, "lock-ref"))}
        self.locks.free(name, _text(arg, "lock-ref"))
        return {}


_LISTS = ("list_datasource", "list_descriptions", "list_log_info")
_LOCKS = ("lock", "lock-refresh", "lock-read", "lock-grab", "unlock")


async def _ping(request: Request) -> Response:  # noqa: ARG001
    return JSONResponse({"value": datetime.now(UTC).isoformat(timespec="milliseconds")})


def _part(info: dict[str, Any], operation: str) -> Any:
    """Returns the part of a description that an operation requests."""
    if operation == "list_datasource":
        return info["id"].removeprefix("id:")
    if operation in ("list_descriptions", "describe_datasource"):
        return {key: info[key] for key in ("id", "name", "uri")}
    return info


def _text(arg: dict[str, Any], key: str) -> str:
    found = arg.get(key)
    if not isinstance(found, str):
        raise Problem(400, "rpc", f"the arg of the operation needs {key}, a string")
    return found


def _label(match: re.Match[bytes]) -> bytes:
    """Writes a blank node as ``<_:label>``, so that Jena keeps its label; Jena renames ``_:label``."""
    return match[0] if match[1] is None else b"<_:" + match[1] + b">"


async def _json_of(request: Request) -> dict[str, Any]:
    logs: Logs = request.app.state.logs
    with work_folder(logs.root) as work:
        text = await _bodies.received(request, work / "body", request.app.state.limits)
        if not isinstance(text, bytes) or len(text) > _MOST_RPC:
            raise Problem(413, "body", f"the body has more than {_MOST_RPC} bytes")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Problem(400, "rpc", f"the body is not JSON: {error}") from None
    if not isinstance(said, dict):
        raise Problem(400, "rpc", "the body is not a JSON object")
    return said
