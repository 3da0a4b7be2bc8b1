"""Whole pages, and what they may load."""

from __future__ import annotations

import base64
import hashlib

from jelly._html import Html, tag, text
from jelly._page._style import STYLE

SERVED = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
"""The ``Content-Security-Policy`` of pages that a server sends."""
_IN_FILES = "default-src 'none'; style-src {style}; img-src 'self' data:; base-uri 'none'"


def _hashed(text: str) -> str:
    """What a policy calls a style sheet or a script that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def document(title: str, *body: object, style: str | None = None, script: str | None = None) -> str:
    """A whole page; ``style``: the address of the style sheet, else it is inside; ``script``: what runs at its end.

    A page of a server has its policy in a header; files have it inside.
    """
    policy: str | None = None
    if style is None:
        policy = _IN_FILES.format(style=_hashed(STYLE))
        sheet = Html(f"<style>{STYLE}</style>")
    else:
        policy = None if style.startswith("/") else _IN_FILES.format(style="'self'")
        sheet = Html(f'<link rel="stylesheet" href="{text(style)}">')
    if script is not None and policy is not None:
        policy += f"; script-src {_hashed(script)}"
    end = Html(f"<script>{script}</script>") if script else ""
    head = [
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">') if policy else "",
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        sheet,
    ]
    page = tag("html", tag("head", *head), tag("body", tag("main", *body), end), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"
