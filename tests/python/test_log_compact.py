"""Logs whose first patches were compacted into a base."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from asgi import ask
from jelly._page._site import write_page
from jelly.errors import PatchError
from jelly.log import _compact
from jelly.log._repair import repair

BASE = b'<a:s> <a:p> "base"@en .\n_:b0 <a:p> <a:s> <a:g> .\n'


def body(number: int, value: str = "") -> bytes:
    return f"""H id <urn:p:{number}> .
TX .
PA p{number} <urn:{number}:> .
A <a:s> <a:p> "{value or number}" .
D <a:s> <a:p> "{number - 2}" .
TC .
TX .
A <a:never> <a:p> "{number}" .
TA .
""".encode()


def made(folder: Path, ending: str = ".jellyp", base: bytes | None = BASE) -> jelly.Log:
    """A log of six versions."""
    log = jelly.Log.create(folder, base, ending=ending, base_format="nq")
    for number in range(1, 7):
        log.publish(body(number))
    return log


def state(log: jelly.Log, version: int | str | None = None) -> list[bytes]:
    """Statements and prefixes at a version."""
    plain, trig = io.BytesIO(), io.BytesIO()
    log.dataset(plain, version, to="nq")
    log.dataset(trig, version, to="trig", namespaces=True)
    prefixes = [line for line in trig.getvalue().splitlines() if b"prefix" in line.lower()]
    return sorted(plain.getvalue().splitlines()) + sorted(prefixes)


def gone(work: Callable[..., Any], *args: Any) -> None:
    with pytest.raises(PatchError) as caught:
        work(*args)
    assert caught.value.kind == "patch.gap"


@pytest.mark.parametrize("ending", [".jellyp", ".rdfp.gz", ".trp.zst"])
def test_what_stays_and_what_goes(tmp_path: Path, ending: str) -> None:
    log = made(tmp_path / "x", ending)
    states = {version: state(log, version) for version in (4, 5, 6)}
    later = [version._asdict() for version in log.versions(4)]
    read = [row[4:] for row in log.read(4).rows()]
    done = log.compact(4)
    assert done[:3] == (4, 4, 4)
    assert log.compact(2)[:3] == (4, 4, 0)
    for same in (log, jelly.Log(tmp_path / "x")):
        assert {version: state(same, version) for version in states} == states
        assert [version._asdict() for version in same.versions(4)] == later
        assert [row[4:] for row in same.read(4).rows()] == read
        assert (same.info().first, same.head) == (5, (6, "<urn:p:6>"))
        assert not same.verify().problems
        stub = tmp_path / f"x/patch-0002{ending}"
        gone(state, same, 3)
        gone(same.versions, 3)
        gone(same.read, 0)
        gone(same.fetch, 2, io.BytesIO())
        gone(same.fetch, "<urn:p:2>", io.BytesIO())
        gone(lambda same=same: next(same.watch(0)))
        gone(same.compact, "<urn:p:2>")
        gone(jelly.apply, b"", stub, io.BytesIO())
        gone(same.publish, stub)
    # late retries are known, also without the index, and after all of it is compacted
    for _ in range(2):
        same = jelly.Log(tmp_path / "x")
        for number in (2, 6):
            assert same.publish(body(number)).version == number
            with pytest.raises(PatchError, match="duplicate"):
                same.publish(body(number, "other"))
        (tmp_path / "x/_index.jsonl").unlink()
        assert jelly.Log(tmp_path / "x").publish(body(3)).replayed
        jelly.Log(tmp_path / "x").compact(6)
    assert state(log) == states[6]
    assert (log.publish(body(7)).version, log.publish(body(1)).version) == (7, 1)
    assert next(log.versions(6)).prev == "<urn:p:6>"
    assert repair(tmp_path / "x").moved == ()
    assert sorted(path.name for path in (tmp_path / "x").glob("base*")) == ["base-0006.jelly.zst", "base.json"]  # fmt: skip
    assert state(jelly.Log(tmp_path / "x"), 6) == states[6]


def test_what_is_refused(tmp_path: Path) -> None:
    log = made(tmp_path / "x", base=None)
    for version in (7, "<urn:none>"):
        with pytest.raises(PatchError, match=r"patch\.version"):
            log.compact(version)
    other = jelly.Log(tmp_path / "y")
    other.publish(body(1))
    with pytest.raises(PatchError, match=r"patch\.base"):
        other.compact(1)
    assert log.compact(0).patches == 0
    assert not (tmp_path / "x/base.json").exists()
    log.compact(3)
    path = tmp_path / "x/patch-0002.jellyp"
    path.write_bytes(path.read_bytes()[:-9])
    (tmp_path / "x/_index.jsonl").unlink()
    with pytest.raises(jelly.errors.JellyError):  # a late retry of it would not be known
        jelly.Log(tmp_path / "x").publish(body(7))


def test_others_meanwhile(tmp_path: Path) -> None:
    """A server, copies, a replica and a follower have seen the log before."""
    pytest.importorskip("starlette")
    from jelly.service import app

    log = made(tmp_path / "logs/x")
    served = app(tmp_path / "logs")
    full = ask(served, "GET", "/x/data?format=nq").body
    for path in ("/x/patches/2", "/x/patches", "/x/versions", "/x/data?version=2"):
        assert ask(served, "GET", path).status == 200
    copies = {}
    for version in (3, 4, 5):
        shutil.copytree(tmp_path / "logs/x", tmp_path / f"copy{version}")
        for number in range(version + 1, 7):
            (tmp_path / f"copy{version}/patch-000{number}.jellyp").unlink()
        (tmp_path / f"copy{version}/_index.jsonl").unlink()
        copies[version] = jelly.Log(tmp_path / f"copy{version}")
    replica = jelly.Replica.create(tmp_path / "replica", BASE, base_format="nq")
    replica.follow(copies[4])
    log.compact(4)
    for path in ("/x/patches/2", "/x/patches", "/x/patches?after=3", "/x/data?version=2", "/x/versions", "/x/patches?id=urn:p:2"):  # fmt: skip
        assert ask(served, "GET", path).status == 410, path
    assert ask(served, "GET", "/x/data?format=nq").body == full
    assert ask(served, "GET", "/x/patches/5").status == 200
    assert json.loads(ask(served, "POST", "/x", body(2)).body)["replayed"]
    gone(log.pull, tmp_path / "copy3")
    for folder in ("copy4", "copy5", "new"):
        assert state(log.pull(tmp_path / folder)) == state(log)
    replica.follow(log)
    assert replica.read().read_all().num_rows == len(full.splitlines())
    assert write_page(log, tmp_path / "site") == 2


def test_killed_at_each_step(tmp_path: Path) -> None:
    """Each flush and each name given may be the last one; a publisher goes on in between."""
    made(tmp_path / "log", ".rdfp")
    expected, step, compacted = state(jelly.Log(tmp_path / "log")), 0, set()
    while True:
        step += 1
        folder = tmp_path / f"log{step}"
        shutil.copytree(tmp_path / "log", folder)
        is_killed = _killed_at(step, folder)
        log = jelly.Log(folder)
        first = log.info().first
        compacted.add(first)
        assert state(log) == expected
        assert not log.verify().problems
        assert all(log.publish(body(number)).version == number for number in range(1, 7))
        assert len(list(log.versions(first - 1))) == 7 - first
        if not is_killed:
            break
        assert log.publish(body(7)).version == 7
        log.compact(4)
        assert (log.info().first, log.head.version) == (5, 7)
        assert not log.verify().problems
        stubs = [(folder / f"patch-000{number}.rdfp").read_bytes() for number in range(1, 5)]
        assert all(b"H compacted" in stub and b"TX" not in stub for stub in stubs)
        assert len(list(folder.glob("base*"))) == 2
    assert compacted == {1, 5}
    assert step > 10


def _killed_at(step: int, folder: Path) -> bool:
    """Compacts in a child that is killed before its flush or replacement of a number; False: it came to its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert code in (0, -signal.SIGKILL)
        return code != 0
    try:
        left = [step]

        def counted(function: Any) -> Any:
            def call(*args: Any) -> Any:
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*args)

            return call

        for name in ("sync_file", "sync_folder", "append"):
            setattr(_compact, name, counted(getattr(_compact, name)))
        Path.replace = counted(Path.replace)  # type: ignore[method-assign]
        Path.unlink = counted(Path.unlink)  # type: ignore[method-assign]
        jelly.Log(folder).compact(4)
        os._exit(0)
    finally:
        os._exit(3)
