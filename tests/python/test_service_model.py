"""Logs on a server against the model: the machine of ``log_places`` through a real server."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from log_places import HOW, LogMachine

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from servers import served


class _Server(LogMachine):
    address = ""
    made = 0

    def make(self, folder: Path, stack: ExitStack) -> str:  # noqa: ARG002
        _Server.made += 1
        return f"{self.address}/log{_Server.made}"


def test_model(tmp_path: Path) -> None:
    with served(tmp_path / "logs") as address:
        _Server.address = address
        case = _Server.TestCase
        case.settings = HOW
        case("runTest").runTest()
    assert _Server.made
