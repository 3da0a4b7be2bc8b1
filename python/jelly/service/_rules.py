"""Rules of a server for publishes, in addition to the rules of the log."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request

from jelly._history import verify_log
from jelly._log_files import stored_format
from jelly.log import Head, Published
from jelly.log._folder import FolderLog
from jelly.log._patch import Prepared, refused
from jelly.service._limits import Limits
from jelly.service._logs import Logs
from jelly.service._problems import Problem, reading_body
from jelly.service._states import write_state
from jelly.service._tokens import Token


def refuse_draining(logs: Logs) -> None:
    """Rejects changes while the server stops.

    Raises:
        Problem: The server is stopping (503).
    """
    if logs.is_draining:
        raise Problem(503, "draining", "the server is stopping; try again", {"Retry-After": "5", "Connection": "close"})  # fmt: skip


def read_patch_of(log: FolderLog, read: Callable[[], Prepared]) -> Prepared:
    """Reads the patch of a request; damage of the log is an error before an error of the patch.

    Raises:
        Problem: The patch is at fault (4xx).
        JellyError: The log is damaged.
    """
    log.contents.expected()
    with reading_body():
        return read()


def headers_of(request: Request) -> dict[str, str]:
    """Returns the headers that the server adds to a patch: the publisher, if it is recorded."""
    if not request.app.state.records_publisher:
        return {}
    return publisher_of(getattr(request.state, "token", None))


def publisher_of(token: Token | None) -> dict[str, str]:
    """Returns the header with the name of the token."""
    if token is None:
        return {}
    name = token.name.replace("\\", "\\\\").replace('"', '\\"')
    return {"publisher": f'"{name}"'}


def check_publisher(headers: dict[str, str], found: Prepared) -> None:
    """Rejects a patch with its own header ``publisher``, if the server adds this header.

    Raises:
        PatchError: The patch has the header (``patch.header``).
    """
    if headers and "publisher" in found.summary.said:
        message = "the server adds the header 'publisher': publish the patch without it"
        raise refused("patch.header", message)


def check_condition(request: Request, found: Prepared, expect: object) -> None:
    """Rejects a publish without a condition, if the server requires one.

    Raises:
        Problem: The request has neither If-Match, If-None-Match, ?expect= nor H prev (428).
    """
    if not request.app.state.requires_condition or expect is not None or found.summary.prev:
        return
    if not any(name in request.headers for name in ("if-match", "if-none-match")):
        raise Problem(428, "condition", "a condition is required: If-Match with the ETag of the log, H prev, or ?expect=")  # fmt: skip


def published_strictly(
    log: FolderLog,
    found: Prepared,
    expect: int | str | None,
    check: Callable[[Head], None] | None,
    limits: Limits,
) -> Published:
    """Publishes a patch if each of its rows changes something (``Prefer: handling=strict``).

    Raises:
        PatchError: A row changes nothing (``patch.effect``), or as for :meth:`jelly.Log.publish`.
    """
    base = found.path.parent / "before.jelly"
    while True:
        head = log.head
        if not log.would_replay(found.summary, head, expect):
            write_state(log, base, head.version, "jelly", limits)
            report = verify_log(
                found.path, base=base, chain="ignore", patch_format=stored_format(found.ending)
            )
            if report.without_effect:
                message = (
                    f"{report.without_effect} rows change nothing: {report.problems[0].message}"
                )
                raise refused("patch.effect", message)

        def still(now: Head, head: Head = head) -> None:
            if now != head:
                raise _MovedError
            if check is not None:
                check(now)

        try:
            return log.publish_prepared(found, expect, check=still)
        except _MovedError:
            continue


class _MovedError(Exception):
    """Another patch was published meanwhile."""
