"""``index`` and ``splits``: parts of a file that can be read side by side."""

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
    """Cuts a file into parts for ``read_rdf(source, split=...)`` and ``read_patch(source, split=...)``.

    Read one after the other, the parts give the rows of the file with the same numbers, the same
    marks that its end implies, and errors with the same line; each part can be read by itself, in
    any process that can open the file.

    Jelly is cut at the sync points of its footer, or of its sidecar where the source is a path.
    N-Triples, N-Quads and RDF Patch text are cut between lines, after one quick walk over the bytes.
    zstd needs a seek table. Anything else (gzip, Turtle, RDF Patch v1, Thrift, Jelly without an
    index) is one part.

    Args:
        source: A path, a binary file object that can seek (read from its first byte on), or bytes.
        split_bytes: About how many bytes a part may have, uncompressed. Parts of Jelly are longer
            where its sync points are further apart.
        whole_patches: Cut no patch, so that the parts can be read with ``rows="committed"``.
        **options: See ``docs/options.md``; as the file will be read.

    Returns:
        The parts in the order of the file; one at least. A part that is read after the file changed
        is an ``OSError``: another size, another time of modification, other bytes where a part of
        text begins, another number of rows. Where a sidecar was used, the bytes decide instead of
        the time, so that a copy of the file can be read with its splits.

    Raises:
        OSError: The source cannot be opened or read.
        ValueError: The source can be read only once, or an option has a value that does not exist.
        TypeError: The source or an option is of the wrong type.
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
    """Makes the sidecar of a Jelly file that has no footer, so that it can be read in parts.

    Decodes the file once and keeps a snapshot of the decoder every so many bytes, in ``.NAME.jellyindex``
    beside it. A file that grew uses it for its old part; after any other change it is not used: size, times and
    inode are compared, and where they differ the checksum of all bytes. zstd files need a seek table; gzip cannot
    be entered in the middle.

    Args:
        path: The file.
        **options: See ``docs/options.md``; as the file will be read.

    Returns:
        The path of the sidecar and the number of sync points.

    Raises:
        OSError: The file cannot be read, or the sidecar not written.
        DecodeError: The file is not as it should be; there is no sidecar then.
        ValueError: The file cannot be entered in the middle.
    """
    sidecar, points = _internal.index(path, dict(options))
    return str(sidecar), points
