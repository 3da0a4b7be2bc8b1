"""gRPC and the protocol of RDF Delta in front of a folder and of an object store: the same answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import jelly
from jelly.errors import PatchError

pytest.importorskip("grpc")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("moto")
pytest.importorskip("obstore")

import grpc

import jelly.grpc
from asgi import ask
from grpc_servers import Refused, begun, frames, here, lines, raw, read
from jelly.grpc._wire import LOG_SERVICE, RDF_SERVICE, written
from jelly.service import Limits, app
from jelly.service.grpc import _server
from object_store import ObjectStore

BASE = b'<x:s> <x:p> "base" .\n'
IDS = [f"<uuid:00000000-0000-4000-8000-00000000000{n}>" for n in range(9)]


class Place(NamedTuple):
    root: str
    storage: dict[str, str] | None

    def log(self, name: str = "a") -> jelly.Log:
        return jelly.Log(f"{self.root}/{name}", storage=self.storage)

    def create(self) -> jelly.Log:
        return jelly.Log.create(f"{self.root}/a", BASE, base_format="nq", storage=self.storage)


@pytest.fixture(params=["folder", "store"])
def place(request: pytest.FixtureRequest, store: ObjectStore, tmp_path: Path) -> Place:
    if request.param == "folder":
        return Place(str(tmp_path / "logs"), None)
    return Place(store.place(), store.storage)


@pytest.fixture
def target(place: Place) -> Iterator[str]:
    place.create()
    with here(place.root, storage=place.storage) as target:
        yield target


def patch(n: int, prev: bool = False) -> bytes:
    head = f"H prev {IDS[n - 1]} .\n" if prev else ""
    return f'H id {IDS[n]} .\n{head}TX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode()


def publish(target: str, n: int, **options: Any) -> Any:
    return jelly.grpc.publish_patch(target, "a", patch(n), **options)


def published_twice(place: Place, target: str) -> None:
    assert [publish(target, 1).replayed for _ in range(2)] == [False, True]
    assert place.log().head == (1, IDS[1])


def published_by_others(place: Place, target: str) -> None:
    place.log().publish(patch(1))
    assert publish(target, 2, expect=1).version == 2
    with pytest.raises(PatchError, match=r"patch\.conflict"):
        publish(target, 3, expect=1)
    with jelly.grpc.read_log(target, "a") as reader:
        assert [row.object for row in reader.rows() if row.op == "A"] == ['"1"', '"2"']


def datasets_as_topics(place: Place, target: str) -> None:
    place.log().publish(patch(1))
    assert sorted(read(target, "a")) == ['"1"', '"base"']
    assert read(target, "a@0") == ['"base"']
    place.log().publish(patch(2))
    assert sorted(read(target, "a")) == ['"1"', '"2"', '"base"']


def compacted(place: Place, target: str) -> None:
    publish(target, 1)
    publish(target, 2)
    place.log().compact(1)
    with pytest.raises(PatchError, match=r"patch\.gap"), jelly.grpc.read_log(target, "a") as reader:
        list(reader.rows())
    assert sorted(read(target, "a")) == ['"1"', '"2"', '"base"']
    assert publish(target, 1).replayed


def until_holds(call: Any, n: int) -> None:
    while f"\x0a\x01{n}".encode() not in next(call):
        pass


def followed(place: Place, target: str) -> None:
    """More calls than threads wait; each gets what others publish to the place."""
    with grpc.insecure_channel(target) as channel:
        follow = channel.unary_stream(f"/{LOG_SERVICE}/Subscribe")
        place.log().publish(patch(1))
        calls: list[Any] = []
        for _ in range(8):
            call = begun(
                lambda: follow(written("a", 0, b"", 0, 1), timeout=120),
                lambda made: until_holds(made, 1),
            )
            calls.append(call)
        for n in (2, 3):
            place.log().publish(patch(n))
            for call in calls:
                until_holds(call, n)
        for call in calls:
            call.cancel()


def not_there(_: Place, target: str) -> None:
    for method, service, asked in (
        ("Describe", LOG_SERVICE, written("b")),
        ("SubscribeRdf", RDF_SERVICE, written("b")),
        ("SubscribeRdf", RDF_SERVICE, written("a@7")),
    ):
        with pytest.raises(Refused) as caught:
            raw(target, method, [asked], service=service)
        assert caught.value.code == "NOT_FOUND"


def published_to_a_topic(place: Place, target: str) -> None:
    """An object cannot grow by a frame."""
    with pytest.raises(Refused) as caught:
        raw(target, "PublishRdf", frames(lines(1)), jelly_topic="a")
    assert caught.value.code == "ALREADY_EXISTS"
    if place.storage is None:
        raw(target, "PublishRdf", frames(lines(1)), jelly_topic="t")
        assert read(target, "t", follow=False) == ['"0"']
        return
    with pytest.raises(Refused, match="keeps its logs in an object store") as caught:
        raw(target, "PublishRdf", frames(lines(1)), jelly_topic="t")
    assert caught.value.code == "FAILED_PRECONDITION"


@pytest.mark.parametrize(
    "case",
    [published_twice, published_by_others, datasets_as_topics, compacted, not_there, published_to_a_topic],
)  # fmt: skip
def test_grpc(place: Place, target: str, case: Callable[[Place, str], None]) -> None:
    case(place, target)


def test_grpc_follows(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_server, "_CALLS", 3)
    place.create()
    with here(place.root, storage=place.storage, limits=Limits(followers=8)) as target:
        followed(place, target)


def test_delta(place: Place) -> None:
    served = app(place.root, storage=place.storage, delta=True)

    def rpc(operation: str, **arg: Any) -> Any:
        body = json.dumps({"operation": operation, "opid": "1", "arg": arg}).encode()
        reply = ask(served, "POST", "/-/delta/$/rpc", body, content_type="application/json")
        return json.loads(reply.body) if reply.status == 200 else reply.status

    def append(body: bytes, where: str = "a") -> Any:
        return ask(served, "POST", f"/-/delta/{where}", body, content_type="")

    assert rpc("list_datasource") == {"array": []}
    made = rpc("create_datasource", name="a", uri="http://example.org/a")["id"]
    assert rpc("create_datasource", name="a") == 400
    for given in (made, "a", "http://example.org/a"):
        found = rpc("describe_log", datasource=given)
        assert (found["name"], found["uri"]) == ("a", "http://example.org/a")
    assert found["id"] == f"id:{made}" == f"id:{place.log().info().id}"
    assert append(patch(1), made).status == 200
    place.log().publish(patch(2))
    assert append(patch(3, prev=True)).status == 200
    assert append(patch(3, prev=True)).status == 200  # a retry
    refused = append(patch(5, prev=True))
    assert (refused.status, json.loads(refused.body)["error"]) == (400, "patch-conflict")
    found = rpc("describe_log", datasource="a")
    assert (found["min_version"], found["max_version"]) == (1, 3)
    for n in (1, 2, 3):
        assert f'A <x:s> <x:p> "{n}"'.encode() in ask(served, "GET", f"/-/delta/a/{n}").body
    assert place.log().head == (3, IDS[3])
    place.log().compact(2)
    found = rpc("describe_log", datasource=made)
    assert (found["min_version"], found["max_version"]) == (3, 3)
    assert ask(served, "GET", "/-/delta/init-data?datasource=a").body.count(b"\n") == 2
    lock = rpc("lock", datasource="a")["lock-ref"]
    assert rpc("lock", datasource=made) == {"lock-ref": None}
    assert rpc("unlock", **{"datasource": "a", "lock-ref": lock}) == {}
    assert [one["name"] for one in rpc("list_log_info")["array"]] == ["a"]
