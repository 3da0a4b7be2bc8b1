"""Types of the options of all functions.

scripts/options_table.py writes this file from src/options/table.rs and src/limits.rs.
"""

# fmt: off

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from jelly.types import Limits, PatchOptions, RdfOptions, Split

Framing: TypeAlias = Literal["auto", "delimited", "single", "concatenated"]
Compression: TypeAlias = Literal["auto", "none", "gzip", "zstd", "bzip2", "xz"]
WrittenCompression: TypeAlias = Literal["auto", "none", "gzip", "zstd"]
Terms: TypeAlias = Literal["text", "struct"]
Strings: TypeAlias = Literal["utf8", "view", "dictionary"]
BlankNodes: TypeAlias = Literal["auto", "keep", "scoped", "named", "content", "lasting"]
Mode: TypeAlias = Literal["failfast", "permissive"]
RdfFormat: TypeAlias = Literal["auto", "jelly", "nt", "nq", "ttl", "trig", "rdfxml", "jsonld"]
PatchFormat: TypeAlias = Literal["auto", "jelly-patch", "rdfp", "rdfp-v1", "trp"]
AnyFormat: TypeAlias = Literal["auto", "jelly", "nt", "nq", "ttl", "trig", "rdfxml", "jsonld", "jelly-patch", "rdfp", "rdfp-v1", "trp"]
WrittenFormat: TypeAlias = Literal["auto", "text", "jelly", "nt", "nq", "ttl", "trig", "jelly-patch", "rdfp", "trp"]


class _Source(TypedDict, total=False):
    """How bytes are read."""

    framing: Framing
    limits: Limits | None


class _Checked(_Source, total=False):
    """How bytes are read and checked."""

    strict: bool
    lenient_flags: bool


class _Decoding(_Checked, total=False):
    """Options of all readers and decoders."""

    compression: Compression
    blank_nodes: BlankNodes
    batch_rows: int | None
    batch_bytes: int | None


class _Chosen(TypedDict, total=False):
    """What a decoder puts into its batches."""

    columns: Sequence[str] | None
    terms: Terms
    mode: Mode


class _File(TypedDict, total=False):
    """Which part of a file is read, its name, and the type of its strings."""

    resume: bytes | None
    split: Split | None
    source_name: str | None
    strings: Strings


class _Writing(TypedDict, total=False):
    """How a stream is written."""

    compression_level: int | None
    delimited: bool
    frame_rows: int | None
    frame_bytes: int | None
    restart_bytes: int | None


class _Result(_Writing, total=False):
    """The output of a function."""

    to: WrittenFormat
    to_compression: WrittenCompression


class _Tables(TypedDict, total=False):
    """Sizes of the tables of a stream."""

    max_name_table_size: int | None
    max_prefix_table_size: int | None
    max_datatype_table_size: int | None


class _Stream(_Tables, total=False):
    """Single options of a stream."""

    generalized_statements: bool | None
    rdf_star: bool | None


class _Showing(TypedDict, total=False):
    """How changes are shown."""

    form: Literal["text", "markdown", "html", "json"]
    max_lines: int | None
    width: int | None
    colour: bool
    label_properties: Sequence[str] | None
    lang: str | None
    subjects: Sequence[str] | None
    classes: Sequence[str] | None
    predicates: Sequence[str] | None
    summary_only: bool
    fragment: bool
    old_name: str | None
    new_name: str | None


class _PatchStream(TypedDict, total=False):
    """How a stream of patches is written."""

    abbreviate: bool
    statement_type: Literal["TRIPLES", "QUADS"] | None
    stream_type: Literal["FRAME", "FLAT", "PUNCTUATED"] | None


class RdfReadOptions(_Decoding, _File, total=False):
    """Options of readers of statements."""

    format: RdfFormat
    strict_graphs: bool
    batch_frames: bool
    threads: int | None


class PatchReadOptions(_Checked, _File, total=False):
    """Options of readers of patches."""

    format: PatchFormat
    compression: Compression
    rows: Literal["all", "committed"]
    blank_nodes: Literal["auto", "keep", "scoped", "named"]
    batch_rows: int | None
    batch_bytes: int | None
    batch_frames: bool
    threads: int | None


class RdfDecoderOptions(_Decoding, _Chosen, total=False):
    """Options of a decoder of statements."""

    format: RdfFormat
    strict_graphs: bool


class PatchDecoderOptions(_Checked, _Chosen, total=False):
    """Options of a decoder of patches."""

    format: PatchFormat
    compression: Compression
    rows: Literal["all", "committed"]
    blank_nodes: Literal["auto", "keep", "scoped", "named"]
    batch_rows: int | None
    batch_bytes: int | None


class SplitOptions(_Source, total=False):
    """Options of ``splits``."""

    format: AnyFormat
    compression: Compression
    source_name: str | None


class IndexOptions(_Source, total=False):
    """Options of ``index``."""

    format: Literal["auto", "jelly", "jelly-patch"]
    compression: Compression
    lenient_flags: bool
    strict_graphs: bool
    every: int | None


class InspectOptions(_Source, total=False):
    """Options of ``inspect`` and ``validate``."""

    format: Literal["auto", "jelly", "jelly-patch"]
    compression: Compression
    source_name: str | None


class StatsOptions(_Checked, total=False):
    """Options of ``stats``."""

    format: AnyFormat
    compression: Compression
    rows: Literal["all", "committed"]
    strict_graphs: bool
    threads: int | None


