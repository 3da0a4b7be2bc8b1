"""What the functions that give patches a meaning have in common: sources, options, progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict

from jelly import _internal
from jelly.types import Framing, Limits, PatchFormat, PatchOptions, RdfFormat, RdfOptions, Source


class Standing(Protocol):
    """A log that stands somewhere: :class:`jelly.Log`."""

    def _source(self) -> Any: ...


Patches: TypeAlias = Source | Standing | Iterable[Source | Standing]
"""One source of patches, several, a directory of them, or a log."""


class Step(NamedTuple):
    """How far a long operation got.

    Attributes:
        phase: What is done now, such as ``reading the base``.
        rows: Rows that this phase has read or written.
        bytes: Bytes that this phase has read, without compression.
    """

    phase: str
    rows: int
    bytes: int


Report: TypeAlias = Callable[[Step], object]


class ReadingOptions(TypedDict, total=False):
    """How sources are read; the compression is told by their content."""

    framing: Framing
    strict: bool
    lenient_flags: bool
    strict_graphs: bool
    limits: Limits | None


class LogOptions(ReadingOptions, total=False):
    """How a log is taken."""

    patch_format: PatchFormat
    unfinished: Literal["refuse", "drop"]
    chain: Literal["check", "ignore"]


class WritingOptions(TypedDict, total=False):
    """How results are written."""

    to: str
    to_compression: str
    compression_level: int | None
    delimited: bool
    frame_rows: int | None
    restart_bytes: int | None
    generalized_statements: bool | None
    rdf_star: bool | None
    max_name_table_size: int | None
    max_prefix_table_size: int | None
    max_datatype_table_size: int | None


class LookingOptions(LogOptions, total=False):
    """Options of functions that look at logs."""

    base_format: RdfFormat


class DatasetOptions(LogOptions, WritingOptions, total=False):
    """Options of functions that write a dataset."""

    base_format: RdfFormat
    options: RdfOptions | None
    namespaces: bool | dict[str, str] | None
    stream_name: str | None
    physical_type: str | None
    logical_type: str | None


class _PatchWritingOptions(WritingOptions, total=False):
    options: PatchOptions | None
    statement_type: str | None
    stream_type: str | None
    abbreviate: bool


class PatchingOptions(LogOptions, _PatchWritingOptions, total=False):
    """Options of functions that make a patch of others."""

    base_format: RdfFormat


class ComparingOptions(ReadingOptions, _PatchWritingOptions, total=False):
    """Options of functions that make a patch of datasets."""

    old_format: RdfFormat
    new_format: RdfFormat


_GENID = "https://genid.invalid/.well-known/genid/"


def genid(skolemize: bool | str) -> str | None:
    """What IRIs of blank nodes begin with."""
    return (_GENID if skolemize else None) if isinstance(skolemize, bool) else skolemize


def keywords(function: str, allowed: type, options: Any, **more: object) -> dict[str, Any]:
    """The options that were given, checked by name, with ``more`` of them.

    Raises:
        TypeError: There is no such option.
    """
    known = allowed.__optional_keys__  # type: ignore[attr-defined]
    for name in options:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    given = dict(options) | {name: value for name, value in more.items() if value is not None}
    if isinstance(given.get("namespaces"), dict):
        given["namespaces"] = list(given["namespaces"].items())
    return given


def reported(progress: Report | None) -> Callable[[str, int, int], object] | None:
    """The callback in the shape that the native module calls."""
    return None if progress is None else lambda *step: progress(Step(*step))


def refuse_twice(*given: object) -> None:
    """Refuses standard input in two places: the second one would find it empty.

    Raises:
        ValueError: It is.
    """
    each = [source for one in given for source in (one if _is_several(one) else [one])]  # type: ignore[attr-defined]
    if sum(isinstance(source, str) and source == "-" for source in each) > 1:
        raise ValueError("standard input can be read once: - stands in two places")


def sources(patches: Patches) -> list[Any]:
    """The sources of a log, in the order in which they are given.

    Raises:
        ValueError: There is none.
    """
    given = list(patches) if _is_several(patches) else [patches]  # type: ignore[arg-type]
    if not given:
        raise ValueError("there are no patches: give a file, several, or a directory")
    return [place_of(source) for source in given]


def place_of(source: Any) -> Any:
    """Where a log stands, of a :class:`jelly.Log`; else the source itself."""
    return source._source() if hasattr(source, "_source") else source


def _is_several(patches: object) -> bool:
    if isinstance(patches, str | os.PathLike | bytes | bytearray | memoryview):
        return False
    if hasattr(patches, "read"):
        return False
    return isinstance(patches, list | tuple)


def rank_of(names: Iterable[str | None]) -> dict[str | None, int]:
    """The places of sources in the order of a log: first the one without a name."""
    named = _internal.in_order(list({name for name in names if name is not None}))
    return {name: place for place, name in enumerate([None, *named])}
