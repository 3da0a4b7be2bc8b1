"""Entity tags and what requests ask of them (RFC 9110, section 13)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import Request

from jelly import _internal
from jelly._inputs import whole_number
from jelly.log import Head
from jelly.log._folder import FolderLog
from jelly.service._coding import CODINGS
from jelly.service._problems import Problem

_TAG = re.compile(r'(W/)?"([^"]*)"')
_WAIT = re.compile(r"\bwait=(\d{1,4})\b")


def tag(id: str | None, head: Head, *more: str) -> str:
    """The tag of a log: version, and a digest of its own id and that of the head."""
    last = None if head.id is None else _internal.identify(head.id)[1]
    digest = hashlib.sha256(f"{id}\n{last}".encode()).hexdigest()[:16]
    return '"' + ".".join([str(head.version), digest, *more]) + '"'


def condition(headers: Headers, name: str) -> str | None:
    """A list of tags; lines of the same header are one list (RFC 9110, section 5.3). None: there is none."""
    lines = headers.getlist(name)
    return ", ".join(lines) if lines else None


def agrees(request: Request, now: str) -> bool:
    """Whether ``If-None-Match`` has the tag."""
    given = condition(request.headers, "if-none-match")
    if given is None:
        return False
    # the tag of a compressed answer has its coding behind that of the answer
    tags = [re.sub(rf"\.({'|'.join(CODINGS)})$", "", one) for one in _tags(given)]
    return given.strip() == "*" or now.strip('"') in tags


def head_check(request: Request, id: str | None) -> Callable[[Head], None] | None:
    """What ``If-Match`` and ``If-None-Match`` of a change ask of the head."""
    match, none = (condition(request.headers, name) for name in ("if-match", "if-none-match"))
    if match is None and none is None:
        return None

    def check(head: Head) -> None:
        now = tag(id, head)
        if match is not None and not _names(match, head, now, strong=True):
            raise _failed(f"If-Match is {match}, but the tag is {now}", head)
        if none is not None and _names(none, head, now, strong=False):
            raise _failed(f"If-None-Match is {none}, but the tag is {now}", head)

    return check


def _names(given: str, head: Head, now: str, *, strong: bool) -> bool:
    """Whether a list of tags has that of the log; ``*`` is any version."""
    if given.strip() == "*":
        return head.version > 0
    # a tag of the data has the format behind that of the log, and one of a compressed answer its coding
    tags = [".".join(one.split(".")[:2]) for one in _tags(given, strong=strong)]
    return now.strip('"') in tags


def _tags(given: str, *, strong: bool = False) -> list[str]:
    """The tags of a list; a strong comparison takes no weak one (RFC 9110, section 8.8.3.2)."""
    return [opaque for weak, opaque in _TAG.findall(given) if not (weak and strong)]


def _failed(detail: str, head: Head) -> Problem:
    return Problem(412, "patch.conflict", detail, head=head._asdict())


def wait_of(request: Request) -> int:
    """Seconds that the request is willing to wait (RFC 7240)."""
    found = _WAIT.search(request.headers.get("prefer", ""))
    return min(int(found[1]), 60) if found else 0


def version_of(log: FolderLog, text: str) -> int:
    """The number of a version that a request names by number or id; 0 is what the log begins with.

    Raises:
        PatchError: The log does not have this version (``patch.version``), or no longer (``patch.gap``).
    """
    version = whole_number(text)
    return log.contents.state(text if version is None else version)


def number(request: Request, name: str) -> int | None:
    """A number of the query; None: it is not there.

    Raises:
        Problem: It is none (400).
    """
    text = request.query_params.get(name)
    found = None if text is None else whole_number(text)
    if text is not None and found is None:
        raise Problem(400, "query", f"{name} is {text!r}; expected a whole number")
    return found
