"""A real broker for the tests that are marked `kafka`, started by the project's own script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkalog import Log

SCRIPT = Path(__file__).resolve().parents[4] / "scripts" / "kafka" / "broker.py"


@pytest.fixture(scope="session")
def broker() -> Iterator[str]:
    """The address of a broker."""
    pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else "java"
    for program in (java, "mvn"):
        if shutil.which(program) is None:
            pytest.skip(f"not installed: {program}")
    process = subprocess.Popen(
        [sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    address = process.stdout.readline().strip()
    if not address:
        _, said = process.communicate()
        if "could not be fetched" in said:
            pytest.skip(f"no Maven registry: {said[-300:]}")
        pytest.fail(said)
    yield address
    process.communicate()  # its input ends, so it stops


@pytest.fixture
def log(broker: str) -> Log:
    """Topics, and what is in them."""
    return Log(broker)
