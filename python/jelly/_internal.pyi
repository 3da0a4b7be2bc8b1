"""The native module. Use the names through :mod:`jelly`."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import GenericAlias, TracebackType
from typing import Any, Generic, Literal, Self, TypeAlias, final

from typing_extensions import TypeVar, disjoint_base

from jelly._inspect import Inspection
from jelly._patches import Patches
from jelly.types import (
    AnyFormat,
    ArrowArrayExportable,
    ArrowStreamExportable,
    Destination,
    PatchOptions,
    PatchRow,
    Position,
    RdfOptions,
    RdfRow,
    Source,
    Strings,
    Terms,
)

__all__ = [
    "RESTART_BYTES",
    "BlankDiff",
    "Compressor",
    "Frequencies",
    "GatheredPatches",
    "History",
    "KeyFilter",
    "LogOrder",
    "LogPlaces",
    "PatchReader",
    "QuadKeys",
    "RdfReader",
    "RdfRelay",
    "Reader",
    "RecordBatch",
    "RowIterator",
    "RowsDigest",
    "Schema",
    "StoreLog",
    "Updates",
    "WorkFolder",
    "Writer",
    "__version__",
    "apply",
    "backup_base",
    "canonicalize",
    "convert",
    "diff",
    "error_kinds",
    "history",
    "holds_patches",
    "identify",
    "index",
    "inspect",
    "invert",
    "is_part",
    "lasting_labels",
    "local_path",
    "log_head",
    "log_known_end",
    "log_versions",
    "met_options",
    "option_table",
    "order_log",
    "patch_files",
    "place_patch",
    "quad_keys",
    "read",
    "read_any",
    "read_column",
    "read_message",
    "read_schema",
    "refuse_changed",
    "refuse_empty_base",
    "refuse_hole",
    "refuse_other_base",
    "refuse_own_file",
    "same",
    "show",
    "show_diff",
    "show_style",
    "splits",
    "squash",
    "stamp_patch",
    "state_after_loss",
    "statistics",
    "summarize",
    "verify_log",
    "write_message",
    "written_options",
]

__version__: str
RESTART_BYTES: int

_Row_co = TypeVar("_Row_co", covariant=True)
_RdfRow_co = TypeVar("_RdfRow_co", covariant=True, default=RdfRow)
_PatchRow_co = TypeVar("_PatchRow_co", covariant=True, default=PatchRow)

@final
class Schema:
    """Names and types of the columns of record batches.

    By default plain Arrow types (string, int64, structs of strings), all nullable, which Spark accepts.
    Arrow libraries read it as it is: ``pyarrow.schema(jelly.PATCH_SCHEMA)``. Can be pickled.

    Args:
        kind: ``rdf`` (statements) or ``patch`` (rows of patches).
        columns: Columns in this order; None for all.
        terms: ``text``: terms are canonical N-Triples; ``struct``: structs of kind, value,
            datatype and language.
        strings: Type of the columns of strings and of the strings in structs. ``utf8``; ``view``: ``utf8_view``;
            ``dictionary``: ``dictionary<int32, utf8>``.
        permissive: With the column ``_corrupt_record`` of ``mode="permissive"``.

    Raises:
        ValueError: A column does not exist, or is given twice.
    """

    def __new__(
        cls,
        kind: Literal["rdf", "patch"],
        columns: Sequence[str] | None = None,
        *,
        terms: Terms = "text",
        strings: Strings = "utf8",
        permissive: bool = False,
    ) -> Self: ...
    @property
    def kind(self) -> Literal["rdf", "patch"]:
        """``rdf`` or ``patch``."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def ddl(self) -> str:
        """The schema in Spark's DDL, as ``mapInArrow`` takes it."""

    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __arrow_c_schema__(self) -> object:
        """The schema as an ``arrow_schema`` capsule."""

