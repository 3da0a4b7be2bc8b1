"""``read_rdf`` and ``read_patch``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar, Unpack, cast, overload

from jelly import _internal
from jelly._internal import PatchReader, RdfReader
from jelly.types import (
    BlankNodes,
    Compression,
    Framing,
    Limits,
    Mode,
    PatchFormat,
    PatchReadOptions,
    PatchRow,
    PatchTermRow,
    RdfFormat,
    RdfReadOptions,
    RdfRow,
    RdfTermRow,
    Source,
    Split,
    Terms,
)

__all__ = ["read_patch", "read_rdf"]


_Format = TypeVar("_Format", bound=str)


def _told(split: Split, format: _Format, compression: Compression) -> tuple[_Format, Compression]:
    """What the file was when it was split stands where nothing else is told."""
    return (
        cast("_Format", split.format) if format == "auto" else format,
        split.compression if compression == "auto" else compression,
    )


@overload
def read_rdf(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["text"] = "text",
    mode: Literal["failfast"] = "failfast",
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    split: Split | None = None,
    source_name: str | None = None,
    **options: Unpack[RdfReadOptions],
) -> RdfReader[RdfRow]: ...
@overload
def read_rdf(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["struct"],
    mode: Literal["failfast"] = "failfast",
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    split: Split | None = None,
    source_name: str | None = None,
    **options: Unpack[RdfReadOptions],
) -> RdfReader[RdfTermRow]: ...
@overload
def read_rdf(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    terms: Terms = "text",
    mode: Mode = "failfast",
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    split: Split | None = None,
    source_name: str | None = None,
    **options: Unpack[RdfReadOptions],
) -> RdfReader[Any]: ...
def read_rdf(
    source: Source,
    *,
    format: RdfFormat = "auto",
    framing: Framing = "auto",
    compression: Compression = "auto",
    columns: Sequence[str] | None = None,
    terms: Terms = "text",
    blank_nodes: BlankNodes = "auto",
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
    split: Split | None = None,
    source_name: str | None = None,
) -> RdfReader[Any]:
    """Reads statements: Jelly-RDF, N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD.

    The reader has a row for each statement, in the columns of :data:`jelly.RDF_SCHEMA`: terms are
    canonical N-Triples, the default graph is ``''``. Of Jelly-RDF
    (https://w3id.org/jelly/1.0.0/specification/serialization) it reads TRIPLES, QUADS and GRAPHS,
    versions 1 and 2; the triples of GRAPHS come as quads.

    Args:
        source: A path (``-``: standard input), bytes, a binary file object or an iterable of
            bytes. Bytes are not copied; buffers that can change are.
        format: ``jelly``, ``nt``, ``nq``, ``ttl``, ``trig``, ``rdfxml``, ``jsonld``. ``auto`` goes
            by the first bytes, and by the extension where they leave a choice.
        framing: How frames lie in the bytes: ``delimited`` (each after its length), ``single`` (one
            without), ``concatenated`` (delimited, and every options row starts a new stream: for
            Jelly files of other writers that were put end to end). ``auto`` tells delimited from
            single by three bytes, which can be wrong of tiny inputs.
        compression: ``none``, ``gzip``, ``zstd``, or by content. Several members are one stream.
        columns: Columns wanted, in this order.
        terms: ``text``: canonical N-Triples; ``struct``: structs of kind, value, datatype and
            language.
        blank_nodes: ``scoped``: labels are made unique for the source, and for the frame where the
            logical type is grouped, so that rows of several sources can be joined. Sources are told
            apart by their names, bytes by their content; of a pipe each reading is a source.
            ``keep``: labels stay as they came. ``named``: as ``keep``, and a label that is the
            position of a node in its file is refused (``patch.labels``). ``auto``: ``scoped`` of
            Turtle, TriG, RDF/XML and JSON-LD, whose readers number nodes without a label by their
            positions; in other formats only positions (``_:anon-0``) are made unique for the
            source, and other labels stay.
        mode: ``permissive``: an error of the content becomes a last row whose column
            ``_corrupt_record`` tells of it; limits and I/O errors are raised all the same.
        strict: Refuse what the specification only advises against.
        lenient_flags: Accept quoted triples and generalized statements that the options do not
            declare.
        strict_graphs: Refuse a graph start inside a graph.
        batch_rows: Most rows in a batch, instead of that of ``limits``.
        batch_bytes: Bytes of text at which a batch is closed, instead of that of ``limits``.
        limits: Bounds on what the input may ask for.
        resume: What :meth:`RdfReader.snapshot` gave; the source begins at that position.
        start: Byte at which to begin. In Jelly a restart point of the file, by its footer or its
            sidecar (:func:`jelly.index`). In N-Triples, N-Quads and RDF Patch text any byte: a
            range has the lines that begin in it, with the rows that begin there. The bytes before
            it are walked over, and rows and lines are numbered as in the whole file.
        end: Where to stop, likewise. What the end of the stream implies is only read where it is
            reached.
        split: A part that :func:`jelly.splits` made of this file, instead of ``start`` and ``end``.
        source_name: Value of the column ``source`` and name in errors; a path names itself.

    Returns:
        A reader, of which the first bytes were read to see what they are.

    Raises:
        OSError: The source cannot be opened or read.
        DecodeError: The source is something else, or (from the reader) not as it should be.
        ValueError: An option has a value that does not exist.
        TypeError: The source or an option is of the wrong type.
    """
    if split is not None:
        format, compression = _told(split, format, compression)
    return _internal.read_rdf(
        source,
        format=format,
        framing=framing,
        compression=compression,
        columns=columns,
        terms=terms,
        blank_nodes=blank_nodes,
        mode=mode,
        strict=strict,
        lenient_flags=lenient_flags,
        strict_graphs=strict_graphs,
        batch_rows=batch_rows,
        batch_bytes=batch_bytes,
        limits=limits,
        resume=resume,
        start=start,
        end=end,
        split=None if split is None else split.state,
        source_name=source_name,
    )


@overload
def read_patch(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["text"] = "text",
    mode: Literal["failfast"] = "failfast",
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    split: Split | None = None,
    source_name: str | None = None,
    **options: Unpack[PatchReadOptions],
) -> PatchReader[PatchRow]: ...
@overload
def read_patch(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["struct"],
    mode: Literal["failfast"] = "failfast",
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    split: Split | None = None,
    source_name: str | None = None,
    **options: Unpack[PatchReadOptions],
) -> PatchReader[PatchTermRow]: ...
@overload
def read_patch(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    terms: Terms = "text",
    mode: Mode = "failfast",
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    split: Split | None = None,
    source_name: str | None = None,
    **options: Unpack[PatchReadOptions],
) -> PatchReader[Any]: ...
def read_patch(
    source: Source,
    *,
    format: PatchFormat = "auto",
    framing: Framing = "auto",
    compression: Compression = "auto",
    columns: Sequence[str] | None = None,
    rows: Literal["all", "committed"] = "all",
    terms: Terms = "text",
    blank_nodes: BlankNodes = "auto",
    mode: Mode = "failfast",
    strict: bool = False,
    lenient_flags: bool = False,
    batch_rows: int | None = None,
    batch_bytes: int | None = None,
    limits: Limits | None = None,
    resume: bytes | None = None,
    start: int | None = None,
    end: int | None = None,
    split: Split | None = None,
    source_name: str | None = None,
) -> PatchReader[Any]:
    """Reads patches: Jelly-Patch, RDF Patch text, RDF Patch Thrift.

    The reader has the rows of RDF Patch in the columns of :data:`jelly.PATCH_SCHEMA`. The column
    ``op`` says what a row is: ``H`` a header (``name``, ``value``); ``TX``, ``TC``, ``TA`` a
    transaction begins, is committed, is aborted; ``A`` and ``D`` a statement is added, deleted;
    ``PA`` and ``PD`` a prefix is; ``Z`` the patch ends. A ``Z`` ends every patch, and has the name
    ``frame``, ``header`` or ``eof`` where the stream only implies it: by the end of a frame, a
    header of the next patch, or the end of the stream, which may also mean that the input was cut
    between two frames. The graph is ``''`` for the default graph, null where a row has none.

    Of Jelly-Patch (https://w3id.org/jelly/dev/specification/patch) it reads FRAME, FLAT and
    PUNCTUATED streams of TRIPLES and QUADS, version 1.

    Args:
        source: As in :func:`read_rdf`.
        format: ``jelly-patch``, ``rdfp`` (RDF Patch text), ``rdfp-v1`` (its first version), ``trp``
            (Thrift). ``auto`` goes by the first bytes, and by the extension where they tell nothing.
        framing: As in :func:`read_rdf`.
        compression: As in :func:`read_rdf`.
        columns: Columns wanted, in this order.
        rows: ``committed``: only the A, D, PA and PD rows that change a dataset, those of committed
            transactions and those outside of any. The source is read twice, or what lies between a
            row and the outcome of its transaction is kept in a temporary file. A patch with an
            unfinished or stray transaction is refused whole.
        terms: As in :func:`read_rdf`.
        blank_nodes: As in :func:`read_rdf`; ``auto`` is ``keep``, as RDF Patch wants it.
        mode: As in :func:`read_rdf`; not with ``rows="committed"``.
        strict: Refuse what the specification only advises against: unfinished and stray
            transactions, graphs in TRIPLES, a last patch without its mark, names of prefixes that
            Turtle does not allow. In text, also what only Jena has: ``TB``, ``Z``, bare numbers.
        lenient_flags: As in :func:`read_rdf`.
        batch_rows: As in :func:`read_rdf`.
        batch_bytes: As in :func:`read_rdf`.
        limits: As in :func:`read_rdf`.
        resume: As in :func:`read_rdf`; not with ``rows="committed"``.
        start: As in :func:`read_rdf`; with ``rows="committed"`` a range has the patches that begin
            in it, and a restart point must be between two patches.
        end: As in :func:`read_rdf`, likewise.
        split: As in :func:`read_rdf`; ``rows="committed"`` needs ``whole_patches``.
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
    if split is not None:
        format, compression = _told(split, format, compression)
    return _internal.read_patch(
        source,
        format=format,
        framing=framing,
        compression=compression,
        columns=columns,
        rows=rows,
        terms=terms,
        blank_nodes=blank_nodes,
        mode=mode,
        strict=strict,
        lenient_flags=lenient_flags,
        batch_rows=batch_rows,
        batch_bytes=batch_bytes,
        limits=limits,
        resume=resume,
        start=start,
        end=end,
        split=None if split is None else split.state,
        source_name=source_name,
    )


def read_whole(
    kind: str, source: Source, *, split: Split | None = None, **keywords: Any
) -> PatchReader[Any] | RdfReader[Any]:
    """As :func:`read_patch` or :func:`read_rdf`, of a source that must have something.

    A Jelly stream begins with its options, so a file or a message without a byte is one of which
    everything was lost.

    Raises:
        TruncatedError: There is no byte, and neither name nor options say that it is of another
            format, in which that is an empty document. In mode ``permissive`` it is a row.
    """
    if split is not None:
        told = keywords.get("format", "auto"), keywords.get("compression", "auto")
        format, compression = _told(split, *told)
        keywords |= {"format": format, "compression": compression, "split": split.state}
    read: Any = _internal.read_patch if kind == "patch" else _internal.read_rdf
    reader: PatchReader[Any] | RdfReader[Any] = read(source, refuse_empty=True, **keywords)
    return reader
