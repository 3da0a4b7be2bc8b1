"""A stream from a topic into files, whose driver is killed: each row of the topic is there once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jelly

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("grpc", reason="grpcio is not installed")

import jelly.grpc
from grpc_servers import here, lines, numbers, objects

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.soak, pytest.mark.timeout(0)]

MOMENTS = [("read", 1), ("planned", 1), ("asked", 2), ("never", 0)]


def test_kills(jelly_spark: SparkSession, tmp_path: Path) -> None:
    into, rows = tmp_path / "into", 0
    with here(tmp_path / "logs") as target:
        for moment, number in MOMENTS:
            for _ in range(4):
                jelly.grpc.publish(target, lines(3000, rows), format="nt", topic="t", publish_id=str(rows))  # fmt: skip
                rows += 3000
            driver = Path(__file__).with_name("killed_grpc_driver.py")
            places = [target, str(into), str(tmp_path / "checkpoint")]
            command = [sys.executable, str(driver), *places, moment, str(number)]
            done = subprocess.run(
                command, start_new_session=True, capture_output=True, text=True, check=False
            )
            expected = 0 if moment == "never" else -9
            assert done.returncode == expected, (moment, done.stdout, done.stderr[-3000:])
        loaded = jelly_spark.read.format("jelly").load(str(into))
        found = [row.object for row in loaded.select("object").collect()]
        assert sorted(found) == sorted(numbers(range(rows)))
        assert sorted(found) == sorted(objects(jelly.grpc.subscribe(target, "t")))
