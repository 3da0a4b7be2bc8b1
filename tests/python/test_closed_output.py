"""Exit codes of commands whose output nobody reads to the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import jelly

SAME = "<a:s> <a:p> <a:o> .\n"
OTHER = "<a:s> <a:p> <a:x> .\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two datasets, a patch with an effect, one without, and a damaged file."""
    (tmp_path / "old.nq").write_text(SAME)
    (tmp_path / "new.nq").write_text(OTHER)
    (tmp_path / "good.rdfp").write_text(f"TX .\nA {OTHER}TC .\n")
    (tmp_path / "bad.rdfp").write_text(f"TX .\nD {OTHER}TC .\n")
    jelly.convert(tmp_path / "old.nq", tmp_path / "whole.jelly")
    whole = (tmp_path / "whole.jelly").read_bytes()
    (tmp_path / "cut.jelly").write_bytes(whole[:-5])
    return tmp_path


def code_of(folder: Path, line: str, out: int) -> int:
    command = [sys.executable, "-m", "jelly", *line.split()]
    done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in done.stderr
    return done.returncode


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("same old.nq old.nq", 0),
        ("same old.nq new.nq", 1),
        ("log verify bad.rdfp --base old.nq", 1),
        ("log verify bad.rdfp --base old.nq --json", 1),
        ("log verify good.rdfp --base old.nq", 0),
        ("stage old.nq bad.rdfp", 1),
        ("stage old.nq good.rdfp", 0),
        ("validate cut.jelly", 1),
        ("validate whole.jelly", 0),
        ("inspect cut.jelly", 1),
        ("cat old.nq", 0),
    ],
)
def test_a_closed_pipe_changes_no_exit_code(folder: Path, line: str, code: int) -> None:
    """Before, all of them exited with 0."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert code_of(folder, line, writing) == code
    finally:
        os.close(writing)


def test_a_patch_is_published_although_nobody_reads_what_it_changes(folder: Path) -> None:
    jelly.Log.create(folder / "log")
    reading, writing = os.pipe()
    os.close(reading)
    line = "stage old.nq good.rdfp --log log --publish --as text"
    assert code_of(folder, line, writing) == 0
    os.close(writing)
    assert jelly.Log(folder / "log").head.version == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_does_not_mean_that_datasets_differ(folder: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    assert code_of(folder, "same old.nq old.nq", full) == 2
    assert code_of(folder, "--help", full) == 1
    assert code_of(folder, "--version", full) == 1
    os.close(full)


def test_an_output_that_was_never_open(folder: Path) -> None:
    command = f"{sys.executable} -m jelly apply old.nq good.rdfp >&-"
    done = subprocess.run(command, cwd=folder, shell=True, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"jelly: standard output is closed; give a file with -o\n"
