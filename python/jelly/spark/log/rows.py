"""Puts the rows of a batch in the order of a patch, because Spark may pass them in any order."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from jelly._writers import PatchWriter
from jelly.log._patch import refused
from jelly.spark._columns import NEEDED, require_types

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

_WRITTEN = (*NEEDED["patch"], "graph", "name", "value")
# columns that only locate a row are not written
_PLACE = ("source", "frame", "patch", "txn", "seq", "row")
_MARKS = ("TX", "TC", "TA")
# the order of rows without seq
_RANKS = {"H": 0, "PD": 1, "D": 2, "PA": 3, "A": 4}


def check_columns(schema: StructType) -> None:
    """Rejects a DataFrame that is not a patch, before tasks begin.

    Raises:
        ValueError: A column is missing or unknown, or its type is wrong.
    """
    if missing := [name for name in NEEDED["patch"] if name not in schema.names]:
        raise ValueError(f"a patch needs the columns {', '.join(missing)}")
    if unknown := [name for name in schema.names if name not in (*_WRITTEN, *_PLACE)]:
        known = ", ".join((*_WRITTEN, *_PLACE))
        raise ValueError(f"there is no column {unknown[0]!r} in a patch; there are {known}")
    require_types(schema)
    if "seq" in schema.names:
        return
    for name in _WRITTEN:
        if name in schema.names and schema[name].dataType.simpleString() not in ("string", "void"):
            raise ValueError(f"without a column 'seq' rows are sorted by their terms, but {name!r} is not text: give seq, or terms as text")  # fmt: skip


def encoded(batches: Iterable[pa.RecordBatch], id: str) -> tuple[bytes, int]:
    """Encodes the rows of a batch as one patch; returns the patch and its number of rows.

    Rows are ordered by ``seq``. Without it, deletes come before adds, and both are sorted. Without ``TX`` and ``TC``
    rows, all rows are one transaction.

    Args:
        batches: All rows.
        id: The id of the patch, as a term, unless a row ``H id`` sets another.

    Raises:
        ValueError: The order of the rows is unknown.
        PatchError: The rows belong to several patches (``patch.several``).
        JellyError: A row is wrong.
    """
    import pyarrow as pa

    kept = [batch for batch in batches if batch.num_rows]
    if not kept:
        return b"", 0
    table = pa.Table.from_batches(kept)
    _refuse_several(table)
    ordered = _by_seq(table) if "seq" in table.column_names else _by_terms(table)
    out = io.BytesIO()
    names = [name for name in _WRITTEN if name in ordered.column_names]
    with PatchWriter(out, compression="zstd") as writer:
        for piece in _marked(ordered.select(names), id):
            writer.write(piece)
    return out.getvalue(), table.num_rows


def _refuse_several(table: pa.Table) -> None:
    """Rejects rows of several patches, because they would be mixed."""
    names = [name for name in ("source", "patch") if name in table.column_names]
    found = table.select(names).group_by(names).aggregate([]) if names else None
    if found is not None and found.num_rows > 1:
        one, other = (", ".join(f"{name} {row[name]}" for name in names) for row in found.slice(0, 2).to_pylist())  # fmt: skip
        message = (
            f"the batch has rows of several patches ({one}; {other}), but a batch is published as "
            "one patch: squash them "
            "(jelly.spark.between), or read them with maxVersionsPerTrigger=1"
        )
        raise refused("patch.several", message)


def _by_seq(table: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    seq = table.column("seq")
    if seq.null_count:
        raise ValueError("a row has no seq: give each row a seq, or leave the column out")
    if pc.count_distinct(seq).as_py() != len(seq):
        twice = pc.value_counts(seq).filter(pc.greater(pc.value_counts(seq).field("counts"), 1))[0]
        raise ValueError(f"seq {twice['values'].as_py()} occurs twice: each row of a patch needs its own seq")  # fmt: skip
    return table.sort_by("seq")


def _by_terms(table: pa.Table) -> pa.Table:
    import pyarrow as pa

    names = ("op", "graph", "subject", "predicate", "object", "name", "value")
    ops = table.column("op").to_pylist()
    if strange := next((op for op in ops if op not in _RANKS), None):
        raise ValueError(f"a row with op {strange!r} needs a place among the other rows: add a column seq")  # fmt: skip
    rank = pa.array([_RANKS.get(op, 9) for op in ops], pa.int8())
    keys = [("_rank", "ascending")]
    keys += [(name, "ascending") for name in names if name in table.column_names]
    return table.append_column("_rank", rank).sort_by(keys)


def _marked(table: pa.Table, id: str) -> Iterator[Any]:
    """Yields the rows with an id, and with the rows of a transaction if they have none."""
    import pyarrow.compute as pc

    ops = table.column("op")
    headers = table.filter(pc.equal(ops, "H"))
    if "name" not in table.column_names or not _has_id(headers):
        yield [{"op": "H", "name": "id", "value": id}]
    if pc.any(pc.is_in(ops, value_set=_array(_MARKS))).as_py():
        yield from table.to_batches()
        return
    ends = pc.indices_nonzero(pc.equal(ops, "Z"))
    rest = table.filter(pc.invert(pc.is_in(ops, value_set=_array(("H", "Z")))))
    if len(ends) > 1:
        raise refused("patch.several", f"the batch has {len(ends)} rows Z, which end patches, but a batch is published as one patch")  # fmt: skip
    yield from headers.to_batches()
    if rest.num_rows:
        yield [{"op": "TX"}]
        yield from rest.to_batches()
        yield [{"op": "TC"}]


def _has_id(headers: pa.Table) -> bool:
    return any((name or "").lower() == "id" for name in headers.column("name").to_pylist())


def _array(values: Iterable[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.string())
