"""``read_rdf`` and ``read_patch``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack, overload

from jelly import _internal
from jelly._internal import PatchReader, RdfReader
from jelly._option_table import refuse_unknown, takes
from jelly.types import (
    Mode,
    PatchReadOptions,
    PatchRow,
    PatchTermRow,
    RdfReadOptions,
    RdfRow,
    RdfTermRow,
    Source,
    Terms,
)

__all__ = ["read_patch", "read_rdf"]


@overload
def read_rdf(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["text"] = "text",
    mode: Literal["failfast"] = "failfast",
    **options: Unpack[RdfReadOptions],
) -> RdfReader[RdfRow]: ...
@overload
def read_rdf(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["struct"],
    mode: Literal["failfast"] = "failfast",
    **options: Unpack[RdfReadOptions],
) -> RdfReader[RdfTermRow]: ...
@overload
def read_rdf(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    terms: Terms = "text",
    mode: Mode = "failfast",
    **options: Unpack[RdfReadOptions],
) -> RdfReader[Any]: ...
@takes("decode_rdf", "read")
def read_rdf(source: Source, **options: Any) -> RdfReader[Any]:
    """Reads statements: Jelly-RDF, N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD.

    The reader has a row for each statement, in the columns of :data:`jelly.RDF_SCHEMA`: terms are
    canonical N-Triples, and the default graph is ``''``. It reads TRIPLES, QUADS and GRAPHS of Jelly-RDF
    (https://w3id.org/jelly/1.0.0/specification/serialization), versions 1 and 2; the triples of GRAPHS become quads.

    Args:
        source: A path (``-``: standard input), bytes, a binary file object or an iterable of
            bytes. Bytes are not copied, but buffers that can change are copied.
        **options: See ``docs/options.md``.

    Returns:
        A reader. The first bytes have been read to detect the format.

    Raises:
        OSError: The source cannot be opened or read.
        DecodeError: The source has another format, or (from the reader) is malformed.
        ValueError: An option has a value that does not exist.
        TypeError: The source or an option has the wrong type.
    """
    refuse_unknown("read_rdf", options, "decode_rdf", "read")
    reader: RdfReader[Any] = _internal.read("rdf", source, _of_split(options))
    return reader


@overload
def read_patch(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["text"] = "text",
    mode: Literal["failfast"] = "failfast",
    **options: Unpack[PatchReadOptions],
) -> PatchReader[PatchRow]: ...
@overload
def read_patch(
    source: Source,
    *,
    columns: None = None,
    terms: Literal["struct"],
    mode: Literal["failfast"] = "failfast",
    **options: Unpack[PatchReadOptions],
) -> PatchReader[PatchTermRow]: ...
@overload
def read_patch(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    terms: Terms = "text",
    mode: Mode = "failfast",
    **options: Unpack[PatchReadOptions],
) -> PatchReader[Any]: ...
@takes("decode_patch", "read")
def read_patch(source: Source, **options: Any) -> PatchReader[Any]:
    """Reads patches: Jelly-Patch, RDF Patch text, RDF Patch Thrift.

    The reader has the rows of RDF Patch in the columns of :data:`jelly.PATCH_SCHEMA`. The column ``op`` is the kind
    of the row: ``H``: a header (``name``, ``value``); ``TX``, ``TC``, ``TA``: a transaction begins, is committed, is
    aborted; ``A``, ``D``: a statement is added, deleted; ``PA``, ``PD``: a prefix is added, deleted; ``Z``: the patch
    ends. Each patch ends with a ``Z``. Its name is ``frame``, ``header`` or ``eof`` if the stream only implies it, by
    the end of a frame, a header of the next patch, or the end of the stream, which may also mean that the input was
    cut between two frames. The graph is ``''`` for the default graph, and null if a row has no graph.

    Of Jelly-Patch (https://w3id.org/jelly/dev/specification/patch) it reads FRAME, FLAT and
    PUNCTUATED streams of TRIPLES and QUADS, version 1.

    Args:
        source: As for :func:`read_rdf`.
        **options: See ``docs/options.md``.

    Returns:
        A reader. The first bytes have been read to detect the format.

    Raises:
        OSError: The source cannot be opened or read.
        DecodeError: The source has another format, or (from the reader) is malformed.
        PatchError: From the reader, with ``strict`` or ``rows="committed"``: a transaction or the end of the last
            patch is not valid.
        ValueError: An option has a value that does not exist.
        TypeError: The source or an option has the wrong type.
    """
    refuse_unknown("read_patch", options, "decode_patch", "read")
    reader: PatchReader[Any] = _internal.read("patch", source, _of_split(options))
    return reader


def _of_split(options: dict[str, Any]) -> dict[str, Any]:
    """The options; what the file was when it was split stands where nothing else is given."""
    split = options.get("split")
    if split is None:
        return options
    return options | {
        "split": split.state,
        "format": split.format if options.get("format", "auto") == "auto" else options["format"],
        "compression": (
            split.compression
            if options.get("compression", "auto") == "auto"
            else options["compression"]
        ),
    }


def read_whole(kind: str, source: Source, **options: Any) -> PatchReader[Any] | RdfReader[Any]:
    """As :func:`read_patch` or :func:`read_rdf`, of a source that must have something.

    A Jelly stream begins with its options, so a file or a message without a byte is one of which
    everything was lost.

    Raises:
        TruncatedError: There is no byte, and neither name nor options say that it is of another
            format, in which that is an empty document. In mode ``permissive`` it is a row.
    """
    options = _of_split(options)
    reader: PatchReader[Any] | RdfReader[Any] = _internal.read(kind, source, options, True)
    return reader
