"""Streams of events: which log an event is of, what a HEAD gets, and clients that leave or may read no more."""

from __future__ import annotations

import asyncio
import http.client
import re
import threading
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import jelly
from asgi import ask

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.service import app
from jelly.service._logs import Logs
from jelly.service._tokens import made
from servers import served


def filled(folder: Path, name: str, count: int = 3) -> jelly.Log:
    log = jelly.Log.create(folder)
    for n in range(1, count + 1):
        log.publish(f'H id <{name}:{n}> .\nTX .\nA <a:s> <a:p> "{name}{n}" .\nTC .\n'.encode())
    return log


@pytest.fixture
def root(tmp_path: Path) -> Path:
    filled(tmp_path / "logs" / "x", "x")
    return tmp_path / "logs"


def stopped(root: Path, **options: Any) -> Any:
    """A server that stops: it ends a stream when all is sent that there is."""
    served = app(root, **options)
    following = Logs.following

    async def once(self: Logs, *args: Any) -> Any:
        async for head in following(self, *args):
            yield head
            self.drain()

    served.state.logs.following = once.__get__(served.state.logs)
    return served


def blocks(root: Path, last: str | None = None, query: str = "") -> list[dict[str, str]]:
    """What a client gets, block by block."""
    more = () if last is None else (("last-event-id", last),)
    reply = ask(stopped(root), "GET", f"/x/events{query}", b"", *more)
    assert reply.status == 200, reply.body
    texts = reply.body.decode().split("\n\n")
    return [dict(re.findall("^([a-z]+): (.*)$", text, re.MULTILINE)) for text in texts]


def events(root: Path, last: str | None = None, query: str = "") -> list[str]:
    """The ids of the events that a client gets."""
    return [one["id"] for one in blocks(root, last, query) if one.get("event") == "version"]


def fork(root: Path, last: str) -> tuple[int, str]:
    """How a client is refused that comes again."""
    reply = ask(app(root), "GET", "/x/events", b"", ("last-event-id", last))
    return reply.status, reply.kind


def test_an_event_says_which_log_it_is_of(root: Path) -> None:
    """A client with an event of another log gets an error, and not a stream, which browsers would ask for again for ever."""
    ids = events(root, query="?after=0")
    assert [one.split(".")[0] for one in ids] == ["1", "2", "3"]
    assert ask(app(root), "GET", "/x").headers["etag"] == f'"{ids[-1]}"'
    assert events(root, ids[0]) == ids[1:]
    assert events(root, "1") == ids[1:]
    assert events(root, ids[0], "?after=2") == ids[1:], "the header is newer than the address"
    begin = blocks(root, query="?after=0")[0]["id"]
    (root / "x").rename(root / "old")
    for count in (1, 2, 3, 5):
        filled(root / "x", "y", count)
        for last in (begin, *ids):
            assert fork(root, last) == (409, "patch.fork"), (last, count)
        assert len(events(root, "1")) == count - 1
        (root / "x").rename(root / f"y{count}")
    (root / "y5").rename(root / "x")
    mine = events(root, query="?after=0")
    jelly.Log(root / "x").compact(2)
    assert events(root, mine[1]) == mine[2:]
    assert fork(root, ids[1]) == (409, "patch.fork")
    assert fork(root, mine[0]) == (410, "patch.gap")


def test_a_stream_says_first_where_it_begins(root: Path) -> None:
    """Whoever got no event comes again with this id, and so misses no version, and gets none of another log."""
    begin = blocks(root)[0]
    assert begin == {"id": events(root, query="?after=0")[-1]}, "it is no event"
    jelly.Log(root / "x").publish(b'TX .\nA <a:s> <a:p> "new" .\nTC .\n')
    (new,) = events(root, begin["id"])
    assert blocks(root)[0] == {"id": new}
    jelly.Log(root / "x").compact(4)
    assert blocks(root)[0] == {"id": new}
    none = blocks(root, query="?after=4")[0]
    assert events(root, none["id"]) == []
    for name in ("y", "z"):  # logs without a version
        jelly.Log.create(root / name)
    (root / "x").rename(root / "old")
    (root / "y").rename(root / "x")
    empty = blocks(root)[0]["id"]
    assert events(root, empty) == []
    (root / "x").rename(root / "y")
    (root / "z").rename(root / "x")
    assert fork(root, empty) == (409, "patch.fork")


