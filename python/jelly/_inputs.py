"""Finds the streams in the batches that Spark hands to a decoder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    import pyarrow as pa

_EXPECTED = (
    "a binary column `content` (as binaryFile gives it), columns `topic` and a binary `value` "
    "(Kafka), a string column `path` (files that the workers open), or exactly one binary column"
)


class Stream(NamedTuple):
    """One value of the input column: a whole stream."""

    row: int
    """Its row in the batch."""
    data: Any
    """Bytes, or a path to open."""
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
        self._is_path = False
        self._name_columns: tuple[str, ...] = ()
        self._name: Callable[..., str | None] = _plain_name
        if "content" in binary:
            self._column = "content"
            self._name_columns = ("path",) if "path" in strings else ()
        elif "topic" in strings and "value" in binary:
            self._column = "value"
            known = tuple(name for name in ("partition", "offset") if name in schema.names)
            self._name_columns, self._name = ("topic", *known), _KAFKA_NAMES[known]
        elif "path" in strings:
            self._column, self._is_path, self._name_columns = "path", True, ("path",)
        elif len(binary) == 1:
            self._column = binary[0]
        else:
            found = ", ".join(f"{field.name} ({field.type})" for field in schema)
            raise ValueError(f"no column of streams: expected {_EXPECTED}; found {found}")
        if source_column is not None:
            if source_column not in schema.names:
                names = ", ".join(schema.names)
                raise ValueError(f"there is no source column {source_column!r}; there are {names}")
            self._name_columns, self._name = (source_column,), _plain_name

    def streams(self, batch: pa.RecordBatch) -> Iterator[Stream]:
        """The streams of a batch. A null is no stream."""
        column = batch.column(self._column)
        names = [batch.column(name) for name in self._name_columns]
        for row, scalar in enumerate(column):
            value = scalar.as_py()
            if value is not None:
                name = self._name(*(values[row].as_py() for values in names)) if names else None
                yield Stream(row, local_path(value) if self._is_path else value, name)


def local_path(path: str) -> str:
    """The path that a ``file:`` URI names; other paths as they are.

    Raises:
        ValueError: It is ``-``, or a URI of a scheme or host that a worker cannot open.
    """
    if path == "-":
        raise ValueError("-: workers have no standard input; a file of that name is ./-")
    if scheme := _remote(path):
        raise ValueError(
            f"{path}: workers open local files only; read {scheme}: paths with "
            'spark.read.format("binaryFile"), which gives their content'
        )
    return _of_file_uri(path)


def path_of(source: str) -> str:
    """The path that a source names, which may be a ``file:`` URI.

    Raises:
        ValueError: The URI is of a scheme or host that cannot be opened.
    """
    if ":" not in source or Path(source).exists():
        return source
    if scheme := _remote(source):
        raise ValueError(
            f"{source}: only local files are opened; open {scheme}: URIs with another library "
            "(fsspec.open, pyarrow.fs) and give the binary file object"
        )
    return _of_file_uri(source)


def _remote(path: str) -> str | None:
    """The scheme of a URI that is not of a local file."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+)://", path)
    return scheme[1] if scheme and scheme[1].lower() != "file" else None


def _of_file_uri(path: str) -> str:
    uri = re.fullmatch(r"file:(?://(?P<host>[^/]*))?(?P<path>/.*)", path, re.IGNORECASE | re.DOTALL)
    if uri is None:
        return path
    if (uri["host"] or "localhost").lower() != "localhost":
        raise ValueError(f"{path}: the file is on another host")
    plain, decoded = Path(uri["path"]), Path(unquote(uri["path"]))
    # The path column of binaryFile has the scheme but is not percent-encoded.
    return str(plain if plain.exists() and not decoded.exists() else decoded)


def _plain_name(value: object) -> str | None:
    return None if value is None else str(value)


_KAFKA_NAMES: dict[tuple[str, ...], Callable[..., str]] = {
    (): lambda topic: f"{topic}",
    ("partition",): lambda topic, partition: f"{topic}/{partition}",
    ("offset",): lambda topic, offset: f"{topic}@{offset}",
    ("partition", "offset"): lambda topic, partition, offset: f"{topic}/{partition}@{offset}",
}


def _is_binary(kind: pa.DataType) -> bool:
    return str(kind) in {"binary", "large_binary", "binary_view"}


def _is_string(kind: pa.DataType) -> bool:
    return str(kind) in {"string", "large_string", "string_view"}
