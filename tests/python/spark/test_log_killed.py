"""A stream from a log on a server into another log, whose driver is killed: each batch is published once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jelly

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from killing import killed
from servers import served

from .killed_log_driver import begun

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(0)]

FEW = [("encoded", 2), ("published", 2)]
ALL = [*FEW, ("asked", 2), ("planned", 2), ("read", 2), ("published", 1)]
MOMENTS = ALL if "JELLY_SOAK" in os.environ else FEW


def grow(log: jelly.Log, count: int) -> None:
    for n in range(log.head.version + 1, log.head.version + count + 1):
        adds = "".join(f'A <x:s{i}> <x:p{n}> "{i}" .\n' for i in range(200))
        deletes = "".join(f'D <x:s{i}> <x:p{n - 1}> "{i}" .\n' for i in range(0, 200, 2))
        log.publish(f"TX .\n{adds}{deletes}TC .\n".encode())


def test_kills(jelly_spark: SparkSession, tmp_path: Path) -> None:
    program = Path(__file__).with_name("killed_log_driver.py")
    with served(tmp_path / "logs") as address:
        source = jelly.Log.create(f"{address}/from")
        into = jelly.Log.create(tmp_path / "into")
        places = [str(source.place), str(into.place), str(tmp_path / "checkpoint")]
        for moment, number in MOMENTS:
            grow(source, 2)
            killed(program, *places, moment, number)
        grow(source, 2)
        begun(jelly_spark, places, "jelly-log").awaitTermination()
        assert into.head.version == source.head.version == 2 * len(MOMENTS) + 2
        assert len({version.id for version in into.versions()}) == into.head.version
        made = [tmp_path / "from.nq", tmp_path / "into.nq"]
        jelly.apply(b"", source, made[0], base_format="nq")
        jelly.apply(b"", into, made[1], base_format="nq")
    states = [sorted(path.read_text().splitlines()) for path in made]
    assert states[0] == states[1]
    assert len(states[0]) == 200 + 100 * (into.head.version - 1)
    assert not into.verify().problems
