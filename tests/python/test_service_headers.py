"""Headers that are lists: in several lines, in any spelling that their RFC allows."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

import jelly
from asgi import ask

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.datastructures import Headers

from jelly.service import app

ROW = b'TX .\nA <a:s> <a:p> "1" .\nTC .\n'
LONG = b"TX .\n" + b"".join(b'A <a:s> <a:p> "%d" .\n' % n for n in range(100)) + b"TC .\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    jelly.Log.create(tmp_path / "logs" / "x").publish(ROW)
    return tmp_path / "logs"


@pytest.mark.parametrize(
    ("lines", "is_strict"),
    [
        (["handling=strict"], True),
        (["return=minimal", "handling=strict"], True),
        (["return=minimal, handling=strict; why"], True),
        (["Handling = Strict"], True),
        (['handling="strict"'], True),
        (['handling="st\\rict"'], True),
        (['x="a,b\\"", handling=strict'], True),
        (["wait=3;handling=strict"], False),
        (['x="handling=strict"'], False),
        (['x=", handling=strict"'], False),
        (["nothandling=strict", "handling=strictly"], False),
        (["handling=lenient", "handling=strict"], False),
        (["handling, handling=strict"], False),
        (['handling="strict'], False),
        (["handling"], False),
    ],
)
def test_prefer_strict(root: Path, lines: list[str], is_strict: bool) -> None:
    served = app(root)
    answer = ask(served, "PATCH", "/x/data", ROW, *(("prefer", line) for line in lines))
    assert answer.status == (422 if is_strict else 200)
    assert answer.status == 200 or answer.kind == "patch.effect"


@pytest.mark.parametrize(("lines", "is_minimal"), [(["handling=lenient", 'RETURN="minimal"'], True), (["return=representation, return=minimal"], False)])  # fmt: skip
def test_prefer_minimal(root: Path, lines: list[str], is_minimal: bool) -> None:
    answer = ask(app(root), "PATCH", "/x/data", ROW, *(("prefer", line) for line in lines))
    assert answer.status == (204 if is_minimal else 200)


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        (["wait=7"], 7),
        (["handling=strict", "Wait = 7"], 7),
        (["wait=1000000"], 60),
        (["wait=7.5, wait=9"], 0),
        (['x="wait=7"', "respond-async; wait=7"], 0),
        (["wait=" + "9" * 5000], 0),
        ([], 0),
    ],
)
def test_prefer_wait(lines: list[str], seconds: int) -> None:
    from jelly.service._headers import wait_of

    assert wait_of(Headers(raw=[(b"prefer", line.encode()) for line in lines])) == seconds


@pytest.mark.parametrize("text", ["a" + " " * 16_000 + "b", 'a="' + "\\" * 16_000, "a=" * 8_000, '"' * 16_000, "a=" + " " * 16_000 + '"'])  # fmt: skip
def test_prefer_is_read_in_no_time(text: str) -> None:
    from jelly.service._headers import preferences

    began = time.process_time()
    preferences(Headers(raw=[(b"prefer", text.encode())]))
    assert time.process_time() - began < 0.1


@pytest.mark.parametrize("path", ["/x", "/x?format=html", "/x/data", "/x/data?version=0", "/x/patches/1", "/x/feed.atom"])  # fmt: skip
def test_if_match_of_a_read(root: Path, path: str) -> None:
    """It counts before If-None-Match, and takes no weak tag (RFC 9110, sections 13.1.1 and 13.2.2)."""
    served = app(root)
    now = ask(served, "GET", path).headers["etag"]
    packed, other = now.removesuffix('"') + '.gzip"', ("if-match", '"zz"')
    for method in ("GET", "HEAD"):
        for failed in ([other], [other, ("if-none-match", now)], [("if-match", f"W/{now}")], [("if-match", "")]):  # fmt: skip
            answer = ask(served, method, path, b"", *failed)
            assert answer.status == 412, failed
            assert "format=html" in path or answer.kind == "condition"
        for kept in ([("if-match", now)], [other, ("if-match", packed)], [("if-match", "*")]):
            assert ask(served, method, path, b"", *kept).status == 200, kept
        both = [("if-match", now), ("if-none-match", now)]
        assert ask(served, method, path, b"", *both).status == 304


UNTAGGED = ["/", "/x/versions", "/x/patches", "/x/diff?from=0&to=1", "/x/diff?from=0&to=1&format=html", "/x/history?subject=a:s", "/x?q=a&format=html", "/x/events?after=0", "/-/health", "/-/ready", "/-/metrics", "/-/style.css", "/-/delta/$/ping", "/-/delta/x/init"]  # fmt: skip


@pytest.mark.parametrize("path", UNTAGGED)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_conditions_of_an_answer_without_a_tag(root: Path, path: str, method: str) -> None:
    """No tag is that of the answer, and ``*`` is true of any (RFC 9110, sections 13.1.1 and 13.1.2)."""
    served = app(root, delta=True)
    served.state.logs.is_draining = "events" in path  # else a stream does not end
    plain = ask(served, method, path)
    assert "etag" not in plain.headers
    for kept in (("if-match", "*"), ("if-none-match", '"zz"')):
        assert ask(served, method, path, b"", kept).status == plain.status == 200, kept
    failed = ask(served, method, path, b"", ("if-match", '"zz"'))
    assert failed.status == 412
    assert "html" in path or failed.kind == "condition"
    same = ask(served, method, path, b"", ("if-none-match", "*"))
    assert (same.status, same.body) == (304, b"")


@pytest.mark.parametrize("path", ["/none/versions", "/x/diff?from=0&to=9", "/x/diff", "/nothing/at/all"])  # fmt: skip
def test_an_error_is_no_matter_of_conditions(root: Path, path: str) -> None:
    served = app(root)
    plain = ask(served, "GET", path)
    for name in ("if-match", "if-none-match"):
        for value in ('"zz"', "*"):
            assert ask(served, "GET", path, b"", (name, value)) == plain


def test_conditions_of_making_and_compacting_a_log(root: Path) -> None:
    served = app(root)
    for value in ("*", '"zz"'):
        assert ask(served, "PUT", "/y", b"", ("if-match", value)).status == 412
        assert not (root / "y").exists()
    assert ask(served, "PUT", "/y", b"", ("if-none-match", "*")).status == 201
    for method, path in (("PUT", "/y"), ("POST", "/x/compact?upto=1")):
        now = ask(served, "GET", path[:2]).headers["etag"]
        failed = [("if-match", '"zz"'), ("if-match", f"W/{now}"), ("if-none-match", now)]
        if method == "PUT":
            failed.append(("if-none-match", "*"))
        for condition in failed:
            assert ask(served, method, path, b"", condition).status == 412, (path, condition)
            assert jelly.Log(root / "x").info().first == 1
        for condition in (("if-match", now), ("if-match", "*"), ("if-none-match", '"zz"')):
            assert ask(served, method, path, b"", condition).status == 200, (path, condition)
    assert jelly.Log(root / "x").info().first == 2


def test_formats_and_encodings_in_several_lines(root: Path) -> None:
    served = app(root)
    assert ask(served, "POST", "/x", LONG).status == 201
    turtle = ask(served, "GET", "/x/data", b"", ("accept", "application/json"), ("accept", "text/turtle"))  # fmt: skip
    assert turtle.headers["content-type"].startswith("text/turtle")
    for first, second in (("text/html;q=0.5", "application/json"), ("image/png", "text/html")):
        page = ask(served, "GET", "/x", b"", ("accept", first), ("accept", second))
        is_page = page.headers["content-type"].startswith("text/html")
        assert is_page == (second == "text/html")
    packed = ask(served, "GET", "/x/data", b"", ("accept-encoding", "br"), ("accept-encoding", "gzip"))  # fmt: skip
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body).count(b"\n") == 100
    twice = ask(served, "POST", "/x", gzip.compress(ROW), ("content-encoding", "gzip"), ("content-encoding", "zstd"))  # fmt: skip
    assert (twice.status, twice.kind) == (415, "media")
