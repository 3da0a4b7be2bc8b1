"""A stream that kills its driver, JVM and all, at some moment; a program of its own.

python killed_driver.py FOLDER OUT CHECKPOINT TICKS KILL_AT
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import jelly.spark
from jelly.spark.files.stream_read import FilesStreamReader
from jelly.spark.sources import Patch

FOLDER, OUT, CHECKPOINT, TICKS = sys.argv[1:5]
KILL_AT, GROUP = int(sys.argv[5]), os.getpid()


def tick(
    ticks: str = TICKS, kill_at: int = KILL_AT, group: int = GROUP, kill: int = signal.SIGKILL
) -> None:
    """Each call counts, in whatever process; one of them is the end."""
    with open(ticks, "ab") as file:  # noqa: PTH123
        file.write(b"x")
        file.flush()
        if file.tell() == kill_at:
            os.killpg(group, kill)


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


if __name__ == "__main__":
    conf = {
        "spark.master": "local[2]",
        "spark.ui.enabled": False,
        "spark.log.level": "OFF",
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.warehouse.dir": f"{OUT}-warehouse",
    }
    session = jelly.spark.session("killed", conf)
    session.dataSource.register(Source)
    query = (
        session.readStream.format("deadly")
        .options(maxFilesPerTrigger=2, batchRows=5000)
        .load(FOLDER)
        .writeStream.format("parquet")
        .option("checkpointLocation", CHECKPOINT)
        .trigger(availableNow=True)
        .start(OUT)
    )
    query.awaitTermination()
    print("done")
