"""An object store on loopback that makes each name once: moto behind a lock, which counts requests and fails on demand.

Without the lock moto looks whether a name is there and then makes it, so two threads can both make it.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

_SERVER = """
import json, os, re, signal, socket, threading
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, MotoRequestHandler, create_backend_app

moto = DomainDispatcherApplication(create_backend_app)
lock, seen, faults = threading.Lock(), [], []

def app(environ, start):
    path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
    if path.startswith("/-/"):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        if path == "/-/faults":
            faults[:] = json.loads(body)
        answer = json.dumps(seen).encode()
        seen.clear()
        start("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]
    with lock:
        seen.append([method, path])
        place = next((n for n, fault in enumerate(faults) if fault[0] == method and re.search(fault[1], path)), None)
        if place is None:
            return list(moto(environ, start))
        _, _, when, status = faults.pop(place)
        if when == "after":
            list(moto(environ, lambda *_: None))
        else:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        if status == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        if status == 0:
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        start(f"{status or 500} fault", [("Content-Length", "0")])
        return [b""]

class Handler(MotoRequestHandler):
    def log(self, *_): pass

server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@dataclass
class ObjectStore:
    """Where the store is."""

    port: int
    process: subprocess.Popen[str]
    _names: Iterator[int] = field(default_factory=count)

    @property
    def storage(self) -> dict[str, str]:
        """What ``jelly.Log(place, storage=...)`` takes."""
        return {
            "endpoint": f"http://127.0.0.1:{self.port}",
            "accesskey": "test",
            "secretkey": "secret",
            "region": "us-east-1",
        }

    @property
    def options(self) -> dict[str, str]:
        """Options of the data sources of Spark."""
        return {f"storage.{name}": value for name, value in self.storage.items()}

    def place(self) -> str:
        """A place for a log that is not there yet."""
        return f"s3://bucket/log{next(self._names)}"

    def bucket(self) -> str:
        """A new bucket, as a URI."""
        name = f"bucket-{next(self._names)}"
        self._ask("PUT", f"/{name}")
        return f"s3://{name}"

    def fail(self, *faults: tuple[str, str, str, int]) -> None:
        """Fails requests to come, each once: method, pattern of the path, ``before`` or ``after`` it is done, status; 0: no answer, 1: the store stops, until SIGCONT."""
        self._ask("POST", "/-/faults", json.dumps(faults))

    def seen(self) -> list[tuple[str, str]]:
        """Method and path of each request since the last call."""
        return [(method, path) for method, path in self._ask("GET", "/-/seen")]

    def _ask(self, method: str, path: str, body: str | None = None) -> Sequence[Any]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            link.request(method, path, body)
            answer = link.getresponse()
            assert answer.status == 200
            text = answer.read()
            return json.loads(text) if path.startswith("/-/") else []
        finally:
            link.close()


@contextmanager
def running() -> Iterator[ObjectStore]:
    """The store, ended by its process when it is not needed any more."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        store = ObjectStore(int(process.stdout.readline()), process)
        store._ask("PUT", "/bucket")
        yield store
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
