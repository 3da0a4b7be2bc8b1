"""HTML as text: everything that comes from outside is escaped here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

MINUS = "\N{MINUS SIGN}"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: object) -> Html:
    """Anything as HTML: escaped, unless it is HTML."""
    return value if isinstance(value, Html) else Html(escape(str(value), quote=True))


def tag(name: str, /, *inside: object, **attributes: object) -> Html:
    """An element; ``class_`` and ``data_label`` stand for class and data-label, None for no attribute."""
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    said = "".join(f' {key}="{text(value)}"' for key, value in pairs if value is not None)
    return Html(f"<{name}{said}>{''.join(map(text, inside))}</{name}>")


def link(href: str | None, *inside: object, **attributes: object) -> Html:
    """A link, or its text alone where there is nothing to link to."""
    return tag("a", *inside, href=href, **attributes) if href else Html("".join(map(text, inside)))


def joined(parts: Iterable[object], between: str = "") -> Html:
    """HTML one after the other."""
    return Html(between.join(map(text, parts)))


def table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[object]]) -> Html:
    """A table with a caption for those who do not see it, and the heads again in each cell."""
    names = list(heads)
    body = (
        tag(
            "tr", *(tag("td", cell, data_label=name) for name, cell in zip(names, row, strict=True))
        )
        for row in rows
    )
    head = tag("tr", *(tag("th", name, scope="col") for name in names))
    return tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body))


def facts(title: str, found: Any) -> str:
    """A result with named fields as a table for a notebook; lists and what is not there are left out."""
    rows = [
        (name.replace("_", " "), f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value)
        for name, value in found._asdict().items()
        if value is not None and not isinstance(value, list | tuple | dict)
    ]  # fmt: skip
    return table(title, ["", ""], rows)
