"""A stream from a topic into files that kills its driver, JVM and all, at some moment; a program of its own.

python killed_grpc_driver.py SERVER INTO CHECKPOINT MOMENT NUMBER

The moments are ``asked`` and ``planned`` in the driver, and ``read`` in a worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import killed_log_driver  # type: ignore[import-not-found]
from killed_log_driver import CHECKPOINT, FROM, INTO, came, started
from pyspark.cloudpickle import register_pickle_by_value

from jelly.spark.grpc.source import GrpcSource
from jelly.spark.grpc.stream import GrpcStreamReader

register_pickle_by_value(killed_log_driver)  # type: ignore[no-untyped-call]  # workers do not find it


class Reader(GrpcStreamReader):
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


class Deadly(GrpcSource):
    @classmethod
    def name(cls) -> str:
        return "deadly-grpc"

    def streamReader(self, schema: Any) -> Any:  # noqa: N802
        found = super().streamReader(schema)
        found.__class__ = Reader
        return found


if __name__ == "__main__":
    session = started()
    session.dataSource.register(Deadly)
    query = (
        session.readStream.format("deadly-grpc")
        .options(topic="t", spoolLocation=f"{CHECKPOINT}-spool", maxBytesPerTrigger="20k")
        .load(FROM)
        .select("subject", "predicate", "object")
        .writeStream.format("jelly")
        .option("checkpointLocation", CHECKPOINT)
        .trigger(availableNow=True)
        .start(INTO)
    )
    query.awaitTermination()
    print("done")
