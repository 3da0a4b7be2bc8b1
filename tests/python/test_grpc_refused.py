"""What servers of gRPC refuse, and what disks and clients do to them: nothing is stored by halves."""

from __future__ import annotations

import errno
import io
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc")
pytest.importorskip("starlette")

import grpc

import jelly
import jelly.grpc
from grpc_servers import (
    Refused,
    frames,
    here,
    lines,
    numbers,
    raw,
    raw_of,
    read,
    stored,
)
from jelly.errors import JellyError
from jelly.grpc._wire import MOST, RDF_SERVICE, written
from jelly.service._limits import Limits
from jelly.service.grpc import _topics
from jelly.types import RdfOptions

NAMES = itertools.count()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[str]:
    (root / "file.nq").write_bytes(lines(5))
    with here(root / "logs", topics={"file": root / "file.nq"}) as target:
        yield target


@pytest.fixture
def topic() -> str:
    return f"topic {next(NAMES)}/x"


GOOD = frames(lines(20), frame_rows=5)
BAD: dict[str, tuple[Callable[[], Any], str, str]] = {
    "nothing": (list, "INVALID_ARGUMENT", "there is no frame"),
    "empty frames": (lambda: [b""] * 3, "INVALID_ARGUMENT", "all frames are empty"),
    "without options": (lambda: GOOD[1:], "INVALID_ARGUMENT", r"options\.missing.*frame 0.*byte"),
    "garbage": (lambda: [b"\xff" * 50], "INVALID_ARGUMENT", r"wire\..*byte"),
    "a name table of 5000": (
        lambda: [b"\x0a\x0b\x0a\x09\x10\x02\x48\x88\x27\x70\x02\x78\x01"],
        "INVALID_ARGUMENT", r"limit\.table",
    ),
    "4 MiB and a byte": (lambda: [b"\x00" * (MOST + 1)], "RESOURCE_EXHAUSTED", "larger than max"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("whole", [False, True])
def test_bad_streams_store_nothing(
    server: str, topic: str, root: Path, case: str, whole: bool
) -> None:
    messages, code, text = BAD[case]
    more = {"jelly_publish_id": "x"} if whole else {}
    with pytest.raises(Refused, match=text) as refused:
        raw(server, "PublishRdf", messages(), jelly_topic=topic, **more)
    assert refused.value.code == code
    assert str(root) not in str(refused.value)
    with pytest.raises(FileNotFoundError):
        read(server, topic)
    assert not any(path.endswith(".jelly") and topic[:7] in path for path in stored(root))


@pytest.mark.parametrize(
    ("last", "text"),
    [
        (frames(lines(1), options=RdfOptions(physical_type="QUADS", rdf_star=False))[0], r"options\.changed"),
        (GOOD[1][:-3], r"wire\.\w+: .*frame 4"),
        (b"\x0a\x07\x1a\x05\x0a\x03\x10\xe7\x07", r"table\.\w+: .*frame 4.*byte"),
    ],
    ids=["other options", "cut", "undefined"],
)  # fmt: skip
def test_bad_frames_behind_good_ones(server: str, topic: str, last: bytes, text: str) -> None:
    with pytest.raises(Refused, match=text) as refused:
        raw(server, "PublishRdf", [*GOOD[:4], last], jelly_topic=topic)
    assert refused.value.code == "INVALID_ARGUMENT"
    found = read(server, topic)
    assert found == numbers(range(len(found))), "whole frames, or none"
    jelly.grpc.publish(server, lines(2), topic=topic, format="nq")
    assert read(server, topic)[-2:] == numbers(range(2))


def test_other_types_in_a_topic(server: str, topic: str) -> None:
    jelly.grpc.publish(server, lines(2), topic=topic, format="nq")
    triples = frames(lines(2), options=RdfOptions())
    grouped = frames(lines(2), options=RdfOptions(physical_type="QUADS", logical_type="DATASETS"))
    for given in (triples, grouped):
        with pytest.raises(Refused, match="it would continue") as refused:
            raw(server, "PublishRdf", given, jelly_topic=topic)
        assert refused.value.code == "INVALID_ARGUMENT"
    assert read(server, topic) == numbers(range(2))


def test_the_error_says_how_a_file_is_made_to_fit(server: str, topic: str) -> None:
    jelly.grpc.publish(server, lines(1), topic=topic, format="nq")
    for data, format, said, options in (
        (lines(1, 1), "nt", "--physical-type quads", {"physical_type": "QUADS"}),
        (b'@prefix a: <a:> . a:s a:p "2" .', "trig", "--no-namespaces", {"namespaces": False}),
    ):
        with pytest.raises(JellyError, match=f"`jelly convert {said}`"):
            jelly.grpc.publish(server, data, topic=topic, format=format)  # type: ignore[arg-type]
        fits = io.BytesIO()
        jelly.convert(data, fits, format=format, to="jelly", **options)  # type: ignore[arg-type]
        jelly.grpc.publish(server, fits.getvalue(), topic=topic)
    assert read(server, topic) == numbers(range(3))


def test_large_statements(server: str, topic: str) -> None:
    def statement(size: int, n: int = 0) -> bytes:
        return f'<a:s> <a:p> "{n}'.encode() + b"x" * size + b'" .\n'

    many = b"".join(statement(300_000, n) for n in range(20))
    jelly.grpc.publish(server, many, topic=topic, format="nq")
    sizes = [len(frame) for frame in raw_of(server, topic, None)]
    assert sum(sizes) > 5_900_000
    assert max(sizes) < 1 << 20
    jelly.grpc.publish(server, statement(3 << 20), topic=topic, format="nq")
    assert len(read(server, topic)) == 21
    with pytest.raises(JellyError, match=r"limit\.frame"):
        jelly.grpc.publish(server, statement(MOST), topic=topic, format="nq")


def test_unknown_methods_and_requests(server: str) -> None:
    for method in ("Nothing", "subscriberdf"):
        with pytest.raises(Refused) as refused:
            raw(server, method, [b""])
        assert refused.value.code == "UNIMPLEMENTED"
    for message in (b"\xff", b"\x08\x01", b"\x0a\x02\xff\xfe", b"\x12\x05ab"):
        with pytest.raises(Refused) as refused:
            raw(server, "SubscribeRdf", [message])
        assert refused.value.code == "INVALID_ARGUMENT", message
    with pytest.raises(Refused, match="expected a number") as refused:
        raw(server, "SubscribeRdf", [written("file")], jelly_after="-1")
    assert refused.value.code == "INVALID_ARGUMENT"


def test_topic_that_is_full(tmp_path: Path) -> None:
    def endless() -> Iterator[bytes]:
        first, *rest = frames(lines(5000), frame_rows=100)
        yield first
        while True:
            yield from rest

    with here(tmp_path, limits=Limits(topic=200_000)) as server:
        with pytest.raises(Refused, match="more than 200000 bytes") as refused:
            raw(server, "PublishRdf", endless(), jelly_topic="t")
        assert refused.value.code == "RESOURCE_EXHAUSTED"
        assert 1000 < len(read(server, "t")) < 50_000
        with pytest.raises(Refused) as refused:
            raw(server, "PublishRdf", endless(), jelly_topic="t", jelly_publish_id="x")
        assert refused.value.code == "RESOURCE_EXHAUSTED"


def test_topics_of_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_topics, "_ROLL", 500)
    for start in (0, 200):
        with here(tmp_path) as server:
            raw(server, "PublishRdf", frames(lines(200, start), frame_rows=20), jelly_topic="t")
            assert read(server, "t") == numbers(range(start + 200))
    assert len(list((tmp_path / ".topics" / "t").iterdir())) > 10
    with here(tmp_path) as server:
        with jelly.grpc.subscribe(server, "t") as reader:
            places = [(row.frame, row.object) for row in reader.rows()]
        for after in range(0, places[-1][0] + 1, 3):
            expected = [object for frame, object in places if frame >= after]
            assert read(server, "t", after=after) == expected, after


def test_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who published hears of it, whoever brings the bytes to the disk; others lose nothing."""
    sync, failed = os.fsync, threading.Event()

    def fails(handle: int) -> None:
        path = str(Path(f"/proc/self/fd/{handle}").readlink())
        if (
            path.endswith(("/t/000000000000.jelly", "/t/000000000001.jelly"))
            and not failed.is_set()
        ):
            failed.set()
            raise OSError(errno.ENOSPC, "no space")
        sync(handle)

    def messages() -> Iterator[bytes]:
        yield GOOD[0]
        assert failed.wait(30), "what waits is brought to the disk"
        yield from GOOD[1:]

    with here(tmp_path) as server:
        for kept in (b"", lines(1)):
            if kept:
                monkeypatch.setattr(os, "fsync", sync)
                jelly.grpc.publish(server, kept, topic="t", format="nq")
            monkeypatch.setattr(os, "fsync", fails)
            failed.clear()
            with pytest.raises(Refused, match="disk is full") as refused:
                raw(server, "PublishRdf", messages(), jelly_topic="t")
            assert refused.value.code == "RESOURCE_EXHAUSTED"
        monkeypatch.setattr(os, "fsync", sync)
        jelly.grpc.publish(server, lines(3, 1), topic="t", format="nq")
        assert read(server, "t") == numbers(range(4))
    with here(tmp_path) as server:
        assert read(server, "t") == numbers(range(4))


def test_disk_that_is_full(tmp_path: Path) -> None:
    with here(tmp_path, limits=Limits(free=1 << 60)) as server:
        for more in ({}, {"jelly_publish_id": "x"}):
            with pytest.raises(Refused, match="disk is nearly full") as refused:
                raw(server, "PublishRdf", GOOD, jelly_topic="t", **more)
            assert refused.value.code == "RESOURCE_EXHAUSTED"
        with pytest.raises(FileNotFoundError):
            read(server, "t")


def test_bombs_are_measured_once_they_are_open(server: str, topic: str) -> None:
    bomb = [b"\x00" * (50 << 20)]
    with pytest.raises(Refused) as refused:
        raw(server, "PublishRdf", bomb, compression=grpc.Compression.Gzip, jelly_topic=topic)
    assert refused.value.code == "RESOURCE_EXHAUSTED"


def test_client_that_leaves(server: str, topic: str, root: Path) -> None:
    """What it sent before stays as whole frames; with an id, nothing does."""

    class LeavesError(Exception):
        pass

    def messages() -> Iterator[bytes]:
        yield from GOOD
        raise LeavesError

    for more in ({"jelly_publish_id": "x"}, {}):
        before = stored(root)
        with pytest.raises(Refused):
            raw(server, "PublishRdf", messages(), jelly_topic=topic, **more)
        if more:
            assert not {path for path in stored(root) - before if path.endswith(".jelly")}
    jelly.grpc.publish(server, lines(5, 100), topic=topic, format="nq")
    # the server may still take frames of the call that ended, before and after those of this one
    found, last = read(server, topic), numbers(range(100, 105))
    at = found.index(last[0])
    assert found[at : at + 5] == last
    others = found[:at] + found[at + 5 :]
    assert others == numbers(range(len(others)))


def test_more_calls_than_there_may_be(tmp_path: Path) -> None:
    with here(tmp_path, limits=Limits(followers=100)) as server:
        jelly.grpc.publish(server, lines(1), topic="t", format="nq")
        with grpc.insecure_channel(server) as channel:
            subscribe = channel.unary_stream(f"/{RDF_SERVICE}/SubscribeRdf")
            calls = [subscribe(written("t")) for _ in range(100)]
            assert all(next(call) for call in calls)
            with pytest.raises(Refused) as refused:
                raw(server, "SubscribeRdf", [written("t")])
            assert refused.value.code == "RESOURCE_EXHAUSTED"
            for call in calls:
                call.cancel()
        until = time.monotonic() + 60
        while time.monotonic() < until:  # the server sees within a moment that they left
            try:
                assert read(server, "t") == ['"0"']
                return
            except ConnectionError:
                continue
        raise AssertionError("calls that were cancelled still have their places")


def test_tokens_and_reading_alone(tmp_path: Path) -> None:
    from jelly.service._tokens import made

    reads, line = made("reader", "read", "a*")
    writes, other = made("writer", "publish", "a*")
    (tmp_path / "tokens").write_text(f"{line}\n{other}\n")
    with here(tmp_path / "logs", tokens=tmp_path / "tokens") as server:
        with pytest.raises(PermissionError, match="a token is needed"):
            jelly.grpc.publish(server, lines(1), topic="a", format="nq")
        with pytest.raises(PermissionError, match="does not allow publish"):
            jelly.grpc.publish(server, lines(1), topic="a", format="nq", token=reads)
        jelly.grpc.publish(server, lines(1), topic="a", format="nq", token=writes)
        assert read(server, "a", token=reads) == ['"0"']
        with pytest.raises(FileNotFoundError):
            read(server, "b", token=reads)
    with here(tmp_path / "logs", read_only=True) as server:
        assert read(server, "a") == ['"0"']
        with pytest.raises(PermissionError, match="is read-only"):
            jelly.grpc.publish(server, lines(1), topic="a", format="nq")


@pytest.mark.parametrize(
    ("logs", "allowed"),
    [("secret", ["secret", "secret@1"]), ("*1", []), ("*@1", []), ("*", ["secret", "secret@1"])],
)
def test_a_right_to_a_log_is_one_to_its_versions(
    tmp_path: Path, logs: str, allowed: list[str]
) -> None:
    """Before, a token for ``*1`` read version 1 of each log, and one for ``secret`` read no version of it."""
    from jelly.service._tokens import made

    token, line = made("one", "read,publish", logs)
    (tmp_path / "tokens").write_text(f"{line}\n")
    log = jelly.Log.create(tmp_path / "logs" / "secret")
    log.publish(b'TX .\nA <a:s> <a:p> "0" .\nTC .\n')
    with here(tmp_path / "logs", tokens=tmp_path / "tokens") as server:
        for topic in ("secret", "secret@1"):
            if topic in allowed:
                assert read(server, topic, token=token) == ['"0"']
                continue
            with pytest.raises(FileNotFoundError, match=f"no topic '{topic}'"):
                read(server, topic, token=token)
            with pytest.raises(FileNotFoundError, match=f"no topic '{topic}'"):
                jelly.grpc.publish(server, lines(1), topic=topic, format="nq", token=token)


def test_one_server_has_the_topics(tmp_path: Path) -> None:
    with here(tmp_path) as server:
        with pytest.raises(OSError, match="another server uses these topics"), here(tmp_path):
            pass
        port = int(server.rpartition(":")[2])
        with pytest.raises(OSError, match="cannot listen"), here(tmp_path / "other", port=port):
            pass


def test_nobody_answers() -> None:
    from servers import free_port

    with pytest.raises(ConnectionError, match="UNAVAILABLE"):
        read(f"127.0.0.1:{free_port()}", "t")


@pytest.mark.parametrize("target", ["http://127.0.0.1:50051", "https://host:50051/", "localhost"])
def test_addresses_that_are_none_of_grpc(target: str) -> None:
    """Without a port, grpcio asked port 443."""
    for call in (
        lambda: read(target, "t"),
        lambda: jelly.grpc.publish(target, lines(1), topic="t", format="nq"),
        lambda: jelly.grpc.describe(target, "brick"),
    ):
        with pytest.raises(ValueError, match="expected host:port"):
            call()
