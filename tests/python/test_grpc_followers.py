"""Followers over gRPC: those that wait hold no thread, and free their place when they leave."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import jelly

pytest.importorskip("grpc")

import grpc

from grpc_servers import begun, here
from jelly.grpc._wire import LOG_SERVICE, RDF_SERVICE, written
from jelly.service import Limits
from jelly.service.grpc import _server

THREADS = 3
COUNT = 12


def patch(n: int) -> bytes:
    return f'H id <x:{n}> .\nTX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode()


class Service:
    """A log and a topic, and calls that follow them."""

    def __init__(self, kind: str, root: Path, target: str, channel: Any) -> None:
        self._kind, self._root, self._target, self._channel = kind, root, target, channel
        self._topic: Any = None

    def publish(self, n: int) -> None:
        if self._kind == "log":
            jelly.Log(self._root / "x").publish(patch(n))
        else:
            jelly.grpc.publish(
                self._target, f'<x:s> <x:p> "{n}" .\n'.encode(), topic="t", format="nq"
            )

    def follow(self) -> Any:
        service, method, asked = {
            "log": (LOG_SERVICE, "Subscribe", written("x", 0, b"", 0, 1)),
            "topic": (RDF_SERVICE, "SubscribeRdf", written("t")),
        }[self._kind]
        return self._channel.unary_stream(f"/{service}/{method}")(asked, timeout=120)


@pytest.fixture(params=["log", "topic"])
def service(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:  # fmt: skip
    monkeypatch.setattr(_server, "_CALLS", THREADS)
    jelly.Log.create(tmp_path / "x")
    with (
        here(tmp_path, limits=Limits(followers=COUNT)) as target,
        grpc.insecure_channel(target) as channel,
    ):
        yield Service(request.param, tmp_path, target, channel)


@contextmanager
def following(service: Service, n: int) -> Iterator[list[Any]]:
    """Calls that have read the first version, and wait."""
    calls: list[Any] = []
    try:
        while len(calls) < n:
            calls.append(begun(service.follow, lambda call: until_holds(call, b"1")))
        yield calls
    finally:
        for call in calls:
            call.cancel()


def until_holds(call: Any, text: bytes) -> None:
    """Reads messages up to one that has a literal."""
    wanted = b"\x0a\x01" + text
    while wanted not in next(call):
        pass


def test_more_followers_than_threads_get_each_version(service: Service) -> None:
    service.publish(1)
    with following(service, COUNT) as calls:
        for n in (2, 3):
            service.publish(n)
            for call in calls:
                until_holds(call, str(n).encode())
        names = [thread.name for thread in threading.enumerate()]
        assert sum(name.startswith("ThreadPoolExecutor") for name in names) <= 3 * THREADS


def test_those_that_leave_free_their_place(service: Service) -> None:
    service.publish(1)
    with following(service, COUNT) as calls:
        for _ in range(2):
            kind = None
            while kind is None:  # else the threads are still sending
                with pytest.raises(grpc.RpcError) as caught:
                    list(service.follow())
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                kind = dict(caught.value.trailing_metadata()).get("jelly-kind")
            assert kind == "busy"
        calls.pop().cancel()
        service.publish(2)
        while True:  # the server learns a moment later that the client left
            more = service.follow()
            try:
                until_holds(more, b"2")
                service.publish(3)
                until_holds(more, b"3")
            except grpc.RpcError as error:
                assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED  # noqa: PT017
                continue
            break
        calls.append(more)
        until_holds(calls[0], b"3")


def test_those_that_wait_end_with_the_server(tmp_path: Path) -> None:
    jelly.Log.create(tmp_path / "x").publish(patch(1))
    server = _server.GrpcServer(tmp_path)
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        service = Service("log", tmp_path, "", channel)
        with following(service, 5) as calls:
            server.close()
            for call in calls:
                with pytest.raises(grpc.RpcError) as caught:
                    list(call)
                assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert not [thread for thread in threading.enumerate() if "_look" in thread.name]


def test_pings_of_a_client_that_waits_are_welcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the server used a name of the option that grpc does not know, and closed the connection after the fourth ping."""
    jelly.Log.create(tmp_path / "x")
    short = [(key, 100 if value == 5_000 else value) for key, value in _server._OPTIONS]
    monkeypatch.setattr(_server, "_OPTIONS", short)
    pings = [("grpc.keepalive_time_ms", 200), ("grpc.http2.max_pings_without_data", 0)]
    with here(tmp_path) as target, grpc.insecure_channel(target, options=pings) as channel:
        ask = channel.unary_stream(f"/{LOG_SERVICE}/Subscribe")
        with pytest.raises(grpc.RpcError) as caught:
            list(ask(written("x", 0, b"", 0, 1), timeout=6))
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
