"""Checks that all rows of a patch exist, for logs in tables and for micro-batches that a replica applies."""

from __future__ import annotations

from collections.abc import Iterable


def is_whole(ends: int, rows: int, first: int | None, last: int | None) -> bool:
    """Returns whether a patch has one ``Z`` row, and each ``seq`` between its first and its last row once.

    Args:
        ends: Number of ``Z`` rows.
        rows: Number of rows.
        first: The smallest ``seq``.
        last: The largest ``seq``.
    """
    return ends == 1 and first is not None and last is not None and last - first + 1 == rows


def without_begin(patches: Iterable[tuple[int, int, int]]) -> int | None:
    """Returns the first patch of a source that lacks its first rows, such as its headers; None if there is none.

    ``seq`` counts the rows of a source from 0, either through all patches or again in each patch. If the patch before
    a patch is missing, the first ``seq`` of the patch is unknown.

    Args:
        patches: Number, smallest ``seq`` and largest ``seq`` of each patch of the source.
    """
    before, end = -1, 0
    for patch, first, last in sorted(patches):
        if patch == before + 1 and first not in (0, end):
            return patch
        before, end = patch, last + 1
    return None


def not_whole(source: str | None, patch: int | None) -> ValueError:
    """Returns the error for a patch with missing or duplicate rows."""
    return ValueError(
        f"patch {patch} of the source {source!r} is incomplete: a log must be read with "
        'rows="all", and each of its rows is needed exactly once'
    )
