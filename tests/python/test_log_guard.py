"""Logs that are compacted, cut or replaced while they are read, through each way to read."""

from __future__ import annotations

import importlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly._apply import applied
from jelly.errors import PatchError
from jelly.log._contents import Contents
from jelly.log._folder import FolderLog
from jelly.log._guard import Guard, Seen


def patch(n: int) -> bytes:
    return f'H id <x:{n}> .\nTX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode()


def made(folder: Path) -> FolderLog:
    log = jelly.Log.create(folder)
    for n in range(1, 5):
        log.publish(patch(n))
    assert isinstance(log, FolderLog)
    return log


def compact_to(home: Path, upto: int) -> None:
    jelly.Log(home).compact(upto)


def compact(log: FolderLog) -> None:
    compact_to(log.folder, 3)


def replace(log: FolderLog) -> None:
    shutil.rmtree(log.folder)
    made(log.folder)


def cut(log: FolderLog) -> None:
    (log.folder / "patch-0004.jellyp").unlink()
    (log.folder / "_index.jsonl").unlink()


CHANGES = [(compact, "patch.gap"), (replace, "patch.changed"), (cut, "patch.version")]


@pytest.mark.parametrize(("change", "kind"), CHANGES)
def test_each_way_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[FolderLog], None], kind: str) -> None:  # fmt: skip
    """The log changes after the files of a range were found, and before they are read."""
    ways: list[Callable[[FolderLog], Any]] = [
        lambda log: list(log.read().rows()),
        lambda log: list(log._each(0, [1] * 4)),
        lambda log: log.fetch(1 if kind == "patch.gap" else 4, io.BytesIO()),
        lambda log: log._stored(1 if kind == "patch.gap" else 4, tmp_path / "copy"),
    ]
    for number, read in enumerate(ways):
        log = made(tmp_path / str(number))
        paths, path = log.paths, log.path

        def found(*args: Any, log: Any = log, paths: Any = paths) -> list[Path]:
            files = [shutil.copy(one, tmp_path) for one in paths(*args)]
            change(log)
            return [Path(file) for file in files]

        def one(version: int, log: Any = log, path: Any = path) -> Path:
            file = Path(shutil.copy(path(version), tmp_path))
            change(log)
            return file

        monkeypatch.setattr(log, "paths", found)
        monkeypatch.setattr(log, "path", one)
        with pytest.raises(PatchError) as caught:
            read(log)
        assert caught.value.kind == kind


@pytest.mark.parametrize(("change", "kind"), CHANGES)
def test_a_stream_of_a_server_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[FolderLog], None], kind: str) -> None:  # fmt: skip
    """Patches that changed after the answer began are not sent as if they were what they were."""
    pytest.importorskip("starlette")
    from asgi import ask
    from jelly.service import app

    log = made(tmp_path / "logs/x")
    paths = log.paths

    def found(_: FolderLog, *args: Any) -> list[Path]:
        files = [Path(shutil.copy(one, tmp_path)) for one in paths(*args)]
        monkeypatch.undo()
        change(log)
        return files

    monkeypatch.setattr(FolderLog, "paths", found)
    reply = ask(app(tmp_path / "logs"), "GET", "/x/patches")
    assert reply.kind == kind


def test_a_log_that_gets_its_id_is_the_same() -> None:
    seen = [Seen(None, 1, 2), Seen("a", 1, 2), Seen(None, 1, 2)]
    guard = Guard("place", lambda: seen.pop(0), 0)
    guard.check()
    assert list(guard.end([1, 2])) == [1, 2]


MAKERS = [("jelly.log._folder", "applied"), ("jelly.service._states", "applied"), ("jelly.service._compare", "history")]  # fmt: skip


@pytest.mark.parametrize(("module", "name"), MAKERS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_made_of_the_base_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, when: str) -> None:  # fmt: skip
    """Another process puts another base in the place of that which was found, before it is read or after that."""
    pytest.importorskip("starlette")
    from asgi import ask
    from jelly.service import app

    home = tmp_path / "logs/x"
    log = made(home)
    real, others = getattr(importlib.import_module(module), name), [3, 2]

    def between(*args: Any, **options: Any) -> Any:
        upto = others.pop() if others else None
        monkeypatch.undo()
        if upto is not None and when == "before":
            compact_to(home, upto)
        try:
            return real(*args, **options)
        finally:
            if upto is not None and when == "after":
                compact_to(home, upto)
            monkeypatch.setattr(f"{module}.{name}", between)

    monkeypatch.setattr(f"{module}.{name}", between)
    if module == "jelly.log._folder":
        out = io.BytesIO()
        assert log.dataset(out, 4, to="nq").statements == 4
        found = out.getvalue()
    elif name == "applied":
        found = ask(app(tmp_path / "logs"), "GET", "/x/data?version=4&format=nq").body
    else:
        reply = ask(app(tmp_path / "logs"), "GET", "/x/history?subject=x:s")
        periods = [json.loads(line) for line in reply.body.splitlines()]
        found = "".join(f"{one['subject']} <x:p> {one['object']} .\n" for one in periods).encode()
        assert [one["valid_from"] for one in periods] == [3, 3, 3, 4]
    assert sorted(found.decode().splitlines()) == [f'<x:s> <x:p> "{n}" .' for n in range(1, 5)]
    assert not others


def test_backups_that_are_compacted_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state that a backup restores is made again; a dump is not compared with another state than the last one."""
    home, real, others = tmp_path / "x", applied, [3, 2]
    log = jelly.Log.create(home, b'<x:s> <x:p> "0" .\n', base_format="nq")
    for n in range(1, 5):
        log.publish(patch(n))

    def between(base: Path, *more: Any) -> Any:
        before = base.read_bytes()
        if others:
            jelly.Log(home).compact(others.pop())
            base.write_bytes(before)  # it stays until all patches are gone
        return real(base, *more)

    monkeypatch.setattr("jelly._backup.applied", between)
    out = io.BytesIO()
    assert jelly.restore(home, out, to="nq").statements == 5
    quads = [f'<x:s> <x:p> "{n}" .' for n in range(5)]
    assert sorted(out.getvalue().decode().splitlines()) == quads
    assert not others
    others.append(4)
    with pytest.raises(PatchError) as caught:
        jelly.backup("\n".join(quads[1:]).encode(), home, dump_format="nq")
    assert caught.value.kind == "patch.gap"
    assert log.head.version == 4


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("upto", [2, 4])
def test_publishing_while_others_compact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, upto: int, is_known: bool) -> None:  # fmt: skip
    """The log is compacted after it was looked at, and before what is there is checked."""
    log = made(tmp_path / "log")
    check = Contents.require_chain

    def compacted(contents: Contents, extent: Any) -> None:
        monkeypatch.setattr(Contents, "require_chain", check)
        compact_to(log.folder, upto)
        check(contents, extent)

    monkeypatch.setattr(Contents, "require_chain", compacted)
    publisher = log if is_known else jelly.Log(log.folder)
    done = publisher.publish(patch(5))
    assert (done.version, done.id, done.replayed) == (5, "<x:5>", False)
    assert publisher.dataset(io.BytesIO(), to="nq").statements == 5
    assert publisher.verify().problems == ()
