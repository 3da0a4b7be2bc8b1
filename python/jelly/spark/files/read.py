"""Batch reading: a worker reads its part of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pyspark.sql.datasource import DataSourceReader, InputPartition

from jelly import storage
from jelly._bad_records import BadRecords
from jelly._batches import Joined, error_of
from jelly._internal import Schema
from jelly.errors import JellyError
from jelly.spark._columns import arrow_schema, as_wanted
from jelly.spark.files.listing import File, files_of
from jelly.spark.files.plan import Part, plan

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly._internal import PatchReader, RdfReader
    from jelly.spark._options import ReadOptions

_CORRUPT = "_corrupt_record"
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class Parts(InputPartition):
    """The parts that one task reads."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        super().__init__(parts)


class FilesReader(DataSourceReader):
    """Reads the files that currently exist."""

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self._shape = Shape(options, schema)

    @property
    def schema(self) -> pa.Schema:
        """The schema of the rows."""
        return self._shape.wanted

    def partitions(self) -> list[InputPartition]:
        """Plans tasks over all files."""
        options = self._shape.options
        return [Parts(parts) for parts in plan(files_of(options), options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yields the rows of one task."""
        # without files, Spark creates a partition without a value
        return batches(partition.value or (), self._shape, self._require_unchanged)

    def _require_unchanged(self, part: Part) -> None:
        now = state_now(part, self._shape.options)
        if not part.file.is_unchanged(now):
            raise ValueError(
                f"{now.source} has changed since the query was planned, and now has {now.size} "
                "bytes: run the query again when the file is complete"
            )


class Shape:
    """The columns that Spark requests, which ``.schema(...)`` may select.

    Raises:
        ValueError: A column does not exist, or has another type.
    """

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self.wanted = arrow_schema(schema)
        self._require_known(options)
        of_folders = set(map(str.lower, options.partition_columns))
        self._of_folders = [name for name in self.wanted.names if name.lower() in of_folders]
        chosen = [
            name
            for name in map(str.lower, self.wanted.names)
            if name != _CORRUPT and name not in of_folders
        ]
        # a batch must have a column, otherwise it would have no rows
        changes = {"columns": chosen or ["seq"]}
        self.options = options.with_keywords(**changes)

    def _require_known(self, options: ReadOptions) -> None:
        import pyarrow as pa

        keywords = options.keywords
        permissive = keywords.get("mode") == "permissive"
        terms = keywords.get("terms", "text")
        offered = options.schema
        known = pa.schema(Schema(options.kind, terms=terms, permissive=permissive))
        for field in self.wanted:
            name = field.name.lower()
            if name in map(str.lower, options.partition_columns):
                if field.type != pa.string():
                    raise ValueError(
                        f"column {field.name!r} comes from a folder name, so it is a string, not "
                        f"{field.type}; cast it in the query"
                    )
                continue
            if name not in known.names or ("columns" in keywords and name not in offered.names):
                hint = "; it exists only with mode permissive" if name == _CORRUPT else ""
                raise ValueError(
                    f"there is no column {field.name!r}{hint}; the columns are "
                    + ", ".join([*offered.names, *options.partition_columns])
                )
            if (right := known.field(name).type) != field.type:
                kind = Schema(options.kind, [name], terms=terms).ddl.partition(" ")[2]
                raise ValueError(
                    f"column {field.name!r} has the type {kind} ({right}), not {field.type}"
                )

    def folders(self, file: File) -> list[tuple[str, str | None]]:
        """Returns the columns that come from the folders of a file, and their values.

        Raises:
            ValueError: A column has no folder in the path.
        """
        return [(name.lower(), of_folder(file.source, name)) for name in self._of_folders]

    def rows(self, sources: Iterable[tuple[Any, dict[str, Any]]]) -> Iterator[pa.RecordBatch]:
        """Yields the rows of sources, each with its own keyword arguments, up to the first error.

        Raises:
            JellyError: A source has an error.
            OSError: A source cannot be read.
        """
        joined = Joined()
        try:
            for source, keywords in sources:
                with self.options.open_whole(source, **keywords) as reader:
                    for batch in reader:
                        yield from joined.add(self(batch))
        except Exception:
            yield from joined.flush()
            raise
        yield from joined.flush()

    def __call__(self, rows: Any, folders: Iterable[tuple[str, str | None]] = ()) -> pa.RecordBatch:
        """Converts a batch of a reader to the columns that Spark requests.

        Raises:
            ValueError: A column that the schema declares as NOT NULL has a null.
        """
        import pyarrow as pa

        batch = pa.record_batch(rows)
        for name, value in folders:
            column = pa.repeat(pa.scalar(value, pa.string()), batch.num_rows)
            batch = batch.append_column(name, column)
        return as_wanted(batch, self.wanted)


def of_folder(path: str, column: str) -> str | None:
    """Returns the value from a folder ``column=value`` in a path, as Hive writes it.

    Raises:
        ValueError: The path has no such folder.
    """
    for folder in reversed(path.split("/")[:-1]):
        name, is_one, value = folder.partition("=")
        if is_one and unquote(name).lower() == column.lower():
            return None if value == _NO_VALUE else unquote(value)
    raise ValueError(
        f"{path} is not in a folder {column}=…, which partitionColumns names: load a folder in "
        "which all files are in a folder of this form"
    )


def state_now(part: Part, options: ReadOptions) -> File:
    """Returns the current state of the file of a part.

    Raises:
        FileNotFoundError: The file no longer exists.
    """
    [now] = files_of(options.at(part.file.where))
    return now


def batches(
    parts: Iterable[Part],
    shape: Shape,
    check: Callable[[Part], None] = lambda _: None,
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of parts of files, in order, up to the first error.

    Args:
        parts: The parts to read.
        shape: The columns, and the options for reading.
        check: Called after a part was read or has failed: a change of the file explains an error in it.

    Raises:
        JellyError: A file has an error.
        OSError: A file cannot be read.
    """
    joined = Joined()
    options = shape.options
    bad = BadRecords(options.bad_records_path, options.storage)
    try:
        for part in parts:
            error = error_of(partial(_open, part, options)) if options.leaves_bad_out else None
            try:
                for rows in _rows(part, shape) if error is None else ():
                    yield from joined.add(rows)
            except JellyError:
                check(part)
                raise
            check(part)
            if error is not None:
                bad.add(part.file.source, error)
    except Exception:
        yield from joined.flush()
        raise
    finally:
        bad.flush()
    yield from joined.flush()


def _open(part: Part, options: ReadOptions) -> PatchReader[Any] | RdfReader[Any]:
    file = part.file
    with storage.naming(file.source):
        source = storage.open_input(file.where, options.storage)
        return options.open_whole(source, source_name=file.source, split=part.split)


def _rows(part: Part, shape: Shape) -> Iterator[pa.RecordBatch]:
    folders = shape.folders(part.file)
    # if Spark stops reading early (LIMIT), the generator and the file are closed
    with _open(part, shape.options) as reader:
        for rows in reader:
            yield shape(rows, folders)
