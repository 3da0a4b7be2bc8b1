"""A store that goes on following a log, while either of them stops and starts again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError
from servers import free_port, start
from sparql_store import Store, lost, sparql_store


def patch(number: int) -> bytes:
    return f'TX .\nD <a:s> <a:p> "{number - 1}" .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode()


def has(number: int) -> set[str]:
    return {f'<a:s> <a:p> "{number}"'}


@contextmanager
def followed(*command: object) -> Iterator[subprocess.Popen[str]]:
    args = [sys.executable, "-m", "jelly", "push", *map(str, command), "--follow", "--json"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def running(root: Path, port: int) -> Iterator[None]:
    server = start(root, port)
    try:
        yield
    finally:
        server.terminate()
        server.wait(60)


def said(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_store_and_server_start_again(tmp_path: Path, end: signal.Signals) -> None:
    pytest.importorskip("uvicorn")
    root, port, store = tmp_path / "logs", free_port(), Store()
    log = jelly.Log.create(root / "x")
    log.publish(patch(1))
    with ExitStack() as ends:
        server = ends.enter_context(ExitStack())
        server.enter_context(running(root, port))
        first = ends.enter_context(ExitStack())
        first.enter_context(sparql_store(store))
        process = ends.enter_context(followed(f"http://127.0.0.1:{port}/x", store.url))
        assert process.stdout is not None
        assert process.stderr is not None
        assert (said(process)["version"], store.statements()) == (1, has(1))
        log.publish(patch(2))
        assert (said(process)["patches"], store.statements()) == (1, has(2))
        # the server stops, and the store loses requests
        server.close()
        log.publish(patch(3))
        store.before = lambda number, body: lost(number, body) if number < 5 else None
        server.enter_context(running(root, port))
        assert (said(process)["version"], store.statements()) == (3, has(3))
        # the store stops
        first.close()
        log.publish(patch(4))
        while "cannot be reached" not in process.stderr.readline():
            pass
        first.enter_context(sparql_store(store, int(store.url.split(":")[2].split("/")[0])))
        found = said(process)
        assert (found["version"], found["patches"], found["added"]) == (4, 1, 1)
        assert store.statements() == has(4)
        process.send_signal(end)
        assert process.wait(60) == 0
        assert process.stdout.read() == ""


def test_it_waits_for_a_server_that_is_down_at_the_start(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    root, port = tmp_path / "logs", free_port()
    jelly.Log.create(root / "x").publish(patch(1))
    place = f"http://127.0.0.1:{port}"
    with sparql_store() as store, followed(f"{place}/x", store.url) as process:
        assert process.stderr is not None
        assert "waiting: " in process.stderr.readline()
        with running(root, port):
            assert (said(process)["version"], store.statements()) == (1, has(1))
            for none in (f"{place}/none", tmp_path / "none"):
                with followed(none, store.url) as other:
                    assert "there is no log" in other.communicate(timeout=60)[1]
                    assert other.returncode == 1


def test_what_ends_it(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "x")
    with sparql_store() as store:
        each = jelly.push_on(log, store.url, after=0)
        assert next(each) == (0, None, 0, 0, 0, 0, 1)
        log.publish(patch(1))
        done = next(each)
        assert (done.version, done.patches, done.requests) == (1, 1, 1)
        log.publish(b"TX .\nA _:b <a:p> <a:o> .\nTC .\n")
        with pytest.raises(PatchError, match="skolemize"):
            next(each)
        store.before = lambda _number, _body: store.store.clear()
        other = jelly.Log.create(tmp_path / "y")
        other.publish(patch(1))
        with pytest.raises(OSError, match="queries the same store"):
            next(jelly.push_on(other, store.url))
