"""Patches of several files as one stream.

Files of this library's writer, as logs store them, can be concatenated to one stream. Files of other writers cannot:
readers would look up their names in the lookup tables of the file before. So these files are written again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from jelly import _internal
from jelly._readers import read_patch
from jelly._writers import PatchWriter
from jelly.log._patch import ROW
from jelly.types import PatchFormat, Source

# number of bytes that show which writer made a file
_START = 128
_PIECE = 1 << 18


def is_part(path: Path) -> bool:
    """Returns whether a file is Jelly-Patch of this library's writer, as logs store it."""
    with path.open("rb", buffering=0) as file:
        return _internal.is_part(file.read(_START))


def parts(files: Iterable[Path]) -> Iterator[bytes]:
    """Yields the patches of files of any format as one stream of Jelly-Patch."""
    for as_stored, some in groupby(files, is_part):
        read = partial(map, Path.read_bytes) if as_stored else _anew
        yield from read(some)


def stored_parts(patches: Iterable[bytes], format: PatchFormat) -> Iterator[bytes]:
    """Like :func:`parts`, for the bytes of files."""
    for data in patches:
        if _internal.is_part(data[:_START]):
            yield data
        else:
            yield from _anew([data], format)


def joined(sources: Iterable[Source], out: Any, to: Any, format: PatchFormat = "auto") -> None:
    """Writes patches one after the other, as one stream."""
    with PatchWriter(out, format=to) as writer:
        for source in sources:
            with closing(read_patch(source, columns=ROW, format=format)) as reader:
                writer.write(reader)


def _anew(sources: Iterable[Source], format: PatchFormat = "auto") -> Iterator[bytes]:
    with tempfile.TemporaryFile() as spool:
        joined(sources, spool, "jelly-patch", format)
        spool.seek(0)
        yield from iter(lambda: spool.read(_PIECE), b"")
