"""Pages on a log: what they say, that they lead somewhere, and that nothing in a log becomes markup."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

import pytest

import jelly
from asgi import ask
from jelly._page import _texts
from jelly._page._all import SCRIPT
from jelly._page._rows import MOST, show_rows
from jelly._page._site import write_page
from jelly._terms import Terms
from jelly.errors import ArgumentError

VOID = {"meta", "link", "input", "br"}
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
HOSTILE = [
    '<javascript:alert(1)> <a:p> "x"',
    "<http://x/'onclick='alert(1)> <a:p> \"x\"",
    '<a:s> <a:p> "<script>document.title = 1</script>"',
    '<a:s> <a:p> "\\"><img src=x onerror=alert(1)>"@en',
    '<a:s> <a:p> "]]></style><b>"^^<a:d&amp;>',
    "_:b <a:p> <<( <http://x/a> <a:p> \"</p>\" )>>",
    '<http://x/a> <a:p> <data:text/html,x> <http://x/g?a=1&b=2>',
]  # fmt: skip


class Page(HTMLParser):
    """What a page has; tags must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        if inside == "script":
            self.scripts.append(data)
        elif inside != "style":
            self.text += data

    @property
    def links(self) -> list[str]:
        return [given["href"] for tag, given in self.tags if "href" in given]

    def check(self) -> None:
        # the box that searches is the only script
        assert {*self.scripts} <= {SCRIPT}
        assert [tag for tag, _ in self.tags].count("script") == len(self.scripts)
        for tag, given in self.tags:
            assert tag not in ("img", "b", "iframe", "object"), tag
            assert not [name for name in given if name.startswith("on")]
            assert "style" not in given
            if urlsplit(given.get("href", "")).scheme:
                assert given["href"].startswith(("http://", "https://"))
                assert given["rel"] == "noopener noreferrer nofollow"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three versions after a base: hostile terms, many rows, deletes."""
    place = tmp_path / "logs" / "brick"
    base = b'@prefix ex: <http://example.org/> . ex:a ex:p "base" .'
    made = jelly.Log.create(place, base, base_format="ttl")
    rows = "".join(f"A {row} .\n" for row in HOSTILE)
    made.publish(f'H author "<i>me</i>" .\nTX .\nPA "g" <http://x/> .\n{rows}TC .\n'.encode())
    many = "".join(f'A <http://example.org/s{n // 4}> <a:p> "{n}" .\n' for n in range(MOST + 7))
    made.publish(f"TX .\n{many}TC .\n".encode())
    made.publish(b'TX .\nD <http://example.org/a> <http://example.org/p> "base" .\nTC .\n')
    return place


def test_a_site_of_files(log: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert write_page(jelly.Log(log), site) == 3
    assert write_page(jelly.Log(log), site) == 3, "the same again"
    files = sorted(path.relative_to(site) for path in site.rglob("*.html"))
    # that of the base, four hostile ones and those of the second version
    subjects = [name for name in files if name.parts[0] == "subjects"]
    assert len(files) == 7 + len(subjects)
    assert len(subjects) == 5 + -(-(MOST + 7) // 4)
    for name in files:
        text = (site / name).read_text()
        page = Page(text)
        page.check()
        assert "style-src 'self'" in text
        for href in page.links:
            if not urlsplit(href).scheme:
                assert (site / name.parent / href).resolve().is_file(), href
    index, first = Page((site / "index.html").read_text()), Page((site / "versions/0001.html").read_text())  # fmt: skip
    assert "version 3" in index.text
    assert 'author: "<i>me</i>"' in index.text
    for text in ('"<script>document.title = 1</script>"', "g:a", "<javascript:alert(1)>", "prefix g: <http://x/>"):  # fmt: skip
        assert text in first.text, text
    second = Page((site / "versions/0002.html").read_text())
    assert f"The first {MOST} rows of {MOST + 7} are shown" in second.text
    assert "ex:s1" in second.text, "prefixes of the base"
    # the newest versions can be undone, and be compared with the head
    assert (site / "patches/0002-undo.rdfp").read_bytes().count(b"\nD ") == MOST + 7
    assert (site / "patches/0003-undo.rdfp").read_bytes().count(b"\nA ") == 1
    since = Page((site / "since/0001.html").read_text())
    assert "from version 1 to 3" in since.text
    assert [given for tag, given in since.tags if given.get("class") == "jelly-add"]
    assert (site / "since/0001.rdfp").read_bytes().count(b"\nA ") == MOST + 7
    assert (site / "patches/0003.rdfp").read_bytes().count(b"\nD ") == 1
    gone = [href for href in Page((site / "versions/0003.html").read_text()).links if "/subjects/" in href]  # fmt: skip
    followed = Page((site / "versions" / gone[0]).resolve().read_text())
    assert "History of subject ex:a" in followed.text
    for text in ("the begin", "3"):
        assert text in followed.text
    assert "../versions/0003.html" in followed.links
    assert gone[0][3:] in Page((site / "search.html").read_text()).links
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").touch()
    with pytest.raises(ArgumentError, match="files that are not pages"):
        write_page(jelly.Log(log), tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["mine"]


def test_long_texts_of_a_site_are_compressed(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site of the six versions of Brick took 76 MB, of which text was 57."""
    site = tmp_path / "site"
    for most, ending in ((16 << 10, ".rdfp"), (0, ".rdfp.gz"), (16 << 10, ".rdfp")):
        monkeypatch.setattr(_texts, "_PLAIN", most)
        write_page(jelly.Log(log), site)
        texts = {path.name.partition(".")[2] for path in site.rglob("*.rdfp*")}
        assert texts == {ending[1:]}
        assert (site / f"patches/0002-undo{ending}").is_file()
        assert (site / f"since/0001{ending}").is_file()
        for name in ("versions/0002.html", "since/0001.html"):
            for href in Page((site / name).read_text()).links:
                assert urlsplit(href).scheme or (site / name).parent.joinpath(href).is_file(), href
        with jelly.read_patch(site / f"patches/0001{ending}") as text, jelly.read_patch(site / "patches/0001.jellyp") as stored:  # fmt: skip
            same = [
                [(row.op, row.subject, row.object) for row in one.rows()] for one in (text, stored)
            ]
            assert same[0] == same[1]


