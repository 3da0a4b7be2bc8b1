"""Apache Jena Fuseki, fetched by Maven once, and one server of it for all tests of a run."""

from __future__ import annotations

import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from places import BUILD, SkippedError, need
from servers import JAVA_OPTIONS, free_port, until_up

VERSION = "5.6.0"


def _jar() -> Path:
    """The server in one jar.

    Raises:
        SkippedError: Java or Maven is missing, or the jar cannot be fetched.
    """
    need("java", "mvn")
    home = BUILD / "fuseki"
    jar = home / f"jena-fuseki-server-{VERSION}.jar"
    if not jar.exists():
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
        artifact = f"-Dartifact=org.apache.jena:jena-fuseki-server:{VERSION}"
        command = ["mvn", "-q", "-B", goal, artifact, f"-DoutputDirectory={home}"]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise SkippedError(f"Fuseki could not be fetched: {made.stdout[-300:]}")
    return jar


class Fuseki:
    """A dataset in memory, on a server.

    Attributes:
        url: The address of the dataset.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def clear(self) -> None:
        """Deletes all statements."""
        headers = {"Content-Type": "application/sparql-update"}
        request = urllib.request.Request(f"{self.url}/update", b"DROP ALL", headers)
        urllib.request.urlopen(request).close()

    def statements(self) -> bytes:
        """All quads, as N-Quads, but for what the store says of logs."""
        request = urllib.request.Request(self.url, headers={"Accept": "application/n-quads"})
        with urllib.request.urlopen(request) as answer:
            lines = answer.read().splitlines(keepends=True)
        return b"".join(line for line in lines if b"<urn:jelly:logs>" not in line)


def _pings(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/$/ping") as answer:
        return bool(answer.status == 200)


@contextmanager
def fuseki(folder: Path) -> Iterator[Fuseki]:
    """A server, which ends with the block.

    Raises:
        SkippedError: It cannot be had here.
    """
    port = free_port()
    command = ["java", *JAVA_OPTIONS.split(), "-Xmx512m", "-jar", str(_jar()), "--localhost", "--port", str(port), "--update", "--mem", "/ds"]  # fmt: skip
    with (folder / "fuseki.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        until_up(server, lambda: _pings(port), folder / "fuseki.log")
        yield Fuseki(f"http://127.0.0.1:{port}/ds")
    finally:
        server.terminate()
        server.wait()
