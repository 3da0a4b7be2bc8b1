"""A driver that is killed in the middle of a stream: no row is lost, none comes twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kafkalog import Log, frames, whole

pytestmark = [pytest.mark.spark, pytest.mark.timeout(0)]

KILLS = 20 if "JELLY_SOAK" in os.environ else 1
EACH = 9  # messages that come to each partition before each run


def kill_and_restart(
    log: Log, topic: str, values: list[bytes], options: dict[str, str], folder: Path
) -> None:
    """Messages come to both partitions, and the driver dies; in the end it is let alone."""
    rnd = random.Random(7)
    query = [sys.executable, str(Path(__file__).with_name("killed_query.py")), str(folder)]
    given = json.dumps(
        {**log.options, "subscribe": topic, "startingOffsets": "earliest", **options}
    )

    def run(number: int, kill_at: int) -> subprocess.CompletedProcess[str]:
        command = [*query, str(folder / f"ticks{number}"), str(kill_at), given]
        return subprocess.run(
            command, start_new_session=True, capture_output=True, text=True, check=False
        )

    for number in range(KILLS + 1):
        for partition in range(2):
            log.put(topic, values[number * EACH : (number + 1) * EACH], partition)
        if number < KILLS:
            done = run(number, rnd.randint(1, 24))
            assert done.returncode == -9, done.stdout + done.stderr[-2000:]
    done = run(KILLS, 0)
    assert done.stdout.strip() == "done", done.stderr[-2000:]


@pytest.mark.parametrize("shared", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_a_reader_whose_driver_is_killed(
    shared: bool, spark: Any, log: Log, tmp_path: Path
) -> None:
    topic, count = log.topic(2), (KILLS + 1) * EACH
    options = {"maxOffsetsPerTrigger": "8"}
    values = [whole("s", n * 2) for n in range(count)]
    if shared:
        options |= {"sharedLookups": "true", "snapshotLocation": str(tmp_path / "snapshots")}
        values = frames(count)
    kill_and_restart(log, topic, values, options, tmp_path)
    rows = (
        spark.read.parquet(str(tmp_path / "rows")).select("source", "seq", "op", "object").collect()
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
