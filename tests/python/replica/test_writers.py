"""Several writers at once, and writers that are killed."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import patch_model as model
from jelly import Step
from jelly.errors import ReplicaError
from jelly.replica import Replica
from jelly.replica._commit import run_in_threads
from jelly.replica._follow import follow
from jelly.replica._parquet import ParquetStore

from .tables import create, files, live, long_log, numbered, quads, states

KILLS = 10 * int(os.environ.get("JELLY_SOAK", "1"))
RACER = """
import sys
from jelly.replica import Replica
replica = Replica(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
print(replica.follow(sys.argv[2]).patches)
"""
# starts a process for each line, which tells its number and then each of its steps; tells when it ended
NURSERY = """
import os, sys
from jelly.replica import Replica, _rewrite, _table
import pyarrow.parquet
if sys.argv[3] == "delta":
    from jelly.replica import _delta
for _ in sys.stdin:
    child = os.fork()
    if not child:
        os.write(1, b"%d\\n" % os.getpid())
        Replica(sys.argv[1]).follow(sys.argv[2], each_version=True, progress=lambda _: os.write(1, b"."))
        os._exit(0)
    os.waitpid(child, 0)
    os.write(1, b"x")
"""


class Nursery:
    """Starts processes that follow a log, and kills them."""

    def __init__(self, table: Path, log: Path, format: str) -> None:
        command = [sys.executable, "-W", "ignore", "-c", NURSERY, str(table), str(log), format]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # fmt: skip

    def kill_after(self, steps: int) -> None:
        """Starts a process and kills it when it has done some steps, if it does so many."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(b"go\n")
        child = int(stdout.readline())
        printed = b""
        while len(printed) < steps and not printed.endswith(b"x"):
            printed += stdout.read(1)
        if not printed.endswith(b"x"):
            os.kill(child, signal.SIGKILL)
            while stdout.read(1) != b"x":
                pass

    def close(self) -> None:
        self.process.communicate()
        assert self.process.returncode == 0


@pytest.mark.parametrize("vacuumed", [False, True])
def test_a_writer_that_was_slower_applies_the_rest(
    tmp_path: Path, format: str, vacuumed: bool
) -> None:
    base = [numbered(number) for number in range(300)]
    log = long_log(random.Random(1), 2, 40, 400)
    table = tmp_path / "t"
    slow = create(table, base, log, format=format, bucket_rows=32)
    fast = Replica(table)
    expected = states(set(base), log)

    def overtaken(*arguments: Any) -> Iterator[Any]:
        done = fast.follow(model.text(log), upto=1)
        assert done.version == 1
        if vacuumed and done.commits:
            fast.vacuum(hours=0)
        yield from run_in_threads(*arguments)

    options: dict[str, Any] = {"each_version": False, "upto": None, "progress": None, "options": {}}
    done = follow(slow._store, [model.text(log)], runner=overtaken, **options)
    assert (done.version, done.patches, done.commits) == (2, 1, 1)
    assert quads(fast) == expected[2]
    slow.vacuum(hours=0)
    assert files(table) == live(slow)


def test_a_writer_that_is_always_slower_is_refused(tmp_path: Path, format: str) -> None:
    base = [numbered(number) for number in range(30)]
    log = long_log(random.Random(1), 20, 4, 40)
    table = tmp_path / "t"
    slow = create(table, base, log, format=format, bucket_rows=32)
    fast = Replica(table)

    def overtaken(*arguments: Any) -> Iterator[Any]:
        fast.follow(model.text(log), upto=fast.version + 1)
        yield from run_in_threads(*arguments)

    options: dict[str, Any] = {"each_version": False, "upto": None, "progress": None, "options": {}}
    with pytest.raises(ReplicaError, match="another writer") as caught:
        follow(slow._store, [model.text(log)], runner=overtaken, **options)
    assert caught.value.kind == "replica.writer"
    expected = states(set(base), log)
    assert (slow.version, quads(slow)) == (10, expected[10])
    left = files(table)
    assert slow.follow(model.text(log)).version == 20
    assert quads(fast) == expected[20]
    assert left <= files(table)


def test_an_error_leaves_nothing(tmp_path: Path, format: str) -> None:
    table = tmp_path / "t"
    replica = create(table, [numbered(number) for number in range(300)], [], format=format, bucket_rows=32)  # fmt: skip
    before = files(table)

    def failing(*arguments: Any) -> Iterator[Any]:
        for number, done in enumerate(run_in_threads(*arguments)):
            if number == 3:
                raise KeyboardInterrupt
            yield done

    log = [model.text([patch[2:] for patch in long_log(random.Random(1), 1, 100, 400)])]
    options: dict[str, Any] = {"each_version": False, "upto": None, "progress": None, "options": {}}
    with pytest.raises(KeyboardInterrupt):
        follow(replica._store, log, runner=failing, **options)
    assert files(table) == before
    assert replica.follow(log).patches == 1


def test_processes_at_once(tmp_path: Path, format: str) -> None:
    base = [numbered(number) for number in range(1000)]
    log = long_log(random.Random(3), 3, 150, 1500)
    (tmp_path / "log").write_bytes(model.text(log))
    replica = create(tmp_path / "t", base, log, format=format, bucket_rows=32)
    command = [sys.executable, "-c", RACER, str(tmp_path / "t"), str(tmp_path / "log")]
    racers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]  # fmt: skip
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == b"ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(b"go\n")
        racer.stdin.flush()
    # whoever came when all was done, or was slower, found nothing new
    assert sorted(racer.communicate()[0].strip() for racer in racers) == [b"0", b"0", b"3"]
    assert quads(replica) == states(set(base), log)[-1]
    assert replica.versions == [0, 3]


