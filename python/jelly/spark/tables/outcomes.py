"""Outcomes of the patches of a log: headers and transactions, collected by Spark's workers in one pass."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly import _internal
from jelly._times import of_term
from jelly.errors import EncodeError, JellyError
from jelly.spark.tables.terms import QUAD, log_columns
from jelly.spark.tables.unchanged import Stamp, changed, stamp_of
from jelly.spark.whole import is_whole, not_whole, without_begin

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_OPS = ("H", "PA", "PD", "A", "D", "TX", "TC", "TA", "Z")
_CELL = 10_000  # number of patches sent to the driver together
_CHANGE = ["source", "patch", "txn", "seq", "op", *QUAD]
# number of tasks whose changes the driver accepts, and maximum bytes of each
_FIRST, _MOST_OF_FIRST = 2, 144 << 20
_OTHERS, _MOST_OF_OTHERS = 64, 1 << 20


class Outcome(NamedTuple):
    """A patch, and the outcomes of its transactions."""

    source: str | None
    patch: int
    headers: list[tuple[str, str]]
    """Keys in lower case, and values."""
    unfinished: list[int]
    """Transactions that are neither committed nor aborted."""
    aborted: list[int]
    is_stray: bool
    """Whether a row ends a transaction that did not begin."""
    counts: bool
    """Whether any row is committed, or outside of transactions."""
    net: int
    """Number of ``A`` rows minus number of ``D`` rows."""
    changes: int
    """Number of ``A`` and ``D`` rows, including rows that do not count."""
    stamp: Stamp
    """The stamp of its file."""
    bytes: int
    """Approximate number of bytes of the terms of these rows."""
    names_nodes: bool
    """Whether rows that count have blank nodes."""

    @property
    def dropped(self) -> list[int]:
        """Transactions that do not count."""
        return [*self.aborted, *self.unfinished]

    @property
    def timestamp(self) -> datetime | None:
        """The time in the header ``timestamp``."""
        term = dict(self.headers).get("timestamp")
        return None if term is None else of_term(term)


class Outcomes(NamedTuple):
    """The result of the job that reads a log."""

    patches: list[Outcome]
    """The patches, in any order."""
    by_content: bool
    """Whether rows that change quads have content labels."""
    changes: list[pa.RecordBatch] | None
    """The rows that change quads, with ``source``, ``patch``, ``txn``, ``seq``, ``op`` and the columns of a quad.

    None if there are too many rows, or if they were not requested.
    """


def outcomes_of(df: DataFrame, *, collects: bool = False) -> Outcomes:
    """Returns the patches of a log; one job.

    Args:
        df: The log.
        collects: Whether the driver also takes the rows that change quads, if they are few.

    Raises:
        EncodeError: An ``op`` is unknown.
        PatchError: A file changed during the job.
        ValueError: Rows are missing.
    """
    rows = df.select(*log_columns(), "name", "value")
    cells = rows.mapInArrow(_PatchOutcomes(collects=collects), "parts binary, changes binary").toArrow()  # fmt: skip
    gathered = _internal.GatheredPatches()
    stamps: dict[str | None, Stamp] = {}
    by_content = False
    for cell in cells["parts"].drop_null():
        found = pickle.loads(cell.as_py())
        if isinstance(found, JellyError):
            raise found
        parts, seen, is_content = found
        by_content |= is_content
        gathered.merge(parts)
        for source, stamp in seen.items():
            if stamps.setdefault(source, stamp) != stamp:
                raise changed(source)
    patches = gathered.outcomes()
    outcomes = [_outcome(patch, stamps[patch[0][0]]) for patch in patches]
    _require_begins(patches)
    changes = _batches_of(cells["changes"].drop_null()) if collects else None
    return Outcomes(outcomes, by_content, changes)


class _PatchOutcomes:
    """Collects the outcomes of the rows of a partition; query plans show the name of this class."""

    def __init__(self, *, collects: bool) -> None:
        self._most = (_MOST_OF_FIRST, _MOST_OF_OTHERS) if collects else (None, None)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        gathered = _internal.GatheredPatches()
        found: list[Any] = []
        left = self._bytes()
        try:
            for batch in batches:
                gathered.push(batch)
                if left is None:
                    continue
                changes = batch.select(_CHANGE).filter(pc.is_in(batch["op"], pa.array(["A", "D"])))
                left -= changes.nbytes
                if left < 0:
                    left = None
                yield _cell(changes=b"" if left is None else packed(changes))
        except JellyError as error:
            found.append(error)
        else:
            parts = gathered.parts()
            stamps = {source: stamp_of(source) for source in {part[0][0] for part in parts}}
            for first in range(0, len(parts), _CELL):
                some = parts[first : first + _CELL]
                seen = {part[0][0]: stamps[part[0][0]] for part in some}
                found.append((some, seen, gathered.has_content_labels))
        for one in found:
            yield _cell(parts=pickle.dumps(one))

    def _bytes(self) -> int | None:
        """Returns the maximum bytes of changes that this task sends; their sum is the maximum of the driver."""
        from jelly.spark._of_task import number_of_task

        (first, others), place = self._most, number_of_task()
        if first is None or place < _FIRST:
            return first
        return others if place < _OTHERS else 0


def _cell(**values: bytes) -> pa.RecordBatch:
    import pyarrow as pa

    cells = {name: pa.array([values.get(name)], pa.binary()) for name in ("parts", "changes")}
    return pa.record_batch(cells)


def packed(rows: pa.RecordBatch) -> bytes:
    """Encodes a batch as a compressed Arrow stream: Spark copies it several times on its way to the driver."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as stream:
        stream.write_batch(rows)
    stream_bytes: bytes = sink.getvalue().to_pybytes()
    return stream_bytes


