"""Adds and deletes by version, as bars."""

from __future__ import annotations

from array import array
from math import log1p

from jelly._page._html import MINUS, Html, tag
from jelly.log._log import Log

_BARS, _HALF = 160, 60


class Counts:
    """Adds and deletes of all versions of a log: 16 bytes each, read once."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.added, self.deleted = array("Q"), array("Q")
        self.prefixed = array("Q")
        """Versions that change prefixes."""

    def read(self, log: Log, upto: int) -> None:
        """Takes what the log has more."""
        for version in log.versions(self.first - 1 + len(self.added), upto):
            self.added.append(version.added)
            self.deleted.append(version.deleted)
            if version.prefixes:
                self.prefixed.append(version.version)

    def svg(self) -> Html:
        """Bars up for adds, down for deletes, as logarithms; where there are many versions, several share one."""
        count = len(self.added)
        if not count:
            return Html("")
        each = -(-count // _BARS)
        starts = range(0, count, each)
        ups = [sum(self.added[at : at + each]) for at in starts]
        downs = [sum(self.deleted[at : at + each]) for at in starts]
        top = max(1, *ups, *downs)
        width = 1000 / len(starts)
        bars = []
        for number, (up, down) in enumerate(zip(ups, downs, strict=True)):
            left, wide = f"{number * width + width * 0.1:.2f}", f"{width * 0.8:.2f}"
            first = self.first + number * each
            last = min(first + each, self.first + count) - 1
            name = f"version {first}" if first == last else f"versions {first} to {last}"
            title = tag("title", f"{name}: +{up:,} {MINUS}{down:,}")
            high, low = (log1p(value) / log1p(top) * _HALF for value in (up, down))
            parts = []
            if high:
                parts.append(tag("rect", x=left, y=f"{_HALF - high:.2f}", width=wide, height=f"{high:.2f}", class_="up"))  # fmt: skip
            if low:
                parts.append(tag("rect", x=left, y=_HALF, width=wide, height=f"{low:.2f}", class_="down"))  # fmt: skip
            if parts:
                bars.append(tag("g", title, *parts))
        line = tag("line", x1=0, x2=1000, y1=_HALF, y2=_HALF)
        label = f"Adds (up) and deletes (down) of versions {self.first} to {self.first + count - 1}, as logarithms; the longest bar is {top:,} rows"  # fmt: skip
        picture = tag("svg", line, *bars, class_="bars", viewBox=f"0 0 1000 {2 * _HALF}", preserveAspectRatio="none", role="img", aria_label=label)  # fmt: skip
        return Html(picture + tag("p", label + ".", class_="soft"))
