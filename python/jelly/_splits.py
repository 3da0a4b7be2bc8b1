"""``index`` and ``splits``: parts of a file that can be read in parallel."""

from __future__ import annotations

import os
from typing import Unpack

from jelly import _internal
from jelly._option_table import refuse_unknown, takes
from jelly._option_types import IndexOptions, SplitOptions
from jelly.types import Source, Split

__all__ = ["index", "splits"]


@takes("splits")
def splits(
    source: Source,
    *,
    split_bytes: int = 64 << 20,
    whole_patches: bool = False,
    **options: Unpack[SplitOptions],
) -> list[Split]:
    """Splits a file into parts for ``read_rdf(source, split=...)`` and ``read_patch(source, split=...)``.

    Together, the parts return the same rows as the file, with the same numbers, the same implied marks at the end,
    and errors with the same line numbers; each part can be read by itself, in any process that can open the file.

    Jelly is split at the sync points of its footer, or of its sidecar if the source is a path. N-Triples, N-Quads and
    RDF Patch text are split between lines, after one quick scan of the bytes.
    zstd needs a seek table. Anything else (gzip, Turtle, RDF Patch v1, Thrift, Jelly without an
    index) is one part.

    Args:
        source: A path, a binary file object that can seek (read from its first byte on), or bytes.
        split_bytes: Approximate maximum size of a part in uncompressed bytes. Parts of Jelly are larger if its sync
            points are further apart.
        whole_patches: Never split a patch, so that the parts can be read with ``rows="committed"``.
        **options: See ``docs/options.md``; the same as for reading the file.

    Returns:
        The parts in the order of the file; at least one. Reading a part after the file changed is an ``OSError``:
        another size, another modification time, other bytes at the beginning of a part of text, another number of
        rows. If a sidecar was used, the bytes are compared instead of the time, so a copy of the file can be read
        with its splits.

    Raises:
        OSError: The source cannot be opened or read.
        ValueError: The source can be read only once, or an option has a value that does not exist.
        TypeError: The source or an option has the wrong type.
    """
    if split_bytes < 1:
        raise ValueError(f"split_bytes is {split_bytes}; it must be at least 1")
    refuse_unknown("splits", options, "splits")
    found, packed, parts = _internal.splits(source, split_bytes, whole_patches, dict(options))
    return [
        Split(start=start, end=end, rows=rows, format=found, compression=packed, state=state)
        for start, end, rows, state in parts
    ]


@takes("index")
def index(path: str | os.PathLike[str], **options: Unpack[IndexOptions]) -> tuple[str, int]:
    """Writes the sidecar of a Jelly file that has no footer, so that it can be read in parts.

    Decodes the file once and stores snapshots of the decoder at regular distances, in ``.NAME.jellyindex`` beside it.
    If the file grows, the sidecar is used for the old part; after any other change it is not used: size, times and
    inode are compared and, if they differ, the checksum of all bytes. zstd files need a seek table; gzip files cannot
    be read from the middle.

    Args:
        path: The file.
        **options: See ``docs/options.md``; the same as for reading the file.

    Returns:
        The path of the sidecar and the number of sync points.

    Raises:
        OSError: The file cannot be read, or the sidecar not written.
        DecodeError: The file has an error; no sidecar is written.
        ValueError: The file cannot be read from the middle.
    """
    sidecar, points = _internal.index(path, dict(options))
    return str(sidecar), points
