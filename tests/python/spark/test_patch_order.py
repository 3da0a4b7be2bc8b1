"""Rows of patches must come in order: a file has them as they come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

import pyarrow as pa
import pyarrow.compute as pc

from jelly.spark.files.order import Order

from .tables import CHANGES, Table, statements


def changes(*rows: tuple[str | None, int, int]) -> pa.RecordBatch:
    count = len(rows)
    source, patch, seq = zip(*rows, strict=True)
    return (
        statements(*range(count))
        .add_column(0, "op", pa.array(["A"] * count))
        .add_column(0, "seq", pa.array(seq))
        .add_column(0, "patch", pa.array(patch))
        .add_column(0, "source", pa.array(source, pa.string()))
    )


def check(*batches: list[tuple[str | None, int, int]]) -> Any:
    order = Order()
    for rows in batches:
        order.check(changes(*rows))
    return order.runs


def test_rows_in_order_pass() -> None:
    runs = check([("a", 0, 0), ("a", 0, 1), ("a", 1, 2)], [("a", 1, 3), ("b", 0, 0)], [("c", 4, 9)])
    assert [run[:3] for run in runs] == [("a", 0, 1), ("b", 0, 0), ("c", 4, 4)]
    runs = check([(None, 0, 0), (None, 1, 1)], [("a", 0, 0)])
    assert [run[:3] for run in runs] == [("a", 0, 0)]


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([[("a", 0, 1), ("a", 0, 0)]], "of the source 'a' are out of order: seq 0 after 1"),
        ([[("a", 0, 5)], [("a", 0, 4)]], "of the source 'a' are out of order: seq 4 after 5"),
        (
            [[("a", 0, 0), ("b", 0, 0), ("a", 0, 1)]],
            "source 'a' are mixed with rows of other sources",
        ),
        (
            [[("a", 0, 0)], [("b", 0, 0)], [("a", 0, 1)]],
            "source 'a' are mixed with rows of other sources",
        ),
        ([[(None, 0, 1), (None, 0, 0)]], "rows are out of order: seq 0 after 1"),
    ],
)
def test_rows_out_of_order(batches: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        check(*batches)
    assert 'df.repartition("source").sortWithinPartitions("source", "seq")' in str(caught.value)


def test_rows_out_of_order_fail_the_task(tmp_path: Path) -> None:
    table = Table(str(tmp_path / "to"))
    with pytest.raises(ValueError, match="out of order"):
        table.writer(ddl=CHANGES).write(iter([changes(("a", 0, 1), ("a", 0, 0))]))
    assert [name for name in table.stored() if "part-" in name] == []


def test_patch_in_two_partitions_is_refused(tmp_path: Path) -> None:
    table = Table(str(tmp_path / "to"))
    writer = table.writer(ddl=CHANGES)
    parts: list[Any] = [
        writer.write(iter([changes(("a", 0, 0), ("a", 1, 1))])),
        writer.write(iter([changes(("a", 1, 2))])),
    ]
    with pytest.raises(ValueError, match="patch 1 of the source 'a' would be cut: partitions 0"):
        writer.commit(parts)
    assert table.files("patch") == []


@pytest.mark.parametrize(
    ("partitions", "is_cut"),
    [
        ([["A", "Z"], ["A", "Z"]], False),
        ([["A", "Z", "A"], ["A", "Z"]], True),
        ([["A"], ["A"], ["Z"]], True),
        ([["A"], ["A"]], False),  # changes alone: where patches end is not known
        ([["Z"], ["A"]], False),
    ],
)
def test_patches_without_numbers_are_known_by_their_ends(
    partitions: list[list[str]], is_cut: bool, tmp_path: Path
) -> None:
    table = Table(str(tmp_path / "to"))
    writer = table.writer(ddl=CHANGES.replace("patch bigint, ", ""))
    parts: list[Any] = []
    row = 0
    for ops in partitions:
        rows = changes(*(("a", 0, row + n) for n in range(len(ops)))).remove_column(1)
        op = rows.schema.get_field_index("op")
        none = pa.nulls(len(ops), pa.string())
        rows = rows.set_column(op, "op", pa.array(ops))
        for name in ("subject", "predicate", "object", "graph"):
            index = rows.schema.get_field_index(name)
            kept = pc.if_else(pc.equal(rows.column(op), "Z"), none, rows.column(index))
            rows = rows.set_column(index, name, kept)
        # in two batches, as Spark may hand them over
        parts.append(writer.write(iter([rows.slice(0, 1), rows.slice(1)])))
        row += len(ops)
    if is_cut:
        with pytest.raises(ValueError, match="a patch of the source 'a' would be cut: partitions"):
            writer.commit(parts)
    else:
        writer.commit(parts)
    assert (table.files("patch") == []) == is_cut
