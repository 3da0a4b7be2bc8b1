"""Logs in an object store: the model of ``log_places``, publishers without a server, faults at each request."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import socket
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

import jelly
from jelly.errors import PatchError
from jelly.log._folder import FolderLog
from jelly.log._server import ServerLog
from log_places import HOW, LogMachine

pytest.importorskip("obstore")
pytest.importorskip("moto")

from jelly.log._object import ObjectLog
from object_store import ObjectStore

FAULTS = [(when, status) for when in ("before", "after") for status in (409, 412, 500, 503, 0)]


def patch(n: int) -> bytes:
    return f'H id <x:{n}> .\nTX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode()


def opened(store: ObjectStore, place: str | None = None) -> jelly.Log:
    return jelly.Log(place or store.place(), storage=store.storage)


def rows(log: jelly.Log) -> list[str]:
    with log.read() as reader:
        return [str(row.object) for row in reader.rows() if row.op == "A"]


class _Store(LogMachine):
    store: ObjectStore

    def make(self, folder: Path, stack: ExitStack) -> str:  # noqa: ARG002
        return self.store.place()


def test_model(store: ObjectStore) -> None:
    _Store.store, _Store.storage = store, store.storage
    case = _Store.TestCase
    case.settings = HOW
    before = store.place()
    case("runTest").runTest()
    first, last = (int(place.removeprefix("s3://bucket/log")) for place in (before, store.place()))
    assert last - first > 5


@pytest.mark.parametrize("ending", [".rdfp.gz", ".trp", ".jellyp.zst"])
def test_endings(store: ObjectStore, tmp_path: Path, ending: str) -> None:
    log = jelly.Log.create(store.place(), ending=ending, storage=store.storage)
    for n in range(1, 4):
        log.publish(patch(n))
    other = opened(store, log.place)
    assert rows(other) == ['"1"', '"2"', '"3"']
    assert {version.prefixes for version in other.versions()} == {0}
    copy = other.pull(tmp_path / "copy")
    assert [path.name for path in copy.files] == [f"patch-000{n}{ending}" for n in (1, 2, 3)]
    out = io.BytesIO()
    other.fetch(2, out, to="rdfp")
    assert b'A <x:s> <x:p> "2" .' in out.getvalue()
    with jelly.read_patch(out.getvalue()) as reader:
        assert [one.id for one in reader.patches()] == ["<x:2>"]
    assert not other.verify().problems


def test_requests_of_a_publish(store: ObjectStore) -> None:
    one = jelly.Log.create(store.place(), storage=store.storage)
    one.publish(patch(1))
    other = opened(store, one.place)
    assert other.head.version == 1
    store.seen()
    one.publish(patch(2))
    # the look at the next name, and at the id of the log
    assert [method for method, _ in store.seen()] == ["GET", "GET", "PUT"]
    other.publish(patch(3))  # one was faster
    assert [method for method, _ in store.seen()] == ["GET"] * 3 + ["PUT"]
    for n in (4, 5):
        other.publish(patch(n))
    store.seen()
    one.publish(patch(6))  # three were
    assert [method for method, _ in store.seen()] == ["GET"] * 5 + ["PUT"]


def test_a_first_publish_makes_the_log(store: ObjectStore) -> None:
    log = opened(store)
    assert tuple(log.head) == (0, None)
    assert list(log.versions()) == []
    assert log.publish(patch(1)).version == 1
    assert log.info().base is None
    with pytest.raises(PatchError) as caught:
        log.dataset(io.BytesIO())
    assert caught.value.kind == "patch.base"
    jelly.Log.create(log.place, b"<x:a> <x:b> <x:c> .", base_format="nq", storage=store.storage)
    with pytest.raises(PatchError) as caught:
        jelly.Log.create(log.place, storage=store.storage)
    assert caught.value.kind == "patch.conflict"
    assert opened(store, log.place).dataset(io.BytesIO(), to="nq").statements == 2


@pytest.mark.parametrize("base", [b"", b'<a:s> <a:p> "base" .\n'])
def test_a_first_patch_with_a_wrong_number_of_statements(store: ObjectStore, base: bytes) -> None:
    log = jelly.Log.create(store.place(), base or None, base_format="nq", storage=store.storage)
    with pytest.raises(PatchError, match="the header 'statements' is 7") as caught:
        log.publish(patch(1), headers={"statements": '"7"'})
    assert caught.value.kind == "patch.header"
    count = 2 if base else 1
    assert log.publish(patch(1), headers={"statements": f'"{count}"'}).version == 1
    assert log.dataset(io.BytesIO()).statements == count


@pytest.mark.parametrize("pattern", ["patch-0002", "log.json", "base-"])
def test_faults_at_every_put(store: ObjectStore, pattern: str) -> None:
    """Each answer may mean that the object was made or not; what is there decides."""
    for when, status in FAULTS:
        store.fail(("PUT", pattern, when, status))
        log = jelly.Log.create(store.place(), b"<x:a> <x:b> <x:c> .", base_format="nq", storage=store.storage)  # fmt: skip
        for n in (1, 2, 3):
            done = log.publish(patch(n))
            assert (done.version, done.replayed) == (n, False)
        store.fail()
        other = opened(store, log.place)
        assert rows(other) == ['"1"', '"2"', '"3"'], (when, status)
        out = io.BytesIO()
        assert other.dataset(out, to="nq").statements == 4


def test_faults_at_every_get(store: ObjectStore) -> None:
    log = jelly.Log.create(store.place(), storage=store.storage)
    for n in (1, 2):
        log.publish(patch(n))
    for status in (500, 503, 0):
        for name in ("log.json", "_index", "patch-0001", "patch-0002", "patch-0003"):
            store.fail(("GET", name, "before", status))
            other = opened(store, log.place)
            assert other.head.version == 2
            assert rows(other) == ['"1"', '"2"']
            store.fail()


def test_another_was_faster_between_probe_and_put(store: ObjectStore) -> None:
    """The commit point is the name: whoever is second sees the first, whatever it knew."""
    one = jelly.Log.create(store.place(), storage=store.storage)
    one.publish(patch(1))
    other = opened(store, one.place)
    assert other.head.version == 1
    # its probe is answered as if nothing were there
    one.publish(patch(2))
    store.fail(("GET", "patch-0002", "before", 404))
    store.seen()
    done = other.publish(patch(3))
    assert (done.version, done.prev) == (3, "<x:2>")
    assert [method for method, _ in store.seen()] == ["GET"] * 2 + ["PUT"] + ["GET"] * 3 + ["PUT"]
    for expect, kind in ((2, "patch.conflict"), ("x:1", "patch.conflict")):
        store.fail(("GET", "patch-0004", "before", 404))
        with pytest.raises(PatchError) as caught:
            one.publish(patch(4), expect=expect)
        assert caught.value.kind == kind
        store.fail()
    # the same patch from two publishers is published once
    one.publish(patch(5))
    store.fail(("GET", "patch-0004", "before", 404))
    assert other.publish(patch(5)).replayed
    store.fail()
    assert rows(one) == [f'"{n}"' for n in (1, 2, 3, 5)]


_PUBLISHER = """
import json, sys
import jelly
place, storage, name = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
log = jelly.Log(place, storage=storage)
for n in range(12):
    text = f'H id <x:{name}{n}> .\\nTX .\\nA <x:{name}> <x:p> "{n}" .\\nTC .\\n'
    print(log.publish(text.encode()).version, flush=True)
