"""Finds the streams in the batches that Spark hands to a decoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from jelly import _whole_file
from jelly.errors import ArgumentError

if TYPE_CHECKING:
    import pyarrow as pa

_EXPECTED = (
    "a binary column `content` (as binaryFile gives it), columns `topic` and a binary `value` "
    "(Kafka), a string column `path` (files that the workers open), or exactly one binary column"
)


class File(NamedTuple):
    """A path in the input column."""

    row: int
    """Its row in the batch."""
    path: str
    """What to open."""
    name: str | None
    """What the column ``source`` says."""


class Inputs:
    """The columns of a batch that hold streams and their names.

    Raises:
        ValueError: No column, or more than one, can be meant.
    """

    def __init__(self, schema: pa.Schema, source_column: str | None = None) -> None:
        binary = [field.name for field in schema if _is_binary(field.type)]
        strings = [field.name for field in schema if _is_string(field.type)]
        self.is_path = False
        """Whether workers open files."""
        self._names: dict[str, str] = {}  # columns that name a stream, and what stands before each
        if "content" in binary:
            self._column = "content"
            self._names = {"path": ""} if "path" in strings else {}
        elif "topic" in strings and "value" in binary:
            self._column = "value"
            self._names = {name: mark for name, mark in _KAFKA.items() if name in schema.names}
        elif "path" in strings:
            self._column, self.is_path, self._names = "path", True, {"path": ""}
        elif len(binary) == 1:
            self._column = binary[0]
        else:
            found = ", ".join(f"{field.name} ({field.type})" for field in schema)
            raise ValueError(f"there is no column of streams: expected {_EXPECTED}; found {found}")
        if source_column is not None:
            if source_column not in schema.names:
                names = ", ".join(schema.names)
                raise ValueError(f"there is no source column {source_column!r}; there are {names}")
            self._names = {source_column: ""}

    def files(self, batch: pa.RecordBatch) -> Iterator[File]:
        """The files of a batch. A null is no file."""
        paths, names = batch.column(self._column), self._named(batch)
        for row, path in enumerate(paths):
            if path.is_valid:
                yield File(row, local_path(path.as_py()), names[row].as_py())

    def streams(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The streams of a batch and their names, as the native reader of columns takes them."""
        import pyarrow as pa

        values = batch.column(self._column).cast(pa.large_binary())
        return pa.record_batch({"value": values, "name": self._named(batch)})

    def _named(self, batch: pa.RecordBatch) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = [_texts(batch.column(name)) for name in self._names]
        if not texts:
            return pa.nulls(batch.num_rows, pa.string())
        if len(texts) == 1:
            return texts[0]
        pieces = [
            piece
            for mark, text in zip(self._names.values(), texts, strict=True)
            for piece in (pa.scalar(mark), text)
        ]
        return pc.binary_join_element_wise(
            *pieces, pa.scalar(""), null_handling="replace", null_replacement="None"
        )


def local_path(path: str) -> str:
    """The path that a ``file:`` URI names; other paths as they are.

    Raises:
        ValueError: It is ``-``, or a URL, which a worker cannot open.
    """
    if path == "-":
        raise ValueError("-: workers have no standard input; for a file of this name, write ./-")
    try:
        return str(_whole_file.local_path(path))
    except ArgumentError as error:
        hint = 'read the content of these files with spark.read.format("binaryFile")'
        raise ArgumentError(f"{error}; {hint}", kind=error.kind) from None


# topic/partition@offset
_KAFKA = {"topic": "", "partition": "/", "offset": "@"}


def _texts(column: pa.Array) -> pa.Array:
    """What ``str`` makes of each value; null stays null."""
    import pyarrow as pa

    if _is_string(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.string())
    values = (scalar.as_py() for scalar in column)
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _is_binary(kind: pa.DataType) -> bool:
    return str(kind) in {"binary", "large_binary", "binary_view"}


def _is_string(kind: pa.DataType) -> bool:
    return str(kind) in {"string", "large_string", "string_view"}


def whole_number(text: str) -> int | None:
    """The number that ASCII digits say, if a version can have it; None: the text is no such number."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def number_or_id(text: str) -> int | str:
    """What a text names a version by."""
    number = whole_number(text)
    return text if number is None else number


def refuse_bool(name: str, version: object) -> None:
    """Rejects ``True``, which Python takes for 1, as a version.

    Raises:
        TypeError: It is one.
    """
    if isinstance(version, bool):
        raise TypeError(f"{name} must be the number of a version or the id of its patch, not bool")
