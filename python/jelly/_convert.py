"""``jelly.convert``: every format in, every format out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict, Unpack

from jelly import _internal
from jelly._arrow import require_pyarrow
from jelly._keywords import refuse_unknown
from jelly._patching import genid
from jelly._tables import TableFormat, open_table, refuse_options, table_format, table_writer
from jelly._whole_file import check_folder
from jelly.types import (
    AnyFormat,
    Compression,
    Destination,
    Framing,
    Limits,
    PatchOptions,
    RdfOptions,
    Source,
)

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes between two reports, as in the core.
_STEP = 1 << 20

WrittenFormat: TypeAlias = Literal[
    "auto", "text", "jelly", "nt", "nq", "ttl", "trig", "jelly-patch", "rdfp", "trp", "parquet", "arrow"
]  # fmt: skip


class ConvertReadOptions(TypedDict, total=False):
    """Options of ``convert`` about the source."""

    format: AnyFormat | TableFormat
    framing: Framing
    compression: Compression
    rows: Literal["all", "committed"]
    strict: bool
    lenient_flags: bool
    strict_graphs: bool
    source_name: str | None
    skolemize: bool | str


class ConvertWriteOptions(TypedDict, total=False):
    """Options of ``convert`` about the output."""

    compression_level: int | None
    options: RdfOptions | PatchOptions | None
    stream_name: str | None
    physical_type: Literal["TRIPLES", "QUADS", "GRAPHS"] | None
    logical_type: str | None
    statement_type: Literal["TRIPLES", "QUADS"] | None
    stream_type: Literal["FRAME", "FLAT", "PUNCTUATED"] | None
    generalized_statements: bool | None
    rdf_star: bool | None
    max_name_table_size: int | None
    max_prefix_table_size: int | None
    max_datatype_table_size: int | None
    namespaces: Mapping[str, str] | bool | None
    delimited: bool
    frame_rows: int | None
    restart_bytes: int | None
    abbreviate: bool


class ConvertOptions(ConvertReadOptions, ConvertWriteOptions, total=False):
    """Options of ``convert``."""

    limits: Limits | None


class Tally(NamedTuple):
    """How far a conversion got.

    Attributes:
        rows: Rows that were read.
        bytes_in: Bytes that were read, without compression; of Parquet and Arrow files, of their
            columns.
        bytes_out: Bytes that were written, without compression; of Parquet and Arrow files, of
            their columns.
    """

    rows: int
    bytes_in: int
    bytes_out: int


Progress: TypeAlias = Callable[[Tally], object] | None


def convert(
    source: Source,
    dest: Destination,
    *,
    to: WrittenFormat = "auto",
    to_compression: Compression = "auto",
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> Tally:
    """Reads a source in one format and writes it in another, streaming.

    The formats are those of ``read_rdf`` and ``read_patch``, Parquet and Arrow files (with the
    extra ``[arrow]``). Statements can become patches: one that adds them all in one transaction.
    A Jelly stream keeps the options of a Jelly source, but for those told here.

    Args:
        source: Path (``-`` is standard input), bytes, binary file object or iterable of bytes.
        dest: Path (``-`` is standard output) or binary file object. A path appears whole or not
            at all.
        to: Format of the output: ``jelly``, ``nt``, ``nq``, ``ttl``, ``trig``, ``jelly-patch``,
            ``rdfp``, ``trp``, ``parquet``, ``arrow``; ``text``: N-Quads or RDF Patch; ``auto``: by
            the extension of ``dest``, else Jelly.
        to_compression: ``none``, ``gzip``, ``zstd``, or ``auto``: by the extension of ``dest``,
            zstd in Parquet files, none in Arrow files (which cannot have gzip).
        progress: Called with a :class:`Tally` about every MiB that was read; an exception stops.
        format: Of the source, as of ``read_rdf`` and ``read_patch``, ``parquet`` or ``arrow``.
        framing: Of the source, as of ``read_rdf``.
        compression: Of the source, as of ``read_rdf``.
        rows: Of patches: ``all``, or ``committed``, as of ``read_patch``.
        strict: Refuse in the source what the specification only advises against.
        lenient_flags: Accept in the source what its options do not declare.
        strict_graphs: Refuse in the source a graph start inside a graph.
        source_name: Name of the source in errors and in the column ``source``.
        skolemize: Blank nodes of statements as IRIs, as for :func:`diff`.
        limits: Bounds of reading and of writing.
        compression_level: Level of gzip or zstd of the output.
        options: Options of a Jelly stream, all of them, instead of those of the source.
        stream_name: Of Jelly-RDF; this and what follows are single options.
        physical_type: Of Jelly-RDF: ``TRIPLES``, ``QUADS`` or ``GRAPHS``.
        logical_type: Of Jelly-RDF, such as ``FLAT_TRIPLES``.
        statement_type: Of Jelly-Patch: ``TRIPLES`` or ``QUADS``.
        stream_type: Of Jelly-Patch: ``FRAME``, ``FLAT`` or ``PUNCTUATED``.
        generalized_statements: Of Jelly.
        rdf_star: Of Jelly.
        max_name_table_size: Of Jelly, in entries.
        max_prefix_table_size: Of Jelly, in entries.
        max_datatype_table_size: Of Jelly, in entries.
        namespaces: Of Jelly-RDF, Turtle and TriG: labels and IRIs to declare, or whether those of
            the source are declared. None: those of the source are declared, but those of a source
            that is not Jelly are declared only in Turtle and TriG. Namespaces make Jelly-RDF
            version 2; those of a version 1 source must come in the first frame, or be asked for.
        delimited: Of Jelly: each frame after its length.
        frame_rows: Of Jelly: rows at which a frame ends.
        restart_bytes: Of Jelly: bytes between restart points; 0 for none.
        abbreviate: Of RDF Patch text: bare numbers and booleans.

    Returns:
        What was done.

    Raises:
        JellyError: The source is bad, or cannot be written in this format; ``dest`` is as before.
        OSError: Reading or writing failed; ``dest`` is as before.
        ValueError: An option is wrong, or is of another format than the one it is told for.
        TypeError: An option does not exist, or is of the wrong type.
        ImportError: Parquet or Arrow files are asked for, and pyarrow is not installed.
    """
    refuse_unknown("convert", options, ConvertOptions)
    check_folder(dest)
    told: Mapping[str, Any] = options
    read = {name: told[name] for name in told if name in ConvertReadOptions.__annotations__}
    write = {name: told[name] for name in told if name in ConvertWriteOptions.__annotations__}
    limits = {"limits": told.get("limits")}
    table_in = table_format(source, told.get("format", "auto"))
    table_out = table_format(dest, to)
    if table_in or table_out:
        require_pyarrow()
        if read.pop("skolemize", False):
            raise ValueError("skolemize does not go with Parquet and Arrow files")
    if table_in:
        refuse_options({**read, "format": None}, "source", table_in)
    if table_out:
        level = write.pop("compression_level", None)
        refuse_options(write | (limits if table_in else {}), "output", table_out)
        with _of_table(source, table_in) if table_in else _of_reader(source, read | limits) as feed:
            writer = table_writer(dest, table_out, feed.schema, to_compression, level)
            return _to_table(feed, writer, progress)
    if isinstance(write.get("namespaces"), Mapping):
        write["namespaces"] = list(write["namespaces"].items())
    write |= {"format": to, "compression": to_compression} | limits
    read["skolemize"] = genid(told.get("skolemize", False))
    report = None if progress is None else lambda *counts: progress(Tally(*counts))
    if table_in:
        schema, batches = open_table(source, table_in)
        is_patch = "op" in schema.names
        return Tally(*_internal.convert_batches(batches, is_patch, dest, write, report))
    return Tally(*_internal.convert(source, dest, read | limits, write, report))


@dataclass(slots=True)
class _Feed:
    """Batches, and how many bytes were read for them so far."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    bytes_in: Callable[[], int]


@contextmanager
def _of_table(source: Source, kind: TableFormat) -> Iterator[_Feed]:
    schema, batches = open_table(source, kind)
    count = 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal count
        for batch in batches:
            count += batch.nbytes
            yield batch

    yield _Feed(schema, counted(), lambda: count)


@contextmanager
def _of_reader(source: Source, options: dict[str, Any]) -> Iterator[_Feed]:
    import pyarrow as pa

    with _internal.read_any(source, options) as reader:
        batches = (pa.record_batch(batch) for batch in reader)
        yield _Feed(pa.schema(reader.schema), batches, lambda: reader.position.offset)


def _to_table(
    feed: _Feed,
    writer: AbstractContextManager[Callable[[pa.RecordBatch], object]],
    progress: Progress,
) -> Tally:
    tally = told = Tally(0, 0, 0)
    with writer as write:
        for batch in feed.batches:
            write(batch)
            rows, bytes_out = tally.rows + batch.num_rows, tally.bytes_out + batch.nbytes
            tally = Tally(rows, feed.bytes_in(), bytes_out)
            if progress is not None and tally.bytes_in >= told.bytes_in + _STEP:
                told = tally
                progress(tally)
    return tally._replace(bytes_in=feed.bytes_in())
