"""Streams on Spark 4.0 and 4.1, which tell a source neither the trigger, nor the start of a batch, nor a limit.

The order of the calls is that of PySpark 4.0.5 and 4.1.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jelly

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("grpc", reason="grpcio is not installed")
pytest.importorskip("starlette")

import jelly.grpc
from grpc_servers import here
from jelly.spark.grpc.source import GrpcSource
from jelly.spark.log.source import LogSource
from jelly.spark.sources import Rdf

from .tables import schema

COLUMNS = schema("object string")


class Growing:
    """A folder, a log and a topic that get one row each at a time."""

    def __init__(self, root: Path, server: str) -> None:
        self.root, self.server, self.count = root, server, 0
        (root / "files").mkdir()
        self.log = jelly.Log.create(root / "log")

    def grow(self, rows: int) -> None:
        for _ in range(rows):
            row = f'<a:s> <a:p> "{self.count}" .\n'
            (self.root / "files" / f"{self.count:04}.nt").write_text(row)
            self.log.publish(f"TX .\nA {row}TC .\n".encode())
            jelly.grpc.publish(self.server, row.encode(), topic="t", format="nt")
            self.count += 1

    def files(self) -> Any:
        return Rdf({"path": str(self.root / "files"), "maxfilespertrigger": "2"})

    def versions(self) -> Any:
        return LogSource({"path": str(self.root / "log"), "maxversionspertrigger": "2"})

    def topic(self) -> Any:
        spool = {"spoolLocation": str(self.root / "spool"), "maxBytesPerTrigger": "1"}
        return GrpcSource({"path": self.server, "topic": "t", **spool})


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Growing]:
    with here(tmp_path / "served") as server:
        yield Growing(tmp_path, server)


class Query:
    """Runs of a query with ``availableNow`` or another trigger, and its checkpoint."""

    def __init__(self, source: Callable[[], Any]) -> None:
        self._source = source
        self._batch: tuple[Any, Any] | None = None
        self.rows: list[str] = []

    def run(self, *, available_now: bool) -> int:
        """Returns how many batches there were."""
        reader = self._source().streamReader(COLUMNS)
        try:
            return self._now(reader) if available_now else self._again_and_again(reader)
        finally:
            reader.stop()

    def _now(self, reader: Any) -> int:
        if self._batch is not None:
            reader.partitions(*self._batch)
        end = reader.latestOffset()
        start = reader.initialOffset() if self._batch is None else self._batch[1]
        return self._take(reader, start, end)

    def _again_and_again(self, reader: Any) -> int:
        if self._batch is not None:
            reader.partitions(*self._batch)
        batches = 0
        while True:
            start = reader.initialOffset() if self._batch is None else self._batch[1]
            if not self._take(reader, start, reader.latestOffset()):
                return batches
            batches += 1

    def _take(self, reader: Any, start: Any, end: Any) -> int:
        if start == end:
            return 0
        if self._batch is not None:
            reader.commit(self._batch[1])
        for task in reader.partitions(start, end):
            for batch in reader.read(task):
                self.rows += [text for text in batch.column("object").to_pylist() if text]
        self._batch = start, end
        return 1


@pytest.mark.parametrize("kind", ["files", "versions", "topic"])
def test_a_query_that_takes_what_there_is(growing: Growing, kind: str) -> None:
    """A limit does not end it before its time, and a topic is waited for."""
    query = Query(getattr(growing, kind))
    for available_now in (True, True, False, True):
        growing.grow(5)
        assert query.run(available_now=available_now) == 1
        assert sorted(query.rows, key=lambda row: int(row.strip('"'))) == [
            f'"{number}"' for number in range(growing.count)
        ]
    assert query.run(available_now=True) == 0


def test_a_new_query_with_another_trigger_keeps_its_limit(growing: Growing) -> None:
    growing.grow(5)
    query = Query(growing.versions)
    assert query.run(available_now=False) == 3
    assert len(query.rows) == 5
