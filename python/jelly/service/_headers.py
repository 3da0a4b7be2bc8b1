"""Headers of requests that are lists: lines of the same header are one list (RFC 9110, section 5.3)."""

from __future__ import annotations

import re

from starlette.datastructures import Headers

from jelly._inputs import whole_number

# what is between two commas; a comma within quotes is none
_ITEM = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^,])+')
_PREFERENCE = re.compile(
    r"""\s*+([\w!#$%&'*+.^`|~-]++)\s*+(?:=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^\s;"]*+))\s*+)?(?:;.*)?""",
    re.ASCII,
)


def listed(headers: Headers, name: str) -> str | None:
    """The list of a header; None: there is none."""
    lines = headers.getlist(name)
    return ", ".join(lines) if lines else None


def preferences(headers: Headers) -> dict[str, str]:
    """What ``Prefer`` asks for (RFC 7240), in lower case; the first of several values counts."""
    found: dict[str, str] = {}
    for item in _ITEM.findall(listed(headers, "prefer") or ""):
        if match := _PREFERENCE.fullmatch(item):
            name, quoted, plain = match.groups()
            value = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain or ""
            found.setdefault(name.lower(), value.lower())
    return found


def wait_of(headers: Headers) -> int:
    """Seconds that a request is willing to wait."""
    return min(whole_number(preferences(headers).get("wait", "")) or 0, 60)
