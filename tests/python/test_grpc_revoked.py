"""Calls over gRPC whose token is revoked while they run: they send and store nothing more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jelly

pytest.importorskip("grpc")

import grpc

from grpc_servers import frames, here, lines
from jelly.grpc._wire import LOG_SERVICE, RDF_SERVICE, written
from jelly.service._tokens import made
from jelly.service.grpc import _followers
from jelly.service.grpc._calls import Calls

ADMIN, ADMIN_LINE = made("admin")
TOKEN, LINE = made("me")
NARROW = LINE.replace("read,publish *", "read other")
BY = [("authorization", f"Bearer {TOKEN}")]


class Served:
    """A server with a log and a topic of one version, a large file, and tokens."""

    def __init__(self, root: Path, target: str, channel: Any) -> None:
        self.root, self.target, self.channel = root, target, channel
        for kind in ("log", "topic"):
            self.publish(kind, 1)

    def publish(self, kind: str, n: int) -> None:
        if kind == "log":
            patch = f'H id <x:{n}> .\nTX .\nA <x:s> <x:p> "{n}" .\nTC .\n'
            jelly.Log(self.root / "x").publish(patch.encode())
        else:
            data = f'<x:s> <x:p> "{n}" .\n'.encode()
            jelly.grpc.publish(self.target, data, topic="t", format="nq", token=ADMIN)

    def asked(self, kind: str) -> Any:
        service, method, asked = {
            "log": (LOG_SERVICE, "Subscribe", written("x", 0, b"", 0, 1)),
            "topic": (RDF_SERVICE, "SubscribeRdf", written("t")),
            "file": (RDF_SERVICE, "SubscribeRdf", written("file")),
        }[kind]
        return self.channel.unary_stream(f"/{service}/{method}")(asked, timeout=60, metadata=BY)

    def followed(self, kind: str) -> Any:
        """A call that has sent all there is, or is about to wait."""
        call = self.asked(kind)
        while b"\x0a\x011" not in next(call):
            pass
        return call


def says(root: Path, *tokens: str) -> None:
    """Replaces the file of tokens at once."""
    (root / "new").write_text("".join(f"{line}\n" for line in tokens))
    (root / "new").rename(root / "tokens")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    jelly.Log.create(tmp_path / "x")
    says(tmp_path, LINE, ADMIN_LINE)
    (tmp_path / "file.nt").write_bytes(lines(400_000))
    topics = {"file": tmp_path / "file.nt"}
    with (
        here(tmp_path, tokens=tmp_path / "tokens", topics=topics) as target,
        grpc.insecure_channel(target) as channel,
    ):
        yield Served(tmp_path, target, channel)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call()
    assert isinstance(caught.value, grpc.Call)
    return str(caught.value.code().name)


@pytest.mark.parametrize("kind", ["log", "topic"])
@pytest.mark.parametrize("line", ["", NARROW], ids=["gone", "narrow"])
def test_a_follower_gets_nothing_newer(served: Served, kind: str, line: str) -> None:
    call = served.followed(kind)
    says(served.root, ADMIN_LINE, line)
    served.publish(kind, 2)
    assert code_of(lambda: next(call)) == "UNAUTHENTICATED"
    assert dict(call.trailing_metadata())["jelly-kind"] == "token"


@pytest.mark.parametrize("kind", ["log", "topic"])
@pytest.mark.parametrize(
    ("line", "code"),
    [("", "UNAUTHENTICATED"), (NARROW, "UNAUTHENTICATED"), ("me", "UNAVAILABLE")],
    ids=["gone", "narrow", "broken"],
)
def test_a_follower_that_waits_ends(
    served: Served, monkeypatch: pytest.MonkeyPatch, kind: str, line: str, code: str
) -> None:
    monkeypatch.setattr(_followers, "RECHECK", 0)
    call = served.followed(kind)
    says(served.root, ADMIN_LINE, line)
    assert code_of(lambda: next(call)) == code


def test_a_long_answer_ends(served: Served) -> None:
    call = served.asked("file")
    got = [next(call)]
    says(served.root, ADMIN_LINE)
    assert code_of(lambda: got.extend(call)) == "UNAUTHENTICATED"


@pytest.mark.parametrize("what", ["topic", "whole", "patch"])
def test_what_is_still_being_sent_is_refused(
    served: Served, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    allow, was_allowed = Calls.allow, threading.Event()

    def said(*args: Any) -> Any:
        token = allow(*args)
        was_allowed.set()
        return token

    monkeypatch.setattr(Calls, "allow", said)
    method, more, given = {
        "topic": (f"/{RDF_SERVICE}/PublishRdf", [("jelly-topic", "new")], frames(lines(3), frame_rows=1)),
        "whole": (f"/{RDF_SERVICE}/PublishRdf", [("jelly-topic", "new"), ("jelly-publish-id", "1")], frames(lines(3), frame_rows=1)),
        "patch": (f"/{LOG_SERVICE}/Publish", [("jelly-log", "x")], [b""] * 3),
    }[what]  # fmt: skip

    def messages() -> Iterator[bytes]:
        yield given[0]
        assert was_allowed.wait(60)
        says(served.root, ADMIN_LINE)
        yield from given[1:]

    publish = served.channel.stream_unary(method)
    with pytest.raises(grpc.RpcError, match="no longer valid") as caught:
        publish(messages(), timeout=60, metadata=[*BY, *more])
    assert isinstance(caught.value, grpc.Call)
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert jelly.Log(served.root / "x").head.version == 1