@final
class RecordBatch:
    """Rows in Arrow columns; ``pyarrow.record_batch(batch)`` shares its memory."""

    @property
    def num_rows(self) -> int:
        """Rows."""

    @property
    def num_columns(self) -> int:
        """Columns."""

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def schema(self) -> Schema:
        """Names and types of the columns."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object:
        """The schema as an ``arrow_schema`` capsule."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The batch as an ``arrow_schema`` and an ``arrow_array`` capsule.

        Args:
            requested_schema: Ignored, as the protocol allows.
        """

@final
class RowIterator:
    """Rows as named tuples.

    A reader has one iterator. Loops over it share its rows: a second loop continues where the first stopped. Threads
    share them too: each row comes once.
    """

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    def __next__(self) -> tuple[Any, ...]: ...
    def _peek(self, skipped: int) -> tuple[Any, ...] | None:
        """The row after ``skipped`` others, without taking it."""

    def _next_of_patch(self, patch: int | None) -> tuple[Any, ...] | None:
        """The next row, if it is one of this patch or the record of an error.

        Committed rows have no ``Z``, so an error of the next patch is the end of this one; it is raised when the next
        patch is taken.
        """

@disjoint_base
class Reader(Generic[_Row_co]):
    """What :class:`RdfReader` and :class:`PatchReader` have in common.

    A reader is read once: each row goes to exactly one of the batches, rows, patches and streams
    taken from it, in order. They can be mixed: each continues where the last row was taken, and :meth:`peek` takes no
    row.

    Several threads can use it at a time, with the GIL released; it also works after a fork if no thread was reading.
    Rows before an error are delivered first, then the error is raised, then the
    reader is at its end. Ctrl-C closes it.

    A source that refers to its own reader is freed only after the reader is closed or at its end, because Python
    cannot see this cycle.
    """

    @property
    def schema(self) -> Schema:
        """The schema of the batches."""

    @property
    def options(self) -> RdfOptions | PatchOptions | None:
        """Options of the stream; reads on until they are known, without losing a row.

        None if the stream is empty, fails before its options, or has a format without options.
        """

    def rows(self) -> Iterator[_Row_co]:
        """The remaining rows as named tuples, with fields as in ``schema``.

        With ``columns``, ``mode="permissive"`` or ``terms="struct"`` the class has other fields or
        values: the requested columns, ``corrupt_record`` at the end, :class:`jelly.Term`.

        A reader has one iterator of rows: a second call continues where the last row was taken.
        """

    def peek(self) -> _Row_co | None:
        """The next row, without taking it.

        None at the end, and before an error, which is raised when rows are taken.

        Raises:
            ValueError: The reader is closed.
        """

    @property
    def namespaces(self) -> dict[str, str]:
        """IRIs by label, as far as decoding got; the mapping grows while rows are read.

        For statements, the namespace declarations, the last one of each label. For patches, the prefixes that rows
        added and did not delete again, of any graph or transaction.
        """

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the frame that began last (``RdfStreamFrame.metadata``)."""

    @property
    def position(self) -> Position:
        """How far decoding got; rows that were decoded but not taken yet come before this position."""

    @property
    def closed(self) -> bool:
        """Whether the reader was closed."""

    def close(self) -> None:
        """Closes the source; reading after this is a ``ValueError``."""

    def snapshot(self) -> bytes:
        """The state of the decoder, for ``resume``.

        It can be taken between two batches, after all rows of the last batch were used. A reader made with
        ``resume=snapshot`` over the bytes from ``position.offset`` (of the decompressed stream)
        on, in this process or another, gives the rows that this one would give.

        Rows that only the end of the input implied (``eof``) are not included: a reader that is made from the last
        snapshot and no more bytes gives them again. ``namespaces`` are not included either, and begin empty.

        Raises:
            OptionsError: The decoder failed, or is at a place where no snapshot can be taken.
            ValueError: Rows wait to be taken, or only committed rows are read.
        """

    def __class_getitem__(cls, item: object) -> GenericAlias: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> RecordBatch: ...
    def __arrow_c_schema__(self) -> object:
        """The schema as an ``arrow_schema`` capsule."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The remaining batches as an ``arrow_array_stream`` capsule.

        The stream can be read on any thread, with or without the GIL. An error comes through it as
        the line of text that ``str()`` of the exception has, in an exception of the Arrow library
        that reads it; Ctrl-C as ``KeyboardInterrupt``.

        Args:
            requested_schema: Ignored, as the protocol allows.

        Raises:
            ValueError: The reader is closed or was read to its end.
        """

