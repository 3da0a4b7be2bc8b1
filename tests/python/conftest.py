"""Logs that tests damage, and a place for logs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import jelly
from lost_patches import DAY, DUMPS
from object_store import ObjectStore, running


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A backup of four dumps."""
    folder = tmp_path / "kept"
    for number, dump in enumerate(DUMPS):
        jelly.backup(dump, folder, at=DAY.replace(day=number + 1), dump_format="nq")
    return folder


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A log of four patches."""
    log = jelly.Log(tmp_path / "log", ending=".rdfp")
    for number in range(1, 5):
        log.publish(f'TX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode())
    return log.folder


@pytest.fixture(scope="session")
def store() -> Iterator[ObjectStore]:
    """An object store on loopback, which no test may kill."""
    pytest.importorskip("moto", reason="moto is not installed")
    with running() as store:
        yield store
