"""How often the rows of a log add and delete: by predicate, class and graph, and which subjects a version has."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Any

from jelly import _internal
from jelly._html import MINUS, Html, joined, table, tag
from jelly._terms import Terms
from jelly.log._log import Log

# An IRI of more characters is no name of a page.
_LONGEST = 4096
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_SHOWN = 15
_RECENT = 1000
_COLUMNS = ["patch", "op", "subject", "predicate", "object", "graph"]


class Churn:
    """The rows of a log that count, each read once. An ``rdf:type`` row counts for its class, too."""

    def __init__(self, first: int, subjects: int = 0) -> None:
        self._first = first
        self._upto = first - 1
        self._subjects = subjects
        self.predicates, self.classes, self.graphs = (_internal.Frequencies() for _ in range(3))
        self.subjects: dict[int, list[str]] = {}
        """The first subjects of each version, as many as were requested."""
        self.recent: dict[str, None] = {}
        """The last 1,000 IRIs that were subjects, the newest at the end."""

    def read(self, log: Log, upto: int) -> None:
        """Takes what the log has more.

        Raises:
            JellyError: A patch cannot be read.
        """
        if upto <= self._upto:
            return
        after, self._upto = self._upto, upto
        with closing(log.read(after, upto, rows="committed", columns=_COLUMNS)) as reader:
            for row in reader.rows():
                if row.op in ("A", "D"):
                    self._take(row, row.op == "D")
                if self._subjects and row.subject and len(row.subject) <= _LONGEST:
                    self._name(row.subject, after + 1 + row.patch)

    def _take(self, row: Any, is_deleted: bool) -> None:
        self.predicates.add(row.predicate, is_deleted)
        self.graphs.add(row.graph, is_deleted)
        if row.predicate == _TYPE:
            self.classes.add(row.object, is_deleted)

    def _name(self, subject: str, version: int) -> None:
        if subject[0] == "<":
            self.recent.pop(subject, None)
            self.recent[subject] = None
            if len(self.recent) > _RECENT:
                del self.recent[next(iter(self.recent))]
        kept = self.subjects.setdefault(version, [])
        if len(kept) < self._subjects and subject not in kept:
            kept.append(subject)

    def html(self, terms: Terms) -> list[Html]:
        """Tables for people; nothing where no row counts."""
        kinds = {"predicate": self.predicates, "class": self.classes, "graph": self.graphs}
        tables = [
            _table(name, counts, terms) for name, counts in kinds.items() if counts.different != 0
        ]
        if not tables:
            return []
        return [tag("h2", "What changes most"), tag("div", *tables, class_="columns")]


def _table(name: str, counts: _internal.Frequencies, terms: Terms) -> Html:
    top = counts.top(_SHOWN)
    widest = max(added + deleted for _, added, deleted in top)
    rows: Iterable[Iterable[object]] = (
        (
            terms.html(term) or "default graph",
            tag("span", f"+{added:,}", class_="add number") if added else "",
            tag("span", f"{MINUS}{deleted:,}", class_="del number") if deleted else "",
            _bar(added / widest, deleted / widest),
        )
        for term, added, deleted in top
    )
    others = None if counts.different is None else counts.different - len(top)
    rest = "more" if others is None else f"{others:,} more"
    note = tag("p", f"… {rest}", class_="soft") if others != 0 else ""
    caption = f"Rows by {name}" + (" (rdf:type)" if name == "class" else "")
    heads = [name.capitalize(), "Adds", "Deletes", "Share"]
    return tag("div", table(caption, heads, rows), joined([note]))


def _bar(added: float, deleted: float) -> Html:
    parts = [
        tag("rect", x=f"{left * 100:.1f}", y=0, width=f"{share * 100:.1f}", height=10, class_=kind)
        for left, share, kind in ((0, added, "up"), (added, deleted, "down"))
        if share
    ]
    return tag("svg", *parts, class_="bars share", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")  # fmt: skip
