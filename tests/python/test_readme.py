"""Every example of the README prints what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from readme import ROOT, blocks, run


def test_python_and_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyarrow", "polars", "duckdb", "pandas", "click"):
        pytest.importorskip(module)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    sections = ("Read\n", "Write", "What patches mean", "Backups")
    assert run("\n".join(blocks("pycon", section) for section in sections)) >= 20
    assert run_shell(blocks("console", "Write")) >= 2
    assert run_shell(blocks("console", "What patches mean")) >= 3
    assert run_shell(blocks("console", "Backups")) >= 8


def test_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyarrow", "polars"):
        pytest.importorskip(module)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "reading.md").read_text()
    sections = ("One pass", "Options", "Parts", "When the input is bad")
    assert run("\n".join(blocks("pycon", section, page) for section in sections)) >= 12


def test_patches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("polars", "click"):
        pytest.importorskip(module)
    page = (ROOT / "docs" / "patches.md").read_text()
    monkeypatch.chdir(tmp_path)
    subprocess.run(blocks("sh", "Ten minutes", page), shell=True, check=True)
    assert run_shell(blocks("console", "Ten minutes", page)) >= 10
    sections = ("In Python", "When it does not work")
    assert run("\n".join(blocks("pycon", section, page) for section in sections)) >= 15


def run_shell(text: str) -> int:
    """Runs commands and compares what they print, or say if they print nothing; returns how many there are."""
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, printed in commands:
        done = subprocess.run(
            command, shell=True, capture_output=True, text=True, env=os.environ | {"PATH": path}
        )
        assert (done.stdout or done.stderr).rstrip("\n") == printed.rstrip("\n"), command
    return len(commands)


def test_rust() -> None:
    program = (ROOT / "examples" / "count.rs").read_text().split("\n\n", 1)[1]
    assert f"```rust\n{program}```" in (ROOT / "docs" / "rust.md").read_text()