def test_killed_at_any_moment(tmp_path: Path, format: str) -> None:
    rng = random.Random(5)
    base = [numbered(number) for number in range(300)]
    log = long_log(rng, 40, 20, 450)
    expected = states(set(base), log)
    (tmp_path / "log").write_bytes(model.text(log))
    table, found, finished = tmp_path / "t", [], 0
    replica = create(table, base, log, format=format, bucket_rows=32)
    nursery = Nursery(table, tmp_path / "log", format)
    for kill in range(KILLS):
        before = replica.version
        nursery.kill_after(rng.randrange(120))
        replica = Replica(table)
        version = replica.version
        found.append(version - before)
        assert quads(replica) == expected[version]
        if version < len(log) and kill % 2:
            replica.follow(tmp_path / "log", upto=version + 1)
            assert quads(replica) == expected[version + 1]
        if kill % 5 == 4:
            # what was killed left nothing that stays
            done = replica.follow(tmp_path / "log")
            assert quads(replica) == expected[-1]
            if done.commits and isinstance(replica._store, ParquetStore):
                assert files(table) == replica._store._live()
            replica.vacuum(hours=0)
            assert files(table) == live(replica)
            finished += 1
            shutil.rmtree(table)
            replica = create(table, base, log, format=format, bucket_rows=32)
    nursery.close()
    assert len(found) == KILLS
    assert finished == KILLS // 5
    assert sum(found) > 0


def test_a_dry_run_of_vacuum_lists_what_it_deletes(tmp_path: Path, format: str) -> None:
    table = tmp_path / "t"
    replica = create(table, [numbered(number) for number in range(300)], [], format=format, bucket_rows=32)  # fmt: skip
    replica.follow(model.text([patch[2:] for patch in long_log(random.Random(1), 3, 100, 400)]), each_version=True)  # fmt: skip
    dead = {"_replica/dead.attempt", "_replica/dead.part", "_replica/files/01-dead-0"}
    if format == "parquet":
        from jelly.replica._parquet import _host

        for path in dead:
            (table / path).write_bytes(b"")
        (table / "_replica" / "dead.attempt").write_text(json.dumps({"host": _host()}))
    before = {path: path.read_bytes() for path in table.rglob("*") if path.is_file()}
    would = replica.vacuum(2, hours=0, dry_run=True)
    assert would
    assert before == {path: path.read_bytes() for path in table.rglob("*") if path.is_file()}
    assert quads(replica, 0) == set(map(numbered, range(300)))
    assert sorted(replica.vacuum(2, hours=0)) == sorted(would)
    gone = {str(path.relative_to(table)) for path in before if not path.exists()}
    assert gone == set(would)
    assert format == "delta" or dead < gone
    assert replica.vacuum(2, hours=0, dry_run=True) == []


