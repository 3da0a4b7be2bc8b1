"""Logs over gRPC against the model: the machine of ``log_places`` publishes and reads through ``PatchLog``."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis.stateful import invariant

from log_places import HOW, LogMachine, row

pytest.importorskip("grpc")
pytest.importorskip("starlette")

import jelly.grpc
from grpc_servers import here


class _Grpc(LogMachine):
    root, address, made, read = Path(), "", 0, 0

    def make(self, folder: Path, stack: ExitStack) -> Path:  # noqa: ARG002
        _Grpc.made += 1
        self.name = f"log{_Grpc.made}"
        return self.root / self.name

    def send(self, op: str, value: int, id: str | None, **more: Any) -> Any:
        head = f"H id <{id}> .\n" if id else ""
        if prev := more.pop("prev", None):
            head += f"H prev {prev} .\n"
        patch = f"{head}TX .\n{row(op, value)}TC .\n".encode()
        return jelly.grpc.publish_patch(self.address, self.name, patch, **more)

    @invariant()
    def has_what_was_published(self) -> None:
        if not hasattr(self, "log"):
            return
        head = jelly.grpc.describe(self.address, self.name).head
        assert head == (len(self.ids), self.ids[-1] if self.ids else None)
        after = len(self.rows) // 2
        before = self.ids[after - 1] if after else None
        with jelly.grpc.read_log(self.address, self.name, after=after, after_id=before) as reader:
            found = [(one.op, one.object) for one in reader.rows() if one.op in "AD"]
        assert found == [(op, f'"{value}"') for op, value in self.rows[after:]]
        _Grpc.read += len(found)


def test_model(tmp_path: Path) -> None:
    _Grpc.root = tmp_path / "logs"
    with here(_Grpc.root) as _Grpc.address:
        case = _Grpc.TestCase
        case.settings = HOW
        case("runTest").runTest()
    assert _Grpc.made
    assert _Grpc.read
