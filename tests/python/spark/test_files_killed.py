"""A driver that is killed in the middle of a stream: no row is lost, none comes twice."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from killing import killed

from .killed_driver import begun
from .streams import patch
from .test_files_stream import put

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(0)]

KILLS = 20 if "JELLY_SOAK" in os.environ else 2
WRITER_KILLS = 20 if "JELLY_SOAK" in os.environ else 1
ROWS = 12_000


def kill_and_go_on(spark: SparkSession, tmp_path: Path, side: str, kills: int, moments: int) -> int:
    """Kills the driver so often; another goes on to the end. Returns how many files came."""
    rnd = random.Random(5)
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    program = Path(__file__).with_name("killed_driver.py")
    places = [str(folder), str(out), str(tmp_path / "checkpoint")]
    came = 0
    for number in range(kills):
        for _ in range(3):  # at any time, also of files that were read
            data = patch(["A"] * ROWS, f"s{came}")
            put(folder / f"f{came}.jellyp", data, 1_000_000 + rnd.randrange(1000))
            came += 1
        # A run over three files has more moments, and begins with what was left.
        killed(program, *places, tmp_path / f"ticks{number}", rnd.randint(1, moments), side)
    begun(spark, places, "jelly-patch", "parquet" if side == "reader" else "jelly-patch").awaitTermination()  # fmt: skip
    return came


def test_a_reader_whose_driver_is_killed(jelly_spark: SparkSession, tmp_path: Path) -> None:
    spark, out = jelly_spark, tmp_path / "out"
    came = kill_and_go_on(spark, tmp_path, "reader", KILLS, 20)
    rows = spark.read.parquet(str(out)).groupBy("source").agg({"*": "count", "seq": "max"})
    distinct = spark.read.parquet(str(out)).select("source", "seq").distinct().count()
    found = {Path(name).name: (count, last) for name, count, last in rows.collect()}
    expected = (ROWS + 1, ROWS)  # with the Z that ends the patch
    assert Counter(found.values()) == {expected: came}
    assert distinct == came * (ROWS + 1)


def test_a_writer_whose_driver_is_killed(jelly_spark: SparkSession, tmp_path: Path) -> None:
    came = kill_and_go_on(jelly_spark, tmp_path, "writer", WRITER_KILLS, 15)
    rows = jelly_spark.read.format("jelly-patch").load(str(tmp_path / "out")).where("op = 'A'")
    assert rows.groupBy("subject", "object").count().where("count > 1").count() == 0
    assert rows.count() == came * ROWS
