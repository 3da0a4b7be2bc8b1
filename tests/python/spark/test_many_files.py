"""A stream of many small files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from .streams import patch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.soak, pytest.mark.timeout(0)]

FILES = 5000
BATCH = 600


def test_each_of_5000_files_once_over_a_restart(jelly_spark: SparkSession, tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()

    def put(numbers: range) -> None:
        for number in numbers:
            (folder / f"f{number}.jellyp").write_bytes(patch(["A", "D"], f"s{number}"))

    def run() -> list[int]:
        """Returns how many rows each batch had."""
        files = jelly_spark.readStream.format("jelly-patch").option("maxFilesPerTrigger", BATCH)
        query = (
            files.load(str(folder))
            .writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(out))
        )
        query.awaitTermination()
        return [progress.numInputRows for progress in query.recentProgress if progress.numInputRows]

    half = FILES // 2
    batches = [3 * BATCH] * (half // BATCH) + [3 * (half % BATCH)]
    put(range(half))
    assert run() == batches
    put(range(half, FILES))
    assert run() == batches
    assert run() == []
    rows = jelly_spark.read.parquet(str(out)).select("source", "op", "subject").collect()
    assert Counter((Path(row.source).name, row.op, row.subject) for row in rows) == {
        (f"f{number}.jellyp", op, subject): 1
        for number in range(FILES)
        for op, subject in [("A", f"_:s{number}"), ("D", f"_:s{number}"), ("Z", None)]
    }