@final
class RdfReader(Reader[_RdfRow_co]):
    """Statements, from :func:`jelly.read_rdf`."""

    @property
    def options(self) -> RdfOptions | None: ...

@final
class PatchReader(Reader[_PatchRow_co]):
    """Rows of patches, from :func:`jelly.read_patch`."""

    @property
    def options(self) -> PatchOptions | None: ...
    def patches(self) -> Patches[_PatchRow_co]:
        """The remaining patches; the rows of a patch can be read until the next patch is taken.

        A patch takes no row before its rows are read. A reader has one iterator of patches: a second call continues
        with the next patch.

        Raises:
            ValueError: A column that this needs was not requested.
        """

@final
class Writer:
    def __new__(
        cls, kind: Literal["rdf", "patch"], dest: Destination, keywords: dict[str, Any]
    ) -> Self: ...
    def write_arrow(self, object: object) -> int: ...
    def write_reader(self, reader: Reader[Any]) -> int: ...
    def write_columns(self, columns: dict[str, Sequence[Any]]) -> int: ...
    def end_frame(self, metadata: list[tuple[str, bytes]]) -> None: ...
    def end_patch(self) -> None: ...
    def flush(self) -> None: ...
    @property
    def keeps_frames(self) -> bool: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...
    @property
    def closed(self) -> bool: ...

def is_part(start: bytes) -> bool: ...
def index(path: str | os.PathLike[str], keywords: dict[str, Any]) -> tuple[Path, int]: ...
def state_after_loss(is_patch: bool, message: int) -> bytes: ...
def splits(
    source: Source, split_bytes: int, whole_patches: bool, keywords: dict[str, Any]
) -> tuple[
    AnyFormat,
    Literal["none", "gzip", "zstd"],
    list[tuple[int, int | None, int | None, bytes]],
]: ...

_PatchName: TypeAlias = tuple[str | None, int]
_PatchTexts: TypeAlias = tuple[tuple[int, str] | None, str | None, tuple[int, int] | None]
_PatchPart: TypeAlias = tuple[
    _PatchName,
    list[tuple[int | None, str, str | None]],
    list[tuple[int, list[int], list[bool]]],
    list[int],
    int,
    _PatchTexts,
]
_Gathered: TypeAlias = tuple[
    _PatchName,
    list[tuple[str, str | None]],
    tuple[list[int], list[int]],
    list[bool],
    list[int],
    int,
    _PatchTexts,
]
_Report: TypeAlias = Callable[[str, int, int], object]
_Patched: TypeAlias = tuple[str | None, int, int, int, int, int, int, list[str]]
_Shown: TypeAlias = tuple[int, int, int, list[int], list[int]]
_Taken: TypeAlias = tuple[int, list[str]]
_Problem: TypeAlias = tuple[str, str | None, int | None, str | None, str]

@final
class Frequencies:
    def add(self, term: str, is_deleted: bool) -> None: ...
    def top(self, most: int) -> list[tuple[str, int, int]]: ...
    @property
    def different(self) -> int | None: ...

@final
class GatheredPatches:
    def __new__(cls) -> Self: ...
    def push(self, rows: ArrowArrayExportable) -> None: ...
    @property
    def has_content_labels(self) -> bool: ...
    def parts(self) -> list[_PatchPart]: ...
    def merge(self, parts: Sequence[_PatchPart]) -> None: ...
    def outcomes(self) -> list[_Gathered]: ...

@final
class History:
    def __next__(self) -> tuple[str, str, str, str, int, int | None]: ...
    @property
    def order(self) -> list[str]: ...
    def headers(self, version: int) -> list[tuple[str, str]]: ...
    def __iter__(self) -> Self: ...
    def __len__(self) -> int: ...

