"""Adds, deletes and size by version, as pictures."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import log1p

from jelly import _internal
from jelly._html import MINUS, Html, tag
from jelly.log._folder import FolderLog
from jelly.log._log import Log
from jelly.log._patch import count_of
from jelly.log._types import LogInfo

_BARS, _HALF = 160, 60
_STATEMENTS = "statements"


class Counts:
    """Adds, deletes and size of all versions of a log: 24 bytes each, read once."""

    def __init__(self, info: LogInfo, log: Log) -> None:
        self.first = info.first
        self.added, self.deleted = array("Q"), array("Q")
        self.prefixed = array("Q")
        """Versions that change prefixes."""
        self.bytes = 0
        """Of all patches, as they are stored."""
        self.sizes = array("q")
        """Statements after each version: what the patch says, or those before and the rows that add, less the rows that delete."""
        self.is_reckoned = False
        """Some patches do not say how many statements there are, so rows without effect may count."""
        self.size_before = _size_of_base(info, log)
        """Statements before the first patch. None: nothing says how many; sizes begin with 0 then."""

    def read(self, log: Log, upto: int) -> None:
        """Takes what the log has more."""
        for version in log.versions(self.first - 1 + len(self.added), upto):
            self.added.append(version.added)
            self.deleted.append(version.deleted)
            self.bytes += version.bytes
            if version.prefixes:
                self.prefixed.append(version.version)
            size = count_of(dict(version.headers).get(_STATEMENTS, ""))
            if size is None:
                before = self.sizes[-1] if self.sizes else self.size_before or 0
                size, self.is_reckoned = before + version.added - version.deleted, True
            self.sizes.append(size)

    def changes(self) -> Html:
        """Bars up for adds, down for deletes, as logarithms; where there are many versions, several share one."""
        buckets = self._buckets()
        ups = [sum(self.added[at]) for at in buckets]
        downs = [sum(self.deleted[at]) for at in buckets]
        top = max(1, *ups, *downs)
        bars = []
        for number, (at, up, down) in enumerate(zip(buckets, ups, downs, strict=True)):
            high, low = (log1p(value) / log1p(top) * _HALF for value in (up, down))
            title = f"{self._name(at)}: +{up:,} {MINUS}{down:,}"
            parts = [(_HALF - high, high, "up"), (_HALF, low, "down")]
            bars.append(_bar(number, len(buckets), title, parts))
        line = tag("line", x1=0, x2=1000, y1=_HALF, y2=_HALF)
        label = f"Adds (up) and deletes (down) of versions {self.first:,} to {self._last:,}, as logarithms; the longest bar is {top:,} rows"  # fmt: skip
        return _picture(label, line, *bars)

    def size(self) -> Html:
        """Bars as high as the dataset is large after a version."""
        buckets = self._buckets()
        sizes = [self.sizes[at][-1] for at in buckets]
        low, top = min(0, *sizes), max(1, *sizes)
        bars = []
        for number, (at, size) in enumerate(zip(buckets, sizes, strict=True)):
            high = (size - low) / (top - low) * 2 * _HALF
            bars.append(_bar(number, len(buckets), f"{self._name(at)}: {size:,} statements", [(2 * _HALF - high, high, "size")]))  # fmt: skip
        if self.size_before is None:
            what, begun = "Statements more than at the begin", ""
        else:
            what = "Statements in the dataset"
            begun = f"{self.size_before:,} before version {self.first}, "
        how = ", computed from adds and deletes" if self.is_reckoned else ""
        label = f"{what} after each version{how}: {begun}{self.sizes[-1]:,} after version {self._last:,}, {max(self.sizes):,} at most"  # fmt: skip
        return _picture(label, *bars)

    @property
    def _last(self) -> int:
        return self.first + len(self.added) - 1

    def _buckets(self) -> list[slice]:
        """Versions that share a bar."""
        count = len(self.added)
        each = -(-count // _BARS)
        return [slice(at, min(at + each, count)) for at in range(0, count, each)]

    def _name(self, at: slice) -> str:
        first, last = self.first + at.start, self.first + at.stop - 1
        return f"version {first:,}" if first == last else f"versions {first:,} to {last:,}"


def _bar(number: int, of: int, title: str, parts: Sequence[tuple[float, float, str]]) -> Html:
    width = 1000 / of
    shape = {"x": f"{number * width + width * 0.1:.2f}", "width": f"{width * 0.8:.2f}"}
    rects = (
        tag("rect", y=f"{top:.2f}", height=f"{high:.2f}", class_=kind, **shape)
        for top, high, kind in parts
        if high
    )
    return tag("g", tag("title", title), *rects)


def _picture(label: str, *inside: Html) -> Html:
    picture = tag("svg", *inside, class_="bars", viewBox=f"0 0 1000 {2 * _HALF}", preserveAspectRatio="none", role="img", aria_label=label)  # fmt: skip
    return Html(picture + tag("p", label + ".", class_="soft"))


def _size_of_base(info: LogInfo, log: Log) -> int | None:
    if info.base == "empty":
        return 0
    if info.base is None or not isinstance(log, FolderLog):
        return None
    _, statements, *_ = _internal.backup_base(log.folder)
    return statements
