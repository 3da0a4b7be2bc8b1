"""Topics that are deleted and made again under their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kafkalog import Log, frames, nameless, whole
from spark.kafka.test_stream import objects, run, source
from spark.raising import spark_raises

pytestmark = pytest.mark.spark


def anew(log: Log, topic: str, values: list[bytes]) -> None:
    log.drop(topic)
    log.topic(name=topic)
    log.put(topic, values)


@pytest.mark.parametrize("count", [1, 5, 7])
def test_a_stream_reads_all_of_the_new_topic(
    jelly_spark: Any, log: Log, tmp_path: Path, count: int
) -> None:
    """However many messages it has by then."""
    topic = log.topic()
    log.put(topic, [whole("s", n, 1) for n in range(5)])
    run(source(jelly_spark, log, topic), tmp_path)
    anew(log, topic, [whole("s", 10 + n, 1) for n in range(count)])
    with spark_raises(
        "StreamingQueryException", f"{topic} was deleted and created again: .*failOnDataLoss=false"
    ):
        run(source(jelly_spark, log, topic), tmp_path)
    run(source(jelly_spark, log, topic, failOnDataLoss=False), tmp_path)
    assert objects(jelly_spark, tmp_path) == [*range(5), *range(10, 10 + count)]
    log.put(topic, [whole("s", 20, 1)])
    run(source(jelly_spark, log, topic), tmp_path)
    assert objects(jelly_spark, tmp_path) == [*range(5), *range(10, 10 + count), 20]


def test_a_topic_made_anew_before_a_batch_is_done_again(
    jelly_spark: Any, log: Log, tmp_path: Path
) -> None:
    """The batch was of the topic that is gone: the other one is read once, from its start."""
    topic = log.topic()
    log.put(topic, [whole("s", n, 1) for n in range(5)])
    run(source(jelly_spark, log, topic, maxOffsetsPerTrigger=3), tmp_path)
    last = max(int(path.name) for path in (tmp_path / "checkpoint" / "commits").glob("[0-9]*"))
    assert last == 1
    (tmp_path / "checkpoint" / "commits" / "1").unlink()
    for path in (tmp_path / "checkpoint" / "commits").glob(".1.*"):
        path.unlink()
    anew(log, topic, [whole("s", 10 + n, 1) for n in range(7)])
    with spark_raises(
        "StreamingQueryException", f"{topic} was deleted and created again: .*failOnDataLoss=false"
    ):
        run(source(jelly_spark, log, topic), tmp_path)
    run(source(jelly_spark, log, topic, failOnDataLoss=False), tmp_path)
    assert objects(jelly_spark, tmp_path) == [*range(5), *range(10, 17)]


@pytest.mark.parametrize("shared", ["false", "true"])
def test_nodes_are_of_their_topic(jelly_spark: Any, log: Log, shared: str) -> None:
    topic = log.topic()
    labels: list[set[str]] = []
    for _ in range(2):
        log.put(topic, nameless(3))
        options = {"subscribe": topic, "kind": "rdf", "sharedLookups": shared}
        df = jelly_spark.read.format("jelly-kafka").options(**log.options, **options).load()
        found, again = ({row.subject for row in df.collect()} for _ in range(2))
        assert found == again
        labels.append(found)
        anew(log, topic, [])
    assert [len(each) for each in labels] == [3, 3]
    assert not labels[0] & labels[1]


def test_snapshots_of_the_topic_before_give_way(jelly_spark: Any, log: Log, tmp_path: Path) -> None:
    topic, snapshots = log.topic(), tmp_path / "snapshots"
    shared = {"sharedLookups": True, "snapshotLocation": snapshots, "maxOffsetsPerTrigger": 5}
    log.put(topic, frames(20))
    run(source(jelly_spark, log, topic, **shared), tmp_path)
    anew(log, topic, frames(10, subject="other"))
    run(source(jelly_spark, log, topic, failOnDataLoss=False, **shared), tmp_path)
    log.put(topic, frames(20, subject="other")[10:])
    # as careful as before: what is kept is of the new topic
    assert len(run(source(jelly_spark, log, topic, **shared), tmp_path)) == 2
    assert objects(jelly_spark, tmp_path) == sorted([*range(40)] * 2)
