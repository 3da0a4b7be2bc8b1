"""``PatchLog``: the rules of logs over gRPC."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("grpc")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import jelly
import jelly.grpc
from grpc_servers import Refused, frames, here, lines, numbers, raw_log
from jelly.errors import PatchError
from jelly.grpc._wire import frames_in, written
from jelly.service._limits import Limits
from jelly.service._tokens import made


def patch(value: int, *headers: str) -> bytes:
    return "".join([*headers, f'TX .\nA <a:s> <a:p> "{value}" .\nTC .\n']).encode()


def messages(text: bytes) -> list[bytes]:
    out = io.BytesIO()
    jelly.convert(text, out, format="rdfp", to="jelly-patch", restart_bytes=0)
    return list(frames_in(out.getvalue()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    jelly.Log.create(tmp_path / "logs" / "brick")
    return tmp_path / "logs"


@pytest.fixture
def server(root: Path) -> Iterator[str]:
    with here(root) as target:
        yield target


def added(server: str, **options: object) -> list[str]:
    with jelly.grpc.read_log(server, "brick", **options) as reader:  # type: ignore[arg-type]
        return [row.object for row in reader.rows() if row.op == "A" and row.object]


def test_publish_and_read(server: str, root: Path) -> None:
    for n in range(1, 4):
        done = jelly.grpc.publish_patch(
            server, "brick", patch(n, f"H id <u:{n}> .\n"), expect=n - 1
        )
        assert (done.version, done.id, done.replayed) == (n, f"<u:{n}>", False)
    again = jelly.grpc.publish_patch(server, "brick", patch(1, "H id <u:1> .\n"), expect=0)
    assert (again.version, again.prev, again.replayed) == (1, None, True)
    assert added(server) == numbers(range(1, 4))
    assert added(server, after=1, after_id="<u:1>", upto=2) == ['"2"']
    log = jelly.Log(root / "brick")
    assert jelly.grpc.describe(server, "brick") == log.info()
    assert log.verify().ok
    jelly.Log.create(root / "text", ending=".rdfp").publish(patch(7))
    with jelly.grpc.read_log(server, "text") as reader:
        assert [row.op for row in reader.rows() if row.op != "H"] == ["TX", "A", "TC", "Z"]


def test_status_codes(server: str) -> None:
    jelly.grpc.publish_patch(server, "brick", patch(1, "H id <u:1> .\n"))
    cases = [
        (patch(2, "H id <u:2> .\n", "H prev <u:0> .\n"), {}, "ABORTED", "patch.conflict"),
        (patch(2), {"jelly_expect": "7"}, "ABORTED", "patch.conflict"),
        (patch(2, "H id <u:1> .\n"), {}, "ALREADY_EXISTS", "patch.duplicate"),
        (b"TX .\n", {}, "INVALID_ARGUMENT", "patch.unfinished"),
        (patch(2) + b"Z .\n" + patch(3), {}, "INVALID_ARGUMENT", "patch.several"),
    ]
    for text, metadata, code, kind in cases:
        with pytest.raises(Refused) as refused:
            raw_log(server, "Publish", messages(text), jelly_log="brick", **metadata)
        assert (refused.value.code, refused.value.trailing["jelly-kind"]) == (code, kind)
        if code in ("ABORTED", "ALREADY_EXISTS"):
            assert refused.value.trailing["jelly-head"] == "1"
            assert refused.value.trailing["jelly-head-id-bin"] == b"<u:1>"
    with pytest.raises(PatchError) as error:
        jelly.grpc.publish_patch(server, "brick", patch(2), expect=7)
    assert error.value.kind == "patch.conflict"
    for given in ([], [b"\xff" * 9], frames(lines(1))):
        with pytest.raises(Refused) as refused:
            raw_log(server, "Publish", given, jelly_log="brick")
        assert refused.value.code == "INVALID_ARGUMENT", given
    for name in ("none", "..", "", "brick/../brick"):
        with pytest.raises(Refused) as refused:
            raw_log(server, "Publish", messages(patch(1)), jelly_log=name)
        assert refused.value.code == "NOT_FOUND", name
        with pytest.raises(FileNotFoundError):
            jelly.grpc.describe(server, name)
    with pytest.raises(PatchError, match="there is no version 5"):
        added(server, after=5)
    with pytest.raises(PatchError) as error:
        added(server, after=1, after_id="<u:9>")
    assert error.value.kind == "patch.fork"
    with pytest.raises(Refused) as refused:
        raw_log(server, "Subscribe", [b"\x0a\x05bri"])
    assert refused.value.code == "INVALID_ARGUMENT"
    assert added(server) == ['"1"']


def test_rules_of_the_server(root: Path, tmp_path: Path) -> None:
    token, line = made("me", "read,publish", "*")
    (tmp_path / "tokens").write_text(line)
    more = {"tokens": tmp_path / "tokens", "require_condition": True, "record_publisher": True}
    with here(root, **more, limits=Limits(requests=5)) as server:
        given = {"jelly_log": "brick", "authorization": f"Bearer {token}"}
        with pytest.raises(Refused, match="a condition is required") as refused:
            raw_log(server, "Publish", messages(patch(1)), **given)
        assert refused.value.code == "FAILED_PRECONDITION"
        with pytest.raises(Refused, match="publish the patch without it"):
            raw_log(
                server,
                "Publish",
                messages(patch(1, 'H publisher "x" .\n')),
                jelly_expect="0",
                **given,
            )
        raw_log(server, "Publish", messages(patch(1)), jelly_expect="0", **given)
        (version,) = jelly.Log(root / "brick").versions()
        assert ("publisher", '"me"') in version.headers
        with pytest.raises(Refused, match="more than 5 requests a minute") as refused:  # noqa: PT012
            for _ in range(9):
                raw_log(server, "Describe", [written("brick")], **given)
        assert refused.value.code == "RESOURCE_EXHAUSTED"


def test_before_the_first(root: Path, server: str) -> None:
    log = jelly.Log(root / "brick")
    for n in range(1, 4):
        log.publish(patch(n))
    copy = root / "later"
    copy.mkdir()
    (copy / "patch-0003.jellyp").write_bytes((root / "brick" / "patch-0003.jellyp").read_bytes())
    with pytest.raises(Refused) as refused:
        raw_log(server, "Subscribe", [written("later")])
    assert (refused.value.code, refused.value.trailing["jelly-kind"]) == (
        "OUT_OF_RANGE",
        "patch.gap",
    )


def test_large_patches(root: Path) -> None:
    big = "".join(f'A <a:s> <a:p> "{n}{"x" * 60_000}" .\n' for n in range(72)).encode()
    with here(root, limits=Limits(body=7 << 20)) as server:
        jelly.Log(root / "brick").publish(b"TX .\n" + big + b"TC .\n")
        assert max(map(len, messages(b"TX .\n" + big + b"TC .\n"))) > 4 << 20
        assert len(added(server)) == 72
        with pytest.raises(Refused, match="more than 7340032 bytes") as refused:
            raw_log(server, "Publish", [b"\x00" * (4 << 20)] * 2, jelly_log="brick")
        assert refused.value.code == "RESOURCE_EXHAUSTED"


def test_follow(server: str, root: Path) -> None:
    got: list[str] = []
    news = threading.Semaphore(0)

    def follow() -> None:
        with jelly.grpc.read_log(server, "brick", follow=True, batch_rows=1) as reader:
            for row in reader.rows():
                if row.op == "A":
                    got.append(str(row.object))
                    news.release()
                if len(got) == 3:
                    return

    log = jelly.Log(root / "brick")
    log.publish(patch(0))
    thread = threading.Thread(target=follow)
    thread.start()
    for n in range(1, 3):
        assert news.acquire(timeout=30)
        log.publish(patch(n))
    thread.join(30)
    assert got == numbers(range(3))
