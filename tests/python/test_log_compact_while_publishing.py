"""A log that is compacted while another publisher flushes its patch."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.log import _publish


def patch(number: int) -> bytes:
    return f'H id <u:{number}> .\nTX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode()


def replaced(log: jelly.Log) -> None:
    """Compacts the log as another process does."""
    assert log.folder is not None
    jelly.Log(log.folder).compact(8)


@pytest.mark.parametrize("compact", [replaced, lambda log: log.compact(8)], ids=["other", "same"])
def test_the_log_knows_that_it_was_compacted(
    compact: Callable[[jelly.Log], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, it took its first version to be the old one: datasets failed, and a history could lack quads."""
    log = jelly.Log.create(tmp_path / "log", b"<a:s> <a:p> <a:base> .\n", base_format="nq")
    for number in range(1, 11):
        log.publish(patch(number))
    flush = _publish._flushed
    seen: list[int] = []

    def flushed(path: Path) -> Exception | None:
        if not seen:
            compact(log)
            seen.append(log.info().first)  # any request of another thread
        return flush(path)

    monkeypatch.setattr(_publish, "_flushed", flushed)
    assert log.publish(patch(11)).version == 11
    assert seen == [9]
    for one in (log, jelly.Log(tmp_path / "log")):
        assert (one.info().first, one.head.version) == (9, 11)
        out = io.BytesIO()
        one.dataset(out, 11, to="nq")
        assert len(out.getvalue().splitlines()) == 12
    assert log.publish(patch(12)).version == 12
