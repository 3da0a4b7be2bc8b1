"""An S3 service on loopback: moto, in a process of its own."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

_SERVER = """
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
app = DomainDispatcherApplication(create_backend_app)
server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@dataclass
class S3:
    """Where the service is; ``options`` are those of our data sources."""

    port: int
    _buckets: Iterator[int] = field(default_factory=count)

    @property
    def storage(self) -> dict[str, str]:
        return {
            "endpoint": f"http://127.0.0.1:{self.port}",
            "accesskey": "test",
            "secretkey": "secret",
            "region": "us-east-1",
        }

    @property
    def options(self) -> dict[str, str]:
        return {f"storage.{name}": value for name, value in self.storage.items()}

    def bucket(self) -> str:
        """A new one, as a URI."""
        name = f"bucket-{next(self._buckets)}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("PUT", f"/{name}", headers={"Host": f"127.0.0.1:{self.port}"})
            assert connection.getresponse().status == 200
        finally:
            connection.close()
        return f"s3://{name}"


@contextmanager
def running() -> Iterator[S3]:
    """The service, ended by its process when it is not needed any more."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield S3(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