@final
class QuadKeys:
    """Keys of quads in one Arrow column of bytes; ``pyarrow.array(keys)`` shares its memory."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object:
        """The type as an ``arrow_schema`` capsule."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The keys as an ``arrow_schema`` and an ``arrow_array`` capsule.

        Args:
            requested_schema: Ignored, as the protocol allows.
        """

def quad_keys(
    rows: ArrowArrayExportable | ArrowStreamExportable,
    secret: bytes,
    canonical: bool,
    labels: Literal["any", "unscoped", "named"],
    quads: bool,
) -> QuadKeys: ...
def lasting_labels(rows: ArrowArrayExportable) -> ArrowArrayExportable: ...

@final
class BlankDiff:
    def __new__(cls, keywords: dict[str, Any]) -> Self: ...
    def add(self, is_new: bool, rows: ArrowArrayExportable | ArrowStreamExportable) -> None: ...
    def finish(self, dest: Destination) -> None: ...

@final
class KeyFilter:
    def __new__(
        cls, keys: bytes, secret: bytes, *, labels: Literal["any", "unscoped", "named"]
    ) -> Self: ...
    def keep(self, rows: ArrowArrayExportable) -> ArrowArrayExportable: ...

def canonicalize(
    patches: list[Source],
    base: Source,
    dest: Destination,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> _Patched: ...
def diff(
    old: Source,
    new: Source,
    dest: Destination,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> tuple[int, int, _Patched, tuple[str, list[int]]]: ...
def same(
    old: Source,
    new: Source,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> bool: ...
def show(
    patches: list[Source],
    dest: Destination,
    base: Source | None,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> _Shown: ...
def show_diff(
    old: Source,
    new: Source,
    dest: Destination,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> tuple[_Shown, str, list[int]]: ...
def show_style() -> str: ...
def history(
    patches: list[Source],
    base: Source | None,
    pattern: list[list[str] | None],
    keywords: dict[str, Any],
    progress: _Report | None,
) -> History: ...
def invert(
    patches: list[Source],
    dest: Destination,
    base: Source | None,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> _Patched: ...
def squash(
    patches: list[Source],
    dest: Destination,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> _Patched: ...
def log_versions(
    patches: list[Source],
    keywords: dict[str, Any],
    progress: _Report | None = None,
    names: list[str | None] | None = None,
    up_to: int | str | None = None,
) -> tuple[
    list[tuple[int, int, str | None, str | None, str | None, str | None, str | None]],
    list[tuple[int, Path | None]],
    int,
    tuple[str, int] | None,
]: ...

@final
class LogPlaces:
    def __new__(cls, patches: Sequence[tuple[str | None, int, int, Sequence[int]]]) -> Self: ...
    def versions(self, rows: ArrowArrayExportable) -> ArrowArrayExportable: ...

@final
class LogOrder:
    @property
    def order(self) -> list[int]: ...
    @property
    def before(self) -> int: ...
    @property
    def by_name(self) -> list[str]: ...
    @property
    def dataset(self) -> tuple[str, int] | None: ...
    def number(self, value: int | str, name: str = "version") -> int: ...

def order_log(
    patches: Sequence[tuple[str | None, int, list[tuple[str, str]], int | None, bool, bool, int]],
    keywords: dict[str, Any],
    up_to: int | str | None = None,
    manifests: dict[str, tuple[bytes | None, bytes | None]] | None = None,
) -> LogOrder: ...

@final
class RowsDigest:
    def update(self, rows: ArrowArrayExportable | ArrowStreamExportable) -> None: ...
    def finish(self) -> str: ...

def refuse_empty_base(dataset: tuple[str, int], base: int) -> None: ...
def refuse_hole(source: str | None, patches: Sequence[tuple[int, bool]]) -> None: ...
def refuse_own_file(dest: Path, folder: Path | None = None) -> None: ...
def refuse_other_base(file: Path) -> None: ...
def patch_files(folder: Path) -> list[Path]: ...
def holds_patches(name: str) -> bool: ...
def log_head(folder: Path) -> tuple[int, str | None]: ...
def log_known_end(folder: Path) -> int | None: ...
def refuse_changed(
    path: Path, known: tuple[str, int, str], size: int, digest: str | None = None
) -> None: ...
def stamp_patch(
    patch: Any,
    dest: Any,
    more: Sequence[tuple[str, str]],
    skip: int,
    read: dict[str, Any],
    write: dict[str, Any],
) -> tuple[
    tuple[int, list[tuple[str, str]], str | None, str | None, str | None, int, int, int, str],
    list[tuple[str, str]],
]: ...
def summarize(
    patches: Any, keywords: dict[str, Any]
) -> tuple[int, list[tuple[str, str]], str | None, str | None, str | None, int, int, int, str]: ...

@final
class Compressor:
    def __new__(cls, name: str) -> Self: ...
    def write(self, data: bytes, *, last: bool = False) -> bytes: ...

@final
class StoreLog:
    def __new__(cls, log: str, start: str | None, place: str) -> Self: ...
    def query(self) -> str: ...
    def logs_here(self) -> str: ...
    def begin(self, version: tuple[int, str]) -> str: ...
    def here(self, version: tuple[int, str]) -> str: ...
    def step(self, version: tuple[int, str], to: tuple[int, str]) -> str: ...
    def updates(
        self,
        version: tuple[int, str],
        patch: Source,
        keywords: dict[str, Any],
        default: str | None,
    ) -> Updates: ...

@final
class Updates:
    def __iter__(self) -> Self: ...
    def __next__(self) -> str: ...
    @property
    def counts(self) -> tuple[int, int, int]: ...

def place_patch(
    claim: tuple[str | None, str | None, str],
    expect: int | str | None,
    head: tuple[int, str | None],
    known: tuple[int, str] | None,
) -> int | None: ...
def backup_base(folder: Path) -> tuple[str, int, str, int, str | None]: ...
def identify(id: str) -> tuple[str, str]: ...
def verify_log(
    patches: list[Source],
    base: Source | None,
    keywords: dict[str, Any],
    progress: _Report | None,
) -> tuple[
    int, int, str | None, str | None, int, int, int, int, int | None, list[_Problem], _Taken
]: ...
def apply(
    base: Source,
    patches: list[Source],
    dest: Destination,
    keywords: dict[str, Any],
    progress: Callable[[str, int, int], object] | None,
) -> tuple[int, str | None, list[int], _Taken, bool]: ...
def convert(
    source: Source | Iterable[ArrowArrayExportable],
    dest: Destination,
    read: dict[str, Any],
    write: dict[str, Any],
    progress: Callable[[int, int, int], object] | None = None,
    batches: Literal["patch", "rdf"] | None = None,
) -> tuple[int, int, int, int]: ...
def statistics(
    source: Source,
    keywords: dict[str, Any],
    top: int,
    progress: Callable[[int, int, int], object] | None,
) -> dict[str, Any]: ...
def read_any(source: Source, keywords: dict[str, Any]) -> RdfReader[Any] | PatchReader[Any]: ...
def read_schema(kind: str, keywords: dict[str, Any]) -> Schema: ...
def option_table() -> list[
    tuple[str, str, list[str], tuple[int, int] | None, Any, list[str], str]
]: ...
def read(
    kind: str, source: Source, keywords: dict[str, Any], refuse_empty: bool = False
) -> Any: ...
def read_column(
    kind: str,
    keywords: dict[str, Any],
    column: ArrowArrayExportable,
    numbered: bool,
    scope: str | None = None,
) -> Iterator[ArrowArrayExportable]: ...
def inspect(source: Source, keywords: dict[str, Any]) -> Inspection: ...
def error_kinds() -> list[tuple[str, str, str, str, str]]: ...
def local_path(name: str) -> Path: ...

@final
class WorkFolder:
    def __new__(cls, folder: Path) -> Self: ...
    @property
    def path(self) -> Path: ...
    def close(self) -> None: ...

@final
class RdfRelay:
    def __new__(
        cls,
        options: RdfOptions | None = None,
        *,
        same_type: bool = False,
        stream_name: str | None = None,
        frame_bytes: int = ...,
        stream: int = 0,
    ) -> Self: ...
    def push(self, message: bytes, *, passed: bool = False) -> bytes: ...
    def restart(self) -> None: ...
    @property
    def options(self) -> RdfOptions | None: ...
    @property
    def written_options(self) -> RdfOptions | None: ...

_Options = TypeVar("_Options", RdfOptions, PatchOptions)

def met_options(have: _Options, asked: bytes) -> tuple[_Options, bool]: ...
def written_options(options: _Options, wanted: type[_Options]) -> bytes: ...
def read_message(message: bytes) -> list[tuple[int, int | bytes]]: ...
def write_message(fields: list[tuple[int, int | str | bytes]]) -> bytes: ...
