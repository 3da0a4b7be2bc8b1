"""What the functions that give patches a meaning have in common: sources, options, progress."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar

from jelly._whole_file import local_path
from jelly.types import Framing, Limits, PatchFormat, PatchOptions, RdfFormat, RdfOptions, Source

_Path = TypeVar("_Path", str, Path)
Patches: TypeAlias = Source | Iterable[Source]
"""One source of patches, several, or a directory of them."""

# Endings that files of patches have in directories, beside those of their formats.
_PATCH_FILES = re.compile(
    r".*\.(jellyp|rdfp|trp)(\.(gz|zst|zstd))?$|.*?[-_.]?\d+(\.(gz|zst|zstd))?$"
)
# A file that had the name before the last dot, until the next one came.
_SHIFTED = re.compile(r"(.+)\.(\d+)(?:\.(?:gz|zst|zstd))?")


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


def sources(patches: Patches, *, chain: str = "check") -> list[Any]:
    """The sources of a log: directories opened, files in the order of their names.

    With ``chain="ignore"`` files stay in the order that was given. A source without a name keeps
    its place.

    Raises:
        ValueError: There is none, or a directory holds no patches.
    """
    given = list(patches) if _is_several(patches) else [patches]  # type: ignore[arg-type]
    found: list[Any] = []
    for source in given:
        folder = local_path(source) if isinstance(source, str | os.PathLike) else None
        if folder is not None and folder.is_dir():
            found += _in_directory(folder)
        else:
            found.append(source)
    if not found:
        raise ValueError("there are no patches: give a file, several, or a directory")
    named = [source for source in found if isinstance(source, str | os.PathLike)]
    if chain != "ignore" and len(named) == len(found):
        found = in_order(found)
    return found


def _is_several(patches: object) -> bool:
    if isinstance(patches, str | os.PathLike | bytes | bytearray | memoryview):
        return False
    if hasattr(patches, "read"):
        return False
    return isinstance(patches, list | tuple)


def _in_directory(folder: Path) -> list[Path]:
    paths = patch_files(folder)
    if not paths:
        raise ValueError(f"{folder}: no patches here, such as patch-0001 or 1.rdfp")
    return paths


def patch_files(folder: Path) -> list[Path]:
    """The files of a directory of patches, in order; a link to nowhere is one, which cannot be read."""
    return in_order(
        path
        for path in folder.iterdir()
        if path.name[0] not in "._"
        and _PATCH_FILES.fullmatch(path.name)
        and (path.is_file() or (path.is_symlink() and not path.exists()))
    )


def in_order(paths: Iterable[_Path]) -> list[_Path]:
    """Paths in the order of their names.

    Where ``log`` is there beside ``log.1`` and ``log.2``, files get other names when a new one
    begins, as logrotate and Jena's policy ``shift`` have it: the highest number is the oldest.
    """
    listed = list(paths)
    names = {os.fsdecode(path) for path in listed}

    def age(path: _Path) -> tuple[Any, ...]:
        name = os.fsdecode(path)
        shifted = _SHIFTED.fullmatch(name)
        if shifted and shifted[1] in names:
            return natural(shifted[1]), -int(shifted[2])
        return natural(name), 1

    return sorted(listed, key=age)


def rank_of(names: Iterable[str | None]) -> dict[str | None, int]:
    """The places of sources in the order of a log: first the one without a name."""
    named = in_order({name for name in names if name is not None})
    return {name: place for place, name in enumerate([None, *named])}


def natural(name: str) -> list[tuple[int, int, str]]:
    """Orders names with numbers in them as people do: ``patch-9`` before ``patch-10``."""
    parts = re.split(r"(\d+)", name)
    return [(1, int(part), part) if part.isdecimal() else (0, 0, part) for part in parts if part]
