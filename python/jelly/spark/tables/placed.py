"""The rows of a log that count, with their versions and keys: the work of Spark's workers."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from jelly import _internal
from jelly.errors import JellyError
from jelly.spark.tables.keys import Pattern, log_keys
from jelly.spark.tables.outcomes import packed
from jelly.spark.tables.terms import QUAD
from jelly.spark.tables.unchanged import Stamp, require_unchanged

if TYPE_CHECKING:
    import pyarrow as pa


class Version(NamedTuple):
    """A patch that counts."""

    number: int
    source: str | None
    patch: int
    dropped: Sequence[int]
    """Transactions that do not count."""
    timestamp: datetime | None


class LogRows:
    """Selects the rows of some versions that count; query plans show the name of this class.

    The input has ``source``, ``patch``, ``txn``, ``seq``, ``op``, the columns of a quad and optionally ``name``,
    ``value`` and ``timestamp``. The output has ``op``, ``seq``, the columns of a quad, ``name`` and ``value`` if they
    are in the input, ``_commit_version``, ``_commit_timestamp`` and ``_key`` (null in rows of prefixes).
    """

    def __init__(
        self,
        versions: Sequence[Version],
        stamps: Mapping[str | None, Stamp],
        secret: bytes,
        pattern: Pattern | None,
        *,
        quads: bool,
    ) -> None:
        """Takes the known patches.

        Args:
            versions: The patches in the order of their numbers, without gaps.
            stamps: The expected states of files; the query fails on a row of another state.
            secret: The secret of the keys.
            pattern: Return only rows with these terms; other rows are checked too.
            quads: Whether the rows are quads, or prefixes.
        """
        self._versions = versions
        self._stamps = stamps
        self._secret = secret
        self._pattern = pattern
        self._quads = quads

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yields the rows of one partition."""
        import pyarrow as pa

        from jelly.spark._of_task import number_of_task

        if number_of_task() == 0:
            # a file may have lost all its rows
            require_unchanged(self._stamps, self._stamps)
        known = [(one.source, one.patch, one.number, list(one.dropped)) for one in self._versions]
        places = _internal.LogPlaces(known)
        first = self._versions[0].number if self._versions else 0
        times = pa.array([one.timestamp for one in self._versions], pa.timestamp("us", "UTC"))
        for batch in batches:
            if self._stamps:
                require_unchanged(self._stamps, batch["source"].unique().to_pylist())
            yield self._counted(batch, places, first, times)

    def _counted(
        self, batch: pa.RecordBatch, places: _internal.LogPlaces, first: int, times: pa.Array
    ) -> pa.RecordBatch:
        import pyarrow as pa
        import pyarrow.compute as pc

        found = places.versions(batch.select(["source", "patch", "txn"]))
        versions = pa.record_batch(found).column(0)
        if versions.null_count:
            counts = versions.is_valid()
            batch, versions = batch.filter(counts), versions.filter(counts)
        when = times.take(pc.subtract(versions, first))
        if "timestamp" in batch.schema.names:
            when = pc.coalesce(when, batch["timestamp"].cast(when.type))
        rows = batch.append_column("_commit_version", versions)
        rows = rows.append_column("_commit_timestamp", when)
        rows = rows.append_column("_key", log_keys(rows, self._secret, quads=self._quads))
        if self._pattern is not None:
            rows = self._pattern.chosen(rows, self._secret, "any")
        dropped = ("source", "patch", "txn", "timestamp")
        return rows.select([name for name in rows.schema.names if name not in dropped])


class PackedLogRows:
    """The same rows for the driver, in a form that Spark does not parse: a column of Arrow streams.

    For rows that delete, only the key is included.
    """

    DDL = "rows binary, refused binary"

    def __init__(self, rows: LogRows) -> None:
        self._rows = rows

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yields the rows of one partition."""
        import pyarrow as pa

        try:
            for rows in self._rows(batches):
                if rows.num_rows:
                    yield pa.record_batch([[packed(needed_of(rows))], [None]], schema=_cells())
        except JellyError as error:
            # so that the driver raises this error, and not Spark's message about a worker
            yield pa.record_batch([[None], [pickle.dumps(error)]], schema=_cells())


def _cells() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([("rows", pa.binary()), ("refused", pa.binary())])


def needed_of(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Returns the part of the rows of :class:`LogRows` that the driver needs, in the form of :func:`unpacked`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    adds, none = pc.equal(rows["op"], "A"), pa.scalar(None, pa.string())
    terms = {name: pc.if_else(adds, rows[name].cast(pa.string()), none) for name in QUAD}
    numbers = {name: rows[name] for name in ("_commit_version", "seq", "_key")}
    return pa.record_batch(numbers | {"adds": adds} | terms)


def unpacked(cells: pa.Table) -> pa.Table:
    """Decodes the rows of a column of Arrow streams.

    Columns: ``_commit_version``, ``seq``, ``_key``, ``adds`` and those of a quad.

    Raises:
        JellyError: A worker rejected a row.
    """
    import pyarrow as pa

    for cell in cells["refused"].drop_null():
        raise pickle.loads(cell.as_py())

    streams = (pa.ipc.open_stream(cell.as_buffer()) for cell in cells["rows"].drop_null())
    return table_of(batch for stream in streams for batch in stream)


def table_of(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """Returns batches of :func:`needed_of` as a table."""
    import pyarrow as pa

    numbers = {"_commit_version": pa.int64(), "seq": pa.int64(), "_key": pa.binary()}
    terms = dict.fromkeys(QUAD, pa.string())
    schema = pa.schema(numbers | {"adds": pa.bool_()} | terms)
    return pa.Table.from_batches(list(batches), schema)
