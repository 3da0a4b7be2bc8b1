"""Rewrites buckets."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jelly.replica._data_file import opened, table_writer
from jelly.replica._keys import BITS, COLUMNS, children, keys, places, schema, span
from jelly.replica._spill import ADD, MOVE
from jelly.replica._state import DataFile, Files

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 65_536
GROUP = 8_192
"""Rows per row group: a commit reads one to find the rows of a subject."""
_HELD = 262_144
_REPEATED = ["subject", "predicate", "graph"]


@dataclass
class Rewritten:
    """The result of rewriting some buckets."""

    gone: list[str] = field(default_factory=list)
    """Buckets whose files were replaced, or which were replaced by other buckets."""
    files: list[tuple[str, DataFile]] = field(default_factory=list)
    """New files, each with its bucket."""
    added: int = 0
    deleted: int = 0


@dataclass(frozen=True)
class Unit:
    """Buckets that are written by one task."""

    buckets: list[tuple[str, list[DataFile]]]
    first: int
    """First part of the spilled changes."""
    end: int
    deleted: Mapping[str, Sequence[int]]
    """Rows of the files that were deleted after the files were written, by path."""


@dataclass(frozen=True)
class Rewrite:
    """Writes the buckets of a unit with their changes."""

    files: Files
    secret: bytes
    bucket_rows: int
    attempt: str

    def __call__(self, unit: Unit, rows: pa.Table) -> Rewritten:
        """Writes the buckets; their files are not visible before the commit."""
        import pyarrow.compute as pc

        done = Rewritten()
        is_change = pc.not_equal(rows.column("op"), MOVE)
        moves, changes = rows.filter(pc.invert(is_change)), rows.filter(is_change)
        changes = last_changes(changes, keys(changes, self.secret))
        for code, files in unit.buckets:
            moved, changed = moves, changes
            if len(unit.buckets) > 1:
                moved, changed = _inside(moves, code), _inside(changes, code)
            if moved.num_rows or changed.num_rows or any(file.path in unit.deleted for file in files):  # fmt: skip
                self._bucket(code, files, unit.deleted, moved, changed, done)
        return done

    def _bucket(
        self,
        code: str,
        files: list[DataFile],
        gone: Mapping[str, Sequence[int]],
        moves: pa.Table,
        changes: pa.Table,
        done: Rewritten,
    ) -> None:
        import pyarrow.compute as pc

        is_add = pc.equal(changes.column("op"), ADD)
        new = changes.filter(is_add)
        changed = changes.column("key").combine_chunks()
        deletes = changes.filter(pc.invert(is_add)).column("key").combine_chunks()
        codes = self._codes(code, sum(file.rows for file in files) + moves.num_rows + new.num_rows)
        dropped: list[pa.RecordBatch] = []
        deleted = replaced = 0
        with ExitStack() as stack:
            writers = _Writers(self, codes, stack)
            for batch in self._read(files, gone, moves):
                found = keys(batch, self.secret)
                hit = pc.is_in(found, value_set=changed)
                if pc.any(hit).as_py():
                    dropped.append(batch.filter(hit))
                    ended = count(pc.is_in(found.filter(hit), value_set=deletes))
                    deleted, replaced = deleted + ended, replaced + dropped[-1].num_rows - ended
                    batch = batch.filter(pc.invert(hit))
                writers.keep(batch)
            added = new.num_rows - replaced
            is_read = moves.num_rows or any(file.path in gone for file in files)
            if not (writers.begun or added or deleted or is_read) and _same(dropped, new):
                return
            for batch in new.select([*COLUMNS, "place"]).to_batches():
                writers.keep(batch)
            writers.write_kept()
        done.gone.append(code)
        done.files += writers.files()
        done.added += added
        done.deleted += deleted

    def _codes(self, code: str, rows: int) -> list[str]:
        bits = len(code)
        if rows > 2 * self.bucket_rows:
            bits = min(BITS, bits + ((rows - 1) // self.bucket_rows).bit_length())
        return children(code, bits)

    def _read(
        self, files: list[DataFile], gone: Mapping[str, Sequence[int]], moves: pa.Table
    ) -> Iterator[pa.RecordBatch]:
        for file in files:
            yield from read_file(self.files, file, gone.get(file.path, ()))
        yield from moves.select(COLUMNS).to_batches(_BATCH)


def _inside(rows: pa.Table, code: str) -> pa.Table:
    """Returns the rows of a bucket."""
    import pyarrow.compute as pc

    first, end = span(code)
    place = rows.column("place")
    return rows.filter(pc.and_(pc.greater_equal(place, first), pc.less(place, end)))


def read_file(
    files: Files, file: DataFile, deleted: Sequence[int] = ()
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a file, without the rows with the given numbers."""
    import pyarrow as pa

    wanted, first = schema(), 0
    stays = bytearray(b"\1") * (file.rows if deleted else 0)
    for row in deleted:
        stays[row] = 0
    # filtering dictionary codes is faster than filtering texts
    codes = _REPEATED if deleted else None
    with opened(files, file, read_dictionary=codes) as parquet:
        for batch in parquet.iter_batches(_BATCH, columns=list(COLUMNS), use_threads=False):
            if deleted:
                at, first = first, first + batch.num_rows
                stay = pa.py_buffer(memoryview(stays)[at:first])
                batch = batch.filter(pa.Array.from_buffers(pa.uint8(), len(stay), [None, stay]).cast(pa.bool_()))  # fmt: skip
            if batch.schema != wanted:
                columns = [batch.column(name).cast(pa.string()) for name in COLUMNS]
                batch = pa.record_batch(columns, schema=wanted)
            yield batch


