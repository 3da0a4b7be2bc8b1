"""`spark.read.format("jelly-kafka")` of messages that are whole streams."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import jelly
from kafkalog import Log, patch_rows, whole
from spark.raising import spark_raises
from spark.streams import rdf

pytestmark = pytest.mark.spark


def read(spark: Any, log: Log, topic: str, **options: Any) -> Any:
    texts = {name: str(value) for name, value in options.items()}
    return spark.read.format("jelly-kafka").options(**log.options, subscribe=topic, **texts).load()


def numbers(rows: list[Any]) -> list[int]:
    """Of the statements that were added."""
    return sorted(int(row.object.strip('"')) for row in rows if row.op == "A")


def test_rows_of_several_partitions(jelly_spark: Any, log: Log) -> None:
    topic = log.topic(3)
    for partition in range(3):
        log.put(topic, [whole("s", partition * 100 + n * 2) for n in range(20)], partition)
    df = read(jelly_spark, log, topic)
    assert (
        df.schema.simpleString()
        == f"struct<{jelly.PATCH_SCHEMA_DDL.replace('`', '').replace(' ', ':').replace(',:', ',')}>"
    )
    rows = df.collect()
    assert numbers(rows) == sorted(100 * p + n for p in range(3) for n in range(40))
    assert Counter(row.source for row in rows) == {
        f"{topic}/{p}@{o}": 5 for p in range(3) for o in range(20)
    }
    assert df.rdd.getNumPartitions() == 3
    assert {(row.patch, row.seq) for row in rows} == {(0, n) for n in range(5)}


def test_a_partition_is_divided(jelly_spark: Any, log: Log) -> None:
    topic = log.topic()
    log.put(topic, [whole("s", n * 2) for n in range(50)])
    for option in ({"minPartitions": 4}, {"maxRecordsPerPartition": 13}):
        df = read(jelly_spark, log, topic, **option)
        assert df.rdd.getNumPartitions() == 4
        assert numbers(df.collect()) == list(range(100))


def test_offsets(jelly_spark: Any, log: Log) -> None:
    topic = log.topic(2)
    for partition in range(2):
        log.put(topic, [whole("s", partition * 100 + n, 1) for n in range(10)], partition)
    places = {
        "startingOffsets": json.dumps({topic: {"0": 3, "1": -2}}),
        "endingOffsets": json.dumps({topic: {"0": 5, "1": -1}}),
    }
    assert numbers(read(jelly_spark, log, topic, **places).collect()) == [3, 4, *range(100, 110)]
    places["endingOffsets"] = json.dumps({topic: {"0": 3, "1": 0}})
    assert read(jelly_spark, log, topic, **places).collect() == []
    assert read(jelly_spark, log, log.topic()).collect() == []


def test_a_time_to_begin(jelly_spark: Any, log: Log) -> None:
    topic = log.topic()
    log.put(topic, [{"value": whole("s", n, 1), "timestamp": 1_000_000 + n} for n in range(10)])
    assert numbers(read(jelly_spark, log, topic, startingTimestamp=1_000_007).collect()) == [
        7,
        8,
        9,
    ]
    assert read(jelly_spark, log, topic, startingTimestamp=2_000_000).collect() == []


def test_subscriptions(jelly_spark: Any, log: Log) -> None:
    first = log.topic(2)
    second = log.topic(name=f"{first}.more")
    for n, (topic, partition) in enumerate([(first, 0), (first, 1), (second, 0)]):
        log.put(topic, [whole("s", n, 1)], partition)
    source = jelly_spark.read.format("jelly-kafka").options(**log.options)
    assert numbers(source.option("subscribePattern", f"{first}.*").load().collect()) == [0, 1, 2]
    source = jelly_spark.read.format("jelly-kafka").options(**log.options)
    assert numbers(source.option("subscribe", f"{first},{second}").load().collect()) == [0, 1, 2]
    source = jelly_spark.read.format("jelly-kafka").options(**log.options)
    assert numbers(source.option("assign", json.dumps({first: [1]})).load().collect()) == [1]


def test_columns_of_the_message(jelly_spark: Any, log: Log) -> None:
    topic = log.topic()
    message = {
        "value": whole("s", 0, 1),
        "key": b"k",
        "timestamp": 86_400_000,
        "headers": [("h", b"1"), ("h", None)],
    }
    log.put(topic, [message, {"value": whole("s", 1, 1)}, {"value": None}])
    df = read(jelly_spark, log, topic, kafkaColumns=True, includeHeaders=True)
    assert df.columns[-6:] == ["key", "topic", "partition", "offset", "timestamp", "headers"]
    first, second = df.filter("op = 'A'").orderBy("offset").collect()
    assert (bytes(first.key), first.topic, first.partition, first.offset) == (b"k", topic, 0, 0)
    assert df.filter("offset = 0").selectExpr("unix_timestamp(timestamp) t").first().t == 86_400
    assert [(name, value and bytes(value)) for name, value in first.headers] == [
        ("h", b"1"),
        ("h", None),
    ]
    assert (second.key, second.headers, second.offset) == (None, None, 1)
    some = read(jelly_spark, log, topic, kafkaColumns=True, columns="op,object")
    assert some.columns == ["op", "object", "key", "topic", "partition", "offset", "timestamp"]
    assert some.count() == 8
    chosen = jelly_spark.read.schema("offset bigint, object string").format("jelly-kafka")
    rows = (
        chosen.options(**log.options, subscribe=topic, kafkaColumns="true")
        .load()
        .filter("object is not null")
    )
    assert [tuple(row) for row in rows.orderBy("offset").collect()] == [(0, '"0"'), (1, '"1"')]


def test_statements(jelly_spark: Any, log: Log) -> None:
    topic = log.topic()
    log.put(topic, [rdf(5), rdf(3)])
    df = read(jelly_spark, log, topic, kind="rdf", terms="struct")
    assert df.count() == 8
    assert df.select("object.value").distinct().count() == 5


def test_text(jelly_spark: Any, log: Log) -> None:
    topic = log.topic()
    log.put(topic, [b'A <s> <p> "7" .\n'])
    assert numbers(read(jelly_spark, log, topic, format="rdfp").collect()) == [7]


def test_a_bad_message_is_named(jelly_spark: Any, log: Log, tmp_path: Path) -> None:
    topic = log.topic()
    log.put(topic, [whole("s", 0), whole("s", 2)[:-5], whole("s", 4)])
    with spark_raises("PythonException", rf"truncated\.frame: .*{topic}/0@1.*badRecordsPath"):
        read(jelly_spark, log, topic).collect()
    kept = read(jelly_spark, log, topic, badRecordsPath=str(tmp_path))
    assert sorted(set(numbers(kept.collect()))) == [0, 1, 4, 5]
    [row] = jelly_spark.read.parquet(str(tmp_path)).collect()
    assert (row.source, row.kind, bytes(row.value)) == (
        f"{topic}/0@1",
        "truncated.frame",
        whole("s", 2)[:-5],
    )
    df = read(jelly_spark, log, topic, mode="permissive")
    rows = df.collect()
    assert {0, 1, 4, 5} <= set(numbers(rows))
    (bad,) = [row for row in rows if row._corrupt_record]
    assert bad.source == f"{topic}/0@1"
    assert bad._corrupt_record.startswith("truncated.frame")


def test_what_transactions_did_not_commit(jelly_spark: Any, log: Log) -> None:
    from confluent_kafka import Producer

    topic = log.topic()
    settings = {"bootstrap.servers": log.address, "transactional.id": topic, "log_level": 0}
    producer = Producer(settings)
    producer.init_transactions()
    for n, end in enumerate([producer.commit_transaction, producer.abort_transaction] * 2):
        producer.begin_transaction()
        producer.produce(topic, whole("s", n, 1), partition=0)
        producer.flush()  # what is not sent yet would be dropped here
        end()
    assert numbers(read(jelly_spark, log, topic).collect()) == [0, 2]
    everything = read(jelly_spark, log, topic, **{"kafka.isolation.level": "read_uncommitted"})
    assert numbers(everything.collect()) == [0, 1, 2, 3]


def test_messages_that_are_gone(jelly_spark: Any, log: Log) -> None:
    topic = log.topic()
    log.put(topic, [whole("s", n, 1) for n in range(10)])
    log.cut(topic, 4)
    start = {"startingOffsets": json.dumps({topic: {"0": 2}})}
    with spark_raises(
        "AnalysisException",
        rf"{topic}/0: offsets 2 to 3 are no longer in the log; to continue with the remaining messages, use failOnDataLoss",
    ):
        read(jelly_spark, log, topic, **start).collect()
    assert numbers(read(jelly_spark, log, topic, failOnDataLoss=False, **start).collect()) == list(
        range(4, 10)
    )
    planned = read(
        jelly_spark,
        log,
        topic,
        startingOffsets="earliest",
        endingOffsets=json.dumps({topic: {"0": 9}}),
    )
    assert planned.count() == 5 * 4


def test_limit_stops_early(jelly_spark: Any, log: Log) -> None:
    topic = log.topic()
    log.put(topic, [whole("s", n * 10, 10) for n in range(1000)])
    assert len(read(jelly_spark, log, topic).limit(1).collect()) == 1


def test_wrong_options_come_out_of_spark(jelly_spark: Any, log: Log) -> None:
    with spark_raises(
        "AnalysisException", "ValueError: option 'subscribe': there is no topic gone"
    ):
        read(jelly_spark, log, "gone").collect()
    with spark_raises(
        "AnalysisException",
        "ValueError: the source 'jelly-kafka' has no option 'startingoffset' here; did you mean",
    ):
        read(jelly_spark, log, "gone", startingOffset=1).collect()
    with spark_raises(
        "AnalysisException",
        r'ValueError: an option kafka.*: No such configuration property: "group"',
    ):
        read(jelly_spark, log, "gone", **{"kafka.group": "x"}).collect()


def test_missing_brokers_are_told(jelly_spark: Any) -> None:
    source = jelly_spark.read.format("jelly-kafka").option("subscribe", "a")
    with spark_raises("AnalysisException", r"'kafka\.bootstrap\.servers' is missing"):
        source.load()
    wait = {
        "kafkaConsumer.pollTimeoutMs": "300",
        "kafka.bootstrap.servers": "127.0.0.1:1",
        "kafka.log_level": "0",
    }
    with spark_raises(
        "AnalysisException",
        r"OSError: the topics could not be listed \(kafka.bootstrap.servers=127.0.0.1:1\)",
    ):
        source.options(**wait).load().collect()


def test_writing_and_reading_again(jelly_spark: Any, log: Log) -> None:
    topic = log.topic(2)
    rows = [patch_rows("s", n * 3, 3) for n in range(40)]
    flat = [row for patch in rows for row in patch]
    columns = "op string, subject string, predicate string, object string, graph string"
    names = ("op", "subject", "predicate", "object", "graph")
    df = jelly_spark.createDataFrame(
        [tuple(row.get(name) for name in names) for row in flat], columns
    ).coalesce(1)
    writer = df.write.format("jelly-kafka").options(
        **log.options, topic=topic, key="k", messageRows=20
    )
    writer.mode("append").save()
    found = log.all(topic, 2)
    assert {message.key() for message in found} == {b"k"}
    assert [len(list(jelly.read_patch(message.value()).rows())) for message in found] == [24] * 10
    back = read(jelly_spark, log, topic).orderBy("source", "seq").collect()
    assert [(row.op, row.object) for row in back] == [
        (row["op"], row.get("object")) for row in flat
    ]
