"""The rows of a patch for people: deletes and adds grouped by subject."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from jelly._html import MINUS, Html, tag
from jelly._show import show
from jelly._terms import Terms

MOST = 500
_SIGNS = {"A": ("add", "+", "added"), "D": ("del", MINUS, "deleted"), "PA": ("add", "+", "added"), "PD": ("del", MINUS, "deleted")}  # fmt: skip


class Shown(NamedTuple):
    """Rows as HTML.

    Attributes:
        html: The rows.
        number: How many of them.
        is_all: There are no more.
    """

    html: Html
    number: int
    is_all: bool


def show_change(patch: Path, base: Path) -> Shown:
    """Shows a patch of a dataset, with labels and nested nodes."""
    done = show(patch, base=base, chain="ignore", form="html", fragment=True, max_lines=MOST)
    return Shown(Html(done.text), done.added + done.deleted, is_all=not any(done.left_out))


def show_rows(rows: Iterable[Any], terms: Terms) -> Shown:
    """Shows the first rows that change something; no more of them are read."""
    changes = (row for row in rows if row.op in _SIGNS)
    found = list(islice(changes, MOST + 1))
    shown = found[:MOST]
    groups: dict[str, list[Html]] = {}
    for row in shown:
        kind, sign, word = _SIGNS[row.op]
        mark = tag("span", sign, class_="sign", aria_label=word)
        if row.op in ("PA", "PD"):
            subject, said = "", (f"prefix {row.name}: ", Terms({}).html(row.value))
        else:
            graph = (
                (tag("span", " in ", terms.html(row.graph), class_="soft"),) if row.graph else ()
            )
            subject = row.subject
            said = (terms.html(row.predicate), " ", terms.html(row.object), *graph)
        groups.setdefault(subject, []).append(tag("p", mark, *said, class_=kind))
    sections = (
        tag("section", tag("h3", terms.subject(subject) if subject else "Prefixes"), *lines)
        for subject, lines in groups.items()
    )
    html = tag("div", *sections, class_="rows") if groups else tag("p", "No rows.", class_="soft")
    return Shown(html, len(shown), len(found) <= MOST)
