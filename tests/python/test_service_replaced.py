"""A log that others replace, remove or move for a moment at each step of a request: no answer is of two logs, and none is a 500."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from asgi import Reply, ask
from jelly.errors import PatchError

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from anyio import to_thread

from jelly.log._contents import Contents
from jelly.service import app

READ = [
    ("/a", "*/*"),
    ("/a/versions", "*/*"),
    ("/a/patches?format=jelly-patch", "*/*"),
    ("/a/patches?format=rdfp", "*/*"),
    ("/a/patches/2", "*/*"),
    ("/a/data", "*/*"),
    ("/a/data?version=2", "*/*"),
    ("/a/diff?from=1&to=3", "*/*"),
    ("/a/diff?from=3&to=1", "*/*"),
    ("/a/history?predicate=a:p", "*/*"),
    ("/a/feed.atom", "*/*"),
    ("/a", "text/html"),
    ("/a/patches/2", "text/html"),
    ("/a/diff?from=1&to=3", "text/html"),
    ("/a/history?predicate=a:p", "text/html"),
    ("/-/delta/a/2", "*/*"),
    ("/-/delta/init-data?datasource=a", "*/*"),
]


def made(folder: Path, name: str) -> None:
    log = jelly.Log.create(folder, f'<a:{name}> <a:p> "0" .\n'.encode(), base_format="nq")
    for n in range(1, 4):
        old = f'D <a:{name}> <a:p> "0" .\n' if n == 3 else ""
        log.publish(f'H id <{name}:{n}> .\nTX .\nA <a:{name}> <a:p> "{n}" .\n{old}TC .\n'.encode())


class Logs:
    """Two logs, one of which is at ``/a``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        made(root / "a", "xenon")
        made(root / "b", "yttrium")
        self.serves()

    def serves(self) -> None:
        self.app = app(self.root, delta=True)

    def swap(self) -> None:
        for old, new in (("a", "old"), ("b", "a"), ("old", "b")):
            (self.root / old).rename(self.root / new)

    def hide(self) -> None:
        here, away = self.root / "a", self.root / "away"
        (here if here.exists() else away).rename(away if here.exists() else here)


def said(reply: Reply) -> tuple[Any, ...]:
    """What counts of an answer: a difference has a new id each time."""
    return reply.status, reply.headers.get("etag"), re.sub(rb"H id <uuid:.*", b"", reply.body)


@pytest.mark.parametrize("change", ["swap", "hide"])
@pytest.mark.parametrize("comes_back", [False, True])
@pytest.mark.parametrize("at", ["threads", "looks"])
def test_an_answer_is_of_one_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, comes_back: bool, at: str) -> None:  # fmt: skip
    logs = Logs(tmp_path / "logs")
    turn: Callable[[], None] = getattr(logs, change)
    step = when = turned = 0

    def stepped() -> None:
        nonlocal step, turned
        step += 1
        if when and (step == when or (comes_back and step == when + 1)):
            turned += 1
            turn()

    extent, run_sync = Contents.extent, to_thread.run_sync

    def look(self: Contents) -> Any:
        stepped()
        return extent(self)

    async def run(*args: Any, **options: Any) -> Any:
        stepped()
        return await run_sync(*args, **options)

    if at == "looks":
        monkeypatch.setattr(Contents, "extent", look)
    else:
        monkeypatch.setattr(to_thread, "run_sync", run)
    for path, accept in READ:
        logs.serves()
        when = 0
        fitting = [said(ask(logs.app, "GET", path, accept=accept))]
        logs.swap()
        fitting.append(said(ask(logs.app, "GET", path, accept=accept)))
        logs.swap()
        logs.serves()
        assert b"yttrium" not in fitting[0][2]
        assert b"xenon" not in fitting[1][2]
        assert [one[0] for one in fitting] == [200, 200]
        when, step = 0, 1
        while when < step:
            logs.serves()
            when, step = when + 1, 0
            try:
                reply = ask(logs.app, "GET", path, accept=accept)
            except RuntimeError:
                continue  # the answer is cut
            finally:
                if turned % 2:
                    turned += 1
                    turn()
            if reply.status == 200:
                assert said(reply) in fitting, (path, accept, when)
            elif accept == "*/*":
                wanted = {(404, "log"), (409, "patch.changed")}
                assert (reply.status, reply.kind) in wanted, (path, when, reply.body)
            else:
                assert reply.status in (404, 409), (path, accept, when, reply.body)


@pytest.mark.parametrize("when", [1, 2, 3])
def test_events_are_of_one_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: int) -> None:
    """The log is replaced before the stream begins, or after its last look and before its versions are listed."""
    logs = Logs(tmp_path / "logs")
    versions = jelly.log._folder.FolderLog.versions
    listed = 0

    def swapped(*args: Any) -> Any:
        nonlocal listed
        listed += 1
        if listed == when:
            logs.swap()
        return versions(*args)

    monkeypatch.setattr(jelly.log._folder.FolderLog, "versions", swapped)
    reply = ask(logs.app, "GET", "/a/events?after=1")
    assert listed >= when
    if when < 3:
        assert (reply.status, reply.kind) == (409, "patch.changed")
    else:
        (data,) = (line for line in reply.body.splitlines() if line.startswith(b"data: "))
        assert json.loads(data[6:])["kind"] == "patch.fork"


def test_a_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:  # fmt: skip
    """The owner of the server finds the name of a missing file in the log, and others do not."""
    logs = Logs(tmp_path / "logs")

    def failed(*_: Any) -> None:
        raise FileNotFoundError(2, "no such file", str(tmp_path / "missing"))

    monkeypatch.setattr("jelly.service._views.write_state", failed)
    reply = ask(logs.app, "GET", "/a/data")
    assert (reply.status, reply.kind) == (409, "patch.changed")
    assert str(tmp_path).encode() not in reply.body
    assert str(tmp_path / "missing") in caplog.text


@pytest.mark.parametrize(("path", "body"), [("/a/compact?upto=2", b""), ("/-/delta/$/rpc", json.dumps({"operation": "describe_log", "opid": "1", "arg": {"datasource": "a"}}).encode())])  # fmt: skip
def test_a_change_of_a_log_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, body: bytes
) -> None:
    logs = Logs(tmp_path / "logs")

    def gone(self: Any, *_: Any) -> None:
        logs.hide()
        raise FileNotFoundError(2, "no such file", str(self))

    for name in ("info", "compact"):
        monkeypatch.setattr(jelly.log._folder.FolderLog, name, gone)
    reply = ask(logs.app, "POST", path, body, content_type="application/json")
    assert (reply.status, reply.kind) == (404, "log")


def test_versions_are_of_one_log(tmp_path: Path) -> None:
    """Also in Python: a list that is read while the log is replaced ends with an error."""
    logs = Logs(tmp_path / "logs")
    log = jelly.Log(tmp_path / "logs/a")
    found = log.versions()
    logs.swap()
    with pytest.raises(PatchError) as caught:
        list(found)
    assert caught.value.kind == "patch.changed"
    logs.swap()
    assert [one.id for one in log.versions()] == [f"<xenon:{n}>" for n in (1, 2, 3)]
