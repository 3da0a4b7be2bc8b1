"""A stream from one log into another that kills its driver, JVM and all, at some moment; a program of its own.

python killed_log_driver.py FROM INTO CHECKPOINT MOMENT NUMBER

It dies when MOMENT comes for the NUMBER-th time, wherever: ``asked`` and ``planned`` in the driver, ``read`` and
``encoded`` in a worker, ``published`` before Spark learns of it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import jelly.spark
from jelly.spark.log.sink import LogStreamWriter
from jelly.spark.log.source import LogSource
from jelly.spark.log.stream import LogStreamReader

FROM, INTO, CHECKPOINT, MOMENT = sys.argv[1:5]
NUMBER, GROUP = int(sys.argv[5]), os.getpid()


def came(
    moment: str,
    wanted: str = MOMENT,
    number: int = NUMBER,
    group: int = GROUP,
    ticks: str = f"{CHECKPOINT}-{MOMENT}-{NUMBER}",
) -> None:
    if moment != wanted:
        return
    with open(ticks, "ab") as file:  # noqa: PTH123
        file.write(b"x")
        file.flush()
        if file.tell() == number:
            os.killpg(group, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)


class Reader(LogStreamReader):
    def latestOffset(self, start: Any = None, limit: Any = None) -> Any:  # noqa: N802
        end = super().latestOffset(start, limit)
        came("asked")
        return end

    def partitions(self, start: Any, end: Any) -> Any:
        found = super().partitions(start, end)
        came("planned")
        return found

    def read(self, partition: Any) -> Iterator[Any]:
        for batch in super().read(partition):
            yield batch
            came("read")


class Writer(LogStreamWriter):
    def write(self, iterator: Iterator[Any]) -> Any:
        made = super().write(iterator)
        came("encoded")
        return made

    def commit(self, messages: Any, batchId: int) -> None:  # noqa: N803
        super().commit(messages, batchId)
        came("published")


class Deadly(LogSource):
    @classmethod
    def name(cls) -> str:
        return "deadly-log"

    def streamReader(self, schema: Any) -> Any:  # noqa: N802
        found = super().streamReader(schema)
        found.__class__ = Reader
        return found

    def streamWriter(self, schema: Any, overwrite: bool) -> Any:  # noqa: N802
        found = super().streamWriter(schema, overwrite)
        found.__class__ = Writer
        return found


def started() -> SparkSession:
    """A small session."""
    return jelly.spark.session(
        "killed",
        {
            "spark.master": "local[2]",
            "spark.ui.enabled": False,
            "spark.log.level": "OFF",
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.sql.shuffle.partitions": 2,
            "spark.sql.warehouse.dir": str(Path(CHECKPOINT).with_name("warehouse")),
        },
    )


if __name__ == "__main__":
    session = started()
    session.dataSource.register(Deadly)
    query = (
        session.readStream.format("deadly-log")
        .options(maxVersionsPerTrigger=1, minPartitions=2)
        .load(FROM)
        .where("op in ('A', 'D')")
        .select("op", "subject", "predicate", "object", "graph")
        .repartition(3)  # another order each time
        .coalesce(1)
        .writeStream.format("deadly-log")
        .option("checkpointLocation", CHECKPOINT)
        .trigger(availableNow=True)
        .start(INTO)
    )
    query.awaitTermination()
    print("done")
