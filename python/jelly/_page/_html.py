"""HTML as text: everything that comes from outside is escaped here."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape

from jelly._page._style import STYLE

MINUS = "\N{MINUS SIGN}"
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
SERVED = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
"""The ``Content-Security-Policy`` of pages that a server sends."""
_IN_FILES = "default-src 'none'; style-src {style}; img-src 'self' data:; base-uri 'none'"


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


def document(title: str, *body: object, style: str | None = None) -> str:
    """A whole page; ``style``: the address of the style sheet, else it is inside.

    A page of a server has its policy in a header; files have it inside.
    """
    policy: str | None = None
    if style is None:
        policy = _IN_FILES.format(style=f"'sha256-{_HASH}'")
        sheet = Html(f"<style>{STYLE}</style>")
    else:
        policy = None if style.startswith("/") else _IN_FILES.format(style="'self'")
        sheet = Html(f'<link rel="stylesheet" href="{text(style)}">')
    head = [
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">') if policy else "",
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        sheet,
    ]
    page = tag("html", tag("head", *head), tag("body", tag("main", *body)), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"
