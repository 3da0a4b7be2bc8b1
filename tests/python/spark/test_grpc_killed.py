"""A stream from a topic into files, whose driver is killed: each row of the topic is there once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jelly

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("grpc", reason="grpcio is not installed")

import jelly.grpc
from grpc_servers import here, lines, numbers, objects
from killing import killed

from .killed_grpc_driver import begun

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.soak, pytest.mark.timeout(0)]

MOMENTS = [("read", 1), ("planned", 1), ("asked", 2)]


def test_kills(jelly_spark: SparkSession, tmp_path: Path) -> None:
    program, rows = Path(__file__).with_name("killed_grpc_driver.py"), 0
    with here(tmp_path / "logs") as target:
        places = [target, str(tmp_path / "into"), str(tmp_path / "checkpoint")]

        def come() -> None:
            nonlocal rows
            for _ in range(4):
                jelly.grpc.publish(target, lines(3000, rows), format="nt", topic="t", publish_id=str(rows))  # fmt: skip
                rows += 3000

        for moment, number in MOMENTS:
            come()
            killed(program, *places, moment, number)
        come()
        begun(jelly_spark, places, "jelly-grpc").awaitTermination()
        loaded = jelly_spark.read.format("jelly").load(places[1])
        found = [row.object for row in loaded.select("object").collect()]
        assert sorted(found) == sorted(numbers(range(rows)))
        assert sorted(found) == sorted(objects(jelly.grpc.subscribe(target, "t")))
