"""Servers of logs in an object store that does not answer, or refuses them."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

import jelly

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("moto")
pytest.importorskip("obstore")

from asgi import Reply, ask
from jelly.service import app
from object_store import ObjectStore, running

PATCH = b'H id <x:2> .\nTX .\nA <x:s> <x:p> "2" .\nTC .\n'
REQUESTS = (
    ("GET", "/"), ("GET", "/-/ready"), ("GET", "/a"), ("GET", "/a/versions"), ("GET", "/a/data"),
    ("GET", "/a/patches/1"), ("GET", "/a/events"), ("GET", "/b"), ("POST", "/a"), ("PATCH", "/a/data"),
    ("PUT", "/a"), ("PUT", "/b"), ("POST", "/a/compact?upto=1"),
)  # fmt: skip


@pytest.fixture
def store(
    store: ObjectStore, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ObjectStore]:
    """The store that others use too, or one to be killed."""
    monkeypatch.setattr("jelly.log._objects._TRIES", 0)
    monkeypatch.setattr("jelly.service._stores._SECONDS", 0)
    from obstore.store import from_url as connect

    def impatient(url: str, *, client_options: Any, **options: Any) -> Any:
        return connect(url, client_options=client_options | {"timeout": "500ms"}, **options)

    monkeypatch.setattr("obstore.store.from_url", impatient)
    is_killed = "killed" in request.node.name
    with running() if is_killed else nullcontext(store) as used:
        yield used


@contextmanager
def killed(store: ObjectStore) -> Iterator[None]:
    store.process.kill()
    store.process.wait()
    yield


@contextmanager
def stopped(store: ObjectStore) -> Iterator[None]:
    """It takes connections, and never answers."""
    store.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        store.process.send_signal(signal.SIGCONT)


@contextmanager
def refusing(store: ObjectStore) -> Iterator[None]:
    store.fail(*[(method, "", "before", 403) for method in ("GET", "PUT", "HEAD") * 40])
    yield
    store.fail()


def sent(server: Any, method: str, path: str) -> Reply:
    return ask(server, method, path, PATCH if method in ("POST", "PATCH") else b"")


def made(store: ObjectStore) -> Any:
    root = store.place()
    jelly.Log.create(f"{root}/a", storage=store.storage).publish(PATCH.replace(b"2", b"1"))
    server = app(root, storage=store.storage)
    assert ask(server, "GET", "/a").status == 200
    return server


def refused(reply: Reply, status: int, kind: str) -> None:
    assert (reply.status, reply.kind) == (status, kind), reply.body
    assert b"object store" in reply.body
    for secret in (b"127.0.0.1:", b"secret", b"bucket", b"AccessKey", b"<"):
        assert secret not in reply.body


@pytest.mark.parametrize("down", [killed, stopped])
def test_a_store_that_does_not_answer(store: ObjectStore, down: Callable[..., Any]) -> None:
    server = made(store)
    with down(store):
        for method, path in REQUESTS if down is killed else REQUESTS[::5]:
            reply = sent(server, method, path)
            refused(reply, 503, "store")
            assert int(reply.headers["retry-after"]) > 0
        assert ask(server, "GET", "/-/health").status == 200
    if down is stopped:
        assert sent(server, "POST", "/a").status in (200, 201)
        assert json.loads(ask(server, "GET", "/a").body)["head"]["version"] == 2


def test_a_store_that_refuses(store: ObjectStore) -> None:
    server = made(store)
    with refusing(store):
        for method, path in REQUESTS:
            refused(sent(server, method, path), 502, "store.refused")
    assert sent(server, "POST", "/a").status == 201


@pytest.mark.parametrize(("when", "status"), [("before", 201), ("after", 200)])
def test_a_store_that_goes_while_a_patch_is_published(
    store: ObjectStore, when: str, status: int
) -> None:
    """The store may have the patch, though its answer was lost."""
    server = made(store)
    store.fail(("PUT", "patch-0002", when, 1))
    refused(sent(server, "POST", "/a"), 503, "store")
    store.process.send_signal(signal.SIGCONT)
    reply = sent(server, "POST", "/a")
    assert (reply.status, json.loads(reply.body)["version"]) == (status, 2)


@pytest.mark.parametrize(("down", "code"), [(refusing, "INTERNAL"), (killed, "UNAVAILABLE")])
def test_over_grpc(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch, down: Callable[..., Any], code: str
) -> None:
    """Calls that wait end too."""
    grpc = pytest.importorskip("grpc")
    from grpc_servers import Refused, here, raw
    from jelly.grpc._wire import LOG_SERVICE, RDF_SERVICE, written

    monkeypatch.setattr("jelly.service._stores._SECONDS", 0.1)
    root = store.place()
    jelly.Log.create(f"{root}/a", storage=store.storage).publish(PATCH)
    with here(root, storage=store.storage) as target, grpc.insecure_channel(target) as channel:
        follow = channel.unary_stream(f"/{LOG_SERVICE}/Subscribe")
        calls = [follow(written("a", 0, b"", 0, 1), timeout=120) for _ in range(3)]
        assert all(next(call) for call in calls)
        with down(store):
            for call in calls:
                with pytest.raises(grpc.RpcError, match="object store") as ended:
                    list(call)
                assert ended.value.code().name == code
            for method, service in (("Describe", LOG_SERVICE), ("SubscribeRdf", RDF_SERVICE)):
                with pytest.raises(Refused, match="object store") as caught:
                    raw(target, method, [written("a")], service=service)
                assert caught.value.code == code
                assert "127.0.0.1:" not in str(caught.value)


def test_requests_share_what_one_learns(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Else each would wait for half a minute, one after the other."""
    server = made(store)
    monkeypatch.setattr("jelly.service._stores._SECONDS", 1e9)
    with refusing(store):
        store.seen()
        asked = []
        for _ in range(3):
            refused(ask(server, "GET", "/a"), 502, "store.refused")
            asked.append(len(store.seen()))
        assert asked[0] > 0
        assert asked[1:] == [0, 0]
    monkeypatch.setattr("jelly.service._stores._SECONDS", 0)
    assert ask(server, "GET", "/a").status == 200
