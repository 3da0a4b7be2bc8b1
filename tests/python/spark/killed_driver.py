"""A stream that kills its driver, JVM and all, at some moment; a program of its own.

python killed_driver.py FOLDER OUT CHECKPOINT TICKS KILL_AT reader|writer
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jelly.spark
from jelly.spark.files import manifest, output
from jelly.spark.files.stream_read import FilesStreamReader
from jelly.spark.files.stream_write import FilesStreamWriter
from jelly.spark.sources import Patch

FOLDER, OUT, CHECKPOINT, TICKS = sys.argv[1:5]
KILL_AT, GROUP = int(sys.argv[5]), os.getpid()


def tick(
    ticks: str = TICKS, kill_at: int = KILL_AT, group: int = GROUP, kill: int = signal.SIGKILL
) -> None:
    """Each call counts, in all processes; one of them is the end."""
    with open(ticks, "ab") as file:  # noqa: PTH123
        file.write(b"x")
        file.flush()
        if file.tell() == kill_at:
            os.killpg(group, kill)
            if kill_at % 2:  # else this process goes on for a while
                os.kill(os.getpid(), kill)


def ticking(do: Callable[..., Any], tick: Callable[[], None] = tick) -> Callable[..., Any]:
    """A function that ticks when it has done its work."""

    def done(*given: Any) -> Any:
        result = do(*given)
        tick()
        return result

    return done


class Deadly(FilesStreamReader):
    """Dies before, in or after each thing that a stream reader does."""

    def latestOffset(self, start: Any = None, limit: Any = None) -> Any:  # noqa: N802
        tick()
        end = super().latestOffset(start, limit)
        tick()
        return end

    def partitions(self, start: Any, end: Any) -> Any:
        tick()
        found = super().partitions(start, end)
        tick()
        return found

    def read(self, partition: Any) -> Iterator[Any]:
        for batch in super().read(partition):
            tick()
            yield batch
            tick()

    def commit(self, end: Any) -> None:
        tick()
        super().commit(end)


class Source(Patch):
    """``jelly-patch``, with a reader that dies."""

    @classmethod
    def name(cls) -> str:
        return "deadly"

    def streamReader(self, schema: Any) -> Any:  # noqa: N802
        return Deadly(self._read_options(stream=True), schema)


class DeadlyWriter(FilesStreamWriter):
    """Dies before, in or after each thing that a stream writer does."""

    def write(self, iterator: Iterator[Any]) -> Any:
        tick()
        part = super().write(iterator)
        tick()
        return part

    def commit(self, messages: Any, batchId: int) -> None:  # noqa: N803
        tick()
        move, put = output._moved, manifest._put
        output._moved, manifest._put = ticking(move), ticking(put)
        try:
            super().commit(messages, batchId)
        finally:
            output._moved, manifest._put = move, put
        tick()


class Sink(Patch):
    """``jelly-patch``, with a writer that dies."""

    @classmethod
    def name(cls) -> str:
        return "deadly-sink"

    def streamWriter(self, schema: Any, overwrite: bool) -> Any:  # noqa: N802
        return DeadlyWriter(self._write_options(), schema, overwrite)


if __name__ == "__main__":
    conf: dict[str, bool | float | int | str | None] = {
        "spark.master": "local[2]",
        "spark.ui.enabled": False,
        "spark.log.level": "OFF",
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.warehouse.dir": f"{OUT}-warehouse",
    }
    session = jelly.spark.session("killed", conf)
    for source in (Patch, Source, Sink):
        session.dataSource.register(source)
    formats = {"reader": ("deadly", "parquet"), "writer": ("jelly-patch", "deadly-sink")}
    of_reader, of_writer = formats[sys.argv[6]]
    query = (
        session.readStream.format(of_reader)
        .options(maxFilesPerTrigger=2, batchRows=5000)
        .load(FOLDER)
        .writeStream.format(of_writer)
        .option("checkpointLocation", CHECKPOINT)
        .trigger(availableNow=True)
        .start(OUT)
    )
    query.awaitTermination()
    print("done")
