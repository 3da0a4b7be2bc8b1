"""Converts Jelly to Parquet without the JVM."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from jelly.spark._jobs import described
from jelly.spark._options import Kind
from jelly.spark.files.folder import Publication
from jelly.spark.files.tasks import listed, planned
from jelly.storage import Place, is_remote, naming, resolve

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from jelly.spark.files.read import FilesReader

__all__ = ["ParquetFile", "write_parquet"]

Mode = Literal["error", "append", "overwrite"]

# maximum number of bytes that a task collects for a row group, regardless of the number of rows
_GROUP_BYTES = 64 << 20
# codecs, with the part of the file name that Spark uses for each
_CODECS = {"snappy": ".snappy", "zstd": ".zstd", "gzip": ".gz", "lz4": ".lz4", "none": ""}
_RESULT = "path string, rows bigint, size bigint"


class ParquetFile(NamedTuple):
    """A written file."""

    path: str
    rows: int
    size: int


def write_parquet(
    spark: SparkSession,
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    dest: str | os.PathLike[str],
    *,
    kind: Kind = "patch",
    mode: Mode = "error",
    compression: str = "snappy",
    rows_per_group: int = 250_000,
    storage: Mapping[str, str] | None = None,
    **options: Any,
) -> list[ParquetFile]:
    """Writes files as a Parquet table, like ``spark.read.format(…).load(paths).write.parquet(dest)``.

    The workers decode and write Parquet themselves; rows do not pass through the JVM, which costs several times more
    processor time than decoding them. Spark reads ``dest`` like any other table.

    The table appears when everything is written. If folders can be renamed (local, HDFS), a table that is new or
    overwritten appears at once; ``append`` moves the files one by one at the end, as Spark does. On object stores,
    files are copied to their places at the end, one after the other, and ``_SUCCESS`` comes last; old files are
    deleted after that. A write that failed leaves nothing; one that was killed leaves folders that begin with ``.``
    or ``_``, which Spark ignores.

    Args:
        spark: The session whose workers do the work. Needs pandas, like all uses of ``mapInArrow``.
        paths: Files, folders and globs, as ``load`` takes them.
        dest: The folder of the table.
        kind: ``patch`` (the columns of ``jelly.PATCH_SCHEMA``) or ``rdf`` (``jelly.RDF_SCHEMA``).
        mode: What to do if the table exists: ``error``, ``append`` or ``overwrite``.
        compression: ``snappy``, ``zstd``, ``gzip``, ``lz4`` or ``none``.
        rows_per_group: Maximum number of rows in a row group, which also ends at 64 MiB of rows.
        storage: How to reach remote storage, like the options ``storage.*``.
        **options: Those of :func:`jelly.read_patch` or :func:`jelly.read_rdf`, and of
            :mod:`jelly.spark.files`, as keywords: ``columns``, ``split_bytes``, ``min_partitions``.

    Returns:
        The files.

    Raises:
        FileExistsError: The table exists, and the mode is ``error``.
        ValueError: An option is wrong.
        OSError: A file cannot be read or written.
        Exception: A task failed; Spark's exception has the text of the library's error.
    """
    if mode not in ("error", "append", "overwrite"):
        raise ValueError(f'mode must be "error", "append" or "overwrite", not {mode!r}')
    if compression not in _CODECS:
        raise ValueError(f"compression is {compression!r}; it can be {', '.join(_CODECS)}")
    if rows_per_group < 1:
        raise ValueError(f"rows_per_group is {rows_per_group}; it must be at least 1")
    sources = listed(paths)
    target = os.fspath(dest)
    remote = {name.lower(): value for name, value in (storage or {}).items()}
    if remote and not any(map(is_remote, [*sources, target])):
        raise ValueError("storage is given, but all paths are local")
    of_target = remote if is_remote(target) else {}
    place = _real(resolve(target, of_target))
    with naming(place.uri):
        _require_room(place, mode)
    storage_of_sources = remote if any(map(is_remote, sources)) else {}
    reader, partitions = planned(spark, kind, sources, storage_of_sources, options, "write_parquet")
    parquet = _Parquet(compression, rows_per_group)

    with naming(place.uri):
        publication = Publication.of(place, append=mode == "append", overwrite=mode == "overwrite")
    try:
        task = _Task(
            reader, partitions, publication.job, publication.staging, target, of_target, parquet
        )
        rows = spark.range(0, len(partitions), 1, len(partitions)).mapInArrow(task, _RESULT)
        with described(spark, "jelly.spark.write_parquet: writes the rows of files"):
            written = sorted(ParquetFile(*row) for row in rows.collect())
        # a table without rows has one file, for its columns
        chosen = [file for file in written if file.rows] or written[:1]
        with naming(place.uri):
            publication.publish([file.path for file in chosen])
    except BaseException:
        publication.discard()
        raise
    return [file._replace(path=f"{target.rstrip('/')}/{file.path}") for file in chosen]


def _real(place: Place) -> Place:
    """Resolves links to a folder, because the folder may be renamed."""
    local = place.fs.type_name == "local"
    return place._replace(path=str(Path(place.path).resolve())) if local else place


def _require_room(place: Place, mode: Mode) -> None:
    import pyarrow.fs as pafs

    found = place.fs.get_file_info(place.path)
    if found.type == pafs.FileType.File:
        raise FileExistsError(f"{place.uri}: this is a file; choose a folder to write to")
    is_folder = found.type == pafs.FileType.Directory
    if mode == "error" and is_folder and place.fs.get_file_info(pafs.FileSelector(place.path)):
        raise FileExistsError(
            f'{place.uri}: the folder exists already; use mode "append" or "overwrite"'
        )


@dataclass(frozen=True)
class _Parquet:
    """Options for writing files."""

    compression: str
    rows_per_group: int

    @property
    def extension(self) -> str:
        """The extension that Spark gives to such files."""
        return f"{_CODECS[self.compression]}.parquet"

    def open(self, file: Any, schema: pa.Schema) -> Any:
        """Opens a writer."""
        import pyarrow.parquet as pq

        return pq.ParquetWriter(file, schema, compression=self.compression, store_schema=False)

    def write(self, file: Any, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> int:
        """Writes all batches, several per row group; returns the number of rows."""
        import pyarrow as pa

        total = rows = size = 0
        group: list[pa.RecordBatch] = []
        with self.open(file, schema) as writer:
            for batch in batches:
                group.append(batch)
                rows += batch.num_rows
                size += batch.nbytes
                if rows >= self.rows_per_group or size >= _GROUP_BYTES:
                    writer.write_table(pa.Table.from_batches(group), self.rows_per_group)
                    total, rows, size, group = total + rows, 0, 0, []
            if group:
                writer.write_table(pa.Table.from_batches(group), self.rows_per_group)
        return total + rows


@dataclass(frozen=True)
class _Task:
    """The work of a worker on a partition: reads its part, writes a file, and returns its name."""

    reader: FilesReader
    partitions: list[Any]
    job: str
    staging: str
    target: str
    storage: dict[str, str]
    parquet: _Parquet

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yields one row for each partition: name, rows and size of its file."""
        import pyarrow as pa

        for batch in batches:
            for number in batch.column(0).to_pylist():
                written = self._write(number)
                yield pa.record_batch(
                    [[value] for value in written],
                    schema=pa.schema(
                        [("path", pa.string()), ("rows", pa.int64()), ("size", pa.int64())]
                    ),
                )

    def _write(self, number: int) -> ParquetFile:
        name = f"part-{self.job}-{number:05d}-{secrets.token_hex(4)}{self.parquet.extension}"
        place = resolve(self.target, self.storage)
        with naming(self.target):
            file = place.fs.open_output_stream(f"{self.staging}/{name}", compression=None)
        # always closed, otherwise the rest of an upload could arrive at any time
        with file:
            rows = self.parquet.write(
                file, self.reader.schema, self.reader.read(self.partitions[number])
            )
            size = file.tell()
        return ParquetFile(name, rows, size)
