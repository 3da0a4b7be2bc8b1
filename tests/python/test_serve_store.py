"""``jelly serve s3://bucket/logs``: a server of logs that stand in an object store."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("moto")
pytest.importorskip("obstore")

from asgi import ask
from jelly.log._object import ObjectLog
from jelly.service import app
from object_store import ObjectStore
from servers import free_port, served

BASE = b'<x:s> <x:p> "base" .\n'


def patch(n: int, head: str = "") -> bytes:
    return f'H id <x:{n}> .\n{head}TX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode()


def at(store: ObjectStore, place: str) -> ObjectLog:
    log = jelly.Log(place, storage=store.storage)
    assert isinstance(log, ObjectLog)
    return log


def said(server: Any, path: str) -> Any:
    return json.loads(ask(server, "GET", path).body)


def ids(server: Any, path: str = "/a") -> list[str]:
    return [json.loads(line)["id"] for line in ask(server, "GET", f"{path}/versions").body.splitlines()]  # fmt: skip


def test_what_is_published_stands_in_the_store(store: ObjectStore) -> None:
    root = store.place()
    one, other = (app(root, storage=store.storage) for _ in range(2))
    assert said(one, "/") == {"logs": []}
    assert ask(one, "GET", "/a").status == 404
    assert ask(one, "POST", "/a", patch(1)).status == 404
    made = [ask(server, "PUT", "/a", BASE, content_type="application/n-quads").status for server in (one, other)]  # fmt: skip
    assert made == [201, 200]
    assert ask(one, "PUT", "/a").status == 409
    assert ask(one, "PUT", "/a", if_none_match="*").status == 412
    for number, server in enumerate((one, other, one, other), 1):
        reply = ask(server, "POST", "/a", patch(number))
        assert (reply.status, json.loads(reply.body)["version"]) == (201, number)
    log = at(store, f"{root}/a")
    assert [version.id for version in log.versions()] == [f"<x:{n}>" for n in range(1, 5)]
    log.publish(patch(5))
    for server in (one, other):
        assert ids(server) == [f"<x:{n}>" for n in range(1, 6)]
        assert len(ask(server, "GET", "/a/data?format=nq").body.splitlines()) == 6
        assert ask(server, "GET", "/a/patches/5?format=rdfp").body.count(b'A <x:s> <x:p> "5"') == 1
        assert ask(server, "POST", "/a", patch(3)).status == 200  # it is there
        assert ask(server, "POST", "/a", patch(9, "H prev <x:2> .\n")).kind == "patch.conflict"
    assert said(one, "/") == {"logs": ["a"]}
    assert said(one, "/-/ready")["ready"]


def test_conditions_are_those_of_the_log_in_the_store(store: ObjectStore) -> None:
    root = store.place()
    log = jelly.Log.create(f"{root}/a", storage=store.storage)
    server = app(root, storage=store.storage)
    tag = ask(server, "GET", "/a").headers["etag"]
    log.publish(patch(1))
    assert ask(server, "POST", "/a", patch(2), if_match=tag).status == 412
    tag = ask(server, "GET", "/a").headers["etag"]
    assert ask(server, "POST", "/a", patch(2), if_match=tag).status == 201
    assert ask(server, "POST", "/a", patch(1), prefer="handling=strict").status == 200
    row = patch(7).replace(b'"7"', b'"1"')
    assert ask(server, "POST", "/a", row, prefer="handling=strict").kind == "patch.effect"
    assert ask(server, "POST", "/a", patch(8), prefer="handling=strict").status == 201
    # what waits sees what others publish
    tag = ask(server, "GET", "/a").headers["etag"]
    log.publish(patch(9))
    reply = ask(server, "GET", "/a", if_none_match=tag, prefer="wait=10")
    assert (reply.status, json.loads(reply.body)["head"]["version"]) == (200, 4)


def test_a_log_that_is_compacted_or_made_again(store: ObjectStore) -> None:
    root = store.place()
    log = jelly.Log.create(f"{root}/a", BASE, base_format="nq", storage=store.storage)
    for number in range(1, 7):
        log.publish(patch(number))
    servers = [app(root, storage=store.storage) for _ in range(3)]
    full = sorted(ask(servers[0], "GET", "/a/data?format=nq").body.splitlines())
    assert len(ids(servers[0])) == 6
    log.publish(patch(7))
    assert len(ids(servers[1])) == 7
    reply = ask(servers[1], "POST", "/a/compact?upto=7")
    assert (reply.status, json.loads(reply.body)["version"]) == (200, 7)
    log.publish(patch(8))
    for server in servers:  # they have seen versions up to 6, up to 7, none
        assert ask(server, "GET", "/a/data?version=3").kind == "patch.gap"
        assert ask(server, "GET", "/a/patches/5").kind == "patch.gap"
        assert said(server, "/a")["first"] == 8
        now = sorted(ask(server, "GET", "/a/data?format=nq").body.splitlines())
        assert now == sorted([*full, b'<x:s> <x:p> "7" .', b'<x:s> <x:p> "8" .'])
        assert json.loads(ask(server, "POST", "/a", patch(2)).body)["replayed"]
    for name in log.objects.numbers(""):  # type: ignore[attr-defined]
        log.objects.delete(name)  # type: ignore[attr-defined]
    assert [ask(server, "GET", "/a").status for server in servers[:2]] == [404, 404]
    jelly.Log.create(f"{root}/a", storage=store.storage).publish(patch(9))
    assert [ids(server) for server in servers] == [["<x:9>"]] * 3


def test_what_it_does_not_serve(store: ObjectStore, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="storage= works only with object stores"):
        app(tmp_path, storage=store.storage)
    with pytest.raises(ValueError, match=r"address of a folder of logs; .* s3://bucket/logs$"):
        app("s3://bucket", storage=store.storage)


def test_the_command(store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies are in a temporary folder, which is removed at the end."""
    more = {"ENDPOINT": store.storage["endpoint"], "ALLOW_HTTP": "true", "ACCESS_KEY_ID": "test", "SECRET_ACCESS_KEY": "secret", "REGION": "us-east-1"}  # fmt: skip
    for name, value in more.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    root = store.place()
    port = free_port()
    with served(root, "--delta", "--grpc-port", str(port)) as address:
        log = jelly.Log.create(f"{address}/a", BASE, base_format="nq")
        assert log.publish(patch(1)).version == 1
        assert at(store, f"{root}/a").publish(patch(2)).version == 2
        assert [version.id for version in log.watch(0, timeout=0)] == ["<x:1>", "<x:2>"]
        assert log.compact(1).version == 1
        with pytest.raises(PatchError, match=r"patch\.gap"):
            next(log.watch(0))
        body = b'{"operation": "list_datasource", "opid": "1", "arg": {}}'
        asked = urllib.request.Request(f"{address}/-/delta/$/rpc", body, {"Content-Type": "application/json"})  # fmt: skip
        with urllib.request.urlopen(asked) as answer:
            assert json.load(answer) == {"array": [log.info().id]}
        grpc = pytest.importorskip("jelly.grpc")
        assert grpc.publish_patch(f"127.0.0.1:{port}", "a", patch(3)).version == 3
        assert log.head.version == 3
        assert list(tmp_path.glob("jelly-serve-*"))
    assert not list(tmp_path.glob("jelly-serve-*"))
