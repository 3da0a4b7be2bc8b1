"""Processes that are killed at any of their calls on files: what was is there, or what they make, and nothing else stays."""

import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import patch_model as model
from jelly.errors import ReplicaError
from jelly.replica import Replica, _parquet, _view
from jelly.replica._state import DataFile

from .tables import create, files, live, long_log, numbered, quads, states
from .test_compaction import shown

KILLS = 2 * int(os.environ.get("JELLY_SOAK", "1"))
# starts a process for each line, which kills itself before a call on files, and says how many there were
NURSERY = """
import os, signal, sys
from jelly.replica import Replica, _rewrite, _table
import ctypes, pyarrow.parquet
if sys.argv[4] == "delta":
    from jelly.replica import _delta
table, log, base, format = sys.argv[1:]
doings = {
    "follow": lambda: Replica(table).follow(log, each_version=True),
    "compact": lambda: Replica(table).compact(),
    "resize": lambda: Replica(table).compact(24),
    "vacuum": lambda: Replica(table).vacuum(hours=0),
    "create": lambda: Replica.create(table, base, format=format, bucket_rows=32, id="u:0"),
}
CALLS = ("open", "os.", "shutil.", "ctypes.", "fcntl.", "tempfile.")
for line in sys.stdin:
    what, last = line.split()
    child = os.fork()
    if not child:
        calls = 0
        def count(event, _):
            global calls
            if event.startswith(CALLS):
                calls += 1
                if calls == int(last):
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        doings[what]()
        os.write(1, b"%d\\n" % calls)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        os.write(1, b"killed\\n")
"""


class Nursery:
    """Starts processes and lets them be killed."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-W", "ignore", "-c", NURSERY, *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # fmt: skip

    def run(self, what: str, last: int = 0) -> bytes:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{what} {last}\n".encode())
        return stdout.readline().strip()


@pytest.mark.parametrize("what", ["follow", "compact", "resize", "vacuum", "create"])
def test_killed_at_any_call(tmp_path: Path, format: str, what: str) -> None:
    rng = random.Random(what)
    base = [numbered(number) for number in range(400)]
    log = long_log(rng, 6, 5, 500)
    expected = states(set(base), log)
    (tmp_path / "base.nq").write_bytes(model.nquads(base))
    (tmp_path / "log").write_bytes(model.text(log))
    place, table = tmp_path / "place", tmp_path / "place" / "t"
    nursery = Nursery(table, tmp_path / "log", tmp_path / "base.nq", format)

    (tmp_path / "begin").mkdir()
    if what != "create":
        made = create(tmp_path / "begin" / "t", base, log, format=format, bucket_rows=32)
        made.follow(tmp_path / "log", upto=3, each_version=True)

    def prepare() -> None:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(tmp_path / "begin", place)

    prepare()
    calls = int(nursery.run(what))
    assert calls > 5
    killed = 0
    for _ in range(KILLS):
        prepare()
        killed += nursery.run(what, rng.randrange(1, calls)) == b"killed"
        try:
            replica = Replica(table)
        except ReplicaError:
            assert what == "create"
            assert nursery.run(what).isdigit()
            replica = Replica(table)
        version = replica.version
        assert version in {"follow": range(3, 7), "create": [0]}.get(what, [3])
        for one in replica.versions if format == "parquet" else [version]:
            assert quads(replica, one) == expected[one]
        if format == "parquet":
            assert shown(table) in expected
        replica.follow(tmp_path / "log")
        assert quads(replica) == expected[6]
        replica.vacuum(hours=0)
        assert files(table) == live(replica)
        assert [path.name for path in place.iterdir()] == ["t"]
        replica.compact()
        assert quads(replica) == expected[6]
        assert format == "delta" or shown(table) == expected[6]
    nursery.process.communicate()
    assert killed == KILLS


def test_view_is_whole_at_each_call(tmp_path: Path) -> None:
    """Whoever reads the folder at any moment of a compaction finds one version."""
    base = [numbered(number) for number in range(200)]
    log = long_log(random.Random(1), 1, 8, 300)
    replica = create(tmp_path / "t", base, log, bucket_rows=32)
    replica.follow(model.text(log))
    expected = states(set(base), log)
    found: list[int] = []
    busy = False

    def look(event: str, _: object) -> None:
        nonlocal busy
        if not busy and watching and event.startswith(("os.", "shutil.", "ctypes.")):
            busy = True
            found.append(expected.index(shown(tmp_path / "t")))
            busy = False

    watching = True
    sys.addaudithook(look)
    replica.compact(64)
    watching = False
    assert {*found} == {0, 1}
    assert found == sorted(found)


def test_the_view_of_a_new_table_appears_before_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, a process that was killed between both left a table with an empty view."""
    found: list[list[str]] = []

    def first(table: Path, files: Sequence[DataFile]) -> None:
        found.append([path.name for path in (table / "_replica").glob("*.json")])
        _view.show(table, files)

    monkeypatch.setattr(_parquet, "show", first)
    base = [numbered(number) for number in range(20)]
    replica = Replica.create(tmp_path / "t", model.nquads(base), id="u:0")
    assert found[0] == []
    assert shown(tmp_path / "t") == quads(replica) != set()


def test_a_table_that_cannot_be_made_has_no_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def full(path: Path, to: Path) -> None:
        if to.suffix == ".json":
            raise OSError(errno.ENOSPC, "no space", str(to))
        link(path, to)

    base = [numbered(number) for number in range(20)]
    with monkeypatch.context() as patched:
        patched.setattr(os, "link", full)
        with pytest.raises(OSError, match="no space"):
            Replica.create(tmp_path / "t", model.nquads(base), id="u:0")
    assert shown(tmp_path / "t") == set()
    assert (
        quads(Replica.create(tmp_path / "t", model.nquads(base), id="u:0"))
        == shown(tmp_path / "t")
        != set()
    )


@pytest.mark.parametrize("what", ["follow", "compact"])
def test_a_view_that_a_commit_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Before, `follow` and `compact` had nothing to do then, and the view stayed at the version before."""
    base = [numbered(number) for number in range(200)]
    log = long_log(random.Random(1), 1, 8, 300)
    replica = create(tmp_path / "t", base, log, bucket_rows=32)
    replica.follow(model.text(log))
    before = shown(tmp_path / "t")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(_parquet, "show", killed)
        with pytest.raises(KeyboardInterrupt):
            replica.compact(64)
    assert shown(tmp_path / "t") == before != quads(replica)
    if what == "follow":
        assert replica.follow(model.text(log)).patches == 0
    else:
        assert not replica.compact()
    assert shown(tmp_path / "t") == quads(replica)
