"""The threads of this process, by name."""

import os
import sys
import time
from pathlib import Path

import pytest

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def threads(name: str, expected: int) -> int:
    """How many threads have this name, as soon as it is what is expected.

    A thread gets its name after it began, and Linux lists it a moment longer than ``join`` waits.
    """
    end = time.monotonic() + 20
    while (found := _count(name)) != expected and time.monotonic() < end:
        os.sched_yield()
    return found


def _count(name: str) -> int:
    found = 0
    for task in Path("/proc/self/task").iterdir():
        try:
            found += task.joinpath("comm").read_text().strip() == name
        except (FileNotFoundError, ProcessLookupError):  # it has just ended
            continue
    return found
