"""A patch of a log that was cut behind a row, or that grew, is refused by all who read the log.

Such a file is right by itself: only the index of the log knows that it had other bytes.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

import jelly
from jelly.cli.group import jelly as command
from jelly.errors import JellyError, PatchError
from jelly.log._folder import FolderLog
from jelly.replica import Replica

BASE = b'<a:s> <a:p> "base" .\n'


def filled(folder: Path, ending: str) -> jelly.Log:
    """A log of three patches, each of two transactions and rows outside of them."""
    log = jelly.Log.create(folder, BASE, ending=ending, base_format="nq")
    for value in range(3):
        rows = [f'A <a:s> <a:p> "{value} {row}" .\n' for row in range(4)]
        log.publish("".join(["TX .\n", rows[0], "TC .\n", "TX .\n", rows[1], "TC .\n", *rows[2:]]).encode())  # fmt: skip
    return log


def read(log: jelly.Log) -> int:
    with log.read() as reader:
        return sum(1 for _ in reader.rows())


def doors(folder: Path, copy: Path) -> dict[str, Callable[[], object]]:
    """All that reads a log in a folder."""

    def replica() -> object:
        shutil.rmtree(copy / "replica", ignore_errors=True)
        return Replica.create(copy / "replica", BASE, base_format="nq").follow(folder)

    def pull() -> object:
        shutil.rmtree(copy / "pulled", ignore_errors=True)
        return jelly.Log(folder).pull(copy / "pulled")

    out = io.BytesIO
    return {
        "apply": lambda: jelly.apply(BASE, folder, out(), base_format="nq"),
        "as_of": lambda: jelly.as_of(BASE, folder, 3, out(), base_format="nq"),
        "between": lambda: jelly.between(folder, 0, 3, out()),
        "chain": lambda: jelly.Log(folder)._chain(3),
        "dataset": lambda: jelly.Log(folder).dataset(out()),
        "fetch": lambda: jelly.Log(folder).fetch(2, out()),
        "history": lambda: list(jelly.history(folder, subject="<a:s>")),
        "net": lambda: jelly.net(folder, out()),
        "paths": lambda: FolderLog(folder).paths(),
        "publish": lambda: jelly.Log(folder).publish(b"A <a:s> <a:p> <a:o> .\n"),
        "pull": pull,
        "read": lambda: read(jelly.Log(folder)),
        "replica": replica,
        "show": lambda: jelly.Log(folder).show(2),
        "squash": lambda: jelly.squash(folder, out()),
        "versions": lambda: list(jelly.Log(folder).versions()),
    }


def damaged(path: Path, whole: bytes) -> Iterator[bytes]:
    """What a file of patches can be cut to, and grow to, and still be read to its end."""
    for end in range(1, len(whole)):
        path.write_bytes(whole[:end])
        try:
            jelly.squash(
                path, io.BytesIO(), patch_format="trp" if path.suffix == ".trp" else "auto"
            )
        except JellyError:
            continue
        if whole[:end].rstrip() != whole.rstrip():
            yield whole[:end]


@pytest.mark.parametrize("ending", [".rdfp", ".trp"])
def test_a_patch_that_was_cut_behind_a_row(ending: str, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    path = filled(folder, ending).files[1]
    whole = path.read_bytes()
    cuts = list(damaged(path, whole))
    assert len(cuts) >= 4, cuts
    for data in [
        cuts[0],
        cuts[len(cuts) // 2],
        whole + b"TX .\nTC .\n" if ending == ".rdfp" else cuts[-1],
    ]:
        path.write_bytes(data)
        said = f"{path.name} has {len(data)} bytes, but _index.jsonl records {len(whole)}"
        for name, door in doors(folder, tmp_path).items():
            with pytest.raises(PatchError, match=said) as caught:
                door()
            assert caught.value.kind == "patch.damaged", name
        assert [one.kind for one in jelly.Log(folder).verify().problems] == ["patch.damaged"]
        out = CliRunner().invoke(command, ["log", "verify", str(folder)])
        assert out.exit_code == 1
        assert said in out.output
        # what is before it is there
        assert jelly.Log(folder).dataset(io.BytesIO(), 1).statements == 5
    path.write_bytes(whole)
    assert jelly.Log(folder).dataset(io.BytesIO()).statements == 13


@pytest.mark.parametrize("ending", [".rdfp", ".trp"])
def test_the_last_patch_that_was_cut(ending: str, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    log = filled(folder, ending)
    path = log.files[2]
    cut = list(damaged(path, path.read_bytes()))[2]
    path.write_bytes(cut)
    for found in (log, jelly.Log(folder)):
        with pytest.raises(PatchError, match="was cut off or changed") as caught:
            found.publish(b"A <a:s> <a:p> <a:o> .\n")
        assert caught.value.kind == "patch.damaged"
    with pytest.raises(PatchError, match="was cut off or changed"):
        _ = jelly.Log(folder).head


def test_other_rows_of_as_many_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    path = filled(folder, ".rdfp").files[1]
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"1 3", b"9 9"))
    for name, door in doors(folder, tmp_path).items():
        with pytest.raises(
            PatchError, match=r"has other rows than _index\.jsonl records"
        ) as caught:
            door()
        assert caught.value.kind == "patch.damaged", name
    # what is before it is there
    assert jelly.as_of(BASE, folder, 1, io.BytesIO(), base_format="nq").statements == 5
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as where a disk changed it
    for report in (jelly.verify_log(folder), jelly.Log(folder).verify()):
        (problem,) = report.problems
        assert (problem.kind, problem.patch) == ("patch.damaged", 0)
        assert str(problem.source).endswith(path.name)
    out = CliRunner().invoke(command, ["log", "verify", str(folder)])
    assert out.exit_code == 1
    (folder / "_index.jsonl").unlink()  # it was on purpose
    assert read(jelly.Log(folder)) > 0
    assert jelly.verify_log(folder).ok


def test_a_file_that_was_touched_is_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    path = filled(folder, ".rdfp").files[1]
    path.touch()
    for name, door in doors(folder, tmp_path).items():
        assert door() is not None, name


def test_a_backup(tmp_path: Path) -> None:
    home = tmp_path / "kept"
    for day in (1, 2, 3):
        dump = b"".join(b'<a:s> <a:p> "%d" .\n' % value for value in range(day * 10))
        (tmp_path / "dump.nq").write_bytes(dump)
        jelly.backup(tmp_path / "dump.nq", home, at=datetime(2026, 1, day, tzinfo=UTC))
    path = jelly.Log(home).files[1]
    data = path.read_bytes()
    # a frame of zstd that holds nothing changes no row
    path.write_bytes(data + b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00")
    with pytest.raises(JellyError) as caught:
        jelly.restore(home, io.BytesIO(), to="nq")
    assert caught.value.kind == "patch.damaged"
    assert jelly.restore(home, io.BytesIO(), version=1, to="nq").statements == 20