def last_changes(changes: pa.Table, found: pa.Array) -> pa.Table:
    """Returns the last change of each quad, with its key."""
    import pyarrow as pa
    import pyarrow.compute as pc

    changes = changes.append_column("key", found)
    if pc.count_distinct(found).as_py() == len(found):
        return changes
    numbered = pa.table({"key": found, "at": pa.array(range(len(found)), pa.int64())})
    last = numbered.group_by("key").aggregate([("at", "max")]).column("at_max")
    return changes.take(last.take(pc.sort_indices(last)))


def _same(old: list[pa.RecordBatch], new: pa.Table) -> bool:
    """Returns whether rows are spelled like the rows that they replace."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not new.num_rows:
        return True
    before = texts(pa.Table.from_batches(old)).combine_chunks()
    return bool(pc.all(pc.is_in(texts(new), value_set=before)).as_py())


def texts(rows: pa.Table) -> pa.ChunkedArray:
    """Returns one text for each quad, in its spelling."""
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*(rows.column(name) for name in COLUMNS), "\n")


def count(mask: Any) -> int:
    """Returns the number of true values."""
    import pyarrow.compute as pc

    return int(pc.sum(mask).as_py() or 0)


class _Writers:
    """Writes a new file for each bucket that gets rows."""

    def __init__(self, rewrite: Rewrite, codes: list[str], stack: ExitStack) -> None:
        self._rewrite = rewrite
        self._codes = codes
        self._stack = stack
        self._kept: list[pa.RecordBatch] = []
        self._open: dict[str, tuple[str, Any]] = {}
        self._rows: dict[str, int] = {}

    @property
    def begun(self) -> bool:
        """Whether a file was begun."""
        return bool(self._open)

    def keep(self, rows: pa.RecordBatch) -> None:
        """Buffers rows, with or without place numbers; writes them when there are many, or in :meth:`write_kept`."""
        if len(self._codes) == 1:
            rows = rows.select(COLUMNS)
        elif "place" not in rows.schema.names:
            rows = rows.append_column("place", places(rows, self._rewrite.secret))
        self._kept.append(rows)
        if sum(batch.num_rows for batch in self._kept) > _HELD:
            self.write_kept()

    def write_kept(self) -> None:
        """Writes the buffered rows ordered by subject, so that the rows of a subject are in few row groups."""
        import pyarrow as pa

        kept, self._kept = [batch for batch in self._kept if batch.num_rows], []
        if not kept:
            return
        rows = pa.Table.from_batches(kept).combine_chunks().sort_by("subject")
        if len(self._codes) == 1:
            self._write(self._codes[0], rows)
            return
        for code in self._codes:
            self._write(code, _inside(rows, code))

    def _write(self, code: str, rows: pa.Table) -> None:
        if not rows.num_rows:
            return
        if code not in self._open:
            rewrite = self._rewrite
            # if Spark runs a task twice, each run must write its own file
            path = rewrite.files.name(code, f"{rewrite.attempt}-{secrets.token_hex(4)}")
            file = self._stack.enter_context(rewrite.files.create(path))
            writer = table_writer(file, schema())
            self._open[code] = path, self._stack.enter_context(writer)
            self._rows[code] = 0
        self._open[code][1].write_table(rows.select(COLUMNS).cast(schema()), row_group_size=GROUP)
        self._rows[code] += rows.num_rows

    def files(self) -> list[tuple[str, DataFile]]:
        """Returns the written files, after they were closed."""
        made = []
        for code, (path, _) in self._open.items():
            made.append((code, DataFile(path, self._rows[code], self._rewrite.files.keep(path))))
        return made
