"""Rows, options and limits: plain objects for readers and writers."""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from jelly._option_table import options_of
from jelly._option_types import (
    AnyFormat,
    BlankNodes,
    Compression,
    Framing,
    LimitFields,
    Mode,
    PatchFormat,
    PatchReadOptions,
    RdfFormat,
    RdfReadOptions,
    Strings,
    Terms,
)

__all__ = [
    "AnyFormat",
    "ArrowArrayExportable",
    "ArrowSchemaExportable",
    "ArrowStreamExportable",
    "BlankNodes",
    "Compression",
    "Destination",
    "Framing",
    "Limits",
    "Mode",
    "PatchFormat",
    "PatchOptions",
    "PatchReadOptions",
    "PatchRow",
    "PatchTermRow",
    "Position",
    "RdfFormat",
    "RdfOptions",
    "RdfReadOptions",
    "RdfRow",
    "RdfTermRow",
    "Source",
    "Split",
    "Strings",
    "Term",
    "Terms",
]


class SupportsRead(Protocol):
    """A binary file object."""

    def read(self, size: int, /) -> bytes: ...


Source: TypeAlias = (
    str
    | os.PathLike[str]
    | bytes
    | bytearray
    | memoryview
    | SupportsRead
    | Iterable[bytes | bytearray | memoryview]
)
"""A path (``-`` is standard input), bytes, a binary file object or an iterable of bytes."""


class SupportsWrite(Protocol):
    """A binary file object."""

    def write(self, data: bytes, /) -> int | None: ...


Destination: TypeAlias = str | os.PathLike[str] | SupportsWrite
"""A path (``-`` is standard output) or a binary file object."""


@runtime_checkable
class ArrowArrayExportable(Protocol):
    """A record batch of any Arrow library."""

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...


