"""A topic that follows a log: each version once, whoever is killed, and as the other doors read it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError
from kafkalog import Log

pytestmark = pytest.mark.spark


def patch(number: int) -> bytes:
    return f'H id <urn:p:{number}> .\nTX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode()


def made(folder: Path, count: int) -> jelly.Log:
    log = jelly.Log.create(folder)
    for number in range(1, count + 1):
        log.publish(patch(number))
    return log


def address(log: Log, topic: str) -> str:
    return f"kafka://{log.address}/{topic}"


def relayed(log: Log, topic: str) -> list[tuple[str, list[str]]]:
    """Version and objects of each message, as readers of committed messages get them."""
    found = []
    for message in log.all(topic):
        headers = {key: value.decode() for key, value in message.headers()}
        assert message.key().decode() == headers["id"]
        rows = jelly.read_patch(message.value()).rows()
        found.append((headers["version"], [str(row.object) for row in rows if row.op == "A"]))
    return found


def versions(*numbers: int) -> list[tuple[str, list[str]]]:
    return [(str(number), [f'"{number}"']) for number in numbers]


def test_each_version_once(log: Log, tmp_path: Path) -> None:
    topic = log.topic()
    to = address(log, topic)
    mine, other = made(tmp_path / "x", 40), made(tmp_path / "y", 2)
    assert jelly.relay(mine, to)[:3] == (40, "<urn:p:40>", 40)
    assert relayed(log, topic) == versions(*range(1, 41))
    first = log.all(topic)[1]
    said = {key: value.decode() for key, value in first.headers()}
    assert said == {
        "log": mine.info().id, "version": "2", "id": "<urn:p:2>", "prev": "<urn:p:1>",
        "Content-Type": "application/x-jelly-rdf-patch",
    }  # fmt: skip
    # another log may share the topic, and says more than is looked at first
    assert jelly.relay(mine, to).patches == 0
    for number in range(3, 40):
        other.publish(patch(number))
    assert jelly.relay(other, to, to="rdfp").patches == 39
    assert b'A <a:s> <a:p> "39" .' in log.all(topic)[-1].value()
    mine.publish(patch(41))
    assert jelly.relay(mine, to)[:3] == (41, "<urn:p:41>", 1)
    assert relayed(log, topic)[-1] == versions(41)[0]
    # what has no begin, or was lost, or is another log
    mine.compact(3)
    elsewhere = address(log, log.topic())
    with pytest.raises(PatchError, match="--after 3"):
        jelly.relay(mine, elsewhere)
    assert jelly.relay(mine, elsewhere, after=3).patches == 38
    assert jelly.relay(mine, elsewhere, after=3).patches == 0
    log.cut(elsewhere.rpartition("/")[2], 10)
    with pytest.raises(PatchError, match="--after"):
        jelly.relay(other, elsewhere)
    (tmp_path / "x/patch-0041.jellyp").unlink()
    (tmp_path / "x/_index.jsonl").unlink()
    with pytest.raises(PatchError) as refused:
        jelly.relay(jelly.Log(tmp_path / "x"), to)
    assert refused.value.kind == "patch.fork"
    with pytest.raises(OSError, match="the topic or partition does not exist"):
        jelly.relay(other, address(log, "none"))
    with pytest.raises(ValueError, match="kafka://"):
        jelly.relay(other, "http://localhost/x")
    with pytest.raises(ValueError, match=r"no\.such"):
        jelly.relay(other, to, settings={"no.such": "1"})


def test_spark_reads_it(jelly_spark: Any, log: Log, tmp_path: Path) -> None:
    """Also where the ends of transactions take offsets between the messages."""
    topic = log.topic()
    mine = made(tmp_path / "x", 2)
    for number in range(3, 6):
        jelly.relay(mine, address(log, topic))
        mine.publish(patch(number))
    source = jelly_spark.read.format("jelly-kafka").options(**log.options, subscribe=topic)
    for options in ({}, {"minPartitions": "3", "kafka.isolation.level": "read_committed"}):
        rows = source.options(**options).load().where("op = 'A'").collect()
        assert sorted(row.object for row in rows) == ['"1"', '"2"', '"3"', '"4"']


def test_a_message_that_is_too_large(log: Log, tmp_path: Path) -> None:
    topic = log.topic(1, None, **{"max.message.bytes": "2000"})
    mine = made(tmp_path / "x", 2)
    rows = "".join(f'A <a:s> <a:p{number}> "{number * 7919}" .\n' for number in range(400))
    mine.publish(f"TX .\n{rows}TC .\n".encode())
    with pytest.raises(OSError, match="essage size too large"):
        jelly.relay(mine, address(log, topic))
    assert relayed(log, topic) == []


def test_the_later_of_two_relays(log: Log, tmp_path: Path) -> None:
    topic = log.topic()
    mine = made(tmp_path / "x", 2)
    one, two = (jelly.relay_on(mine, address(log, topic)) for _ in range(2))
    assert (next(one).patches, next(two).patches) == (2, 0)
    mine.publish(patch(3))
    with pytest.raises(OSError, match="another relay"):
        next(one)
    assert next(two).patches == 1
    assert relayed(log, topic) == versions(1, 2, 3)


def test_killed_and_stopped(log: Log, tmp_path: Path) -> None:
    """A relay is killed while versions come, and another one goes on."""
    topic = log.topic()
    mine = made(tmp_path / "x", 1)
    command = [sys.executable, "-m", "jelly", "log", "relay", str(mine.place), address(log, topic), "--follow", "--json"]  # fmt: skip
    number = 1
    for kill in (True, True, False):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, ExitStack() as ends:  # fmt: skip
            ends.callback(process.kill)
            assert process.stdout is not None
            done: Any = json.loads(process.stdout.readline())
            for number in range(number + 1, number + 30):  # noqa: B020
                mine.publish(patch(number))
            if kill:
                process.kill()  # some of them are on their way
                continue
            while done["version"] < number:
                done = json.loads(process.stdout.readline())
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    assert relayed(log, topic) == versions(*range(1, number + 1))
