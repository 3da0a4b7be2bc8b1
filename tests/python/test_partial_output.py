"""Standard output of a command that fails: nothing, or a part that is called one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import jelly
from test_patching_cli import run

ROWS = "".join(f'<a:s> <a:p> "{n}" .\n' for n in range(30_000))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bad.nt").write_text(ROWS + "<a:s> <a:p> .\n")
    (tmp_path / "log.rdfp").write_text("TX .\nA <a:s> <a:p> <a:o> .\nTC .\n")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    ["cat bad.nt", "convert bad.nt -", "convert bad.nt - --to nt", "apply bad.nt log.rdfp", "as-of bad.nt log.rdfp --version 1"],
)  # fmt: skip
def test_a_part_is_called_one(folder: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jelly", *command.split()], cwd=folder, capture_output=True
    )
    assert done.returncode == 1
    assert done.stdout
    partial, error = done.stderr.decode().splitlines()
    assert partial == "jelly: the output is incomplete: an error came after its start"
    assert error.startswith("jelly: text.")


def test_cat_prints_all_rows_before_the_error(folder: Path) -> None:
    out, _ = run(folder, "cat", "bad.nt", code=1)
    assert out == ROWS
    (folder / "bad.nt").write_text('<a:s> <a:p> "1" .\n<a:s> <a:p> .\n')
    out, _ = run(folder, "cat", "bad.nt", code=1)
    assert out == '<a:s> <a:p> "1" .\n'


@pytest.mark.parametrize("command", ["cat none.nt", "apply none.nt log.rdfp", "diff bad.nt bad.nt"])
def test_nothing_printed_is_nothing_said(folder: Path, command: str) -> None:
    out, said = run(folder, *command.split(), code=1)
    assert out == ""
    assert "incomplete" not in said


def test_restore_prints_nothing_before_it_is_checked(folder: Path) -> None:
    kept = folder / "kept"
    jelly.backup(ROWS.encode(), kept, dump_format="nt")
    jelly.backup(ROWS.encode() + b"<a:s> <a:p> <a:o> .\n", kept, dump_format="nt")
    out, _ = run(folder, "restore", "kept")
    assert len(out.splitlines()) == 30_001
    # the base is that of another dump
    other = folder / "other"
    jelly.backup(
        ROWS[: len(ROWS) // 2].rsplit("\n", 1)[0].encode() + b"\n", other, dump_format="nt"
    )
    (other / "base.jelly.zst").replace(kept / "base.jelly.zst")
    for options in ([], ["-o", "/dev/stdout"], ["-o", "x.nt"]):
        out, said = run(folder, "restore", "kept", *options, code=1)
        assert out == ""
        assert said.startswith("jelly: patch.damaged: ")
    assert not (folder / "x.nt").exists()

    class Nowhere:
        def write(self, data: bytes) -> int:
            raise AssertionError(f"{len(data)} bytes came")

    with pytest.raises(jelly.errors.PatchError):
        jelly.restore(kept, Nowhere())


def test_interrupted_is_130(folder: Path) -> None:
    (folder / "long.nt").write_text(ROWS * 40)
    child = subprocess.Popen(
        [sys.executable, "-m", "jelly", "cat", "long.nt"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    os.read(child.stdout.fileno(), 10)  # it runs, and waits for its reader
    child.send_signal(signal.SIGINT)
    _, said = child.communicate()
    assert child.returncode == 130
    assert said.decode().endswith("jelly: interrupted\n")
    assert "the output is incomplete" in said.decode()
