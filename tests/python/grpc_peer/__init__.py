"""``RdfStreamService`` with Jelly-JVM's codec over grpc-java, in a process of its own; Maven fetches it once."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jvm_harness import harness
from places import BUILD, SkippedError
from servers import JAVA_OPTIONS

HERE = Path(__file__).parent


def _grpc_java() -> None:
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
    command = ["mvn", "-q", "-B", goal, f"-DoutputDirectory={BUILD / 'grpc-java'}"]
    if not any((BUILD / "grpc-java").glob("grpc-netty*.jar")):
        made = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
        if made.returncode:
            raise SkippedError(f"grpc-java could not be fetched: {made.stdout[-300:]}")


class Peer:
    """A process that serves the files of a folder, and subscribes and publishes when it is asked to."""

    def __init__(self, folder: Path) -> None:
        home = harness() / "target"
        jars = f"{home / 'jvm-peer.jar'}:{home / 'lib'}/*:{BUILD / 'grpc-java'}/*"
        classes = folder / "classes"
        compiled = ["javac", "-cp", jars, "-d", str(classes), str(HERE / "GrpcPeer.java")]
        subprocess.run(compiled, check=True, capture_output=True)
        self.folder = folder
        self.process = subprocess.Popen(
            ["java", *JAVA_OPTIONS.split(), "-Xmx512m", "-cp", f"{classes}:{jars}", "peer.GrpcPeer", str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.address = f"127.0.0.1:{self._line().removeprefix('port ')}"

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().rstrip("\n")

    def ask(self, *words: object) -> str:
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self._line()

    def statements(self, name: str) -> list[str]:
        return sorted((self.folder / name).read_text().splitlines())


@contextmanager
def grpc_peer(folder: Path) -> Iterator[Peer]:
    """The peer, which ends with the block.

    Raises:
        SkippedError: Java, Maven or a package that they fetch is missing.
    """
    harness()
    _grpc_java()
    one = Peer(folder)
    try:
        yield one
    finally:
        one.process.communicate(timeout=60)