def test_histories_of_a_site_that_begins_later(log: Path, tmp_path: Path) -> None:
    made = jelly.Log(log)
    made.publish(b'TX .\nD <http://example.org/s1> <a:p> "5" .\nTC .\n')
    made.compact(2)
    write_page(made, tmp_path / "site")
    pages = {path: Page(path.read_text()) for path in (tmp_path / "site/subjects").iterdir()}
    assert len(pages) == 2, "only what changed since is followed"
    (one,) = (page for page in pages.values() if "subject ex:s1" in page.text)
    assert one.text.count("still there") == 3
    assert "../versions/0004.html" in one.links
    assert "../versions/0002.html" not in one.links


def test_one_file_without_network(log: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "jelly", "log", "page", str(log), "-o", str(tmp_path / "one.html")], capture_output=True, text=True, check=True)  # fmt: skip
    assert "3 versions" in done.stderr
    text = (tmp_path / "one.html").read_text()
    page = Page(text)
    page.check()
    assert "default-src 'none'; style-src 'sha256-" in text.replace("&#x27;", "'")
    marks = {given["id"] for _, given in page.tags if "id" in given}
    assert marks == {"log", "v1", "v2", "v3", "search", "filter", "found"}
    assert page.scripts == [SCRIPT]
    inside = [href for href in page.links if not urlsplit(href).scheme]
    assert inside
    assert {href.removeprefix("#") for href in inside} <= marks


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_browser_runs_nothing(log: Path, tmp_path: Path) -> None:
    write_page(jelly.Log(log), tmp_path / "one.html")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (tmp_path / "one.html").as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "<title>brick: version 3</title>" in done.stdout
    assert "&lt;script&gt;document.title = 1&lt;/script&gt;" in done.stdout
    Page(done.stdout.partition(">")[2]).check()


