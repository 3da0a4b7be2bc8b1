"""Clients that are slow, greedy or broken, over real sockets, and a server that stops."""

from __future__ import annotations

import contextlib
import gzip
import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import jelly

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from servers import free_port, served, start

SHORT = ("headers=0.3", "idle=0.3", "rate=1e6", "body=200000", "decompressed=1000000", "publishes=1")  # fmt: skip
ROW = b'TX .\nA <a:s> <a:p> "1" .\nTC .\n'
POST = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/rdf-patch\r\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """A server with short limits: its port, and the folder of the log."""
    root = tmp_path_factory.mktemp("sockets") / "logs"
    jelly.Log.create(root / "x")
    with served(root, *(f"--limit={limit}" for limit in SHORT)) as address:
        yield int(address.rsplit(":", 1)[1]), root / "x"


@contextlib.contextmanager
def linked(port: int) -> Iterator[socket.socket]:
    with contextlib.closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as one:
        yield one


def rest(link: socket.socket) -> bytes:
    """All that comes until the server ends the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := link.recv(1 << 16):
            found += piece
    return found


def sent(port: int, data: bytes, *, whole: bool = False) -> bytes:
    """What comes back: the first headers at least, or all until the server ends the connection."""
    with linked(port) as link:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            link.sendall(data)
        if whole:
            return rest(link)
        found = b""
        with contextlib.suppress(ConnectionResetError):
            while b"\r\n\r\n" not in found and (piece := link.recv(1 << 16)):
                found += piece
        return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


@pytest.mark.parametrize("begin", [b"", b"G", b"GET / HTTP/1.1\r\nHos", b"GET / HTTP/1.1\r\nHost: x\r\n"])  # fmt: skip
def test_headers_that_do_not_come(begin: bytes, place: tuple[int, Path]) -> None:
    with linked(place[0]) as link:
        link.sendall(begin)
        answer = rest(link)
    assert status(answer) == 408
    assert b"urn:jelly:problem:slow" in answer


def test_headers_that_drip(place: tuple[int, Path]) -> None:
    with linked(place[0]) as link:
        answer = drip(link, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000)
    assert status(answer) == 408


def test_a_second_request_that_does_not_come(place: tuple[int, Path]) -> None:
    with linked(place[0]) as link:
        link.sendall(b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /x HT")
        answer = rest(link)
    assert status(answer) == 200
    assert answer.count(b"HTTP/1.1 ") <= 2


def drip(link: socket.socket, data: bytes) -> bytes:
    """Sends byte after byte, until the server answers."""
    until = time.monotonic() + 60
    for at in range(len(data)):
        ready, _, _ = select.select([link], [], [], 0.005)
        if ready:
            break
        assert time.monotonic() < until, "the server never ends it"
        link.sendall(data[at : at + 1])
    return rest(link)


@pytest.mark.parametrize("drips", [False, True])
def test_bodies_that_come_slowly(drips: bool, place: tuple[int, Path]) -> None:
    port, folder = place
    before = jelly.Log(folder).head
    with linked(port) as link:
        link.sendall(POST + b"Content-Length: 100000\r\n\r\n" + ROW[:10])
        answer = drip(link, b" " * 50_000) if drips else rest(link)
    assert status(answer) == 408
    assert jelly.Log(folder).head == before


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", {400}),
        (b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\xff garbage \r\n\r\n", {200}),
        (b"GET / HTTP/9.9\r\n\r\n", {403}),
        (b"GET /x HTTP/1.1\r\n\r\n", {400}),
        (b"GET /x HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", {400}),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {431}),
        (b"GET /x HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 20_000 + b"\r\n\r\n", {431}),
        (POST + b"Content-Length: -1\r\n\r\n" + ROW, {400}),
        (POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + ROW, {400}),
        (POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nTX .\n\r\n0\r\n\r\n", {400, 422}),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", {400}),
        (POST + b"Content-Length: 1000\r\n\r\n" + ROW, {408}),
        (POST + b"Content-Length: 5\r\n\r\n" + ROW, {400, 422}),
        (POST + b"\r\n" + ROW, {400, 422}),
        (POST + b"Content-Length: 300000\r\n\r\n" + ROW, {413}),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b" " * 65536 + b"\r\n") * 4, {413}),
        (b"GET /x/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /x/patches/%2e%2e%2fbase.json HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /x/patches?id=%0d%0aX:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", {400, 404}),
        (b"GET /%e2%80%8bx HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /x/log.json HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /out HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {403}),
    ],
)  # fmt: skip
def test_what_is_no_request(data: bytes, wanted: set[int], place: tuple[int, Path]) -> None:
    port, folder = place
    outside = folder.parent.parent / "outside"
    if not outside.exists():
        jelly.Log.create(outside)
        (folder.parent / "out").symlink_to(outside)
    before = jelly.Log(folder).head
    answer = sent(port, data)
    assert status(answer) in wanted, answer[:300]
    assert jelly.Log(folder).head == before
    until = time.monotonic() + 30  # what is no HTTP at all is answered before the body is removed
    while list(folder.parent.glob(".jelly-*")):
        assert time.monotonic() < until, "no body stays"
        os.sched_yield()


def bombs() -> Iterator[tuple[str, bytes]]:
    plain = b"TX .\n" + b"# x\n" * 1_000_000
    yield "gzip", gzip.compress(plain)
    from jelly import _internal

    yield "zstd", _internal.Compressor("zstd").write(plain, last=True)
    yield "gzip", gzip.compress(gzip.compress(plain))


@pytest.mark.parametrize(("coding", "data", "wanted"), [(*bomb, n) for bomb, n in zip(bombs(), (413, 413, 400), strict=True)], ids=["gzip", "zstd", "twice"])  # fmt: skip
def test_bombs(coding: str, data: bytes, wanted: int, place: tuple[int, Path]) -> None:
    port, folder = place
    before = jelly.Log(folder).head
    head = POST + f"Content-Encoding: {coding}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode()  # fmt: skip
    answer = sent(port, head + data, whole=True)
    assert status(answer) == wanted, answer
    assert (b"limit.decompressed_bytes" in answer) == (wanted == 413)
    assert jelly.Log(folder).head == before


def test_pipelined_requests(place: tuple[int, Path]) -> None:
    one = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    answer = sent(place[0], one * 2 + last, whole=True)
    assert answer.count(b"HTTP/1.1 200") == 3


def test_publishes_that_wait_are_counted(place: tuple[int, Path]) -> None:
    port, folder = place
    before = jelly.Log(folder).head.version
    head = POST + f"Content-Length: {len(ROW)}\r\nConnection: close\r\n\r\n".encode()
    with linked(port) as first:
        first.sendall(head + ROW[:5])
        while not list(folder.parent.glob(".jelly-*")):
            os.sched_yield()
        busy = sent(port, head + ROW)
        first.sendall(ROW[5:])
        assert status(rest(first)) == 201
    assert (status(busy), b"Retry-After: 1" in busy or b"retry-after: 1" in busy) == (503, True)
    assert jelly.Log(folder).head.version == before + 1


def test_connections_are_counted(tmp_path: Path) -> None:
    jelly.Log.create(tmp_path / "logs" / "x")
    with served(tmp_path / "logs", "--limit=connections=3") as address, contextlib.ExitStack() as stack:  # fmt: skip
        port = int(address.rsplit(":", 1)[1])
        one = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
        links = [stack.enter_context(linked(port)) for _ in range(3)]
        for link in links:
            link.sendall(one)
            assert link.recv(12) == b"HTTP/1.1 200"
        assert status(sent(port, b"")) == 503
        links.pop().close()
        until = time.monotonic() + 30
        while status(sent(port, one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))) != 200:
            assert time.monotonic() < until


def test_a_server_that_stops_ends_what_is_under_way(tmp_path: Path) -> None:
    root, port, said = tmp_path / "logs", free_port(), tmp_path / "said"
    jelly.Log.create(root / "x")
    server = start(root, port, said=said)
    with linked(port) as publisher, linked(port) as events, linked(port) as waits:
        publisher.sendall(POST + f"Content-Length: {len(ROW)}\r\n\r\n".encode() + ROW[:9])
        events.sendall(b"GET /x/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in events.recv(1 << 12)
        tag = jelly.Log(f"http://127.0.0.1:{port}/x")._tag()[0]  # type: ignore[attr-defined]
        waits.sendall(f"GET /x HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag}\r\nPrefer: wait=60\r\n\r\n".encode())  # fmt: skip
        while not list(root.glob(".jelly-*")):
            os.sched_yield()
        server.send_signal(signal.SIGTERM)
        assert b"the server stops" in rest(events)
        assert status(rest(waits)) in (200, 304)
        publisher.sendall(ROW[9:])
        assert status(rest(publisher)) == 201
    assert server.wait(60) in (0, -signal.SIGTERM)
    assert jelly.Log(root / "x").head.version == 1
    lines = said.read_text()
    assert '"path": "/x/events"' in lines
    assert "Traceback" not in lines
