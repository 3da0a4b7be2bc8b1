"""Addresses of logs as sources, connections that stay, answers that are lost, and TLS."""

from __future__ import annotations

import http.client
import io
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import jelly
from jelly._http import Address

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from certificates import authority
from servers import free_port, listens, served, start


def patch(value: int, *headers: str) -> bytes:
    return "".join([*headers, f'TX .\nA <a:s> <a:p> "{value}" .\nTC .\n']).encode()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("addresses") / "logs") as found:
        yield found


def test_an_address_is_a_source_of_patches(address: str, tmp_path: Path) -> None:
    url = f"{address}/sourced"
    log = jelly.Log.create(url)
    for number in range(3):
        log.publish(patch(number))
    out = io.BytesIO()
    assert jelly.apply(b"", url, out, base_format="nq", to="nq").version == 3
    assert out.getvalue().count(b"\n") == 3
    assert jelly.as_of(b"", url, 2, io.BytesIO(), base_format="nq", to="nq").statements == 2
    assert len(list(jelly.history(url, subject="<a:s>"))) == 3
    assert jelly.verify_log(url).patches == 3
    assert jelly.squash(url, io.BytesIO(), to="rdfp").patches == 3
    done = subprocess.run(["curl", "-s", f"{url}/patches"], capture_output=True, check=True)
    assert done.stdout.count(b"TX") == 3
    (tmp_path / "base.nq").touch()
    script = [shutil.which("jelly") or "jelly", "apply", str(tmp_path / "base.nq"), url, "-o", str(tmp_path / "out.nq")]  # fmt: skip
    if shutil.which("jelly"):
        subprocess.run(script, check=True, capture_output=True)
        assert (tmp_path / "out.nq").read_bytes() == out.getvalue()
    with pytest.raises(FileNotFoundError):
        jelly.apply(b"", f"{address}/none", io.BytesIO(), base_format="nq")
    for bad in ("http://", "http://user:secret@localhost/x"):
        with pytest.raises(ValueError, match="address"):
            jelly.apply(b"", bad, io.BytesIO(), base_format="nq")


