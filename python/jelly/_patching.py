"""What the functions that give patches a meaning have in common: sources, options, progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from inspect import GEN_CLOSED, getgeneratorstate
from stat import S_ISFIFO, S_ISSOCK
from types import GeneratorType
from typing import Any, NamedTuple, Protocol, TypeAlias

from jelly._http import Address, is_address
from jelly._log_patches import patches_at
from jelly._option_table import refuse_unknown
from jelly._whole_file import local_path
from jelly.types import Source


class Standing(Protocol):
    """A log that stands somewhere: :class:`jelly.Log`."""

    def _source(self) -> Any: ...


Patches: TypeAlias = Source | Standing | Iterable[Source | Standing]
"""One source of patches, several, a directory of them, or a log."""


class Step(NamedTuple):
    """Progress of a long operation.

    Attributes:
        phase: The current step, such as ``reading the base``.
        rows: Rows that this phase has read or written.
        bytes: Bytes that this phase has read, without compression.
    """

    phase: str
    rows: int
    bytes: int


Report: TypeAlias = Callable[[Step], object]


_GENID = "https://genid.invalid/.well-known/genid/"


def genid(skolemize: bool | str) -> str | None:
    """What IRIs of blank nodes begin with."""
    return (_GENID if skolemize else None) if isinstance(skolemize, bool) else skolemize


def keywords(function: str, options: Any, *doors: str, **more: object) -> dict[str, Any]:
    """The options that were given, checked by name, with ``more`` of them.

    Raises:
        TypeError: There is no such option.
    """
    refuse_unknown(function, options, *doors)
    return {**options, **more}


def reported(progress: Report | None) -> Callable[[str, int, int], object] | None:
    """The callback in the shape that the native module calls."""
    return None if progress is None else lambda *step: progress(Step(*step))


def require_versions(function: str, *versions: object) -> None:
    """Rejects ``None`` in the place of a version, which would otherwise be taken as an end of the log.

    Raises:
        TypeError: A version is ``None``.
    """
    if None in versions:
        raise TypeError(f"{function}() needs a version, not None: a number, or the id of a patch; apply() goes to the last version")  # fmt: skip


def refuse_twice(*given: object) -> None:
    """Rejects a source that can be read once and stands in two places, or was read before.

    Standard input, another pipe, a file object or an iterator has nothing left then, which reads as an empty
    dataset or log.

    Raises:
        ValueError: There is one.
    """
    each = [source for one in given for source in (one if _is_several(one) else [one])]  # type: ignore[attr-defined]
    if sum(isinstance(source, str) and source == "-" for source in each) > 1:
        raise ValueError("standard input can be read only once, but - is given twice")
    pipes = [pipe for pipe in map(pipe_of, each) if pipe]
    if len({*pipes}) < len(pipes):
        raise ValueError("a pipe can be read only once, but the same pipe is given twice")
    once = [source for source in each if hasattr(source, "read") or isinstance(source, Iterator)]
    if len({id(source) for source in once}) < len(once):
        raise ValueError(
            "a file object or iterator can be read only once, but the same one is given twice"
        )
    if any(map(_is_spent, once)):
        raise ValueError("a file object or iterator has no bytes left: it was already read")


def pipe_of(source: object) -> tuple[int, int] | None:
    """Device and inode of the pipe that a path names, such as ``/dev/stdin`` or ``-``; None: it names none.

    What was read from a pipe is gone: whoever opens the path again finds it empty.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    with suppress(OSError, ValueError):
        stat = os.fstat(0) if source == "-" else local_path(source).stat()
        if S_ISFIFO(stat.st_mode) or S_ISSOCK(stat.st_mode):
            return stat.st_dev, stat.st_ino
    return None


def _is_spent(source: Any) -> bool:
    if isinstance(source, GeneratorType):
        return getgeneratorstate(source) == GEN_CLOSED
    with suppress(AttributeError, OSError, ValueError):
        if (at := source.tell()) > 0 and source.seekable():
            end = source.seek(0, os.SEEK_END)
            source.seek(at)
            return bool(at >= end)
    return False


def sources(patches: Patches) -> list[Any]:
    """The sources of a log, in the order in which they are given.

    Raises:
        ValueError: There is none.
    """
    given = list(patches) if _is_several(patches) else [patches]  # type: ignore[arg-type]
    if not given:
        raise ValueError("there are no patches: give one or more files, or a folder")
    return [place_of(source) for source in given]


def place_of(source: Any) -> Any:
    """What can be read of a :class:`jelly.Log`, or of the address of one; else the source itself."""
    if is_address(source):
        return patches_at(Address.of_log(source, None))
    return source._source() if hasattr(source, "_source") else source


def _is_several(patches: object) -> bool:
    if isinstance(patches, str | os.PathLike | bytes | bytearray | memoryview):
        return False
    if hasattr(patches, "read"):
        return False
    return isinstance(patches, list | tuple)
