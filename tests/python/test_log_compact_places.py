"""Compacting logs in folders, on servers and in object stores: one table of what stays and what goes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError, ReplicaError
from jelly.log._objects import Objects
from test_log_compact import BASE, body, gone, state

pytest.importorskip("starlette")
pytest.importorskip("moto")
pytest.importorskip("obstore")

from asgi import ask
from jelly.log import _compact_store
from jelly.log._manifest import Manifest
from jelly.log._object import ObjectLog
from jelly.service import app
from jelly.service._tokens import made as made_token
from object_store import ObjectStore
from servers import served


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("served")) as address:
        yield address


def made(store: ObjectStore, ending: str = ".jellyp", base: bytes | None = BASE, place: str = "") -> jelly.Log:  # fmt: skip
    storage = None if place else store.storage
    log = jelly.Log.create(place or store.place(), base, ending=ending, base_format="nq", storage=storage)  # fmt: skip
    for number in range(1, 7):
        log.publish(body(number))
    return log


def again(log: jelly.Log, store: ObjectStore) -> jelly.Log:
    """As another process sees it."""
    storage = store.storage if isinstance(log, ObjectLog) else None
    return jelly.Log(log.place, storage=storage)


@pytest.mark.parametrize(
    ("kind", "ending", "base"),
    [
        ("folder", ".jellyp", BASE),
        ("server", ".jellyp", BASE),
        ("store", ".jellyp", BASE),
        ("store", ".rdfp.gz", None),
        ("store", ".trp.zst", BASE),
    ],
)
def test_what_stays_and_what_goes(address: str, store: ObjectStore, tmp_path: Path, kind: str, ending: str, base: bytes | None) -> None:  # fmt: skip
    places = {"folder": str(tmp_path / "x"), "server": f"{address}/{tmp_path.name}", "store": ""}
    log = made(store, ending, base, places[kind])
    states = {version: state(log, version) for version in (4, 5, 6)}
    later = [version._asdict() for version in log.versions(4)]
    read = [row[4:] for row in log.read(4).rows()]
    old = log.pull(tmp_path / "old")
    assert log.compact(0)[:3] == (0, 2 if base else 0, 0)
    done = log.compact(4)
    assert done[:3] == (4, len([row for row in states[4] if b"prefix" not in row]), 4)
    assert log.compact("<urn:p:5>")[:3] == (5, done.statements, 1)
    assert log.compact(2)[:3] == (5, done.statements, 0)
    del states[4], later[0]
    read = [row[4:] for row in old.read(5).rows()]
    for same in (log, again(log, store)):
        assert {version: state(same, version) for version in states} == states
        assert [version._asdict() for version in same.versions(5)] == later
        assert [row[4:] for row in same.read(5).rows()] == read
        assert (same.info().first, same.head) == (6, (6, "<urn:p:6>"))
        assert not same.verify().problems
        for version in (3, "<urn:p:2>"):
            gone(same.dataset, io.BytesIO(), version)
            gone(same.fetch, version, io.BytesIO())
        gone(same.versions, 3)
        gone(lambda same=same: list(same.read(0).rows()))
        gone(lambda same=same: next(same.watch(0)))
        gone(same.compact, "<urn:p:2>")
        with pytest.raises(PatchError, match=r"patch\.version"):
            same.compact(9)
        assert same.publish(body(2)).version == 2
        with pytest.raises(PatchError, match="duplicate"):
            same.publish(body(2, "other"))
        out = io.BytesIO()
        copy = same.pull(tmp_path / "new")
        begin = copy.folder / str(copy.info().base)
        jelly.apply(begin, same, out, to="nq")
        for version in (0, 4):
            gone(jelly.as_of, begin, same, version, io.BytesIO())
            gone(jelly.between, same, version, 6, io.BytesIO())
        with pytest.raises(PatchError, match="there is no version 9: the log has versions 5 to 6"):
            jelly.as_of(begin, same, 9, io.BytesIO())
        assert sorted(out.getvalue().splitlines()) == [row for row in states[6] if b"prefix" not in row]  # fmt: skip
    assert state(jelly.Log(tmp_path / "new")) == states[6]
    assert state(log.pull(tmp_path / "old")) == states[6]
    assert (log.publish(body(7)).version, log.publish(body(1)).version) == (7, 1)
    assert again(log, store).compact(7).version == 7
    assert state(log)
    assert log.publish(body(8)).prev == "<urn:p:7>"


@pytest.mark.parametrize("kind", ["folder", "server", "store"])
def test_a_log_that_was_compacted_to_its_head(address: str, store: ObjectStore, tmp_path: Path, kind: str) -> None:  # fmt: skip
    places = {"folder": str(tmp_path / "x"), "server": f"{address}/{tmp_path.name}", "store": ""}
    log = made(store, place=places[kind])
    replicas = [jelly.Replica.create(tmp_path / name, BASE, base_format="nq") for name in "ab"]
    assert replicas[1].follow(log).version == 6
    last = state(log)
    log.compact(6)
    for same in (log, again(log, store)):
        assert state(same, "<urn:p:6>") == state(same, 6) == last
        gone(same.dataset, io.BytesIO(), "<urn:p:5>")
        with pytest.raises(ReplicaError, match=r"replica\.gap"):
            replicas[0].follow(same)
        assert replicas[1].follow(same).patches == 0
    copy = log.pull(tmp_path / "copy")
    assert copy.head == (6, "<urn:p:6>")
    base = copy.folder / str(copy.info().base)
    assert {period.valid_from for period in jelly.history(copy.folder, base=base)} == {6}
    for patches in (copy, log, places[kind] or log):
        assert jelly.as_of(base, patches, "<urn:p:6>", io.BytesIO(), to="nq").version == 6
    with pytest.raises(ValueError, match="Compacted"):
        log.publish(body(7), headers={"Compacted": '"x"'})
    log.publish(body(7))
    copy = log.pull(tmp_path / "copy")
    assert state(copy) == state(log)
    assert state(log, "<urn:p:6>") == last
    assert not copy.verify().problems
    assert copy.publish(body(8)).version == 8


def test_histories_on_a_server_begin_with_the_version_of_the_base(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "logs/x")
    served = app(tmp_path / "logs")
    begins = []
    for number in range(1, 4):
        log.publish(f'TX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode())
    for upto in (0, 2, 3):
        log.compact(upto)
        found = ask(served, "GET", "/x/history?subject=a:s")
        begins.append([json.loads(line)["valid_from"] for line in found.body.splitlines()])
    assert [sorted(found) for found in begins] == [[1, 2, 3], [2, 2, 3], [3, 3, 3]]


class _Killed(BaseException):
    pass


def test_killed_at_each_request(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Each change of an object may be the last one; a publisher goes on in between."""
    monkeypatch.setattr(_compact_store, "_YOUNG", timedelta(0))
    before = state(made(store))
    left_over = 0
    step, compacted = 0, set()
    while True:
        step += 1
        log = made(store)
        left = [step]
        with monkeypatch.context() as patched:
            for name in ("create", "replace", "delete"):
                work = getattr(Objects, name)

                def counted(*args: Any, left: Any = left, work: Any = work) -> Any:
                    left[0] -= 1
                    if not left[0]:
                        raise _Killed
                    return work(*args)

                patched.setattr(Objects, name, counted)
            try:
                log.compact(4)
                is_killed = False
            except _Killed:
                is_killed = True
        log = again(log, store)
        compacted.add(log.info().first)
        assert state(log) == before
        assert not log.verify().problems
        assert all(log.publish(body(number)).version == number for number in range(1, 7))
        if not is_killed:
            break
        assert log.publish(body(7)).version == 7
        assert isinstance(log, ObjectLog)
        left_over += len(bases(log)) - 1
        log.compact(4)
        assert (log.info().first, log.head.version) == (5, 7)
        assert len(bases(log)) == 1
        stubs = [log.objects.get(f"patch-000{number}.jellyp") for number in range(1, 5)]
        assert all(stub and b"compacted" in stub.data for stub in stubs)
        said = log.manifest.look()
        assert said
        assert (said["base"]["stubs"], "former" in said["base"]) == (4, False)
    assert left_over > 0
    assert compacted == {1, 5}
    assert step > 7