def test_a_version_whose_files_were_vacuumed_is_refused(tmp_path: Path, format: str) -> None:
    table = tmp_path / "t"
    replica = create(table, [numbered(number) for number in range(300)], [], format=format, bucket_rows=32)  # fmt: skip
    replica.follow(model.text([patch[2:] for patch in long_log(random.Random(1), 2, 100, 400)]), each_version=True)  # fmt: skip
    batches = replica.read(0)
    batches.read_next_batch()
    replica.vacuum(hours=0)
    with pytest.raises(
        ReplicaError, match=r"^replica\.version: version 0 cannot be read"
    ) as caught:
        batches.read_all()
    assert caught.value.kind == "replica.version"
    for version in (0, 1, 7):
        for read in (replica.read, lambda version: replica.dump(tmp_path / "out.nq", version)):
            with pytest.raises(ReplicaError, match=f"version {version} cannot be read") as caught:
                read(version)
            assert caught.value.kind == "replica.version"
    assert len(quads(replica, 2)) == len(replica)


def test_vacuum_leaves_a_commit_of_this_machine_alone(tmp_path: Path) -> None:
    replica = create(tmp_path / "t", [numbered(1)], [], bucket_rows=4)
    log = model.text([[model.Row("A", numbered(number)) for number in range(100)]])

    def vacuum(step: Step) -> None:
        if step.phase == "writing the table":
            Replica(tmp_path / "t").vacuum(hours=0)

    assert replica.follow(log, progress=vacuum).added == 99
    assert quads(replica) == set(map(numbered, range(100)))


def test_commit_whose_files_were_vacuumed_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "t"
    replica = create(table, [numbered(1)], [], bucket_rows=4)
    log = model.text([[model.Row("A", numbered(number)) for number in range(100)]])

    def vacuum(step: Step) -> None:
        if step.phase == "writing the table" and step.rows == 100:
            [mark] = (table / "_replica").glob("*.attempt")
            mark.write_text('{"host": "another", "pid": 1}')
            assert f"_replica/{mark.name}" in Replica(table).vacuum(hours=-1)

    with pytest.raises(ReplicaError, match=r"^replica\.writer: "):
        replica.follow(log, progress=vacuum)
    assert quads(replica) == {numbered(1)}
    assert replica.follow(log).added == 99
    assert quads(replica) == set(map(numbered, range(100)))


def test_vacuum_keeps_what_is_younger_than_half_an_hour(tmp_path: Path) -> None:
    pytest.importorskip("deltalake")
    replica = create(tmp_path / "t", [numbered(1)], [], format="delta")
    replica.follow(model.text([[model.Row("A", numbered(2))]]))
    assert replica.vacuum(hours=0.5) == []
    assert quads(replica, 0) == {numbered(1)}


def test_task_that_runs_twice_writes_twice(tmp_path: Path, format: str) -> None:
    """A speculative task of Spark may be killed after the other one is done."""
    replica = create(tmp_path / "t", [numbered(1)], [], format=format)
    kept: list[Any] = []

    def twice(work: Any, units: Any) -> Iterator[Any]:
        for unit, changes in units:
            done = work(unit, changes())
            kept.append(work(unit, changes()))
            for _, file in kept[-1].files:
                (tmp_path / "t" / file.path).write_bytes(b"")  # killed as it began
            yield done

    log = [model.text([[model.Row("A", numbered(2))]])]
    options: dict[str, Any] = {"each_version": False, "upto": None, "progress": None, "options": {}}
    follow(replica._store, log, runner=twice, **options)
    assert kept
    assert quads(replica) == {numbered(1), numbered(2)}


def test_attempts_of_other_machines_are_left_alone(tmp_path: Path) -> None:
    table = tmp_path / "t"
    replica = create(table, [numbered(1)], [])
    attempt, file = table / "_replica" / "abc.attempt", table / "_replica" / "files" / "01-abc-0"
    attempt.write_text('{"host": "another", "pid": 1}')
    file.write_bytes(b"")
    assert replica.follow(model.text([[model.Row("A", numbered(2))]])).version == 1
    replica.vacuum(keep=2)
    assert file.exists()
    assert replica.versions == [0, 1]
    would = replica.vacuum(hours=-1, dry_run=True)
    assert file.exists()
    assert attempt.exists()
    gone = replica.vacuum(hours=-1)
    assert gone == would
    assert {"_replica/files/01-abc-0", "_replica/abc.attempt"} <= set(gone)
    assert not file.exists()
    assert not attempt.exists()
    assert quads(replica) == {numbered(1), numbered(2)}
