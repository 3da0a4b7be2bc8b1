"""Every example of the README prints what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from readme import README, ROOT, blocks, run


def test_python_and_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyarrow", "polars", "duckdb", "pandas", "click"):
        pytest.importorskip(module)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    sections = ("Read\n", "Write", "Formats", "What patches mean", "When the input is bad")
    assert run("\n".join(blocks("pycon", section) for section in sections)) >= 20
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", blocks("console", "Write"), re.MULTILINE)
    assert len(commands) >= 2
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, printed in commands:
        done = subprocess.run(
            command,
            shell=True,
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"PATH": path},
        )
        assert done.stdout == printed, command


def test_rust() -> None:
    program = (ROOT / "examples" / "count.rs").read_text().split("\n\n", 1)[1]
    assert f"```rust\n{program}```" in README
