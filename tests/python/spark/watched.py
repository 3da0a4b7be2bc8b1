"""Data sources with a look into the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def watch(spark: SparkSession, name: str, around: Callable[[Iterator[Any]], Iterator[Any]]) -> None:
    """Registers a source of statements whose batches go through ``around``, in the worker.

    Classes in a function are pickled whole: workers cannot import the tests.
    """
    from jelly.spark.files.read import FilesReader
    from jelly.spark.sources import Rdf

    class WatchedReader(FilesReader):
        def read(self, partition: Any) -> Iterator[Any]:
            return around(super().read(partition))

    class Watched(Rdf):
        @classmethod
        def name(cls) -> str:
            return name

        def reader(self, schema: Any) -> Any:
            return WatchedReader(self._read_options(stream=False), schema)

    spark.dataSource.register(Watched)
