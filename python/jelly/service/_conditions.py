"""Entity tags and conditions of requests (RFC 9110, section 13)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from starlette.requests import Request

from jelly import _internal
from jelly._inputs import whole_number
from jelly.log import Head
from jelly.log._folder import FolderLog
from jelly.log._types import LogInfo
from jelly.service._coding import CODINGS
from jelly.service._headers import listed
from jelly.service._problems import Problem

_TAG = re.compile(r'(W/)?"([^"]*)"')


def tag(id: str | None, head: Head, *more: str, first: int = 1) -> str:
    """Returns the tag of a log: its version, a digest of the ids of the log and of the head, and its first version if it was compacted."""
    last = None if head.id is None else _internal.identify(head.id)[1]
    digest = hashlib.sha256(f"{id}\n{last}".encode()).hexdigest()[:16]
    begin = [f"from{first}"] if first > 1 else []
    return '"' + ".".join([str(head.version), digest, *begin, *more]) + '"'


def tag_of(info: LogInfo, *more: str) -> str:
    """Returns the tag of a description of a log."""
    return tag(info.id, info.head, *more, first=info.first)


def agrees(request: Request, now: str | None) -> bool:
    """Returns whether ``If-None-Match`` contains the tag of the answer; None: an answer without a tag, which only ``*`` matches.

    Raises:
        Problem: ``If-Match`` does not contain it (412).
    """
    match, none = (listed(request.headers, name) for name in ("if-match", "if-none-match"))
    if match is not None and not _has(match, now, strong=True):
        found = "the answer has no tag" if now is None else f"the tag is {now}"
        raise Problem(412, "condition", f"If-Match is {match}, but {found}")
    return none is not None and _has(none, now, strong=False)


def _has(given: str, now: str | None, *, strong: bool) -> bool:
    """Returns whether a list of tags has the tag of an answer; ``*`` is any."""
    # the tag of a compressed answer is the tag of the plain answer, followed by the coding
    tags = [re.sub(rf"\.({'|'.join(CODINGS)})$", "", one) for one in _tags(given, strong=strong)]
    return given.strip() == "*" or (now is not None and now.strip('"') in tags)


def head_check(request: Request, id: str | None) -> Callable[[Head], None] | None:
    """Returns a check of the head by ``If-Match`` and ``If-None-Match`` of a change; None without these headers."""
    match, none = (listed(request.headers, name) for name in ("if-match", "if-none-match"))
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
    """Returns whether a list of tags contains the tag of the log; ``*`` matches any version."""
    if given.strip() == "*":
        return head.version > 0
    # a tag of the data ends with the format, and a tag of a compressed answer with the coding
    tags = [".".join(one.split(".")[:2]) for one in _tags(given, strong=strong)]
    return now.strip('"') in tags


def _tags(given: str, *, strong: bool = False) -> list[str]:
    """Returns the tags of a list; a strong comparison ignores weak tags (RFC 9110, section 8.8.3.2)."""
    return [opaque for weak, opaque in _TAG.findall(given) if not (weak and strong)]


def _failed(detail: str, head: Head) -> Problem:
    return Problem(412, "patch.conflict", detail, head=head._asdict())


def version_of(log: FolderLog, text: str) -> int:
    """Returns the number of a version that a request gives by number or id; 0 is the base of the log.

    Raises:
        PatchError: The log does not have this version (``patch.version``), or its patch is gone (``patch.gap``).
    """
    version = whole_number(text)
    return log.contents.state(text if version is None else version)


def number(request: Request, name: str) -> int | None:
    """Returns a number of the query; None if it is missing.

    Raises:
        Problem: The value is not a number (400).
    """
    text = request.query_params.get(name)
    found = None if text is None else whole_number(text)
    if text is not None and found is None:
        raise Problem(400, "query", f"{name} is {text!r}; expected a whole number")
    return found
