"""A driver that is killed in the middle of a stream: no row is lost, none comes twice."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from kafkalog import Log, frames, whole
from killing import killed

from .killed_driver import begun

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(0)]

KILLS = 20 if "JELLY_SOAK" in os.environ else 1
EACH = 9  # messages that come to each partition before each run


def kill_and_go_on(
    spark: SparkSession, log: Log, topic: str, values: list[bytes], options: dict[str, str], folder: Path
) -> None:  # fmt: skip
    """Messages come to both partitions, and the driver dies; another goes on to the end."""
    rnd = random.Random(7)
    program = Path(__file__).with_name("killed_driver.py")
    given = {**log.options, "subscribe": topic, "startingOffsets": "earliest", **options}
    for number in range(KILLS + 1):
        for partition in range(2):
            log.put(topic, values[number * EACH : (number + 1) * EACH], partition)
        if number < KILLS:
            killed(
                program, folder, folder / f"ticks{number}", rnd.randint(1, 24), json.dumps(given)
            )
    begun(spark, str(folder), "jelly-kafka", given).awaitTermination()


@pytest.mark.parametrize("shared", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_a_reader_whose_driver_is_killed(
    shared: bool, jelly_spark: SparkSession, log: Log, tmp_path: Path
) -> None:
    topic, count = log.topic(2), (KILLS + 1) * EACH
    options = {"maxOffsetsPerTrigger": "8"}
    values = [whole("s", n * 2) for n in range(count)]
    if shared:
        options |= {"sharedLookups": "true", "snapshotLocation": str(tmp_path / "snapshots")}
        values = frames(count)
    kill_and_go_on(jelly_spark, log, topic, values, options, tmp_path)
    rows = (
        jelly_spark.read.parquet(str(tmp_path / "rows"))
        .select("source", "seq", "op", "object")
        .collect()
    )
    objects = sorted(int(row.object.strip('"')) for row in rows if row.op == "A")
    assert objects == sorted([*range(2 * count)] * 2)
    found = sorted((row.source, row.seq) for row in rows)
    if shared:
        assert found == [(f"{topic}/{p}", n) for p in range(2) for n in range(5 * count)]
    else:
        assert found == sorted(
            (f"{topic}/{p}@{o}", n) for p in range(2) for o in range(count) for n in range(5)
        )