@pytest.mark.parametrize("last", ["9" * 5000, "x", "", "-1", "1.", "1.x", "1." + "0" * 17, "\xb2"])
def test_what_is_no_id(root: Path, last: str) -> None:
    reply = ask(app(root), "GET", "/x/events", b"", ("last-event-id", last))
    assert (reply.status, reply.kind) == (400, "query")
    assert len(reply.body) < 400


def test_a_length_that_is_no_length(root: Path) -> None:
    reply = ask(app(root), "POST", "/x", b"A", ("content-length", "9" * 5000))
    assert (reply.status, reply.kind) == (413, "body")


def test_what_a_head_gets(root: Path) -> None:
    with served(root) as address, closing(http.client.HTTPConnection(address[7:], timeout=20)) as link:  # fmt: skip
        for path, status in (("/x/events", 200), ("/x/events?after=9", 404), ("/none/events", 404)):
            link.request("HEAD", path)
            reply = link.getresponse()
            assert (reply.status, reply.read()) == (status, b"")
            is_stream = reply.headers["content-type"].startswith("text/event-stream")
            assert is_stream == (status == 200)
            assert ("content-length" in reply.headers) == (status != 200), "a stream has none"
        link.request("GET", "/-/metrics")
        assert b"jelly_watchers 0\n" in link.getresponse().read()


@pytest.mark.parametrize("after", [0, 1, 2])
def test_the_place_of_a_client_that_leaves(root: Path, after: int) -> None:
    """It leaves before the answer begins, while something is sent, or while it waits."""
    service = app(root)
    messages = 0

    async def receive() -> Any:
        while messages < after:
            await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        nonlocal messages
        messages += 1
        if messages > after:
            await asyncio.Event().wait()

    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": "/x/events",
        "raw_path": b"/x/events", "query_string": b"", "root_path": "", "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    }  # fmt: skip
    asyncio.run(asyncio.wait_for(service(scope, receive, send), 20))
    assert not service.state.busy


def test_a_token_that_is_revoked(root: Path, tmp_path: Path) -> None:
    """No version that comes after that is sent, neither as an event nor to a client that waits."""
    (token, line), (admin, other) = made("a", "read,publish"), made("b", "read,admin")
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{line}\n{other}\n")
    by = {"Authorization": f"Bearer {token}"}
    with served(root, "--tokens", str(tokens)) as address:
        links = [closing(http.client.HTTPConnection(address[7:], timeout=30)) for _ in range(2)]
        with links[0] as stream, links[1] as waits:
            stream.request("GET", "/x/events?after=2", headers=by)
            events = stream.getresponse()
            while not events.readline().startswith(b"data:"):
                pass
            waits.request("GET", "/x", headers=by)
            tag = waits.getresponse()
            tag.read()
            wait = by | {"If-None-Match": tag.headers["etag"], "Prefer": "wait=30"}
            answers: list[int] = []

            def asked() -> None:
                waits.request("GET", "/x", headers=wait)
                answers.append(waits.getresponse().status)

            thread = threading.Thread(target=asked)
            thread.start()
            seen = urllib.request.Request(
                f"{address}/-/metrics", headers={"Authorization": f"Bearer {admin}"}
            )
            while b"jelly_watchers 2\n" not in urllib.request.urlopen(seen).read():
                pass
            tokens.write_text(f"{other}\n")
            jelly.Log(root / "x").publish(b'TX .\nA <a:s> <a:p> "new" .\nTC .\n')
            rest = events.read()
            thread.join(40)
        assert answers == [401]
        assert b"event: version" not in rest
        assert b'{"kind": "token"' in rest
