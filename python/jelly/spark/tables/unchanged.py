"""Whether the files of a log are still what they were when the log was looked at.

A function such as :func:`apply` learns the patches and outcomes of a log when it is called; its result reads the log
again. Between the two a file must not change, or rows of one state would be taken by the outcomes of another.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jelly.errors import PatchError
from jelly.spark.tables.udf import vectorized

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

COLUMNS = "_size bigint, _modified bigint"


class Stamp(NamedTuple):
    """What tells a file from another state of it."""

    size: int | None
    """Bytes; None: the source is no file that the workers see by its path."""
    modified: int | None
    """Nanoseconds since 1970."""


def stamp() -> Column:
    """The stamp of the file that the column ``source`` names, as a worker sees it."""
    return vectorized(_stamps, "array<bigint>")("source")


def require_settled(stamps: Iterable[tuple[str | None, Stamp]], began: int) -> None:
    """Refuses files that changed while they were looked at.

    Args:
        stamps: Sources, and what they were afterwards.
        began: When it began, in nanoseconds since 1970.

    Raises:
        PatchError: There is one.
    """
    now = time.time_ns()
    for source, one in stamps:
        if one.modified is not None and began <= one.modified <= now:
            raise _changed(source)


def unchanged(places: DataFrame) -> DataFrame:
    """The same rows, of the columns ``_source``, ``_size``, ``_modified`` and others.

    A file that has another stamp by the time of the query fails it.
    """
    check = vectorized(_are_unchanged, "boolean")
    return places.where(check("_source", "_size", "_modified"))


def are_unchanged(stamps: Mapping[str | None, Stamp]) -> Column:
    """True in each row; a row of a file that has another stamp by the time of the query fails it."""
    return vectorized(_Unchanged(dict(stamps)), "boolean")("source")


def stamp_of(source: str | None) -> Stamp:
    """The stamp of a local file, as it is now."""
    from jelly._inputs import local_path

    with suppress(OSError, ValueError):
        if source is not None and "://" not in source.removeprefix("file://"):
            path = Path(local_path(source))
            if path.is_file():
                found = path.stat()
                return Stamp(found.st_size, found.st_mtime_ns)
    return Stamp(None, None)


def _stamps(sources: pa.Array) -> pa.Array:
    import pyarrow as pa

    known: dict[str | None, Stamp] = {}
    texts = sources.to_pylist()
    found = [known.setdefault(text, known.get(text) or stamp_of(text)) for text in texts]
    return pa.array([list(one) for one in found], pa.list_(pa.int64()))


def _are_unchanged(sources: pa.Array, sizes: pa.Array, times: pa.Array) -> pa.Array:
    columns = (sources.to_pylist(), sizes.to_pylist(), times.to_pylist())
    known = {source: Stamp(*was) for source, *was in zip(*columns, strict=True)}
    return _Unchanged(known)(sources)


class _Unchanged:
    def __init__(self, stamps: dict[str | None, Stamp]) -> None:
        self._stamps = stamps

    def __call__(self, sources: pa.Array) -> pa.Array:
        import pyarrow as pa

        for source in sources.unique().to_pylist():
            was = self._stamps.get(source)
            if was is not None and was.size is not None and stamp_of(source) != was:
                raise _changed(source)
        return pa.repeat(pa.scalar(True), len(sources))


def _changed(source: str | None) -> PatchError:
    message = (
        "patch.changed: this file of the log is not what it was when the function was called; call it again once the "
        f"file is complete, or cache the log before ({source})"
    )
    return PatchError(message, kind="patch.changed", source=source)
