"""A stream from a topic into files that kills its driver at some moment; a program of its own.

python killed_grpc_driver.py SERVER INTO CHECKPOINT MOMENT NUMBER

The moments are ``asked`` and ``planned`` in the driver, and ``read`` in a worker.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import killing
from jelly.spark.grpc.source import GrpcSource
from jelly.spark.grpc.stream import GrpcStreamReader

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


def begun(session: SparkSession, places: list[str], format: str) -> StreamingQuery:
    """The query, from one format."""
    server, into, checkpoint = places
    return (
        session.readStream.format(format)
        .options(topic="t", spoolLocation=f"{checkpoint}-spool", maxBytesPerTrigger="20k")
        .load(server)
        .select("subject", "predicate", "object")
        .writeStream.format("jelly")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start(into)
    )


if __name__ == "__main__":
    checkpoint, moment, number = sys.argv[3:6]
    death = killing.Death(f"{checkpoint}-{moment}-{number}", int(number), moment)
    readers = killing.reader(GrpcStreamReader, death)
    session = killing.session(Path(checkpoint).with_name("warehouse"))
    session.dataSource.register(killing.source(GrpcSource, "deadly", readers))
    begun(session, sys.argv[1:4], "deadly").awaitTermination()
