"""``jelly serve --grpc-port``: killed, drained, with TLS; its commands and its page of the docs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("grpc")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import examples
import jelly
import jelly.grpc
from grpc_servers import Refused, frames, here, lines, numbers, objects, process, raw
from jelly.cli.group import jelly as cli
from jelly.grpc._wire import written
from servers import free_port, start, until_up


@pytest.fixture
def root(tmp_path: Path) -> Path:
    jelly.Log.create(tmp_path / "logs" / "brick")
    return tmp_path / "logs"


@pytest.fixture
def server(root: Path) -> Iterator[str]:
    with here(root) as target:
        yield target


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
    (path,) = (root / ".topics" / "t").glob("*.jelly")
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
        kept = path.read_bytes() if found else b""
        assert kept == whole[: len(kept)], "what is not whole frames is elsewhere"
        assert len(kept) <= len(end)
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
        assert "already had it" in run(*once).stderr
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


@pytest.mark.parametrize(
    ("to", "stop"), [("nt", signal.SIGINT), ("ttl", signal.SIGTERM), ("jelly", signal.SIGINT)]
)
def test_a_command_that_follows_prints_each_frame_when_it_comes(
    root: Path, to: str, stop: int
) -> None:
    """Before, it printed nothing until it was interrupted, and then said that the output is incomplete."""

    def turtle(n: int) -> bytes:
        return f'@prefix x: <urn:x:> . x:s x:p "number {n}" .'.encode()

    with here(root) as target:
        jelly.grpc.publish(target, turtle(0), format="ttl", topic="t")
        command = [sys.executable, "-m", "jelly", "grpc", "subscribe", target, "t", "--to", to, "--follow"]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as follower:  # fmt: skip
            # a command that prints nothing would wait for good
            timer = threading.Timer(60, follower.kill)
            timer.start()
            assert follower.stdout is not None
            printed = b""
            for n in range(3):
                if n:
                    jelly.grpc.publish(target, turtle(n), format="ttl", topic="t")
                while f"number {n}".encode() not in printed:
                    piece = os.read(follower.stdout.fileno(), 1 << 16)
                    assert piece, f"it ended before statement {n}"
                    printed += piece
            follower.send_signal(stop)
            printed += follower.stdout.read()
            assert follower.wait() == 0
            timer.cancel()
    if to == "jelly":
        with jelly.read_rdf(printed, framing="delimited") as reader:
            assert sum(1 for _ in reader.rows()) == 3
            assert reader.namespaces == {"x": "urn:x:"}
    elif to == "ttl":
        assert printed.startswith(b"@prefix x: <urn:x:> .\n")
    with jelly.read_rdf(printed, format=cast("Any", to)) as reader:
        assert [row.object for row in reader.rows()] == [f'"number {n}"' for n in range(3)]


def test_a_command_that_follows_writes_its_file_when_a_signal_ends_it(
    root: Path, tmp_path: Path
) -> None:
    """Before, it said that it was interrupted, and there was no file."""
    out = tmp_path / "out.ttl"
    with here(root) as target:
        jelly.grpc.publish(target, lines(50_000), format="nq", topic="t")
        command = [sys.executable, "-m", "jelly", "grpc", "subscribe", target, "t", "-o", str(out), "--follow"]  # fmt: skip
        with subprocess.Popen(command, stderr=subprocess.PIPE) as follower:
            timer = threading.Timer(60, follower.kill)
            timer.start()
            until_up(
                follower, lambda: any(file.stat().st_size for file in tmp_path.glob("*.tmp")), None
            )
            assert not out.exists()
            follower.send_signal(signal.SIGINT)
            said = follower.communicate()[1].decode()
            timer.cancel()
    with jelly.read_rdf(out) as reader:
        rows = sum(batch.num_rows for batch in reader)
    assert rows > 0
    assert (follower.returncode, said) == (0, f"t: {rows:,} statements\n")


def test_tls(root: Path, tmp_path: Path) -> None:
    from jelly.grpc import Tls

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
    assert counts == {"console": 3, "pycon": 10}


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