def test_a_server_gives_pages_to_browsers(log: Path) -> None:
    service = pytest.importorskip("jelly.service")
    served = service.app(log.parent)
    for accept in ("*/*", "application/json", "text/*", "text/html;q=0, application/json"):
        assert ask(served, "GET", "/brick", accept=accept).headers["content-type"] == "application/json"  # fmt: skip
    seen: set[str] = set()
    todo = ["/"]
    while todo:
        path = todo.pop()
        if path in seen or len(seen) > 60:
            continue
        seen.add(path)
        answer = ask(served, "GET", path, **BROWSER)  # type: ignore[arg-type]
        assert answer.status == 200, path
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        assert "default-src 'none'; style-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        page = Page(answer.body.decode())
        page.check()
        todo += [urljoin(path, href) for href in page.links if not urlsplit(href).scheme]
    assert {"/", "/brick", "/brick/patches/1", "/-/style.css", "/brick/patches/1?format=rdfp"} <= seen  # fmt: skip
    assert [path for path in seen if "/history?" in path]
    assert [path for path in seen if "/diff?" in path]


def test_differences_histories_and_errors(log: Path) -> None:
    service = pytest.importorskip("jelly.service")
    served = service.app(log.parent)

    def page(path: str, status: int = 200) -> Page:
        answer = ask(served, "GET", path, **BROWSER)  # type: ignore[arg-type]
        assert answer.status == status
        assert answer.headers["content-type"].startswith("text/html")
        return Page(answer.body.decode())

    difference = page("/brick/diff?from=3&to=2")
    assert "from version 3 to 2" in difference.text
    assert [given for tag, given in difference.tags if given.get("class") == "jelly-add"]
    difference.check()
    assert "No rows." in page("/brick/diff?from=2&to=2").text
    found = page("/brick/history?subject=http://example.org/a").text
    assert "the begin" in found
    assert '"base"' in found
    assert "This quad never existed" in page("/brick/history?subject=a:none").text
    for path, status in [("/none", 404), ("/brick?page=2", 404), ("/brick/patches/9", 404), ("/brick/diff?from=1", 400), ("/brick/history", 400)]:  # fmt: skip
        assert str(status) in page(path, status).text
    saved = ask(served, "GET", "/brick/patches/1?format=rdfp", **BROWSER)  # type: ignore[arg-type]
    assert saved.headers["content-disposition"] == 'attachment; filename="brick-1.rdfp"'
    tag = ask(served, "GET", "/brick", **BROWSER).headers["etag"]  # type: ignore[arg-type]
    assert ask(served, "GET", "/brick", if_none_match=tag, **BROWSER).status == 304  # type: ignore[arg-type]
    assert ask(served, "GET", "/brick", if_none_match=tag).status == 200, "JSON is another answer"


def test_a_feed_has_the_last_versions(log: Path) -> None:
    service = pytest.importorskip("jelly.service")
    for number in range(60):
        jelly.Log(log).publish(f'H id <u:{number}&lt> .\nA <a:s> <a:n> "{number}" .\n'.encode())
    served = service.app(log.parent)
    answer = ask(served, "GET", "/brick/feed.atom")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(answer.body)
    entries = feed.findall(f"{atom}entry")
    assert [entry.findtext(f"{atom}title") for entry in entries][::49] == ["Version 63: +1 -0", "Version 14: +1 -0"]  # fmt: skip
    assert len({entry.findtext(f"{atom}id") for entry in entries}) == len(entries) == 50
    assert entries[0].findtext(f"{atom}summary") == "<u:59&lt>"
    assert feed.findtext(f"{atom}updated") == entries[0].findtext(f"{atom}updated")
    seen = ask(served, "GET", "/brick/feed.atom", if_none_match=answer.headers["etag"])
    assert seen.status == 304


def test_only_the_rows_that_are_shown_are_read() -> None:
    taken = count()

    def rows() -> Iterator[Any]:
        for number in count():
            next(taken)
            yield jelly.types.PatchRow(None, 0, 0, number, "A", "<a:s>", "<a:p>", f'"{number}"', "", None, None)  # fmt: skip

    found = show_rows(rows(), Terms({}))
    assert (found.number, found.is_all) == (MOST, False)
    assert next(taken) == MOST + 1


def test_an_empty_log_has_a_page(tmp_path: Path) -> None:
    jelly.Log.create(tmp_path / "empty")
    write_page(jelly.Log(tmp_path / "empty"), tmp_path / "one.html")
    assert "There is no patch yet" in (tmp_path / "one.html").read_text()
