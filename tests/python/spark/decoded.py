"""Batches in, rows out, without Spark."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import jelly

from .streams import patch

TWO = patch(["A", "D"])


def decoded(batches: list[pa.RecordBatch], decoder: Any = jelly.decode_batches) -> list[Any]:
    rows = []
    for batch in decoder(iter(batches)):
        assert isinstance(batch, pa.RecordBatch)
        rows += batch.to_pylist()
    return rows


def batch(**columns: list[Any]) -> pa.RecordBatch:
    return pa.record_batch(columns)


def sources(rows: list[Any]) -> list[Any]:
    return [row["source"] for row in rows if row["op"] == "A"]
