"""Other implementations, run live where they are there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from shared_data import shared

REPOSITORY = Path(__file__).resolve().parents[3]
HOME = REPOSITORY / "build" / "jvm"

Jvm = Callable[..., None]


@pytest.fixture(scope="session")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Jvm:
    """Runs commands of the harness over Jelly-JVM and Jena, all in one JVM."""
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            pytest.skip(f"not installed: {program}")
    source = shared("peers/jvm")
    if not (HOME / "target" / "jvm-peer.jar").exists():
        shutil.copytree(source, HOME, dirs_exist_ok=True)
        for path in [HOME, *HOME.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)  # the shared copy may be read-only
        made = subprocess.run([HOME / "build.sh"], capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"the harness could not be built: {made.stdout[-500:]}{made.stderr[-500:]}")
    commands = tmp_path_factory.mktemp("commands") / "commands.txt"

    def run(*lines: tuple[object, ...]) -> None:
        commands.write_text("".join(" ".join(map(str, line)) + "\n" for line in lines))
        environment = {**os.environ, "JAVA_OPTS": "-Xmx2g"}
        done = subprocess.run(
            [HOME / "peer.sh", "batch", commands], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    return run
