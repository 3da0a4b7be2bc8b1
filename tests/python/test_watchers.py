"""Many who only wait, and clients that do not read: memory stays small, and others are served."""

from __future__ import annotations

import asyncio
import os
import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import jelly

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.log._folder import FolderLog
from jelly.service._logs import Logs
from servers import free_port, start

PATCH = b'TX .\nA <a:s> <a:p> "1" .\nTC .\n'
SOAKS = "JELLY_SOAK" in os.environ
# a socket, a task, a request, and what malloc keeps of them
EACH = 96 << 10


@contextmanager
def running(root: Path, *args: str) -> Iterator[tuple[int, int]]:
    """A server: its port, and the number of its process."""
    port = free_port()
    server = start(root, port, *args)
    try:
        yield port, server.pid
    finally:
        server.kill()
        server.wait()


def memory(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def get(port: int, target: str, *headers: str) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=120)
    lines = "".join(f"{line}\r\n" for line in (f"GET {target} HTTP/1.1", "Host: localhost", *headers, ""))  # fmt: skip
    link.sendall(lines.encode())
    return link


def until(link: socket.socket, text: bytes) -> bytes:
    found = b""
    while text not in found:
        piece = link.recv(1 << 16)
        assert piece, found
        found += piece
    return found


def test_idle_watchers(tmp_path: Path) -> None:
    """1,000 in the long run: each sees the next version, and what a watcher costs is small."""
    count, root = 1000 if SOAKS else 100, tmp_path / "logs"
    jelly.Log.create(root / "x")
    limits = f"--limit=watchers={count}", f"--limit=connections={count + 10}"
    with running(root, *limits) as (port, pid), ExitStack() as stack:
        before = memory(pid)
        links = [stack.enter_context(closing(get(port, "/x/events"))) for _ in range(count)]
        for link in links:
            assert until(link, b"\r\n\r\n").startswith(b"HTTP/1.1 200")
        with closing(get(port, "/x/events")) as one_more:
            assert until(one_more, b"\r\n\r\n").startswith(b"HTTP/1.1 503")
        jelly.Log(root / "x").publish(PATCH)  # by another process than the server
        assert all(until(link, b"id: 1.") for link in links)
        assert memory(pid) - before < count * EACH + (16 << 20)


def test_one_look_for_all_who_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits looks when it comes, when all are woken first, and at its end, and not again and again."""
    jelly.Log.create(tmp_path / "x")
    waiting, looked = 50, []
    look = FolderLog.look

    def counted(self: FolderLog, followed: Any) -> int:
        looked.append(self)
        return look(self, followed)

    monkeypatch.setattr(FolderLog, "look", counted)

    async def wait() -> list[int | None]:
        logs = Logs(tmp_path)
        log = logs.get("x")
        return await asyncio.gather(*(logs.moved("x", log, 0, 1.5) for _ in range(waiting)))

    assert asyncio.run(wait()) == [None] * waiting
    assert len(looked) <= 3 * waiting


def large(rows: int, start: int = 0) -> Iterator[bytes]:
    """N-Triples of about 1 KiB each, which hardly compress."""
    rnd = random.Random(start)
    for number in range(start, start + rows):
        yield f'<a:s{number}> <a:p> "{rnd.randbytes(500).hex()}" .\n'.encode()


def test_clients_that_do_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They ask for 16 MiB each, stored and decoded; the server keeps a piece for each, and decodes a few at once."""
    # else each thread keeps memory that it gave back, now more and now less
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    root, rows = tmp_path / "logs", 16 << 10
    log = jelly.Log.create(root / "x")
    log.publish(piece for part in ([b"TX .\n"], (b"A " + row for row in large(rows)), [b"TC .\n"]) for piece in part)  # fmt: skip
    with running(root) as (port, pid), ExitStack() as stack:
        whole = jelly.Log(f"http://127.0.0.1:{port}/x")
        assert next(whole.versions()).added == rows
        before = memory(pid)
        targets = ["/x/patches/1?format=jelly-patch"] * 16 + ["/x/patches?format=rdfp"] * 24
        links = [stack.enter_context(closing(get(port, target))) for target in targets]
        for link in links:
            assert link.recv(64).startswith(b"HTTP/1.1 200")
        assert whole.publish(PATCH).version == 2
        with closing(whole.read()) as reader:
            assert sum(batch.num_rows for batch in reader) > rows
        # 290 MiB and more where all are decoded at once
        assert memory(pid) - before < 240 << 20


def test_subscribers_that_do_not_read(tmp_path: Path) -> None:
    """Over gRPC the same: others publish and read, and memory is that of a few frames for each."""
    pytest.importorskip("grpc")
    import jelly.grpc
    from jelly.grpc._streams import Subscription

    root, rows = tmp_path / "logs", 8 << 10
    grpc_port = free_port()
    target = f"127.0.0.1:{grpc_port}"
    with running(root, "--grpc-port", str(grpc_port)) as (_, pid), ExitStack() as stack:
        jelly.grpc.publish(target, large(rows), topic="t", format="nt")
        before = memory(pid)
        calls = [stack.enter_context(Subscription(target, "t", follow=True)) for _ in range(24)]
        begun = [iter(call) for call in calls]
        assert all(next(one) for one in begun)
        jelly.grpc.publish(target, large(10, rows), topic="t", format="nt")
        with closing(jelly.grpc.subscribe(target, "t")) as reader:
            assert sum(batch.num_rows for batch in reader) == rows + 10
        assert memory(pid) - before < 150 << 20  # 192 MiB are asked for
