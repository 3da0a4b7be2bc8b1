"""``PatchLog``: the rules of logs over gRPC; and ``jelly serve --grpc-port``, killed, drained, with TLS."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("grpc")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import examples
import jelly
import jelly.grpc
from grpc_servers import Refused, frames, here, lines, numbers, objects, process, raw, raw_log
from jelly.cli.group import jelly as cli
from jelly.errors import PatchError
from jelly.grpc._wire import frames_in, written
from jelly.service._limits import Limits
from jelly.service._tokens import made
from servers import free_port, start


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
        told = {"jelly_log": "brick", "authorization": f"Bearer {token}"}
        with pytest.raises(Refused, match="a condition is required") as refused:
            raw_log(server, "Publish", messages(patch(1)), **told)
        assert refused.value.code == "FAILED_PRECONDITION"
        with pytest.raises(Refused, match="publish the patch without it"):
            raw_log(
                server,
                "Publish",
                messages(patch(1, 'H publisher "x" .\n')),
                jelly_expect="0",
                **told,
            )
        raw_log(server, "Publish", messages(patch(1)), jelly_expect="0", **told)
        (version,) = jelly.Log(root / "brick").versions()
        assert ("publisher", '"me"') in version.headers
        with pytest.raises(Refused, match="more than 5 requests a minute") as refused:  # noqa: PT012
            for _ in range(9):
                raw_log(server, "Describe", [written("brick")], **told)
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


def keep_publishing(
    target: str, start: int, kill_at: int, reached: threading.Event, answered: Counter[str]
) -> None:
    """Publishes until the server is gone, and counts the answers."""
    given, sent = frames(lines(1000, start), frame_rows=40), 0

    def messages() -> Iterator[bytes]:
        nonlocal sent
        for frame in given:
            sent += 1
            if sent == kill_at:
                reached.set()
            yield frame

    try:
        while True:
            raw(target, "PublishRdf", messages(), jelly_topic="u")
            answered["u"] += 1
            raw(target, "PublishRdf", messages(), jelly_topic="t", jelly_publish_id=str(start))
            answered["t"] = start // 1000 + 1
    except Refused:
        pass


def test_killed_server(root: Path) -> None:
    """What was answered is there; the rest is whole frames, or nothing where a stream has an id."""
    answered: Counter[str] = Counter()
    for round in range(3):
        server, address = process(root)
        reached = threading.Event()
        thread = threading.Thread(
            target=keep_publishing,
            args=(address, 1000 * round, 120 + 37 * round, reached, answered),
        )
        thread.start()
        assert reached.wait(60)
        server.kill()
        server.communicate()
        thread.join(60)
    assert answered["u"] > 0
    with here(root) as target:
        kept = objects(jelly.grpc.subscribe(target, "u"))
        assert len(kept) >= 1000 * answered["u"]
        whole = objects(jelly.grpc.subscribe(target, "t"))
        assert len(whole) % 1000 == 0
        assert len(set(whole)) == len(whole)
        assert len(whole) >= 1000 * (answered["t"] > 0)
        jelly.grpc.publish(target, lines(5), topic="u", format="nq")
        assert objects(jelly.grpc.subscribe(target, "u")) == [*kept, *numbers(range(5))]


def test_torn_end(root: Path) -> None:
    """A file that a crash left half-written is cut where its frames are whole; the rest is kept aside."""
    with here(root) as target:
        raw(target, "PublishRdf", frames(lines(40), frame_rows=10), jelly_topic="t")
        count = len(raw(target, "SubscribeRdf", [written("t")], jelly_follow="false"))
    (path,) = (root / ".topics" / "t").iterdir()
    whole = path.read_bytes()
    ends = [whole[:cut] for cut in range(len(whole) - 1, 0, -61)]
    for end in (*ends, whole + b"\x03\xff\xff\xff" + whole[:60]):
        path.write_bytes(end)
        with here(root) as target:
            try:
                found = objects(jelly.grpc.subscribe(target, "t"))
            except FileNotFoundError:
                found = []
            assert found == numbers(range(len(found)))
            jelly.grpc.publish(target, lines(1, 99), topic="t", format="nq")
            assert objects(jelly.grpc.subscribe(target, "t")) == [*found, '"99"']
        left = path.read_bytes() if found else b""
        assert left == whole[: len(left)], "what is not whole frames is elsewhere"
        assert len(left) <= len(end)
        for left in (root / ".topics" / "t").iterdir():
            left.unlink()
    assert count > 4


def listen(reader: Any, ready: threading.Event) -> None:
    for _ in reader.rows():
        ready.set()


def test_drain(root: Path) -> None:
    server, target = process(root)
    jelly.grpc.publish(target, lines(5), topic="t", format="nq")
    first, *rest = frames(lines(400), frame_rows=40)

    def slowly() -> Iterator[bytes]:
        yield first
        follower.start()
        assert ready.wait(30)
        server.send_signal(signal.SIGTERM)
        assert gone.wait(30), "a follower learns that the server ends"
        yield from rest

    ready, gone = threading.Event(), threading.Event()

    def follow() -> None:
        reader = jelly.grpc.subscribe(target, "t", follow=True, batch_rows=1)
        with pytest.raises(ConnectionError, match="UNAVAILABLE"):
            listen(reader, ready)
        gone.set()

    follower = threading.Thread(target=follow)
    with pytest.raises(Refused) as refused:
        raw(target, "PublishRdf", slowly(), jelly_topic="t")
    assert refused.value.code == "UNAVAILABLE"
    follower.join(30)
    server.communicate(timeout=60)
    assert server.returncode == 0
    with here(root) as target:
        assert objects(jelly.grpc.subscribe(target, "t"))[:5] == numbers(range(5))


def test_commands(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.ttl").write_bytes(b"@prefix a: <urn:a:> . a:s a:p 1, 2 .")
    server, target = process(root, "--topic", f"file={tmp_path / 'f.ttl'}")

    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> Result:
        return CliRunner().invoke(cli, ["grpc", *args])

    try:
        assert run("subscribe", target, "file", "-o", "x.nt").exit_code == 0
        assert len((tmp_path / "x.nt").read_text().splitlines()) == 2
        once = ("publish", target, "x.nt", "--topic", "t", "--publish-id", "1")
        assert run(*once).exit_code == 0
        assert "has it already" in run(*once).stderr
        printed = run("subscribe", target, "t", "--to", "nt").stdout_bytes
        assert printed == (tmp_path / "x.nt").read_bytes()
        assert run("subscribe", target, "t", "-o", "t.jelly").exit_code == 0
        assert run("publish", target, "t.jelly", "--compress").exit_code == 0, "to its own name"
        assert len(run("subscribe", target, "t", "--to", "nt").stdout_bytes.splitlines()) == 4
        missing = run("subscribe", target, "none", "-o", "none.nt")
        assert (missing.exit_code, (tmp_path / "none.nt").exists()) == (1, False)
        assert "there is no topic" in missing.stderr
    finally:
        server.terminate()
        server.communicate(timeout=60)
    for args in (["--topic", "x"], ["--topic", "a=b", "--topic", "a=c"], ["--topic", "a=b"]):
        assert CliRunner().invoke(cli, ["serve", str(root), *args]).exit_code == 2, args


def test_tls(root: Path, tmp_path: Path) -> None:
    from jelly.grpc._channel import Tls

    files = {name: str(tmp_path / name) for name in ("ca.pem", "ca.key", "own.pem", "own.key")}
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run(
        [*make, "-keyout", files["ca.key"], "-out", files["ca.pem"], "-subj", "/CN=ca"],
        check=True, capture_output=True,
    )  # fmt: skip
    subprocess.run(
        [*make, "-keyout", files["own.key"], "-out", files["own.pem"], "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-CA", files["ca.pem"], "-CAkey", files["ca.key"]],
        check=True, capture_output=True,
    )  # fmt: skip
    own = Tls(files["ca.pem"], files["own.pem"], files["own.key"])
    keys = {"tls_cert": files["own.pem"], "tls_key": files["own.key"]}
    for ca in (None, files["ca.pem"]):
        with here(root, **keys, client_ca=ca) as target:
            target = target.replace("127.0.0.1", "localhost")
            jelly.grpc.publish(target, lines(1), topic="t", format="nq", tls=own)
            assert jelly.grpc.describe(target, "brick", tls=own).base == "empty"
            with pytest.raises(ConnectionError):
                jelly.grpc.describe(target, "brick")
            known = Tls(files["ca.pem"])
            if ca is None:
                assert jelly.grpc.describe(target, "brick", tls=known).base == "empty"
            else:
                with pytest.raises(ConnectionError):
                    jelly.grpc.describe(target, "brick", tls=known)


def test_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ports = [free_port(), free_port()]
    server = start(tmp_path / "other", ports[0], "--grpc-port", str(ports[1]))
    try:
        instead = {
            "127.0.0.1:8080": f"127.0.0.1:{ports[0]}",
            "127.0.0.1:50051": f"127.0.0.1:{ports[1]}",
        }
        counts = examples.run("docs/grpc.md", instead=instead)
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert counts == {"console": 3, "pycon": 9}


def test_grpc_is_imported_when_it_is_used() -> None:
    program = "import sys, jelly, jelly.cli, jelly.service; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_fork(server: str) -> None:
    """A process that was forked before anybody used gRPC in it can use it; so Spark's workers do."""
    program = f"""
import multiprocessing, sys
import jelly
def count(_):
    import jelly.grpc
    return jelly.grpc.describe({server!r}, "brick").head.version
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(count, range(4)) == [0] * 4
    assert "grpc" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=os.environ)
    assert done.returncode == 0, done.stderr
