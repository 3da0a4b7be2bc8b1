"""Logs in folders against a model: the machine of ``log_places``."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from log_places import HOW, LogMachine


class _Folder(LogMachine):
    def make(self, folder: Path, stack: ExitStack) -> Path:  # noqa: ARG002
        return folder / "log"


class _WithoutIndex(_Folder):
    def again(self) -> None:
        (Path(self.place) / "_index.jsonl").unlink(missing_ok=True)
        super().again()


@pytest.mark.parametrize("machine", [_Folder, _WithoutIndex])
def test_model(machine: type[LogMachine]) -> None:
    case = machine.TestCase
    case.settings = HOW
    case("runTest").runTest()