def _batches_of(cells: pa.ChunkedArray) -> list[pa.RecordBatch] | None:
    """Decodes rows from Arrow streams; None if an empty stream shows that there are too many."""
    import pyarrow as pa

    found = []
    for cell in cells:
        if not len(cell.as_buffer()):
            return None
        found += pa.ipc.open_stream(cell.as_buffer())
    return found


def _outcome(patch: _internal._Gathered, stamp: Stamp) -> Outcome:
    (source, number), headers, (unfinished, aborted), findings, counts, size, texts = patch
    began, own, within, names_nodes = findings
    rows, adds, deletes, begun, committed, ends, stray, loose = counts
    end, strange, places = texts
    whole = is_whole(ends, rows, *(places or (None, None))) and end is not None and end[1] == "Z"
    if not whole or (within and not begun):
        raise not_whole(source, number)
    if strange is not None:
        message = (
            f"encode.row: patch {number} of the source {source!r}: {strange} is not an op; "
            f"expected {', '.join(_OPS)}"
        )
        raise EncodeError(message, kind="encode.row", source=source, field="op")
    if not (began and own):
        raise ValueError(
            f"patch {number} of the source {source!r}: the column 'txn' does not fit the rows TX, "
            "TC and TA; each transaction of a patch has its own number, which all its rows must "
            "have"
        )
    known = [(key, value or "") for key, value in headers]
    return Outcome(
        source, number, known, unfinished, aborted, bool(stray), bool(committed or loose),
        adds - deletes, adds + deletes, stamp, size, names_nodes,
    )  # fmt: skip


def _require_begins(patches: Iterable[_internal._Gathered]) -> None:
    by_source: dict[str | None, list[tuple[int, int, int]]] = {}
    for (source, number), *_, (_, _, seqs) in patches:
        if seqs is not None:
            by_source.setdefault(source, []).append((number, *seqs))
    for source, places in by_source.items():
        if (patch := without_begin(places)) is not None:
            raise not_whole(source, patch)
