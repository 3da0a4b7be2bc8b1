"""A stream from one log into another that kills its driver at some moment; a program of its own.

python killed_log_driver.py FROM INTO CHECKPOINT MOMENT NUMBER

The moments are ``asked`` and ``planned`` in the driver, ``read`` and ``encoded`` in a worker, ``published`` before Spark
learns of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import killing
from jelly.spark.log.sink import LogStreamWriter
from jelly.spark.log.source import LogSource
from jelly.spark.log.stream import LogStreamReader

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from killing import Death


def begun(session: SparkSession, places: list[str], format: str) -> StreamingQuery:
    """The query, in one format."""
    start, into, checkpoint = places
    return (
        session.readStream.format(format)
        .options(maxVersionsPerTrigger=1, minPartitions=2)
        .load(start)
        .where("op in ('A', 'D')")
        .select("op", "subject", "predicate", "object", "graph")
        .repartition(3)  # another order each time
        .coalesce(1)
        .writeStream.format(format)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start(into)
    )


def writer(death: Death) -> type:
    class Writer(LogStreamWriter):
        def write(self, iterator: Iterator[Any]) -> Any:
            made = super().write(iterator)
            death("encoded")
            return made

        def commit(self, messages: Any, batchId: int) -> None:  # noqa: N803
            super().commit(messages, batchId)
            death("published")

    return Writer


if __name__ == "__main__":
    checkpoint, moment, number = sys.argv[3:6]
    death = killing.Death(f"{checkpoint}-{moment}-{number}", int(number), moment)
    readers = killing.reader(LogStreamReader, death)
    session = killing.session(Path(checkpoint).with_name("warehouse"))
    session.dataSource.register(killing.source(LogSource, "deadly", readers, writer(death)))
    begun(session, sys.argv[1:4], "deadly").awaitTermination()
