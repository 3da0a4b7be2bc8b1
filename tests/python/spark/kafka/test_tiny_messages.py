"""100,000 messages of one row each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import jelly
from kafkalog import Log
from spark.streams import patch

from .test_stream import run, source

pytestmark = [pytest.mark.spark, pytest.mark.soak, pytest.mark.timeout(0)]

MESSAGES = 100_000


def require_each_message_once(rows: Any) -> None:
    """A message is a patch of one row, with a subject of its own, and the end."""
    counts = {row.op: row["count"] for row in rows.groupBy("op").count().collect()}
    assert counts == {"A": MESSAGES, "Z": MESSAGES}
    for column in ("subject", "source"):
        assert rows.where("op = 'A'").select(column).distinct().count() == MESSAGES


def message(number: int) -> bytes:
    return patch(["A"], f"s{number}")


def test_tiny_messages_of_a_table(spark: Any) -> None:
    messages = [("t", number, message(number)) for number in range(MESSAGES)]
    df = spark.createDataFrame(messages, "topic string, offset bigint, value binary")
    require_each_message_once(df.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL))


def test_tiny_messages_of_a_topic(jelly_spark: Any, log: Log, tmp_path: Path) -> None:
    topic = log.topic(2)
    for partition in range(2):
        log.put(topic, map(message, range(partition, MESSAGES, 2)), partition)
    run(source(jelly_spark, log, topic, maxOffsetsPerTrigger=30_000), tmp_path)
    require_each_message_once(jelly_spark.read.parquet(str(tmp_path / "rows")))
