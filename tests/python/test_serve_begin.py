"""The two lines of curl with which a log begins, as the README and the server print them."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from examples import ROOT

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("click")

from click.testing import CliRunner

import jelly
import jelly.service
from jelly.cli.group import jelly as command
from servers import free_port

LINES = re.compile(r"^ *(curl .* (http://127\.0\.0\.1:\d+)/brick)$", re.MULTILINE)


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_two_lines_of_curl_and_a_second_terminal(tmp_path: Path) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "jelly", "serve", "logs", "--port", str(port)],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        # nothing is in the folder, so the server says how to begin; it says so when it accepts connections
        assert server.stdout is not None
        said = "".join(server.stdout.readline() for _ in range(3))
        printed = [line for line, _ in LINES.findall(said)]
        shown = [line.replace(found, address) for line, found in LINES.findall((ROOT / "README.md").read_text())]  # fmt: skip
        assert len(shown) == 2
        assert printed == shown
        made, published = [subprocess.run(line, shell=True, check=True, capture_output=True).stdout for line in shown]  # fmt: skip
        assert b'"base":"empty"' in made
        assert b'"version":1' in published
        watch = [sys.executable, "-m", "jelly", "log", "watch", f"{address}/brick", "--after", "0", "--timeout", "1"]  # fmt: skip
        seen = subprocess.run(watch, check=True, capture_output=True).stdout
        assert seen.startswith(b"1 ")
        data = subprocess.run(["curl", "-s", f"{address}/brick/data"], check=True, capture_output=True)  # fmt: skip
        assert data.stdout == b'<urn:x:a> <urn:x:b> "c" .\n'
    finally:
        server.terminate()
        server.communicate()


def test_what_cannot_be_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is refused in one line, before the server says where it is; an address that is taken ended the process with the
    log of uvicorn."""
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("file.pem").write_text("no certificate")
    jelly.Log.create("logs/brick")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for given, status, said in (
            (["file"], 1, "file is a file; expected a folder of logs"),
            (["logs/brick"], 2, f"logs/brick is a log; serve the folder that contains it: {tmp_path}/logs"),
            (["logs", "--port", port], 1, f"127.0.0.1:{port}: the server cannot listen on this address"),
            (["logs", "--port", "80000"], 2, "80000 is not in the range"),
            (["logs", "--port", "0", "--tokens", "none"], 1, "none: no such file or directory"),
            (["logs", "--port", "0", "--tokens", "file.pem"], 2, "line 1 of the tokens is not"),
            (["logs", "--port", "0", "--tls-cert", "file.pem"], 1, "file.pem"),
        ):  # fmt: skip
            done = CliRunner().invoke(command, ["serve", *given])
            assert (done.exit_code, said in done.output, done.stdout) == (status, True, ""), (
                done.output
            )
    assert sorted(path.name for path in Path("logs").rglob("*")) == ["brick", "log.json"]


def test_a_server_says_what_it_serves(tmp_path: Path) -> None:
    jelly.Log.create(tmp_path / "brick")
    asked = [sys.executable, "-u", "-m", "jelly", "serve", str(tmp_path), "--port", str(port := free_port())]  # fmt: skip
    with subprocess.Popen(asked, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.terminate()
    assert said.decode() == f"http://127.0.0.1:{port}/ serves 1 log of {tmp_path}\n"


def test_a_server_that_is_ready_accepts_connections(tmp_path: Path) -> None:
    """Before, it said where it is before it listened there."""
    port = free_port()

    def ready() -> None:
        socket.create_connection(("127.0.0.1", port)).close()
        raise InterruptedError

    with pytest.raises(InterruptedError):
        jelly.service.serve(tmp_path, port=port, ready=ready)
