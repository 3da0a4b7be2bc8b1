"""A stream that kills its driver, JVM and all, at some moment; a program of its own.

python killed_query.py FOLDER TICKS KILL_AT OPTIONS
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jelly.spark
from jelly.spark.kafka.options import KafkaOptions
from jelly.spark.kafka.snapshots import Snapshots
from jelly.spark.kafka.source import KafkaSource
from jelly.spark.kafka.stream import KafkaStreamReader

TICKS, KILL_AT, GROUP = sys.argv[2], int(sys.argv[3]), os.getpid()


def tick(ticks: str = TICKS, kill_at: int = KILL_AT, group: int = GROUP) -> None:
    """Each call counts, in all processes; one of them is the end."""
    with Path(ticks).open("ab") as file:
        file.write(b"x")
        file.flush()
        if file.tell() == kill_at:
            os.killpg(group, signal.SIGKILL)
            if kill_at % 2:  # else this process goes on for a while
                os.kill(os.getpid(), signal.SIGKILL)


class Deadly(KafkaStreamReader):
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
        keep = Snapshots.keep

        def kept(self: Any, offset: int, snapshot: bytes) -> None:
            tick()
            keep(self, offset, snapshot)
            tick()

        Snapshots.keep = kept  # type: ignore[method-assign]
        try:
            for batch in super().read(partition):
                tick()
                yield batch
                tick()
        finally:
            Snapshots.keep = keep  # type: ignore[method-assign]


class Source(KafkaSource):
    """``jelly-kafka``, with a reader that dies."""

    @classmethod
    def name(cls) -> str:
        return "deadly-kafka"

    def streamReader(self, schema: Any) -> Any:  # noqa: N802
        return Deadly(KafkaOptions.of(self.options, stream=True), schema)


if __name__ == "__main__":
    conf: dict[str, bool | str] = {
        "spark.master": "local[2]",
        "spark.ui.enabled": False,
        "spark.log.level": "OFF",
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.warehouse.dir": f"{sys.argv[1]}/warehouse",
    }
    session = jelly.spark.session("killed", conf)
    session.dataSource.register(Source)
    query = (
        session.readStream.format("deadly-kafka")
        .options(**json.loads(sys.argv[4]))
        .load()
        .writeStream.format("parquet")
        .option("checkpointLocation", f"{sys.argv[1]}/checkpoint")
        .trigger(availableNow=True)
        .start(f"{sys.argv[1]}/rows")
    )
    query.awaitTermination()
    print("done")
