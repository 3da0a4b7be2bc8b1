"""RDF4J, fetched by Maven once, and a server of it: what push sends is its own, the server is ours."""

from __future__ import annotations

import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from places import BUILD, SkippedError, need
from servers import JAVA_OPTIONS

VERSION = "4.3.16"
_PARTS = ("repository-sail", "sail-memory", "queryresultio-sparqljson", "rio-nquads")
_PROGRAM = Path(__file__).with_name("interop") / "RdfStore.java"


def _jars() -> Path:
    """A folder with all jars.

    Raises:
        SkippedError: Java or Maven is missing, or the jars cannot be fetched.
    """
    need("java", "mvn")
    home = BUILD / f"rdf4j-{VERSION}"
    if not home.exists():
        part = BUILD / "rdf4j"
        part.mkdir(parents=True, exist_ok=True)
        needed = "".join(f"<dependency><groupId>org.eclipse.rdf4j</groupId><artifactId>rdf4j-{name}</artifactId><version>{VERSION}</version></dependency>" for name in _PARTS)  # fmt: skip
        pom = f"<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies>{needed}</dependencies></project>"
        (part / "pom.xml").write_text(pom)
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
        command = ["mvn", "-q", "-B", "-f", str(part), goal, f"-DoutputDirectory={part / 'lib'}"]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise SkippedError(f"RDF4J could not be fetched: {made.stdout[-300:]}")
        (part / "lib").rename(home)
    return home


@contextmanager
def rdf4j() -> Iterator[str]:
    """The address of a store in memory, which ends with the block.

    Raises:
        SkippedError: It cannot be had here.
    """
    command = ["java", *JAVA_OPTIONS.split(), "-cp", f"{_jars()}/*", str(_PROGRAM)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:  # fmt: skip
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def statements(url: str) -> bytes:
    """All quads, as N-Quads, but for what the store says of logs."""
    with urllib.request.urlopen(url) as answer:
        lines = answer.read().splitlines(keepends=True)
    return b"".join(line for line in lines if b"<urn:jelly:logs>" not in line)
