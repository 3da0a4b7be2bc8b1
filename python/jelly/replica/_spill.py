"""Rows on their way to their buckets: in memory, or in a temporary file if there are many."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from jelly.replica._keys import COLUMNS, places

if TYPE_CHECKING:
    import pyarrow as pa

DELETE, ADD, MOVE = 0, 1, 2
"""Operations on a row; a row that moves was in the table before, in another bucket."""
PARTS = 256
_MEMORY = 48 << 20


class Spill:
    """Rows, grouped by the first byte of their place numbers, in order of arrival."""

    def __init__(self, secret: bytes, memory: int = _MEMORY) -> None:
        self._secret = secret
        self._memory = memory
        self._held: list[pa.RecordBatch] = []
        self._size = 0
        self._runs: list[_Run] = []
        self.counts = [0] * PARTS
        """Rows of each part."""

    def add(self, rows: pa.RecordBatch, ops: pa.Array | int) -> None:
        """Adds rows, with one operation for each or for all."""
        import pyarrow as pa

        if isinstance(ops, int):
            ops = pa.repeat(pa.scalar(ops, pa.int8()), rows.num_rows)
        columns = [rows.column(name) for name in COLUMNS]
        batch = pa.record_batch([places(rows, self._secret), ops, *columns], schema=_schema())
        self._held.append(batch)
        self._size += batch.nbytes
        if self._size >= self._memory:
            self._flush(to_file=True)

    def gather(self) -> None:
        """Makes the added rows readable and counts them; rows that fit into memory stay there."""
        self._flush(to_file=any(run.file is not None for run in self._runs))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for run in self._runs:
            if run.file is not None:
                run.file.close()

    def read(self, first: int, end: int) -> pa.Table:
        """Returns the rows of some parts."""
        import pyarrow as pa

        pieces = [piece for run in self._runs for piece in run.read(first, end)]
        return pa.Table.from_batches(pieces, schema=_schema()).combine_chunks()

    def _flush(self, *, to_file: bool) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self._held:
            return
        rows = pa.Table.from_batches(self._held)
        self._held, self._size = [], 0
        parts = pc.shift_right(rows.column("place"), pa.scalar(8, pa.uint16()))
        found = pc.value_counts(parts)
        counts = dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True))
        rows = rows.take(pc.sort_indices(parts)).combine_chunks()
        batch = rows.to_batches()[0]
        run = _Run(TemporaryBatches() if to_file else None)
        at = 0
        for part in sorted(counts):
            run.add(part, batch.slice(at, counts[part]))
            at += counts[part]
            self.counts[part] += counts[part]
        run.end()
        self._runs.append(run)


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [("place", pa.uint16()), ("op", pa.int8()), *((name, pa.string()) for name in COLUMNS)]
    )


class _Run:
    """Rows that were sorted together."""

    def __init__(self, file: TemporaryBatches | None) -> None:
        self.file = file
        self._parts: list[int] = []
        self._batches: list[pa.RecordBatch] = []

    def add(self, part: int, rows: pa.RecordBatch) -> None:
        self._parts.append(part)
        if self.file is None:
            self._batches.append(rows)
        else:
            self.file.write(rows)

    def end(self) -> None:
        if self.file is not None:
            self.file.end()

    def read(self, first: int, end: int) -> list[pa.RecordBatch]:
        wanted = [place for place, part in enumerate(self._parts) if first <= part < end]
        if self.file is not None:
            return self.file.read(wanted)
        return [self._batches[place] for place in wanted]


class TemporaryBatches:
    """Record batches in an unnamed file, so that a killed process leaves nothing behind."""

    def __init__(self) -> None:
        self._file: BinaryIO = tempfile.TemporaryFile(prefix="jelly-")  # noqa: SIM115
        self._writer: Any = None

    def write(self, rows: pa.RecordBatch) -> None:
        """Writes a batch."""
        import pyarrow as pa

        if self._writer is None:
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writer = pa.ipc.new_file(self._file, rows.schema, options=options)
        self._writer.write_batch(rows)

    def end(self) -> None:
        """Finishes the file after the last batch."""
        self._writer.close()
        self._file.flush()

    def close(self) -> None:
        """Frees the disk space."""
        self._file.close()

    def read(self, numbers: list[int]) -> list[pa.RecordBatch]:
        """Reads batches by their numbers; several threads may read at the same time."""
        import pyarrow as pa

        if not numbers:
            return []
        with pa.PythonFile(_Apart(self._file), "r") as file:
            reader = pa.ipc.open_file(file)
            return [reader.get_batch(number) for number in numbers]


class _Apart:
    """A separate read position in a file that other threads also read."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._handle = file.fileno()
        self._end = os.fstat(self._handle).st_size
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        size = self._end - self._at if size < 0 else size
        data = os.pread(self._handle, size, self._at)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._end)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True
