"""Folders that tests write to and read from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs as pafs
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

import jelly
from jelly.spark._options import ReadOptions, WriteOptions
from jelly.spark.files.listing import files_of
from jelly.spark.files.write import FilesWriter
from jelly.storage import open_input, resolve
from object_store import ObjectStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TRIPLE = "subject string, predicate string, object string"
RDF = f"{TRIPLE}, graph string"
CHANGES = "source string, patch bigint, seq bigint, op string, " + RDF
KINDS = {"rdf": "jelly", "patch": "jelly-patch"}


_TYPES = {"string": StringType(), "bigint": LongType(), "int": IntegerType()}


def schema(ddl: str) -> StructType:
    """What Spark makes of it, without Spark."""
    fields = [column.split() for column in ddl.split(", ")]
    return StructType([StructField(name, _TYPES[kind]) for name, kind in fields])


class Table:
    """A folder to write to and read from."""

    def __init__(self, path: str, s3: ObjectStore | None = None) -> None:
        self.path = path
        self.options = {} if s3 is None else s3.options
        self.storage = {} if s3 is None else s3.storage

    def files(self, kind: Any = "rdf") -> list[str]:
        """What readers see."""
        found = files_of(ReadOptions(kind, (self.path,), {}, self.storage))
        return [file.source[len(self.path) + 1 :] for file in found]

    def stored(self) -> list[str]:
        """All that is there."""
        place = resolve(self.path, self.storage)
        selector = pafs.FileSelector(place.path, recursive=True, allow_not_found=True)
        found = place.fs.get_file_info(selector)
        return sorted(info.path[len(place.path) + 1 :] for info in found if info.is_file)

    def objects(self, kind: Any = "rdf") -> list[str]:
        read: Any = jelly.read_patch if kind == "patch" else jelly.read_rdf
        objects = []
        for file in self.files(kind):
            with read(open_input(f"{self.path}/{file}", self.storage)) as reader:
                objects += [row.object for row in reader.rows() if row.object is not None]
        return sorted(objects)

    def writer(self, overwrite: bool = False, ddl: str = RDF, **options: str) -> FilesWriter:
        kind: Any = "patch" if " op " in ddl else "rdf"
        chosen = WriteOptions.of(kind, {"path": self.path} | self.options | options, KINDS[kind])
        return FilesWriter(chosen, schema(ddl), overwrite)

    def write(self, frame: DataFrame, mode: str, kind: str = "rdf", **options: str) -> None:
        writer = frame.write.format(KINDS[kind]).mode(mode)
        writer.options(**self.options, **options).save(self.path)

    def read(self, spark: SparkSession, kind: str = "rdf", **options: str) -> DataFrame:
        reader = spark.read.format(KINDS[kind])
        return reader.options(**self.options, **options).load(self.path)


def statements(*numbers: int, graph: str = "") -> pa.RecordBatch:
    count = len(numbers)
    return pa.record_batch(
        {
            "subject": ["<http://e/s>"] * count,
            "predicate": ["<http://e/p>"] * count,
            "object": [f'"{number}"' for number in numbers],
            "graph": [graph] * count,
        }
    )


def literals(numbers: Iterable[int]) -> list[str]:
    return sorted(f'"{number}"' for number in numbers)