class ConvertReadOptions(TypedDict, total=False):
    """Options of ``convert`` for the source."""

    format: AnyFormat | Literal["parquet", "arrow"]
    framing: Framing
    compression: Compression
    rows: Literal["all", "committed"]
    blank_nodes: Literal["keep", "content", "rdfc10", "scoped"]
    strict: bool
    lenient_flags: bool
    strict_graphs: bool
    threads: int | None
    source_name: str | None


class ConvertWriteOptions(_Writing, _Stream, _PatchStream, total=False):
    """Options of ``convert`` for the output."""

    options: RdfOptions | PatchOptions | None
    namespaces: Mapping[str, str] | bool | None
    stream_name: str | None
    physical_type: Literal["TRIPLES", "QUADS", "GRAPHS"] | None
    logical_type: str | None


class RdfWriterOptions(_Writing, total=False):
    """Options of writers of statements."""

    limits: Limits | None
    format: Literal["auto", "jelly", "nt", "nq", "ttl", "trig"]
    compression: WrittenCompression
    namespaces: Mapping[str, str] | None


class PatchWriterOptions(_Writing, total=False):
    """Options of writers of patches."""

    limits: Limits | None
    format: Literal["auto", "jelly-patch", "rdfp", "trp"]
    compression: WrittenCompression
    abbreviate: bool


class RdfEncoderOptions(TypedDict, total=False):
    """Options of an encoder of statements."""

    limits: Limits | None
    options: RdfOptions | None
    frame_rows: int | None
    namespaces: Mapping[str, str] | None


class PatchEncoderOptions(TypedDict, total=False):
    """Options of an encoder of patches."""

    limits: Limits | None
    options: PatchOptions | None
    frame_rows: int | None


class BaseOptions(_Checked, total=False):
    """Options of ``Replica.create``."""

    strict_graphs: bool
    threads: int | None
    base_format: RdfFormat


class FollowOptions(_Checked, total=False):
    """Options of ``Replica.follow``."""

    patch_format: PatchFormat


class ReadingOptions(_Checked, total=False):
    """How sources are read; the compression is detected."""

    strict_graphs: bool
    threads: int | None


class LogOptions(TypedDict, total=False):
    """How a log is read."""

    patch_format: PatchFormat
    unfinished: Literal["refuse", "drop"]
    chain: Literal["check", "ignore"]


class LookingOptions(BaseOptions, LogOptions, total=False):
    """Options of functions that only read logs."""


class DatasetOptions(LookingOptions, _Result, _Stream, total=False):
    """Options of functions that write a dataset."""

    options: RdfOptions | None
    namespaces: Mapping[str, str] | bool | None
    stream_name: str | None
    physical_type: Literal["TRIPLES", "QUADS", "GRAPHS"] | None
    logical_type: str | None


class PatchingOptions(LookingOptions, _Result, _Stream, _PatchStream, total=False):
    """Options of functions that make a patch from other patches."""

    options: PatchOptions | None


class SameOptions(ReadingOptions, total=False):
    """Options of ``same``."""

    old_format: RdfFormat
    new_format: RdfFormat


class ShowLogOptions(_Showing, LookingOptions, total=False):
    """Options of ``show``."""


class ShowDiffOptions(_Showing, SameOptions, total=False):
    """Options of ``show_diff``."""

    blank_nodes: Literal["auto", "match", "content", "labels"]


class ComparingOptions(SameOptions, _Result, _Stream, _PatchStream, total=False):
    """Options of functions that make a patch from datasets."""

    blank_nodes: Literal["auto", "match", "content", "labels"]
    options: PatchOptions | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFields:
    """Fields of :class:`jelly.Limits`; bytes unless stated otherwise."""

    row_bytes: int = 33554432
    """Longest row, and longest metadata of a frame. Rows of up to 127 bytes are always accepted."""
    frame_bytes: int = 2147483647
    """Longest frame; rows are read one by one, so a long frame costs no memory."""
    name_table: int = 4096
    """Largest name table that stream options may ask for, in entries."""
    prefix_table: int = 1024
    """Largest prefix table, in entries."""
    datatype_table: int = 256
    """Largest datatype table, in entries."""
    lookup_bytes: int = 67108864
    """Total size of the current entries of the three tables. Entries, namespaces, metadata and the terms that may repeat are together limited to this size, or to four terms or two rows of the maximum length if that is more."""
    term_bytes: int = 16777216
    """Longest term, both as a value and as written text."""
    nesting: int = 64
    """Deepest nesting of quoted triples and unknown groups, in levels. Lists, property lists and graphs of Turtle and elements of RDF/XML may be nested 32 times as deep, arrays and objects of JSON-LD twice as deep; a thread needs 5 KiB of stack per level for JSON-LD."""
    batch_rows: int = 10000
    """Maximum number of rows in a batch."""
    batch_bytes: int = 33554432
    """Bytes of text at which a batch ends."""
    expansion: int = 1000
    """Maximum bytes of output for each byte of input, checked after 64 MiB of output; 0 switches the check off."""
    decompressed_bytes: int = 0
    """Maximum bytes of a source after decompression; 0 switches the check off."""
    zstd_window: int = 33554432
    """Largest zstd window; zstd rounds it down to a power of two. An xz dictionary may be twice as large."""
    transaction_bytes: int = 1073741824
    """Bytes of a patch that may be kept on disk until its transactions end."""
    blank_work: int = 2000000
    """Maximum number of hashes and steps to match blank nodes or give them content labels, in addition to 50 for each statement with blank nodes."""
    blank_bytes: int = 268435456
    """Memory for statements with blank nodes while blank nodes are matched or get content labels. If the statements need more, they are divided into parts of whole components, in temporary files. The differences between two datasets, and a single component, may take four times as much."""