def test_readers_that_looked_before(store: ObjectStore) -> None:
    """What was found before a compaction is refused after it: an early patch, and the base."""
    log = made(store)
    other = again(log, store)
    reader = iter(other.read(0).rows())
    said = other.manifest.look()  # type: ignore[attr-defined]
    sizes = [version.bytes for version in other.versions()]
    log.compact(4)
    gone(list, reader)
    gone(list, other._each(0, sizes))
    gone(list, other._base(said))  # type: ignore[attr-defined]
    assert other.publish(body(7)).version == 7


def test_another_compacts_meanwhile(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Of two compactions at once the further one counts, and one base is left."""
    for mine, others in ((2, 4), (4, 2)):
        log = made(store)
        with monkeypatch.context() as patched:

            def create(objects: Objects, name: str, data: bytes, patched: Any = patched, others: int = others, log: jelly.Log = log, work: Any = Objects.create) -> Any:  # fmt: skip
                patched.undo()
                again(log, store).compact(others)
                return work(objects, name, data)

            patched.setattr(Objects, "create", create)
            assert log.compact(mine).version == 4
        expected = state(log)
        log.compact(4)
        assert state(again(log, store)) == expected
        assert isinstance(log, ObjectLog)
        bases = [name for name in log.objects.numbers("base-") if name.startswith("base-")]
        assert len(bases) == 1


def test_who_may(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "logs/x")
    for number in range(1, 4):
        log.publish(body(number))
    tokens, kept, known = tmp_path / "tokens", [], {}
    for name in ("publish", "admin"):
        known[name], line = made_token(name, f"read,{name}")
        kept.append(line)
    tokens.write_text("\n".join(kept))
    served = app(tmp_path / "logs", tokens=tokens)
    for name, status in (("publish", 403), ("admin", 200)):
        token = f"Bearer {known[name]}"
        assert ask(served, "POST", "/x/compact?upto=1", authorization=token).status == status
    served = app(tmp_path / "logs", read_only=True)
    assert ask(served, "POST", "/x/compact?upto=2").status == 403
    served = app(tmp_path / "logs")
    for query, status in (("", 400), ("?upto=9", 404), ("?upto=urn:none", 404)):
        assert ask(served, "POST", f"/x/compact{query}").status == status, query
    assert ask(served, "GET", "/x/compact").status == 405
    assert ask(served, "POST", "/none/compact?upto=1").status == 404
    assert ask(served, "POST", "/x/compact?upto=urn:p:2").status == 200
    assert ask(served, "GET", "/x/data?version=1").kind == "patch.gap"


def test_what_is_left_never_has_the_size_of_the_patch(store: ObjectStore) -> None:
    """A reader that knows the size of a patch sees that its rows are gone."""
    log = jelly.Log.create(store.place(), storage=store.storage, ending=".rdfp")
    assert isinstance(log, ObjectLog)
    for size in range(40, 80):
        log.publish(f'TX .\nA <a:s> <a:p> "{"x" * size}" .\nTC .\n'.encode())
    sizes = {version.version: version.bytes for version in log.versions()}
    log.compact(40)
    for version, size in sizes.items():
        found = log.objects.get(f"patch-{version:04}.rdfp")
        assert found
        assert len(found.data) != size
    assert any(b"padding" in (found.data if (found := log.objects.get(f"patch-{version:04}.rdfp")) else b"") for version in sizes)  # fmt: skip


def bases(log: jelly.Log) -> set[str]:
    assert isinstance(log, ObjectLog)
    return set(log.objects.dated("base-"))


@pytest.mark.parametrize("young", [timedelta(0), timedelta(hours=1)])
def test_a_base_that_is_about_to_be_named(store: ObjectStore, monkeypatch: pytest.MonkeyPatch, young: timedelta) -> None:  # fmt: skip
    """Another compaction ends after a base was made, and before ``log.json`` names it."""
    monkeypatch.setattr(_compact_store, "_YOUNG", young)
    log = made(store)
    before = state(log)
    change, seen = Manifest.change, []

    def changed(*args: Any) -> Any:
        monkeypatch.setattr(Manifest, "change", change)
        mine = bases(log)
        again(log, store).compact(2)
        seen.append(mine & bases(log))
        return change(*args)

    monkeypatch.setattr(Manifest, "change", changed)
    assert log.compact(4).version == 4
    # the one that the log began with is deleted, and the new one if it seems to be left over
    assert [len(found) for found in seen] == [1 if young else 0]
    for same in (log, again(log, store)):
        assert state(same) == before
        assert same.info().first == 5
    assert len(bases(log)) == 1


def test_a_log_that_is_begun_again_leaves_no_base(store: ObjectStore) -> None:
    log = made(store)
    for base in (BASE, b"<x:other> <x:p> <x:o> .\n"):
        with suppress(PatchError):
            jelly.Log.create(log.place, base, base_format="nq", storage=store.storage)
        assert len(bases(log)) == 1
