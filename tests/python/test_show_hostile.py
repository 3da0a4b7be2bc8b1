"""Changes for people: nothing of hostile data gets out of its place, in any form."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import jelly

HOSTILE = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'onclick='x", "</details></table>",
    "```\n# out", "| a | b |", "\x1b[31mred", "\u202eturned", "@everyone #1 https://example.org/x", "&lt;", "-->",
]  # fmt: skip
IRIS = [
    "javascript:alert(1)", "data:text/html,x", "https://example.org/x'onclick='alert(1)", "HTTP://example.org/",
    "https://example.org/ok",
]  # fmt: skip


def hostile() -> bytes:
    lines = []
    for n, text in enumerate(HOSTILE):
        literal = json.dumps(text)
        for iri in IRIS:
            lines.append(f"<{iri}{n}> <{iri}> {literal} .")
            lines.append(f"<{iri}{n}> <http://www.w3.org/2000/01/rdf-schema#label> {literal} .")
            lines.append(f"<{iri}{n}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{iri}> .")
    return "\n".join(lines).encode()


class Tags(HTMLParser):
    """What tags and attributes there are."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.links: list[dict[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "input"):
            self.open.append(tag)
        if tag == "a":
            self.links.append(dict(attrs))
        else:
            assert {name for name, _ in attrs} <= {"class", "colspan", "open"}, (tag, attrs)
        for name, value in attrs:
            if name == "class":
                assert all(part.startswith("jelly-") for part in (value or "").split()), value

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_holds_hostile_data() -> None:
    done = jelly.show_diff(b"", hostile(), old_format="nt", new_format="nt", form="html", fragment=True)  # fmt: skip
    page = Tags()
    page.feed(done.text or "")
    assert page.open == []
    assert page.tags <= {"div", "p", "table", "tr", "th", "td", "a", "span", "h3", "section", "details", "summary"}  # fmt: skip
    assert len(page.links) > 50
    for link in page.links:
        assert set(link) == {"href", "rel"}
        assert (link["href"] or "").startswith(("http://", "https://"))
        assert link["rel"] == "noopener noreferrer nofollow"
    for text in HOSTILE[:4]:
        assert text.split()[0].replace('"', '\\"') in page.text, text
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text
    assert "<script" not in done._repr_html_()


def test_html_page_has_one_script_that_its_policy_names() -> None:
    import base64
    import hashlib

    done = jelly.show_diff(b"", hostile(), old_format="nt", new_format="nt", form="html")
    page = done.text or ""
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert not re.search(r"(src|href)=\"(?!https?://)", page)


def test_markdown_holds_hostile_data() -> None:
    done = jelly.show_diff(b"", hostile(), old_format="nt", new_format="nt", form="markdown")
    text = done.text or ""
    fence = ""
    outside = []
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.removesuffix("diff")
        else:
            outside.append(line)
    assert not fence
    assert len(outside) > 20
    for line in outside:
        assert line in ("", "</details>") or line.startswith(("**", "| ", "- `", "Prefix ", "Renamed", "<details><summary>", "…")), line  # fmt: skip
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_text_holds_hostile_data() -> None:
    text = str(jelly.show_diff(b"", hostile(), old_format="nt", new_format="nt"))
    assert len(text.splitlines()) > 100
    assert not [c for c in text if (ord(c) < 32 and c != "\n") or c == "\u202e"]
