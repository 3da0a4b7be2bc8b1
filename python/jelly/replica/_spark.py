"""Work of the Spark workers: they write buckets, and encode micro-batches."""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from jelly.replica._commit import Work
from jelly.replica._keys import COLUMNS
from jelly.replica._rewrite import Rewritten, Unit
from jelly.replica._state import DataFile, State
from jelly.spark._jobs import described
from jelly.spark._session import parallelism

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

# maximum number of bytes of changes in transit
_WAVE = 128 << 20
_GLOB = re.compile(r"[][{}*?\\]")


def dataframe(spark: SparkSession, root: str, state: State) -> DataFrame:
    """Returns the quads of a version as a DataFrame whose files Spark reads itself."""
    from pyspark.sql import functions as F  # noqa: N812

    ddl = ", ".join(f"{name} string" for name in COLUMNS)

    def rows_of(ddl: str, *files: DataFile) -> DataFrame:
        paths = [_GLOB.sub(r"\\\g<0>", f"{root}/{file.path}") for file in files]
        return spark.read.schema(ddl).parquet(*paths)

    if not state.files:
        return spark.createDataFrame([], ddl)
    rows = rows_of(ddl, *state.files)
    if state.deletes is not None:
        gone = F.broadcast(rows_of("file string, row bigint", state.deletes))
        place = [F.col("_metadata.file_name").alias("file"), F.col("_metadata.row_index").alias("row")]  # fmt: skip
        rows = rows.select(*COLUMNS, *place).join(gone, ["file", "row"], "left_anti")
        rows = rows.select(*COLUMNS)
    return rows if state.adds is None else rows.unionByName(rows_of(ddl, state.adds))


@dataclass(frozen=True)
class SparkRunner:
    """Sends units and their changes to workers, which must be able to access the files of the table."""

    spark: SparkSession
    call: str
    """Description of the jobs in the Spark UI."""

    def __call__(
        self, work: Work, units: Iterable[tuple[Unit, Callable[[], pa.Table]]]
    ) -> Iterator[Rewritten]:
        """Works on units in waves."""
        wave: list[tuple[bytes, bytes]] = []
        size = 0
        for unit, read in units:
            wave.append((pickle.dumps(unit), _packed(read())))
            size += len(wave[-1][1])
            if size >= _WAVE:
                yield from self._run(work, wave)
                wave, size = [], 0
        if wave:
            yield from self._run(work, wave)

    def _run(self, work: Work, wave: list[tuple[bytes, bytes]]) -> Iterator[Rewritten]:
        tasks = self.spark.createDataFrame(wave, "unit binary, changes binary")
        # without it there are as many tasks as cores, which is the only request that Spark Connect supports
        if cores := parallelism(self.spark):
            tasks = tasks.repartition(min(len(wave), 4 * cores))
        with described(self.spark, f"{self.call}: writes buckets"):
            found = tasks.mapInArrow(_Task(work), "done binary").collect()
        for row in found:
            yield pickle.loads(row[0])


@dataclass(frozen=True)
class _Task:
    """The work of a worker on units."""

    work: Work

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yields one row for each unit."""
        import pyarrow as pa

        for batch in batches:
            for row in batch.to_pylist():
                done = self.work(pickle.loads(row["unit"]), _unpacked(row["changes"]))
                yield pa.record_batch([pa.array([pickle.dumps(done)], pa.binary())], names=["done"])


def _packed(rows: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as writer:
        writer.write_table(rows)
    return bytes(sink.getvalue())


def _unpacked(data: bytes) -> pa.Table:
    import pyarrow as pa

    return pa.ipc.open_stream(data).read_all().combine_chunks()


def encoded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields the rows of each source in a partition as an encoded stream of patches.

    Each stream comes with its first incomplete patch, and the numbers of patches with and without a ``prev``.
    """
    import pyarrow as pa

    from jelly._writers import PatchWriter
    from jelly.spark.whole import is_whole, without_begin

    for source, pieces in groupby(_by_source(batches), key=itemgetter(0)):
        out = io.BytesIO()
        counts: dict[int, _Counts] = {}
        with PatchWriter(out, compression="zstd") as writer:
            for _, rows in pieces:
                writer.write(rows)
                for patch, found in _counted(rows):
                    counts[patch] = found.plus(counts.get(patch))
        wholes = (
            (patch, (one.ends, one.rows, one.first, one.last)) for patch, one in counts.items()
        )
        cut = next((patch for patch, one in wholes if not is_whole(*one)), None)
        if cut is None:
            cut = without_begin((patch, one.first, one.last) for patch, one in counts.items())
        columns = [
            pa.array([source], pa.string()),
            pa.array([out.getvalue()], pa.binary()),
            pa.array([cut], pa.int64()),
            *(
                pa.array(
                    [[patch for patch, one in counts.items() if bool(one.prevs) == has]],
                    pa.list_(pa.int64()),
                )
                for has in (True, False)
            ),
        ]
        yield pa.record_batch(columns, names=["source", "stream", "cut", "joined", "loose"])


class _Counts(NamedTuple):
    """Counts of a patch that show whether it is complete, and whether it names the patch before it."""

    ends: int
    prevs: int
    rows: int
    first: int
    last: int

    def plus(self, other: _Counts | None) -> _Counts:
        """Adds the counts of another piece of the same patch."""
        if other is None:
            return self
        return _Counts(
            self.ends + other.ends,
            self.prevs + other.prevs,
            self.rows + other.rows,
            min(self.first, other.first),
            max(self.last, other.last),
        )


def _counted(rows: pa.RecordBatch) -> Iterator[tuple[int, _Counts]]:
    """Yields the patches of a batch, with their counts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.equal(rows.column("op"), "Z").cast(pa.int64())
    is_header = pc.equal(rows.column("op"), "H")
    keys = pc.utf8_lower(rows.column("name"))
    is_prev = pc.is_in(keys, value_set=pa.array(["prev", "previous"]))
    prevs = pc.and_(is_header, is_prev).cast(pa.int64())
    columns = [rows.column("patch"), rows.column("seq"), ends, prevs]
    table = pa.table(columns, ["patch", "seq", "end", "prev"])
    parts = [("end", "sum"), ("prev", "sum"), ("patch", "count"), ("seq", "min"), ("seq", "max")]
    found = table.group_by("patch").aggregate(parts).to_pydict()
    for patch, *numbers in zip(
        found["patch"], *(found[f"{name}_{what}"] for name, what in parts), strict=True
    ):
        yield patch, _Counts(*numbers)


def _by_source(
    batches: Iterator[pa.RecordBatch],
) -> Iterator[tuple[str | None, pa.RecordBatch]]:
    """Splits batches into pieces with one source each."""
    import pyarrow.compute as pc

    for batch in batches:
        at = 0
        runs = pc.run_end_encode(batch.column("source"))
        for end, source in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
            yield source, batch.slice(at, end - at)
            at = end
