"""The native module. Use the names through :mod:`jelly`."""

import os
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Literal, Self, final

from typing_extensions import disjoint_base

from jelly.inspection import Inspection
from jelly.patches import Patch
from jelly.types import (
    BlankNodes,
    Compression,
    Destination,
    Framing,
    Limits,
    Mode,
    PatchOptions,
    PatchRow,
    Position,
    RdfOptions,
    RdfRow,
    Source,
    Terms,
)

__all__ = [
    "PatchReader",
    "RdfReader",
    "Reader",
    "RecordBatch",
    "RowIterator",
    "Schema",
    "Writer",
    "__version__",
    "convert",
    "index",
    "inspect",
    "read_any",
    "read_patch",
    "read_rdf",
    "restart_points",
]

__version__: str

@final
class Schema:
    """Names and types of the columns of record batches.

    Plain Arrow types only (string, int64, structs of strings), all nullable: what Spark takes.
    Arrow libraries read it as it is: ``pyarrow.schema(jelly.PATCH_SCHEMA)``. Can be pickled.

    Args:
        kind: ``rdf`` (statements) or ``patch`` (rows of patches).
        columns: Columns in the order wanted; None for all.
        terms: ``text``: terms are canonical N-Triples; ``struct``: structs of kind, value,
            datatype and language.
        permissive: With the column ``_corrupt_record`` of ``mode="permissive"``.

    Raises:
        ValueError: There is no such column, or it is asked for twice.
    """

    def __new__(
        cls,
        kind: Literal["rdf", "patch"],
        columns: Sequence[str] | None = None,
        *,
        terms: Terms = "text",
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
            requested_schema: Passed over, as the protocol allows.
        """

@final
class RowIterator:
    """Rows as named tuples.

    Loops over it share its rows: a second loop goes on where the first stopped. So can threads:
    each row comes once.
    """

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    def __next__(self) -> tuple[Any, ...]: ...

@disjoint_base
class Reader:
    """What :class:`RdfReader` and :class:`PatchReader` have in common.

    A reader is read once: each row goes to exactly one of the batches, rows, patches and streams
    taken from it, in order. It works for several threads at a time, with the GIL released, and
    after a fork as long as no thread was reading. Rows before an error are delivered first, then
    the error is raised, then the reader is at its end. Ctrl-C closes it.
    """

    @property
    def schema(self) -> Schema:
        """The schema of the batches."""

    @property
    def options(self) -> RdfOptions | PatchOptions | None:
        """Options of the stream; reads on until they come, and loses no row."""

    def rows(self) -> Iterator[Any]:
        """The remaining rows as named tuples, with fields as in ``schema``."""

    @property
    def namespaces(self) -> dict[str, str]:
        """IRIs by label, as far as decoding got.

        Of Jelly-RDF the namespace declarations, the last of each label. Of Jelly-Patch the prefixes
        that rows added and did not delete again, of whatever graph or transaction.
        """

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the frame that began last (``RdfStreamFrame.metadata``)."""

    @property
    def position(self) -> Position:
        """How far decoding got; rows that were decoded and not taken yet are behind it."""

    @property
    def closed(self) -> bool:
        """Whether the reader was closed."""

    def close(self) -> None:
        """Closes the source; reading on is a ``ValueError``."""

    def snapshot(self) -> bytes:
        """The state of the decoder, for ``resume``.

        Taken between two batches, once all rows of the last were used. A reader made with
        ``resume=snapshot`` over the bytes from ``position.offset`` (of the decompressed stream)
        on, in this process or another, gives the rows that this one would give.

        Raises:
            OptionsError: The decoder failed, or stands where no snapshot can be.
            ValueError: Rows wait to be taken, or only committed rows are read.
        """

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
        the line of text that ``str()`` of the exception has; Ctrl-C as ``KeyboardInterrupt``.

        Args:
            requested_schema: Passed over, as the protocol allows.

        Raises:
            ValueError: The reader is closed or was read to its end.
        """

@final
class RdfReader(Reader):
    """Statements of a Jelly-RDF stream, from :func:`jelly.read_rdf`."""

    @property
    def options(self) -> RdfOptions | None:
        """Options of the stream; reads on until they come, and loses no row.

        None if the stream is empty or fails before its options.
        """

    def rows(self) -> Iterator[RdfRow]:
        """The remaining statements as named tuples, with fields as in ``schema``.

        With ``columns``, ``mode="permissive"`` or ``terms="struct"`` the class has other fields or
        values: the columns asked for, ``corrupt_record`` at the end, :class:`jelly.Term`.
        """

@final
class PatchReader(Reader):
    """Rows of a Jelly-Patch stream, from :func:`jelly.read_patch`."""

    @property
    def options(self) -> PatchOptions | None:
        """Options of the stream; reads on until they come, and loses no row.

        None if the stream is empty or fails before its options.
        """

    def rows(self) -> Iterator[PatchRow]:
        """The remaining rows as named tuples, with fields as in ``schema``.

        With ``columns``, ``mode="permissive"`` or ``terms="struct"`` the class has other fields or
        values: the columns asked for, ``corrupt_record`` at the end, :class:`jelly.Term`.
        """

    def patches(self) -> Iterator[Patch]:
        """The remaining patches; the rows of a patch can be read until the next is asked for.

        Raises:
            ValueError: A column that this needs was not asked for.
        """

@final
class Writer:
    """What :class:`jelly.RdfWriter` and :class:`jelly.PatchWriter` stand on."""

    def __new__(cls, kind: Literal["rdf", "patch"], dest: Destination, **keywords: Any) -> Self: ...
    def write_arrow(self, object: object) -> int:
        """Writes all batches of an object of an Arrow library; returns their rows."""

    def write_reader(self, reader: Reader) -> int:
        """Writes the remaining rows of a reader; returns their number."""

    def write_columns(self, columns: dict[str, Sequence[Any]]) -> int:
        """Writes columns by name; returns their rows."""

    def end_frame(self, metadata: list[tuple[str, bytes]]) -> None:
        """Ends the frame."""

    def end_patch(self) -> None:
        """Ends the patch."""

    def flush(self) -> None:
        """Hands on what is complete."""

    def close(self) -> None:
        """Ends the stream."""

    def abort(self) -> None:
        """Gives up."""

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written."""

def index(
    path: str | os.PathLike[str],
    *,
    every: int = 67108864,
    format: Literal["auto", "jelly", "jelly-patch"] = "auto",
    framing: Framing = "auto",
    compression: Compression = "auto",
    lenient_flags: bool = False,
    strict_graphs: bool = True,
    limits: Limits | None = None,
) -> tuple[str, int]:
    """Makes the sidecar of a Jelly file that has no footer, so that it can be read in parts.

    Decodes the file once and keeps a snapshot of the decoder every so many bytes, in ``.NAME.jellyindex``
    beside it. A file that grew has it for its old part; after any other change it is not used. zstd files
    need a seek table; gzip cannot be entered in the middle.

    Args:
        path: The file.
        every: Bytes between two restart points, uncompressed.
        format: As it is read, where the first bytes do not tell.
        framing: As it will be read.
        compression: As it will be read.
        lenient_flags: As it will be read.
        strict_graphs: As it will be read.
        limits: Bounds on what the file may ask for.

    Returns:
        The path of the sidecar and the number of restart points.

    Raises:
        OSError: The file cannot be read, or the sidecar not written.
        DecodeError: The file is not as it should be; there is no sidecar then.
        ValueError: The file cannot be entered in the middle.
    """

def restart_points(
    path: str | os.PathLike[str], *, compression: Compression = "auto"
) -> tuple[Literal["none", "footer", "sidecar"], list[tuple[int, int, int, int, int]]]:
    """What tells where a file can be entered; each place: byte, and rows, frames, patches, transactions before."""

def convert(
    source: Source,
    dest: Destination,
    read: dict[str, Any],
    write: dict[str, Any],
    progress: Callable[[int, int, int], object] | None = None,
) -> tuple[int, int, int]:
    """Converts a source; returns rows, bytes read and bytes written, both without compression."""

def read_any(source: Source, keywords: dict[str, Any]) -> RdfReader | PatchReader:
    """Reads statements or patches, whatever the source holds."""

def read_rdf(
    source: Source,
    *,
    format: Literal["auto", "jelly", "nt", "nq", "ttl", "trig", "rdfxml", "jsonld"] = "auto",
    framing: Framing = "auto",
    compression: Compression = "auto",
    columns: Sequence[str] | None = None,
    terms: Terms = "text",
    blank_nodes: BlankNodes = "keep",
    mode: Mode = "failfast",
    strict: bool = False,
    lenient_flags: bool = False,
    strict_graphs: bool = True,
    batch_rows: int | None = None,
    batch_bytes: int | None = None,
    limits: Limits | None = None,
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    source_name: str | None = None,
) -> RdfReader:
    """Reads Jelly-RDF (https://w3id.org/jelly/1.0.0/specification/serialization) and RDF as text.

    Physical types TRIPLES, QUADS and GRAPHS, versions 1 and 2; the triples of GRAPHS come as
    quads. The reader has a row for each statement, in the columns of :data:`jelly.RDF_SCHEMA`:
    terms are canonical N-Triples, the default graph is ``''``.

    Args:
        source: A path (``-``: standard input), bytes, a binary file object or an iterable of
            bytes. Bytes are not copied; buffers that can change are.
        format: ``jelly``, ``nt`` (N-Triples), ``nq`` (N-Quads), ``ttl`` (Turtle), ``trig``,
            ``rdfxml`` or ``jsonld``; ``auto`` looks at the first bytes, then at the extension of
            the name. ``strict`` holds N-Triples and N-Quads to the specification, and
            ``lenient_flags`` lets generalized RDF in.
        framing: How frames lie in the bytes: ``delimited`` (each after its length), ``single`` (one
            without), ``concatenated`` (delimited, and every options row starts a new stream).
            ``auto`` tells delimited from single by three bytes, which can be wrong of tiny inputs.
        compression: ``none``, ``gzip``, ``zstd``, or by content. Several members are one stream.
        columns: Columns wanted, in this order.
        terms: ``struct``: structs of kind, value, datatype and language.
        blank_nodes: ``scoped``: labels are made unique for the name of the source, and for the
            frame where the logical type is grouped.
        mode: ``permissive``: an error of the content becomes a last row whose column
            ``_corrupt_record`` tells of it; limits and I/O errors are raised all the same.
        strict: Refuse what the specification only advises against.
        lenient_flags: Accept quoted triples and generalized statements that the options do not
            declare.
        strict_graphs: Refuse a graph start inside a graph.
        batch_rows: Most rows in a batch, instead of that of ``limits``.
        batch_bytes: Bytes of text at which a batch is closed, instead of that of ``limits``.
        limits: Bounds on what the input may ask for.
        resume: What :meth:`Reader.snapshot` gave; the source begins at that position.
        start: Byte at which to begin: a restart point of the file, by its footer or its sidecar
            (:func:`jelly.index`). Rows are numbered as in the whole file.
        end: Restart point to stop before. What the end of the stream implies is only read where it
            is reached.
        source_name: Value of the column ``source`` and name in errors; a path names itself.

    Returns:
        A reader, of which the first bytes were read to see what they are.

    Raises:
        OSError: The source cannot be opened or read.
        DecodeError: The source is something else, or (from the reader) not as it should be.
        ValueError: An option has a value that does not exist.
        TypeError: The source or an option is of the wrong type.
    """

def read_patch(
    source: Source,
    *,
    format: Literal["auto", "jelly-patch", "rdfp", "rdfp-v1", "trp"] = "auto",
    framing: Framing = "auto",
    compression: Compression = "auto",
    columns: Sequence[str] | None = None,
    rows: Literal["all", "committed"] = "all",
    terms: Terms = "text",
    blank_nodes: BlankNodes = "keep",
    mode: Mode = "failfast",
    strict: bool = False,
    lenient_flags: bool = False,
    batch_rows: int | None = None,
    batch_bytes: int | None = None,
    limits: Limits | None = None,
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    source_name: str | None = None,
) -> PatchReader:
    """Reads Jelly-Patch (https://w3id.org/jelly/dev/specification/patch) and RDF Patch as text.

    Stream types FRAME, FLAT and PUNCTUATED of TRIPLES and QUADS, version 1. The reader has the rows
    of RDF Patch in the columns of :data:`jelly.PATCH_SCHEMA`; a ``Z`` row ends every patch, and
    has the name ``eof`` or ``frame`` where the stream only implies it.

    Args:
        source: As in :func:`read_rdf`.
        format: ``jelly-patch``, ``rdfp`` (RDF Patch text), ``rdfp-v1`` (its older form with ``R``
            and ``@prefix``, never found by ``auto``) or ``trp`` (RDF Patch Thrift); ``auto`` looks
            at the first bytes, then at the extension of the name. ``strict`` holds text to the
            specification; without it, what Jena reads is read.
        framing: As in :func:`read_rdf`.
        compression: As in :func:`read_rdf`.
        columns: Columns wanted, in this order.
        rows: ``committed``: only the A, D, PA and PD rows that change a dataset, those of committed
            transactions and those outside of any. The source is read twice, or what lies between a
            row and the outcome of its transaction is kept in a temporary file. A patch with an
            unfinished or stray transaction is refused whole.
        terms: As in :func:`read_rdf`.
        blank_nodes: As in :func:`read_rdf`; RDF Patch wants labels kept.
        mode: As in :func:`read_rdf`; not with ``rows="committed"``.
        strict: Refuse what the specification only advises against: unfinished and stray
            transactions, graphs in TRIPLES, a last patch without its mark.
        lenient_flags: As in :func:`read_rdf`.
        batch_rows: As in :func:`read_rdf`.
        batch_bytes: As in :func:`read_rdf`.
        limits: As in :func:`read_rdf`.
        resume: As in :func:`read_rdf`; not with ``rows="committed"``.
        start: As in :func:`read_rdf`; not with ``rows="committed"``.
        end: As in :func:`read_rdf`; not with ``rows="committed"``.
        source_name: As in :func:`read_rdf`.

    Returns:
        A reader, of which the first bytes were read to see what they are.

    Raises:
        OSError: The source cannot be opened or read.
        DecodeError: The source is something else, or (from the reader) not as it should be.
        PatchError: From the reader, with ``strict`` or ``rows="committed"``: transactions or the
            end of the last patch are not as they should be.
        ValueError: An option has a value that does not exist.
        TypeError: The source or an option is of the wrong type.
    """

def inspect(
    source: Source,
    *,
    format: Literal["auto", "jelly", "jelly-patch"] = "auto",
    framing: Framing = "auto",
    compression: Compression = "auto",
    lenient: bool = True,
    limits: Limits | None = None,
    source_name: str | None = None,
) -> Inspection:
    """What :func:`jelly.inspect` and :func:`jelly.validate` stand on.

    Args:
        source: As in :func:`read_rdf`.
        format: ``auto``, ``jelly`` (Jelly-RDF) or ``jelly-patch``.
        framing: As in :func:`read_rdf`.
        compression: As in :func:`read_rdf`.
        lenient: Accept undeclared features and a graph start inside a graph.
        limits: As in :func:`read_rdf`.
        source_name: As in :func:`read_rdf`.

    Returns:
        What the source holds.
    """
