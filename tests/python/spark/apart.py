"""Jobs of Spark in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# they speak of the Spark of the tests
_LEFT_OUT = ("PYSPARK_SUBMIT_ARGS", "SPARK_HOME")


def run_apart(job: str, folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    """Runs a program in a folder, which is its first argument; what it prints last, as JSON."""
    inherited = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    run = subprocess.run(
        [sys.executable, "-c", job, str(folder), *arguments],
        capture_output=True, text=True, env=inherited | {"PYSPARK_PYTHON": sys.executable} | environment,
        cwd=folder, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found