def test_a_connection_serves_many_requests(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    real = socket.create_connection

    def counted(*args: object, **more: object) -> socket.socket:
        made.append(args)
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", counted)
    log = jelly.Log.create(f"{address}/kept")
    for number in range(5):
        log.publish(patch(number))
        assert log.head.version == number + 1
    assert len(list(log.versions())) == 5
    with pytest.raises(jelly.errors.PatchError):
        log.publish(patch(9), expect=0)
    assert len(made) == 1
    cut = log.versions()
    next(cut)
    log.read().close()
    assert log.head.version == 5, "an answer that was not read to its end spoils nothing"


def test_a_connection_that_the_server_ended_is_made_again(tmp_path: Path) -> None:
    root, port = tmp_path / "logs", free_port()
    server = start(root, port)
    log = jelly.Log.create(f"http://127.0.0.1:{port}/x")
    for number in range(2):
        server.kill()
        server.wait()
        server = start(root, port)
        assert log.publish(patch(number)).version == number + 1
    server.kill()
    server.wait()


def test_a_refusal_is_read_though_the_body_was_not(tmp_path: Path) -> None:
    with served(tmp_path / "logs", "--limit=body=1000") as address:
        log = jelly.Log.create(f"{address}/x")
        rows = "".join(f'A <a:s> <a:p> "{n}-{"x" * 500}{n * n}" .\n' for n in range(20_000))
        with pytest.raises(OSError, match="413"):
            log.publish(f"TX .\n{rows}TC .\n".encode())
        assert log.head.version == 0


class Loses(threading.Thread):
    """A proxy that ends the connection instead of handing on the first answers to publishes."""

    def __init__(self, to: int, losses: int) -> None:
        super().__init__(daemon=True)
        self.losses, self.seen = losses, 0
        self._to = to
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def run(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with closing(client), closing(socket.create_connection(("127.0.0.1", self._to))) as server:
            threading.Thread(target=self._forward, args=[client, server], daemon=True).start()
            while piece := server.recv(1 << 16):
                if piece.startswith((b"HTTP/1.1 201", b"HTTP/1.1 200")) and b'"replayed"' in piece + self._more(server, piece):  # fmt: skip
                    self.seen += 1
                    if self.losses:
                        self.losses -= 1
                        client.shutdown(socket.SHUT_RDWR)
                        return
                client.sendall(piece + self._late)
                self._late = b""

    _late = b""

    def _more(self, server: socket.socket, piece: bytes) -> bytes:
        """The body, where it comes in a piece of its own."""
        head, _, body = piece.partition(b"\r\n\r\n")
        if b"content-length: " in head.lower() and not body:
            self._late = server.recv(1 << 16)
        return self._late

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        try:
            while piece := client.recv(1 << 16):
                server.sendall(piece)
        except OSError:
            pass
        finally:
            server.close()

    def close(self) -> None:
        self._socket.close()


def test_answers_that_are_lost_after_the_commit(address: str) -> None:
    jelly.Log.create(f"{address}/lossy")
    proxy = Loses(int(address.rsplit(":", 1)[1]), losses=4)
    proxy.start()
    with closing(proxy):
        log = jelly.Log(f"http://127.0.0.1:{proxy.port}/lossy")
        found = [log.publish(patch(number)) for number in range(6)]
    assert (proxy.losses, proxy.seen) == (0, 10)
    assert [one.version for one in found] == [1, 2, 3, 4, 5, 6]
    assert found[0].replayed
    assert not found[-1].replayed
    assert jelly.Log(f"{address}/lossy").head.version == 6, "each is there once"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_tls_and_certificates_of_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with authority(tmp_path) as keys:
        root, port, said = tmp_path / "logs", free_port(), tmp_path / "said"
        jelly.Log.create(root / "x")
        command = ["--tls-cert", str(keys / "server.pem"), "--tls-key", str(keys / "server.key"), "--client-ca", str(keys / "ca.pem")]  # fmt: skip
        server = start(root, port, *command, said=said, answers=lambda: listens(port))
        try:
            url = f"https://localhost:{port}/x"
            with pytest.raises(OSError, match="certificate"):
                jelly.Log(url).info()  # the authority is not known
            monkeypatch.setenv("SSL_CERT_FILE", str(keys / "ca.pem"))
            with pytest.raises(OSError):  # noqa: PT011 - the alert has another text in each version
                jelly.Log(url).info()  # no certificate of a client
            monkeypatch.setenv("JELLY_CLIENT_CERT", str(keys / "client.pem"))
            monkeypatch.setenv("JELLY_CLIENT_KEY", str(keys / "client.key"))
            assert jelly.Log(url).publish(patch(1)).version == 1
            for name in ("server.key", "missing"):
                monkeypatch.setenv("JELLY_CLIENT_KEY", str(keys / name))
                with pytest.raises(OSError, match=f"JELLY_CLIENT_KEY: .*{name}"):
                    jelly.Log(url).info()
            curl = ["curl", "-s", "--cacert", str(keys / "ca.pem"), "--cert", str(keys / "client.pem"), "--key", str(keys / "client.key"), url]  # fmt: skip
            if shutil.which("curl"):
                done = subprocess.run(curl, capture_output=True, check=True)
                assert b'"head"' in done.stdout
        finally:
            server.terminate()
            server.wait()


def test_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    with authority(tmp_path) as keys:
        root, port = tmp_path / "logs", free_port()
        jelly.Log.create(root / "x")
        monkeypatch.setenv("SSL_CERT_FILE", str(keys / "ca.pem"))
        server = start(root, port, "--tls-cert", str(keys / "server.pem"), "--tls-key", str(keys / "server.key"), answers=lambda: listens(port))  # fmt: skip
        try:
            log = jelly.Log(f"https://localhost:{port}/x")
            assert log.publish(patch(1)).version == 1
            assert log.head.version == 1
            monkeypatch.setenv("SSL_CERT_FILE", "")
            with pytest.raises(OSError, match="certificate verify failed"):
                jelly.Log(f"https://localhost:{port}/x").info()
        finally:
            server.terminate()
            server.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the server may wait for the client")
def test_a_server_with_tls_stops_though_clients_are_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was sent arrives; the end of TLS needs no answer, for which asyncio waits 30 s."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    with authority(tmp_path) as keys:
        root, port = tmp_path / "logs", free_port()
        jelly.Log.create(root / "x")
        monkeypatch.setenv("SSL_CERT_FILE", str(keys / "ca.pem"))
        server = start(root, port, "--tls-cert", str(keys / "server.pem"), "--tls-key", str(keys / "server.key"), "--limit", "drain=3600", answers=lambda: listens(port))  # fmt: skip
        try:
            url = f"https://localhost:{port}/x"
            rows = "".join(f'A <a:s> <a:p> "{row:0200}" .\n' for row in range(40_000))
            assert jelly.Log(url).publish(f"TX .\n{rows}TC .\n".encode()).version == 1
            context = ssl.create_default_context(cafile=str(keys / "ca.pem"))
            with closing(http.client.HTTPSConnection("localhost", port, context=context)) as idle:
                idle.request("GET", "/x/patches", headers={"Accept": "application/rdf-patch"})
                answer = idle.getresponse()
                first = answer.read(1)
                server.terminate()
                assert (first + answer.read()).count(b"A <a:s>") == 40_000
                server.wait(20)
        finally:
            server.kill()
            server.wait()


def test_a_token_of_the_environment_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JELLY_TOKEN", "secret")
    sent = {url: Address.of_log(url, None)._authorization for url in ("http://localhost:1/x", "https://example.org/x", "http://example.org/x")}  # fmt: skip
    assert list(sent.values()) == ["Bearer secret", "Bearer secret", None]
