"""Versions of a log as a table for pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from jelly._html import MINUS, Html, joined, link, table, tag
from jelly._terms import Terms
from jelly._times import shown as shown_time
from jelly.log._types import LogVersion

if TYPE_CHECKING:
    from jelly.log._log import Log

OWN_HEADERS = ("id", "prev", "previous", "timestamp")
_NEWEST = 20


def log_html(log: Log) -> str:
    """Renders the newest versions of a log for a notebook.

    Raises:
        JellyError: The log cannot be read.
        OSError: Reading failed.
    """
    info = log.info()
    last = info.head.version
    after = max(info.first - 1, last - _NEWEST)
    versions = list(log.versions(after, last))[::-1] if last > after else []
    name = tag("b", info.name)
    said = joined((name, f": version {last:,}", f"; the newest {_NEWEST} of {last - info.first + 1:,} versions" if after >= info.first else ""))  # fmt: skip
    return tag("div", said, versions_table(map(version_cells, versions)) if versions else "")


def version_cells(one: LogVersion, href: str | None = None) -> tuple[object, ...]:
    """Renders the cells of a version in a list; ``href`` is the address of its page."""
    return (
        link(href, f"{one.version:,}"),
        time_text(one.time),
        _count("+", one.added, "add"),
        _count(MINUS, one.deleted, "del"),
        f"{one.prefixes:,}" if one.prefixes else "",
        tag("span", size_text(one.bytes), class_="number"),
        _headers(one),
        id_html(one.id),
    )


def versions_table(rows: Iterable[tuple[object, ...]], *more: str) -> Html:
    """Renders a list of versions."""
    heads = ["Version", "Time (UTC)", "Adds", "Deletes", "Prefixes", "Size", "Headers", "Id", *more]
    return table("Versions, the newest first", heads, rows)


def _count(sign: str, number: int, kind: str) -> Html:
    return tag("span", f"{sign}{number:,}", class_=f"{kind} number") if number else Html("")


def id_html(id: str | None) -> Html:
    """Renders an id as code; empty if there is no id."""
    return tag("code", id.removeprefix("<").removesuffix(">")) if id else Html("")


def _headers(version: LogVersion) -> Html:
    found = [(key, value) for key, value in version.headers if key.lower() not in OWN_HEADERS]
    found.sort(key=lambda pair: pair[0].lower() != "author")
    return joined((joined((f"{key}: ", Terms({}).html(value))) for key, value in found), "; ")


def time_text(time: datetime | None) -> str:
    """Formats a time to the second; empty if there is no time."""
    return (
        "" if time is None else shown_time(time).replace("T", " ").removesuffix("Z").split(".")[0]
    )


def size_text(size: int) -> str:
    """Formats a number of bytes with a unit."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1024  # type: ignore[assignment]
    return f"{size:,.1f} GiB"