"""


def test_three_publishers_without_a_server(store: ObjectStore) -> None:
    place = store.place()
    command = [sys.executable, "-c", _PUBLISHER, place, json.dumps(store.storage)]
    store.fail(*(("PUT", "patch-", when, status) for when, status in FAULTS if status))
    started = [subprocess.Popen([*command, name], stdout=subprocess.PIPE) for name in "abc"]
    said = [[int(line) for line in one.communicate()[0].split()] for one in started]
    assert [one.returncode for one in started] == [0, 0, 0]
    store.fail()
    log = opened(store, place)
    assert sorted(number for numbers in said for number in numbers) == list(range(1, 37))
    assert all(numbers == sorted(numbers) and len(numbers) == 12 for numbers in said)
    found = list(log.versions())
    assert len({version.id for version in found}) == len(found) == 36
    assert all(one.id == after.prev for one, after in itertools.pairwise(found))
    for name, numbers in zip("abc", said, strict=True):
        assert [found[number - 1].id for number in numbers] == [f"<x:{name}{n}>" for n in range(12)]
    assert not log.verify().problems


def test_index(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jelly.log._lines._SEGMENT", 4)
    log = jelly.Log.create(store.place(), storage=store.storage)
    for n in range(1, 11):
        log.publish(patch(n))
    store.seen()
    other = opened(store, log.place)
    assert [version.id for version in other.versions()] == [f"<x:{n}>" for n in range(1, 11)]
    read = [path for _, path in store.seen() if "patch-" in path]
    assert [re.sub(r".*patch-0*", "", path) for path in read][:2] == ["9.jellyp", "10.jellyp"]
    assert not any("patch-0001" in path for path in read)
    assert other.publish(patch(3)).version == 3
    assert tuple(opened(store, log.place).versions()) == tuple(log.versions())


def test_what_others_did_to_the_objects(store: ObjectStore) -> None:
    from obstore.store import S3Store

    log = jelly.Log.create(store.place(), storage=store.storage)
    for n in range(1, 5):
        log.publish(patch(n))
    raw = S3Store("bucket", prefix=log.place.rpartition("/")[2], endpoint=store.storage["endpoint"], access_key_id="test", secret_access_key="secret", region="us-east-1", client_options={"allow_http": True})  # fmt: skip
    third = bytes(raw.get("patch-0003.jellyp").bytes())
    raw.put("patch-0002.jellyp", third)
    with pytest.raises(PatchError, match=r"patch\.fork"):
        opened(store, log.place).publish(patch(9))
    raw.delete("patch-0002.jellyp")
    for ask in (lambda: opened(store, log.place).head, lambda: rows(log)):
        with pytest.raises(PatchError) as caught:
            ask()
        assert caught.value.kind == "patch.gap"
    raw.put("patch-0002.jellyp", third + third)
    with pytest.raises(PatchError) as caught:
        opened(store, log.place).publish(patch(9))
    assert caught.value.kind == "patch.damaged"
    raw.put("log.json", b"{}")
    with pytest.raises(PatchError) as caught:
        opened(store, log.place).info()
    assert caught.value.kind == "patch.damaged"


def test_refused_places(store: ObjectStore, tmp_path: Path) -> None:
    for place in ("s3://bucket", "s3://user:pw@bucket/log", "s3://bucket/log?x=1"):
        with pytest.raises(ValueError, match="address"):
            jelly.Log(place)
    with pytest.raises(ValueError, match="storage= works only with object stores"):
        jelly.Log(tmp_path, storage={"region": "x"})
    with pytest.raises(ValueError, match="nonsense"):
        jelly.Log("s3://bucket/log", storage={"nonsense": "x"})
    with pytest.raises(FileNotFoundError):
        jelly.Log("s3://other-bucket/log", storage=store.storage).publish(patch(1))
    with pytest.raises(TypeError, match="not a folder"):
        opened(store).folder  # noqa: B018


def test_commands_take_it(store: ObjectStore, tmp_path: Path) -> None:
    place, env = (
        store.place(),
        os.environ
        | {
            "AWS_ENDPOINT": store.storage["endpoint"],
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
        },
    )

    def jelly_(*args: str, given: bytes = b"") -> str:
        command = [sys.executable, "-m", "jelly", *args]
        done = subprocess.run(command, env=env, input=given, capture_output=True, check=True)
        return done.stdout.decode()

    jelly_("log", "create", place, "--empty")
    jelly_("publish", place, "-", given=patch(1))
    assert jelly_("log", "list", place).startswith("1 ")
    dataset = '<x:s> <x:p> "1" .\n'
    assert jelly_("log", "dataset", place, "-o", "-", "--to", "nq") == dataset
    assert jelly_("apply", "/dev/null", place) == dataset
    assert jelly_("as-of", "/dev/null", place, "--version", "1") == dataset
    assert dataset.strip() in jelly_("between", place, "--from-version", "0", "--to-version", "1")
    assert dataset.strip() in jelly_("history", place)
    assert "1 patch" in jelly_("log", "verify", place)
    table = str(tmp_path / "table")
    jelly_("replica", "create", table)
    jelly_("replica", "follow", table, place)
    assert jelly_("replica", "dump", table, "-o", "-", "--to", "nq") == dataset
    missing = [sys.executable, "-m", "jelly", "apply", "/dev/null", f"{place}x"]
    done = subprocess.run(missing, env=env, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"there is no log" in done.stderr


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(ImportError, match=r"jelly-patch\[object-store\]"):
        jelly.Log("s3://bucket/log")


@pytest.mark.parametrize("kind", [FolderLog, ServerLog, ObjectLog])
def test_each_kind_has_each_verb(kind: type[jelly.Log]) -> None:
    def is_left_out(name: str) -> bool:
        code = vars(jelly.Log)[name]
        function = code.fget if isinstance(code, property) else code
        names = getattr(getattr(function, "__code__", None), "co_names", ())
        return "NotImplementedError" in names

    wanted = {name for name in vars(jelly.Log) if is_left_out(name)}
    assert len(wanted) > 15
    assert wanted - vars(kind).keys() == set()


def test_functions_take_it(store: ObjectStore, tmp_path: Path) -> None:
    log = jelly.Log.create(store.place(), b'<x:s> <x:p> "0" .\n', base_format="nq", storage=store.storage)  # fmt: skip
    for n in (1, 2):
        log.publish(patch(n))
    (tmp_path / "base.nq").write_bytes(b'<x:s> <x:p> "0" .\n')
    assert jelly.apply(tmp_path / "base.nq", log, tmp_path / "now.nq").statements == 3
    copy = log.pull(tmp_path / "copy")
    log.publish(patch(3))
    assert copy.head.version == 2
    assert log.pull(tmp_path / "copy").head == log.head
    assert copy.dataset(tmp_path / "copy.nq").statements == 4
    assert [one.version for one in log.watch(1, timeout=0)] == [2, 3]


def test_missing_credentials_are_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store asks the machine for credentials, which has none, and this is not tried again."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")

        def sleep(_: float) -> None:
            raise AssertionError("the request was sent again")

        monkeypatch.setattr("jelly.log._objects.time.sleep", sleep)
        with pytest.raises(PermissionError, match="no credentials: give storage="):
            jelly.Log.create("s3://bucket/log")
