"""Data that lies beside the repository; tests that need it are skipped without it."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("JELLY_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def shared(path: str) -> Path:
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"shared data is not there: {path}")
    return found
