"""`readStream` and `writeStream` of `jelly-kafka`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import jelly
import jelly.spark
from kafkalog import Log, frames, whole
from spark.raising import spark_raises
from spark.streams import rdf

pytestmark = pytest.mark.spark


def source(spark: Any, log: Log, topic: str, **options: Any) -> Any:
    texts = {name: str(value) for name, value in options.items()}
    given = {"startingOffsets": "earliest", "subscribe": topic, **texts}
    return spark.readStream.format("jelly-kafka").options(**log.options, **given).load()


def run(df: Any, folder: Path) -> list[Any]:
    """Runs a query to the end of what there is; the sink takes a batch twice as once. Gives the progress of its batches."""
    query = (
        df.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True).start(str(folder / "rows"))
    )  # fmt: skip
    query.awaitTermination()
    return [each for each in query.recentProgress if each.numInputRows]


def objects(spark: Any, folder: Path) -> list[int]:
    rows = spark.read.parquet(str(folder / "rows")).filter("op = 'A'").select("object").collect()
    return sorted(int(row.object.strip('"')) for row in rows)


def test_batches_of_a_few_messages_and_a_restart(
    jelly_spark: Any, log: Log, tmp_path: Path
) -> None:
    topic = log.topic(2)
    for partition in range(2):
        log.put(topic, [whole("s", partition * 100 + n, 1) for n in range(12)], partition)
    df = source(jelly_spark, log, topic, maxOffsetsPerTrigger=10)
    progress = run(df, tmp_path)
    assert [each.numInputRows for each in progress] == [40, 40, 16]  # four rows each
    end = json.loads(progress[0].sources[0].endOffset)
    assert end == {topic: {"0": 5, "1": 5, "id": end[topic]["id"]}}
    assert objects(jelly_spark, tmp_path) == [*range(12), *range(100, 112)]
    assert run(df, tmp_path) == []
    log.put(topic, [whole("s", 50, 1)])
    assert [each.numInputRows for each in run(df, tmp_path)] == [4]
    assert objects(jelly_spark, tmp_path) == [*range(12), 50, *range(100, 112)]


def test_a_new_partition_begins_at_its_start(jelly_spark: Any, log: Log, tmp_path: Path) -> None:
    first = log.topic()
    log.put(first, [whole("s", 0, 1)])
    pattern = {"subscribePattern": f"{first}.*"}
    df = (
        jelly_spark.readStream.format("jelly-kafka")
        .options(**log.options, startingOffsets="earliest", **pattern)
        .load()
    )
    run(df, tmp_path)
    second = log.topic(name=f"{first}.second")
    log.put(second, [whole("s", 1, 1)])
    run(df, tmp_path)
    assert objects(jelly_spark, tmp_path) == [0, 1]


def test_lookups_shared_between_batches(jelly_spark: Any, log: Log, tmp_path: Path) -> None:
    topic = log.topic(2)
    for partition in range(2):
        log.put(topic, frames(30), partition)
    snapshots = tmp_path / "snapshots"
    shared = {"sharedLookups": True, "snapshotLocation": snapshots, "maxOffsetsPerTrigger": 14}
    df = source(jelly_spark, log, topic, **shared)
    assert len(run(df, tmp_path)) == 5
    rows = jelly_spark.read.parquet(str(tmp_path / "rows")).orderBy("source", "seq").collect()
    assert [(row.source, row.seq, row.patch) for row in rows] == [
        (f"{topic}/{partition}", n, n // 5) for partition in range(2) for n in range(150)
    ]
    assert objects(jelly_spark, tmp_path) == sorted([*range(60)] * 2)
    assert sorted(path.name for path in (snapshots / topic / "1").iterdir()) == [
        "14",
        "21",
        "28",
        "30",
        "7",
    ]


def test_a_sink_of_messages(jelly_spark: Any, log: Log, tmp_path: Path) -> None:
    first, second = log.topic(), log.topic()
    log.put(first, [{"value": whole("s", n * 2), "key": str(n).encode()} for n in range(10)])
    df = source(jelly_spark, log, first, kafkaColumns=True, maxOffsetsPerTrigger=6)
    query = df.drop("topic").writeStream.format("jelly-kafka").options(**log.options, topic=second)
    query.option("checkpointLocation", str(tmp_path)).trigger(
        availableNow=True
    ).start().awaitTermination()
    found = log.all(second)
    assert [message.key() for message in found] == [str(n).encode() for n in range(10)]
    rows = [
        row.object
        for message in found
        for row in jelly.read_patch(message.value()).rows()
        if row.op == "A"
    ]
    assert rows == [f'"{n}"' for n in range(20)]


def test_frames_of_the_connector(jelly_spark: Any) -> None:
    """`from_kafka` of a DataFrame as Spark's own connector gives it."""
    columns = "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int"
    messages = jelly_spark.sql(
        "SELECT CAST('k' AS BINARY) key, CAST(null AS BINARY) value, 't' topic, 1 partition, 9L offset, "
        "TIMESTAMP '2026-01-01 00:00:00' timestamp, 0 timestampType"
    )
    made = [(b"k", whole("s", n, 1), "t", 1, n, messages.first().timestamp, 0) for n in range(5)]
    df = jelly_spark.createDataFrame(made, columns).union(messages)
    rows = jelly.spark.from_kafka(df).filter("op = 'A'").collect()
    assert sorted((row.source, row.object) for row in rows) == [
        (f"t/1@{n}", f'"{n}"') for n in range(5)
    ]
    more = jelly.spark.from_kafka(df, kafka_columns=True, columns=["op"])
    assert more.columns == ["op", "key", "topic", "partition", "offset", "timestamp"]
    assert more.groupBy("timestamp").count().first() == (made[0][5], 20)
    bad = jelly_spark.createDataFrame([(b"", b"\x05\x01", "t", 0, 3, made[0][5], 0)], columns)
    with spark_raises(
        "PythonException", r"wire\.tag: field number 0 does not exist \(t/0@3: frame 0"
    ):
        jelly.spark.from_kafka(bad).collect()
    with pytest.raises(
        ValueError, match=r"needs a column 'topic' \(string\); there are value binary"
    ):
        jelly.spark.from_kafka(df.select("value"))
    statements = jelly_spark.createDataFrame([(b"", rdf(3), "t", 0, 0, made[0][5], 0)], columns)
    assert (
        jelly.spark.from_kafka(statements, "rdf", terms="struct").select("object.value").count()
        == 3
    )


def test_a_stream_of_the_connector(jelly_spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as f

    folder = tmp_path / "in"
    value = f.lit(whole("s", 7, 1))
    jelly_spark.range(3).select(
        f.lit("t").alias("topic"), value.alias("value"), f.col("id").alias("offset")
    ).write.parquet(str(folder))
    df = jelly_spark.readStream.schema("topic string, value binary, offset bigint").parquet(
        str(folder)
    )
    run(jelly.spark.from_kafka(df), tmp_path)
    assert objects(jelly_spark, tmp_path) == [7, 7, 7]
