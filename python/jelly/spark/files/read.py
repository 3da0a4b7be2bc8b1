"""Reading in batches: what a worker does with its part of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from jelly._batches import Joined
from jelly._internal import Schema
from jelly.errors import JellyError
from jelly.spark._columns import arrow_schema, as_wanted
from jelly.spark.files import filesystem
from jelly.spark.files.listing import File, files_of
from jelly.spark.files.plan import Part, plan

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark._options import ReadOptions

_CORRUPT = "_corrupt_record"


class Parts(InputPartition):
    """What one task reads."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        super().__init__(parts)


class FilesReader(DataSourceReader):
    """Files as they are now."""

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self._shape = Shape(options, schema)

    @property
    def schema(self) -> pa.Schema:
        """Schema of the rows."""
        return self._shape.wanted

    def partitions(self) -> list[InputPartition]:
        """Tasks over all files."""
        options = self._shape.options
        return [Parts(parts) for parts in plan(files_of(options), options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Rows of one task."""
        # Without any file Spark makes a partition of its own, without a value.
        return batches(partition.value or (), self._shape, self._require_unchanged)

    def _require_unchanged(self, part: Part) -> None:
        now = state_now(part, self._shape.options)
        if not part.file.is_unchanged(now):
            raise ValueError(
                f"{now.source} has changed since the query was planned, and has {now.size} bytes now: run the query "
                "again once the file is complete"
            )


class Shape:
    """The columns that Spark wants, which may be chosen by ``.schema(...)``.

    Raises:
        ValueError: There is no such column, or its type is another.
    """

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self.wanted = arrow_schema(schema)
        self._require_known(options)
        chosen = [name for name in map(str.lower, self.wanted.names) if name != _CORRUPT]
        # A batch must have a column, or it could not have rows.
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
            if name not in known.names or ("columns" in keywords and name not in offered.names):
                hint = "; it comes with mode permissive" if name == _CORRUPT else ""
                raise ValueError(
                    f"there is no column {field.name!r}{hint}; the columns are "
                    + ", ".join(offered.names)
                )
            if (right := known.field(name).type) != field.type:
                kind = Schema(options.kind, [name], terms=terms).ddl.partition(" ")[2]
                raise ValueError(
                    f"column {field.name!r} is of the type {kind} ({right}), not {field.type}"
                )

    def __call__(self, rows: Any) -> pa.RecordBatch:
        """A batch of a reader with the columns that Spark wants.

        Raises:
            ValueError: There is a null where the schema has NOT NULL.
        """
        import pyarrow as pa

        return as_wanted(pa.record_batch(rows), self.wanted)


def state_now(part: Part, options: ReadOptions) -> File:
    """The file of a part as it is now.

    Raises:
        FileNotFoundError: It is gone.
    """
    [now] = files_of(options.at(part.file.where))
    return now


def batches(
    parts: Iterable[Part],
    shape: Shape,
    check: Callable[[Part], None] | None = None,
) -> Iterator[pa.RecordBatch]:
    """The rows of parts of files, in order; rows before an error are given first.

    Args:
        parts: What to read.
        shape: How.
        check: Called when a part was read, or cannot be: a file that changed explains what is wrong with it.

    Raises:
        JellyError: A file is not as it should be.
        OSError: A file cannot be read.
    """
    joined = Joined()
    try:
        for part in parts:
            try:
                for rows in _rows(part, shape):
                    yield from joined.add(rows)
            except JellyError:
                if check is not None:
                    check(part)
                raise
            if check is not None:
                check(part)
    except Exception:
        yield from joined.flush()
        raise
    yield from joined.flush()


def _rows(part: Part, shape: Shape) -> Iterator[pa.RecordBatch]:
    file, options = part.file, shape.options
    with filesystem.naming(file.source):
        source = filesystem.open_input(file.where, options.storage)
        reader = options.open_whole(source, source_name=file.source, split=part.split)
    # When Spark drops us half way (LIMIT), the generator is closed, and the file with it.
    with reader:
        for rows in reader:
            yield shape(rows)
