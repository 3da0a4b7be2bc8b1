"""Counts the rows of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jelly.spark._jobs import described
from jelly.spark._options import Kind
from jelly.spark.files.tasks import Paths, listed, planned

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from jelly.spark.files.read import FilesReader


def count(
    spark: SparkSession,
    paths: Paths,
    *,
    kind: Kind = "rdf",
    storage: Mapping[str, str] | None = None,
    **options: Any,
) -> int:
    """Counts the rows of ``spark.read.format(…).load(paths)``.

    ``DataFrame.count()`` reads all columns and passes them to the JVM, because Spark does not tell a Python source
    which columns it may leave out. Here the workers read one column of numbers, and pass one row per task.

    Args:
        spark: The session whose workers do the work. Needs pandas, like all uses of ``mapInArrow``.
        paths: Files, folders and globs, as ``load`` takes them.
        kind: ``rdf`` (statements) or ``patch`` (rows of patches, headers and transactions included).
        storage: How to reach remote storage, like the options ``storage.*``.
        **options: As for :func:`write_parquet`, without ``columns``.

    Raises:
        ValueError: An option is wrong.
        OSError: A path is missing, or cannot be read.
        Exception: A task failed; Spark's exception has the text of the library's error.
    """
    if "columns" in options:
        raise ValueError(
            "count has no option 'columns': the number of rows does not depend on columns"
        )
    remote = {name.lower(): value for name, value in (storage or {}).items()}
    chosen = {**options, "columns": ["seq"]}
    reader, partitions = planned(spark, kind, listed(paths), remote, chosen, "count")
    tasks = spark.range(0, len(partitions), 1, len(partitions))
    with described(spark, "jelly.spark.count: counts the rows of files"):
        rows = tasks.mapInArrow(_Task(reader, partitions), "rows bigint").collect()
    return sum(row["rows"] for row in rows)


@dataclass(frozen=True)
class _Task:
    """The work of a worker on a partition."""

    reader: FilesReader
    partitions: list[Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yields one row for each partition: its number of rows."""
        import pyarrow as pa

        for batch in batches:
            for number in batch.column(0).to_pylist():
                found = self.reader.read(self.partitions[number])
                rows = sum(rows.num_rows for rows in found)
                yield pa.record_batch({"rows": pa.array([rows], pa.int64())})
