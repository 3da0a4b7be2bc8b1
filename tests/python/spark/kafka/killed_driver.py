"""A stream of messages that kills its driver at some moment; a program of its own.

python killed_driver.py FOLDER TICKS KILL_AT OPTIONS
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import killing
from jelly.spark.kafka.snapshots import Snapshots
from jelly.spark.kafka.source import KafkaSource
from jelly.spark.kafka.stream import KafkaStreamReader

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from killing import Death


def begun(
    session: SparkSession, folder: str, format: str, options: dict[str, str]
) -> StreamingQuery:
    """The query, from one format."""
    return (
        session.readStream.format(format)
        .options(**options)
        .load()
        .writeStream.format("parquet")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start(f"{folder}/rows")
    )


def reader(death: Death) -> type:
    class Reader(killing.reader(KafkaStreamReader, death)):  # type: ignore[misc]
        def read(self, partition: Any) -> Iterator[Any]:
            keep = Snapshots.keep

            def kept(self: Any, offset: int, snapshot: bytes) -> None:
                death("keep")
                keep(self, offset, snapshot)
                death("kept")

            Snapshots.keep = kept  # type: ignore[method-assign]
            try:
                yield from super().read(partition)
            finally:
                Snapshots.keep = keep  # type: ignore[method-assign]

    return Reader


if __name__ == "__main__":
    folder, ticks, kill_at, options = sys.argv[1:]
    readers = reader(killing.Death(ticks, int(kill_at)))
    session = killing.session(Path(folder) / "warehouse")
    session.dataSource.register(killing.source(KafkaSource, "deadly", readers))
    begun(session, folder, "deadly", json.loads(options)).awaitTermination()
