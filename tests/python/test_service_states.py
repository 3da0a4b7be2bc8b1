"""Kept datasets of a log that was changed or damaged behind the server, and what a compacted log says of itself."""

from __future__ import annotations

import errno
import io
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import jelly
from asgi import ask

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.service import app

VERSIONS = 6
NQ: Any = {"accept": "application/n-quads"}


@pytest.fixture
def log(tmp_path: Path) -> jelly.Log:
    """Six versions, each with statements of its own."""
    log = jelly.Log.create(tmp_path / "logs" / "x")
    for number in range(1, VERSIONS + 1):
        log.publish(patch(number))
    return log


@pytest.fixture
def server(log: jelly.Log, tmp_path: Path) -> Any:
    assert log.head.version == VERSIONS
    return app(tmp_path / "logs")


def patch(number: int) -> bytes:
    rows = "".join(f'A <a:s> <a:p> "{number}-{n}" .\n' for n in range(3))
    return f"H id <u:{number}> .\nTX .\n{rows}TC .\n".encode()


def folder(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "x"


def dataset(log: jelly.Log) -> set[bytes]:
    out = io.BytesIO()
    log.dataset(out, to="nq")
    return set(out.getvalue().splitlines())


def test_a_patch_that_was_changed_on_purpose(server: Any, tmp_path: Path) -> None:
    first = ask(server, "GET", "/x/data", **NQ)
    before, tag = first.body, first.headers["etag"]
    assert ask(server, "GET", "/x/data", if_none_match=tag, **NQ).status == 304
    assert list((folder(tmp_path) / "_states").iterdir())
    file = folder(tmp_path) / "patch-0003.jellyp"
    rows = io.BytesIO()
    jelly.convert(file, rows, to="rdfp")
    changed = rows.getvalue().replace(b'"3-0"', b'"changed"')
    assert changed != rows.getvalue()
    jelly.convert(changed, tmp_path / "changed.jellyp", format="rdfp")
    shutil.copyfile(tmp_path / "changed.jellyp", file)
    reply = ask(server, "GET", "/x/patches/3")
    assert (reply.status, reply.kind) == (500, "patch.damaged")
    (folder(tmp_path) / "_index.jsonl").unlink()
    for one in (server, app(tmp_path / "logs")):
        found = set(ask(one, "GET", "/x/data", if_none_match=tag, **NQ).body.splitlines())
        assert found == dataset(jelly.Log(folder(tmp_path)))
        assert found - set(before.splitlines()) == {b'<a:s> <a:p> "changed" .'}
        assert (
            b'"changed"'
            in ask(one, "GET", "/x/diff?from=2&to=6", accept="application/rdf-patch").body
        )


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_state_is_none(server: Any, tmp_path: Path, damage: str) -> None:
    before = ask(server, "GET", "/x/data", **NQ).body
    (state,) = (folder(tmp_path) / "_states").iterdir()
    data = state.read_bytes()
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    broken = {"cut": data[:-9], "flipped": flipped, "empty": b""}[damage]
    state.unlink()  # tasks of the server may have links to it
    state.write_bytes(broken)
    for _ in range(2):
        reply = ask(server, "GET", "/x/data", **NQ)
        assert (reply.status, sorted(reply.body.splitlines())) == (200, sorted(before.splitlines()))
    assert [path for path in (folder(tmp_path) / "_states").iterdir() if path.read_bytes() == broken] == []  # fmt: skip


@pytest.mark.parametrize("call", ["hardlink_to", "iterdir"])
def test_states_of_another_user_are_ignored(server: Any, monkeypatch: pytest.MonkeyPatch, call: str) -> None:  # fmt: skip
    """As if a server of root had kept them before. The tests run as root, whom the system refuses nothing."""
    before = ask(server, "GET", "/x/data", **NQ).body
    allowed, refused = getattr(Path, call), []

    def guarded(path: Path, *args: Any) -> Any:
        if "_states" in str(args or path):
            refused.append(path)
            raise PermissionError(errno.EPERM, "not permitted", str(path))
        return allowed(path, *args)

    monkeypatch.setattr(Path, call, guarded)
    reply = ask(server, "GET", "/x/data", **NQ)
    assert (reply.status, sorted(reply.body.splitlines())) == (200, sorted(before.splitlines()))
    assert refused


def test_damage_of_a_log_is_no_fault_of_the_publisher(server: Any, tmp_path: Path) -> None:
    assert ask(server, "POST", "/x", b"TX .\nA <a:s> .\n").status == 400
    file = folder(tmp_path) / "patch-0006.jellyp"
    file.write_bytes(file.read_bytes()[:-3])
    for method, path, body in (
        ("POST", "/x", patch(7)),
        ("POST", "/x/compact?upto=6", b""),
        ("GET", "/x/data", b""),
    ):
        reply = ask(app(tmp_path / "logs"), method, path, body)
        assert (reply.status, reply.kind) == (500, "internal"), (method, path)
        assert str(tmp_path) not in reply.body.decode()


@pytest.mark.parametrize("path", ["/x", "/x/feed.atom", "/x?page"])
def test_tags_change_when_a_log_is_compacted(log: jelly.Log, server: Any, path: str) -> None:
    headers: Any = {"accept": "text/html"} if path == "/x?page" else {}
    path = path.removesuffix("?page")
    first = ask(server, "GET", path, **headers)
    tag = first.headers["etag"]
    assert ask(server, "GET", path, if_none_match=tag, **headers).status == 304
    log.compact(VERSIONS - 1)
    second = ask(server, "GET", path, if_none_match=tag, **headers)
    assert second.status == 200
    assert second.body != first.body
    assert ask(server, "GET", path, if_none_match=second.headers["etag"], **headers).status == 304
    # the version is the same one, so what was read before may still be changed
    other = ask(server, "POST", "/x", patch(7), if_match=tag.split(".from")[0])
    assert other.status == 201, other.body
    assert other.headers["etag"] == ask(server, "GET", "/x").headers["etag"]


def test_a_patch_without_a_time_in_the_feed(tmp_path: Path) -> None:
    plain = tmp_path / "logs" / "plain"
    plain.mkdir(parents=True)
    (plain / "patch-0001.rdfp").write_bytes(patch(1))

    def entries() -> dict[str, str]:
        atom = "{http://www.w3.org/2005/Atom}"
        feed = ET.fromstring(ask(app(tmp_path / "logs"), "GET", "/plain/feed.atom").body)
        found = {}
        for entry in feed.iter(f"{atom}entry"):
            found[str(entry.findtext(f"{atom}id"))] = str(entry.findtext(f"{atom}updated"))
        return found

    before = entries()
    jelly.Log(plain).publish(patch(2))
    after = entries()
    assert len(after) == 2
    assert before.items() <= after.items()


def test_an_event_of_a_log_that_had_no_id(tmp_path: Path) -> None:
    plain = tmp_path / "logs" / "plain"
    plain.mkdir(parents=True)
    for number in (1, 2):
        (plain / f"patch-000{number}.rdfp").write_bytes(patch(number))
    tag = ask(app(tmp_path / "logs"), "GET", "/plain").headers["etag"].strip('"')
    made = ask(app(tmp_path / "logs"), "PUT", "/plain", content_type="application/n-quads")
    assert made.status == 201
    assert ask(app(tmp_path / "logs"), "GET", "/plain").headers["etag"].strip('"') != tag
    reply = ask(app(tmp_path / "logs"), "HEAD", "/plain/events", b"", ("last-event-id", tag))
    assert reply.status == 200
