"""A stream of files that kills its driver at some moment; a program of its own.

python killed_driver.py FOLDER OUT CHECKPOINT TICKS KILL_AT reader|writer
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import killing
from jelly.spark.files import manifest, output
from jelly.spark.files.stream_read import FilesStreamReader
from jelly.spark.files.stream_write import FilesStreamWriter
from jelly.spark.sources import Patch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from killing import Death


def begun(session: SparkSession, places: list[str], reads: str, writes: str) -> StreamingQuery:
    """The query, from one format into another."""
    folder, out, checkpoint = places
    return (
        session.readStream.format(reads)
        .options(maxFilesPerTrigger=2, batchRows=5000)
        .load(folder)
        .writeStream.format(writes)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start(out)
    )


def reader(death: Death) -> type:
    class Reader(killing.reader(FilesStreamReader, death)):  # type: ignore[misc]
        def commit(self, end: Any) -> None:
            death("commit")
            super().commit(end)

    return Reader


def writer(death: Death) -> type:
    def dying(do: Callable[..., Any]) -> Callable[..., Any]:
        def done(*given: Any) -> Any:
            result = do(*given)
            death("file")
            return result

        return done

    class Writer(FilesStreamWriter):
        def write(self, iterator: Iterator[Any]) -> Any:
            death("encode")
            part = super().write(iterator)
            death("encoded")
            return part

        def commit(self, messages: Any, batchId: int) -> None:  # noqa: N803
            death("commit")
            move, put = output._moved, manifest._put
            output._moved, manifest._put = dying(move), dying(put)
            try:
                super().commit(messages, batchId)
            finally:
                output._moved, manifest._put = move, put
            death("committed")

    return Writer


if __name__ == "__main__":
    death = killing.Death(sys.argv[4], int(sys.argv[5]))
    session = killing.session(Path(f"{sys.argv[2]}-warehouse"))
    session.dataSource.register(Patch)
    session.dataSource.register(killing.source(Patch, "deadly", reader(death), writer(death)))
    formats = ("deadly", "parquet") if sys.argv[6] == "reader" else ("jelly-patch", "deadly")
    begun(session, sys.argv[1:4], *formats).awaitTermination()
