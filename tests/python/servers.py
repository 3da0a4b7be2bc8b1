"""A real server of logs, in a process of its own."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

# `make test` sets what makes Java start sooner
JAVA_OPTIONS = os.environ.get("JAVA_OPTIONS", "")


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def start(
    root: Path | str,
    port: int,
    *args: str,
    said: Path | None = None,
    answers: Callable[[], bool] | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a server, and waits until it answers; what it says goes to the file ``said``."""
    command = [sys.executable, "-m", "jelly", "serve", str(root), "--port", str(port), *args]
    with Path(said or os.devnull).open("ab") as log:
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
    until_up(server, answers or (lambda: _is_alive(port)), said)
    return server


def until_up(
    server: subprocess.Popen[bytes], answers: Callable[[], bool], said: Path | None
) -> None:
    """Waits until a server answers; between two questions the processor is the server's."""
    until = time.monotonic() + 60
    while True:
        with suppress(OSError):
            if answers():
                return
        with suppress(subprocess.TimeoutExpired):
            server.wait(0.02)
            until = 0
        if time.monotonic() > until:
            raise RuntimeError(said.read_text() if said else "the server does not answer")


def _is_alive(port: int) -> bool:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as link:
        link.request("GET", "/-/health")
        return link.getresponse().status == 200


def listens(port: int) -> bool:
    """Whether something listens at a port, with TLS or without."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)):
        return True


@contextmanager
def served(root: Path | str, *args: str, said: Path | None = None) -> Iterator[str]:
    """The address of a server, which ends with the block."""
    port = free_port()
    has_tls = "--tls-cert" in args
    answers = (lambda: listens(port)) if has_tls else None
    server = start(root, port, *args, said=said, answers=answers)
    try:
        yield f"http{'s' if has_tls else ''}://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
