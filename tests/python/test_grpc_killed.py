"""The gRPC server, and clients that publish, killed at any moment: nothing acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly

pytest.importorskip("grpc")
pytest.importorskip("uvicorn")
pytest.importorskip("pyspark", reason="the receiver of Spark is the subscriber here")

import jelly.grpc
from grpc_servers import lines, objects
from jelly.spark.grpc.options import Server
from jelly.spark.grpc.receiver import Receiver
from jelly.spark.grpc.spool import Spool
from servers import free_port, start

EACH = 50

# publishes as `patches` and `streams` do below, from where it stopped; a line for each answer
_CLIENT = """
import sys
sys.path.insert(0, sys.argv[4])
from pathlib import Path
from test_grpc_killed import publish_one
target, who, answers = sys.argv[1], sys.argv[2], Path(sys.argv[3])
number = len(answers.read_text().splitlines()) if answers.exists() else 0
while True:
    said = publish_one(target, who, number)
    with answers.open("a") as file:
        file.write(said + "\\n")
    number += 1
"""


def publish_one(target: str, who: str, number: int) -> str:
    """A patch and a stream, each with an id, until they are acknowledged."""
    patch = f'H id <u:{who}-{number}> .\nTX .\nA <a:s> <a:p> "{who}-{number}" .\nTC .\n'.encode()
    stream = lines(EACH, _first(who, number))
    version = _answered(lambda: jelly.grpc.publish_patch(target, "x", patch)).version
    _answered(lambda: jelly.grpc.publish(target, stream, format="nt", topic="t", publish_id=f"{who}-{number}"))  # fmt: skip
    return f"<u:{who}-{number}> {version}"


def _first(who: str, number: int) -> int:
    return (int(who) * 100_000 + number) * EACH


def _answered(call: Callable[[], Any]) -> Any:
    while True:
        try:
            return call()
        except ConnectionError:
            continue  # the server is away; the id makes it the same request


class Publishers:
    """Some in threads, and one in a process that is killed, too."""

    def __init__(self, target: str, folder: Path) -> None:
        self._target, self._answers = target, folder / "answers"
        self.acknowledged: dict[str, int] = {}
        self.failed: list[BaseException] = []
        self._stops = threading.Event()
        self._threads = [threading.Thread(target=self._publish, args=[who]) for who in "12"]
        for thread in self._threads:
            thread.start()
        self._start()

    def _start(self) -> None:
        here = str(Path(__file__).parent)
        command = [sys.executable, "-c", _CLIENT, self._target, "3", str(self._answers), here]
        self._client = subprocess.Popen(command)

    def _publish(self, who: str) -> None:
        number = 0
        try:
            while not self._stops.is_set():
                self._keep(publish_one(self._target, who, number))
                number += 1
        except BaseException as error:
            self.failed.append(error)

    def _keep(self, said: str) -> None:
        id, _, version = said.partition(" ")
        self.acknowledged[id] = int(version)

    def count(self) -> int:
        return len(self.acknowledged)

    def kill(self) -> None:
        """Kills the process, and starts it again."""
        self._client.kill()
        self._client.wait()
        self._start()

    def stop(self) -> None:
        """Ends all, with the last patch and stream of the killed process acknowledged."""
        self._stops.set()
        for thread in self._threads:
            thread.join(120)
        self._client.kill()
        self._client.wait()
        for said in self._answers.read_text().splitlines() if self._answers.exists() else ():
            self._keep(said)
        mine = sum(id.startswith("<u:3-") for id in self.acknowledged)
        self._keep(publish_one(self._target, "3", mine))
        assert not self.failed, self.failed


class Subscriber:
    """The receiver of Spark; a new one goes on where one gave up."""

    def __init__(self, target: str, folder: Path) -> None:
        self._server, self._spool = Server(target, "t"), Spool(folder, "t")
        self._receiver = self._new()

    def _new(self) -> Receiver:
        return Receiver(self._spool, self._server, None, follow=True)

    def look(self, *, kill: bool = False) -> None:
        """Brings what came to the disk; with ``kill`` what did not get there is forgotten."""
        if not kill:
            self._receiver.flush()
        if kill or self._receiver.done.is_set():
            self._receiver.close()
            self._receiver = self._new()

    def rows(self, count: int) -> list[str]:
        """So many rows, once they are there, and all others."""
        found: list[str] = []
        while len(found) < count:
            self.look()
            found = [row for one in self._spool.files() for row in objects(jelly.read_rdf(one.path, framing="delimited"))]  # fmt: skip
            self._receiver.done.wait(0.01)
        self._receiver.close()
        return found


def killed(tmp_path: Path, kills: int) -> int:
    """Kills the server, and in turn a client and the subscriber; returns how many publishes were acknowledged."""
    root, port = tmp_path / "logs", free_port()
    jelly.Log.create(root / "x")
    target = f"127.0.0.1:{port}"
    server = start(root, free_port(), "--grpc-port", str(port))
    publishers = Publishers(target, tmp_path)
    _answered(lambda: jelly.grpc.publish(target, lines(0), format="nt", topic="t", publish_id="begin"))  # fmt: skip
    subscriber = Subscriber(target, tmp_path / "spool")
    chance = random.Random(kills)
    for number in range(kills):
        before, wanted = publishers.count(), chance.randint(1, 4)
        while publishers.count() < before + wanted and not publishers.failed:
            threading.Event().wait(0.002)
        server.kill()
        server.wait()
        if number % 2:
            publishers.kill()
        subscriber.look(kill=number % 3 == 2)
        server = start(root, free_port(), "--grpc-port", str(port))
    publishers.stop()
    acknowledged = publishers.acknowledged
    with jelly.grpc.subscribe(target, "t") as reader:
        rows = [row.object for row in reader.rows()]
    followed = subscriber.rows(len(rows))
    server.kill()
    server.wait()
    log = jelly.Log(root / "x")
    assert {version.id: version.version for version in log.versions()} == acknowledged
    assert not {problem.kind for problem in log.verify().problems} - {"patch.effect"}
    blocks = [rows[at : at + EACH] for at in range(0, len(rows), EACH)]
    whole = [_first(id[3], int(id[5:-1])) for id in acknowledged]
    assert sorted(blocks) == sorted([f'"{n}"' for n in range(first, first + EACH)] for first in whole)  # fmt: skip
    assert followed == rows
    return len(acknowledged)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_hundred_kills(tmp_path: Path) -> None:
    assert killed(tmp_path, kills=100) >= 100


def test_a_few_kills(tmp_path: Path) -> None:
    assert killed(tmp_path, kills=3) >= 3
