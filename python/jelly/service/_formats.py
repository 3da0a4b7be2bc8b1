"""Media types: the format of a body, and the format of an answer."""

from __future__ import annotations

from email.message import Message
from typing import Any, NamedTuple

from starlette.requests import Request

from jelly.service._headers import listed
from jelly.service._problems import Problem

PATCHES = {
    "application/rdf-patch": "rdfp",
    "text/rdf-patch": "rdfp",
    "application/rdf-patch+thrift": "trp",
    "application/x-jelly-rdf-patch": "jelly-patch",
}
DATA = {
    "application/n-quads": "nq",
    "application/trig": "trig",
    "application/n-triples": "nt",
    "text/turtle": "ttl",
    "application/x-jelly-rdf": "jelly",
}
READ_DATA = DATA | {"application/rdf+xml": "rdfxml", "application/ld+json": "jsonld"}
VARY = {"Vary": "Accept, Accept-Encoding"}
ACCEPT_PATCH = ", ".join(PATCHES)
_CODINGS = {"": "none", "identity": "none", "gzip": "gzip", "zstd": "zstd"}


class Chosen(NamedTuple):
    """The format of an answer, and its media type."""

    format: Any
    media: str


def sent(request: Request, known: dict[str, str], untyped: str = "") -> tuple[Any, Any]:
    """Returns format and compression of a body, as the request declares them; nothing is guessed.

    Args:
        request: The request.
        known: Formats by their media types.
        untyped: The assumed media type of a body without Content-Type, for clients that send none.

    Raises:
        Problem: The format or the coding is unknown (415).
    """
    declared = request.headers.get("content-type") or untyped
    header = _content_type(declared)
    media, charset = header.get_content_type(), header.get_param("charset")
    format = known.get(media) if declared else None
    if format is None or (charset and str(charset).lower() not in ("utf-8", "utf8")):
        detail = f"the Content-Type is {declared or 'nothing'}; expected one of {', '.join(known)}, in UTF-8"
        raise Problem(415, "media", detail, {"Accept-Patch": ACCEPT_PATCH})
    coding = (listed(request.headers, "content-encoding") or "").strip().lower()
    if coding not in _CODINGS:
        detail = f"the Content-Encoding is {coding}; expected gzip or zstd, once"
        raise Problem(415, "media", detail, {"Accept-Encoding": "gzip, zstd"})
    return format, _CODINGS[coding]


def says_data(request: Request) -> bool:
    """Returns whether the Content-Type of a request is one of a dataset, also if there is no body."""
    return _content_type(request.headers.get("content-type") or "").get_content_type() in READ_DATA


def _content_type(declared: str) -> Message:
    header = Message()
    header["Content-Type"] = declared
    return header


def wanted(request: Request, known: dict[str, str]) -> Chosen:
    """Returns the format that the request asks for, with ``?format=`` or ``Accept``.

    Raises:
        Problem: The requested format is not available (406).
    """
    first = {format: media for media, format in reversed(known.items())}
    if (asked := request.query_params.get("format")) is not None:
        if asked in first:
            return Chosen(asked, first[asked])
        raise Problem(406, "media", f"format is {asked}; expected one of {', '.join(first)}")
    accepted = listed(request.headers, "accept")
    likes = {name: quality("*/*" if accepted is None else accepted, name) for name in known}
    best = max(known, key=lambda name: likes[name])
    if likes[best] <= 0:
        raise Problem(406, "media", f"Accept has none of {', '.join(known)}")
    return Chosen(known[best], best)


def quality(accepted: str, name: str) -> float:
    """Returns the quality value of a name in a list of ``Accept`` or ``Accept-Encoding``; 0: not accepted."""
    found, most = 0.0, -1
    for item in accepted.split(","):
        word, *params = (part.strip().lower() for part in item.split(";"))
        exact = 0 if word in ("*", "*/*") else 1 if word.endswith("/*") else 2
        fits = exact == 0 or word == name or (exact == 1 and name.startswith(word[:-1]))
        if fits and exact > most:
            found = next((_number(p[2:]) for p in params if p.startswith("q=")), 1.0)
            most = exact
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
