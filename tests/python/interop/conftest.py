"""Other implementations, run live where they are there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jvm_harness import harness, run
from places import SkippedError
from servers import JAVA_OPTIONS

Jvm = Callable[..., None]


@pytest.fixture(scope="session")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Jvm:
    """Runs commands of the harness over Jelly-JVM and Jena, all in one JVM."""
    try:
        harness()
    except SkippedError as reason:
        pytest.skip(str(reason))
    commands = tmp_path_factory.mktemp("commands") / "commands.txt"

    def batch(*lines: tuple[object, ...]) -> None:
        commands.write_text("".join(" ".join(map(str, line)) + "\n" for line in lines))
        done = run("batch", commands, java=f"-Xmx2g {JAVA_OPTIONS}")
        assert done.returncode == 0, done.stdout + done.stderr

    return batch
