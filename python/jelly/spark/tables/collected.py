"""Rows of a log that were collected: which version each belongs to, and which count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from jelly.spark.tables.terms import QUAD

if TYPE_CHECKING:
    import pyarrow as pa

Places: TypeAlias = Mapping[tuple[str | None, int], tuple[int, Sequence[int]]]
"""For the source and number of a patch its version, and its transactions that do not count."""


def with_versions(rows: pa.Table, places: Places) -> pa.Table:
    """The rows of known patches that count.

    Args:
        rows: With the columns ``source``, ``patch``, ``txn``, ``seq``, ``op`` and the terms.
        places: The patches.

    Returns:
        The columns ``source``, ``seq``, ``op``, the terms and ``_commit_version``.
    """
    import pyarrow as pa

    integers = [(name, pa.int64()) for name in ("patch", "txn", "seq", "_commit_version")]
    texts = [(name, pa.string()) for name in ("source", "op", *QUAD)]
    types = dict([*integers, *texts])
    batches = [_with_versions(batch, places) for batch in rows.to_batches() if batch.num_rows]
    columns = ["source", "seq", "op", *QUAD, "_commit_version"]
    schema = pa.schema([(name, types[name]) for name in columns])
    return pa.Table.from_batches([batch.select(columns).cast(schema) for batch in batches], schema)


def _with_versions(batch: pa.RecordBatch, places: Places) -> pa.RecordBatch:
    import pyarrow as pa
    import pyarrow.compute as pc

    runs, begins = _runs(batch.column("source"), batch.column("patch"))
    firsts = batch.select(["source", "patch"]).take(begins)
    patches = zip(*(column.to_pylist() for column in firsts.columns), strict=True)
    found = [places.get(patch) for patch in patches]
    versions = pa.array([None if one is None else one[0] for one in found], pa.int64()).take(runs)
    counts = versions.is_valid()
    for run, one in enumerate(found):
        if one is not None and one[1]:
            dropped = pc.is_in(batch.column("txn"), pa.array(one[1], batch.column("txn").type))
            counts = pc.and_not(counts, pc.and_(pc.equal(runs, run), dropped))
    return batch.append_column("_commit_version", versions).filter(counts)


def _runs(*columns: pa.Array) -> tuple[pa.Array, pa.Array]:
    """For each row the number of its run of equal neighbours, and the rows where runs begin."""
    import pyarrow as pa
    import pyarrow.compute as pc

    begins = pa.array([True] + [False] * (len(columns[0]) - 1))
    for column in columns:
        before, after = column.slice(0, len(column) - 1), column.slice(1)
        differ = pc.or_(
            pc.fill_null(pc.not_equal(before, after), False),
            pc.xor(before.is_null(), after.is_null()),
        )
        begins = pc.or_(begins, pa.concat_arrays([pa.array([False]), differ]))
    runs = pc.subtract(pc.cumulative_sum(begins.cast(pa.int64())), 1)
    return runs, pc.indices_nonzero(begins)