@runtime_checkable
class ArrowStreamExportable(Protocol):
    """Anything that Arrow libraries read batches from."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowSchemaExportable(Protocol):
    """Anything that Arrow libraries read a schema from."""

    def __arrow_c_schema__(self) -> object: ...


class PatchRow(NamedTuple):
    """A row of a patch, in the columns of :data:`jelly.PATCH_SCHEMA`."""

    source: str | None
    patch: int
    txn: int | None
    seq: int
    op: str
    subject: str | None
    predicate: str | None
    object: str | None
    graph: str | None
    name: str | None
    value: str | None


class RdfRow(NamedTuple):
    """A statement, in the columns of :data:`jelly.RDF_SCHEMA`."""

    source: str | None
    frame: int
    seq: int
    subject: str
    predicate: str
    object: str
    graph: str


class Term(NamedTuple):
    """A term with ``terms="struct"``.

    Attributes:
        kind: ``iri``, ``bnode``, ``literal``, ``triple`` or ``default``.
        value: IRI, label, lexical form, or the text of a quoted triple.
        datatype: Datatype IRI of a literal; None for ``xsd:string`` and language-tagged strings.
        language: Language tag of a literal.
    """

    kind: str
    value: str
    datatype: str | None
    language: str | None


class PatchTermRow(NamedTuple):
    """A row of a patch with ``terms="struct"``."""

    source: str | None
    patch: int
    txn: int | None
    seq: int
    op: str
    subject: Term | None
    predicate: Term | None
    object: Term | None
    graph: Term | None
    name: str | None
    value: str | None


class RdfTermRow(NamedTuple):
    """A statement with ``terms="struct"``."""

    source: str | None
    frame: int
    seq: int
    subject: Term
    predicate: Term
    object: Term
    graph: Term


class Position(NamedTuple):
    """How far decoding got; rows that wait in a batch come before this position.

    Attributes:
        frame: Frame that began last, from 0.
        seq: Rows (statements) decoded so far.
        offset: First byte of the decompressed stream that is not decoded.
    """

    frame: int | None
    seq: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A part of a file, as :func:`jelly.splits` gives it; can be pickled and read elsewhere."""

    start: int
    """Its first byte, uncompressed."""
    end: int | None
    """The byte after it, uncompressed; None for the end of a file of unknown length."""
    rows: int | None
    """Number of rows, if known."""
    format: AnyFormat
    """What the file is."""
    compression: Compression
    """How the file is compressed."""
    state: bytes
    """State for a reader: the counts before the part, and the data that identifies the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RdfOptions:
    """Options of a Jelly-RDF stream (``RdfStreamOptions``); the defaults are those of Jelly-JVM."""

    stream_name: str = ""
    physical_type: str = "TRIPLES"
    """``TRIPLES``, ``QUADS`` or ``GRAPHS``."""
    logical_type: str = ""
    """RDF-STaX type, such as ``FLAT_TRIPLES``; a number where the specification has no name.

    Empty stands for the flat type of the physical type.
    """
    generalized_statements: bool = True
    rdf_star: bool = True
    max_name_table_size: int = 4000
    max_prefix_table_size: int = 150
    max_datatype_table_size: int = 32
    version: int = 1
    """1, or 2 with namespace declarations; a writer sets what is right."""

    def __post_init__(self) -> None:
        if not self.logical_type:
            flat = "FLAT_TRIPLES" if self.physical_type == "TRIPLES" else "FLAT_QUADS"
            object.__setattr__(self, "logical_type", flat)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchOptions:
    """Options of a Jelly-Patch stream (``RdfPatchOptions``); the defaults are those of Jelly-JVM."""

    statement_type: str = "QUADS"
    """``TRIPLES`` or ``QUADS``."""
    stream_type: str = "PUNCTUATED"
    """``FRAME``, ``FLAT`` or ``PUNCTUATED``."""
    generalized_statements: bool = True
    rdf_star: bool = True
    max_name_table_size: int = 4000
    max_prefix_table_size: int = 150
    max_datatype_table_size: int = 32
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(LimitFields):
    """Limits of a reader; in bytes unless stated otherwise."""

    def __post_init__(self) -> None:
        for name, row in options_of("limits").items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"limits.{name} must be an int, not {type(value).__name__}")
            least, most = row.range or (0, 0)
            if not least <= value <= most:
                raise ValueError(f"limits.{name} is {value}; it must be from {least} to {most}")

    def replace(self, **changes: int) -> Limits:
        """The same limits with some changed."""
        return replace(self, **changes)


_ROWS: dict[tuple[str, str], type[Any]] = {
    ("patch", "text"): PatchRow,
    ("patch", "struct"): PatchTermRow,
    ("rdf", "text"): RdfRow,
    ("rdf", "struct"): RdfTermRow,
}


# typing.NamedTuple wants its fields known when the code is written
_named_tuple: Callable[..., Any] = namedtuple  # noqa: PYI024


@lru_cache(maxsize=256)
def row_class(kind: str, terms: str, columns: tuple[str, ...]) -> type[tuple[Any, ...]]:
    """The class of rows of some columns.

    A field of a named tuple cannot begin with ``_``, so ``_corrupt_record`` is ``corrupt_record``.
    """
    known = _ROWS[kind, terms]
    names = tuple(column.lstrip("_") for column in columns)
    if names == known._fields:
        return known
    made = _named_tuple(known.__name__, names)
    made.__doc__ = f"{(known.__doc__ or '').splitlines()[0]} Only the requested columns."
    made.__reduce__ = lambda self: (_row, (kind, terms, columns, tuple(self)))
    row: type[tuple[Any, ...]] = made
    return row


def row_maker(
    kind: str, terms: str, columns: tuple[str, ...]
) -> Callable[[Iterable[object]], tuple[Any, ...]]:
    """Makes rows of their values, faster than the class itself does."""
    return partial(tuple.__new__, row_class(kind, terms, columns))


def _row(kind: str, terms: str, columns: tuple[str, ...], values: tuple[object, ...]) -> Any:
    return row_maker(kind, terms, columns)(values)


make_term = partial(tuple.__new__, Term)
