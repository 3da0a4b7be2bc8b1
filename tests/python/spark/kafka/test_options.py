"""Options of `jelly-kafka`, without a broker."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from jelly.spark.kafka.client import require_confluent_kafka
from jelly.spark.kafka.config import for_admin, translated
from jelly.spark.kafka.offsets import (
    Range,
    divided,
    from_json,
    ids_of,
    limited,
    parse_offsets,
    to_json,
)
from jelly.spark.kafka.options import KafkaOptions, KafkaWriteOptions

pytest.importorskip("pyarrow")

SERVERS = {"kafka.bootstrap.servers": "there:9092"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "exactly one of 'subscribe'"),
        ({"subscribe": "a", "assign": '{"a":[0]}'}, "exactly one of 'subscribe'"),
        ({"subscribe": "a", "startingOffset": "x"}, "did you mean 'startingOffsets'"),
        ({"subscribe": "a", "startingOffsets": "x"}, "option 'startingOffsets': 'x' is not earliest, latest or JSON"),
        ({"subscribe": "a", "startingOffsets": '{"a":{"0":-3}}'}, "is not earliest, latest or JSON"),
        ({"subscribe": "a", "startingOffsets": "latest"}, "cannot begin at the latest"),
        ({"subscribe": "a", "startingOffsets": '{"a":{"0":-1}}'}, "cannot begin at the latest"),
        ({"subscribe": "a", "endingOffsets": "earliest"}, "cannot end at the earliest"),
        ({"subscribe": "a", "startingOffsets": "earliest", "startingTimestamp": "1"}, "not both"),
        ({"subscribe": "a", "kind": "x"}, "'kind' must be rdf or patch"),
        ({"subscribe": "a", "maxOffsetsPerTrigger": "3"}, "works only with streams"),
        ({"subscribe": "a", "failOnDataLoss": "yes"}, "option 'failOnDataLoss': 'yes' is neither true nor false"),
        ({"subscribe": "a", "kafka.enable.auto.commit": "true"}, "cannot be set"),
        ({"subscribe": "a", "columns": "x"}, "no column"),
        ({"subscribe": "a", "snapshotLocation": "x"}, "option 'snapshotLocation' works only with sharedLookups=true"),
        ({"subscribe": "a", "sharedLookups": "true", "mode": "permissive"}, "no message after a bad one"),
        ({"subscribe": "a", "sharedLookups": "true", "badRecordsPath": "x"}, "option 'badRecordsPath' cannot be used with sharedLookups"),
        ({"subscribe": "a", "sharedLookups": "true", "rows": "committed"}, "must be all"),
        ({"subscribe": "a", "sharedLookups": "true", "strict": "true"}, "a partition does not end"),
        ({"subscribe": "a", "sharedLookups": "true", "minPartitions": "3"}, "in order, by one task"),
        ({"subscribe": "a", "sharedLookups": "true", "framing": "concatenated"}, "single (each message is a frame) or delimited"),
        ({"subscribe": "a", "sharedLookups": "true", "format": "rdfp"}, "only Jelly streams have lookups"),
        ({"subscribe": "a", "sharedLookups": "true", "snapshotsKept": "1"}, "at least 2"),
        ({"subscribePattern": "("}, "option 'subscribePattern'"),
        ({"assign": "[]"}, "option 'assign': '[]' is not JSON"),
    ],
)  # fmt: skip
def test_wrong_options_of_batches(options: dict[str, str], expected: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        KafkaOptions.of(SERVERS | options, stream=False)
    assert expected in str(error.value)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"subscribe": "a", "endingOffsets": "latest"}, "a stream has no end"),
        ({"subscribe": "a", "sharedLookups": "true"}, "option 'snapshotLocation' is missing"),
    ],
)
def test_wrong_options_of_streams(options: dict[str, str], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        KafkaOptions.of(SERVERS | options, stream=True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"subscribe": "a"}, "no option 'subscribe'"),
        ({"messageRows": "0"}, "option 'messageRows': '0' is less than 1"),
        ({"kind": "rdf", "streamType": "FLAT"}, "no option 'streamType'"),
        ({"maxNameTableSize": "3"}, "name"),
    ],
)
def test_wrong_options_of_sinks(options: dict[str, str], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        KafkaWriteOptions.of(SERVERS | {"topic": "a"} | options)


def test_right_options() -> None:
    made = KafkaOptions.of(
        SERVERS | {"SUBSCRIBE": "a, b", "kafkacolumns": "true", "format": "nt", "kafkaConsumer.pollTimeoutMs": "500"},
        stream=None,
    )  # fmt: skip
    assert made.subscribe == ("a", "b")
    assert made.read.kind == "rdf"
    assert made.timeout == 0.5
    assert made.ddl.endswith(
        "`key` binary, `topic` string, `partition` int, `offset` bigint, `timestamp` timestamp"
    )
    sink = KafkaWriteOptions.of(
        SERVERS | {"streamType": "frame", "frameRows": "7", "checkpointLocation": "x"}
    )
    assert sink.encode["options"].stream_type == "FRAME"
    assert sink.encode["frame_rows"] == 7


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kafka.fetch.max.wait.ms": "5"}, {"fetch.wait.max.ms": "5"}),
        ({"kafka.buffer.memory": "2048"}, {"queue.buffering.max.kbytes": "2"}),
        ({"kafka.ssl.endpoint.identification.algorithm": ""}, {"ssl.endpoint.identification.algorithm": "none"}),
        (
            {"kafka.sasl.jaas.config": 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p w";'},
            {"sasl.username": "u", "sasl.password": "p w"},
        ),
        ({"kafka.ssl.truststore.location": "ca", "kafka.ssl.truststore.type": "PEM"}, {"ssl.ca.location": "ca"}),
        ({"kafka.ssl.keystore.location": "k", "kafka.ssl.keystore.type": "PKCS12"}, {"ssl.keystore.location": "k"}),
    ],
)  # fmt: skip
def test_names_of_java(given: dict[str, str], expected: dict[str, str]) -> None:
    assert translated(SERVERS | given) == {"bootstrap.servers": "there:9092"} | expected


def test_what_librdkafka_has_not() -> None:
    for name in ("kafka.ssl.truststore.location", "kafka.ssl.keystore.location"):
        with pytest.raises(ValueError, match=f"option '{name}': librdkafka cannot read JKS"):
            translated(SERVERS | {name: "x"})
    with pytest.raises(ValueError, match="only PlainLoginModule and ScramLoginModule"):
        translated(
            SERVERS
            | {"kafka.sasl.jaas.config": "com.sun.security.auth.module.Krb5LoginModule required;"}
        )
    with pytest.raises(ValueError, match=r"'kafka\.bootstrap\.servers' is missing"):
        translated({"subscribe": "a"})
    settings = {
        "bootstrap.servers": "x",
        "fetch.min.bytes": "1",
        "acks": "1",
        "security.protocol": "SSL",
    }
    assert for_admin(settings) == {"bootstrap.servers": "x", "security.protocol": "SSL"}


def test_missing_confluent_kafka_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("confluent_kafka"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'jelly-patch\[kafka\]'"):
        require_confluent_kafka()


def test_offsets_are_shared_out() -> None:
    start = {("a", 0): 10, ("a", 1): 0, ("b", 0): 5, ("b", 1): 7}
    end = {("a", 0): 110, ("a", 1): 50, ("b", 0): 6, ("b", 1): 7}
    assert limited(start, end, None) == end
    assert limited(start, end, 151) == end
    for most in range(1, 151):
        found = limited(start, end, most)
        assert sum(found.values()) - sum(start.values()) == most
        assert all(start[place] <= found[place] <= end[place] for place in start)
    assert limited(start, end, 15) == {("a", 0): 20, ("a", 1): 5, ("b", 0): 5, ("b", 1): 7}
    ids = {"a": "x", "b": ""}
    assert from_json(to_json(start, ids)) == start
    assert ids_of(to_json(start, ids)) == {"a": "x"}
    assert parse_offsets('{"a":{"0":10,"1":-2,"id":"x"}}') == {("a", 0): 10, ("a", 1): -2}


def test_ranges_are_divided() -> None:
    ranges = [Range("a", 0, 0, 100), Range("b", 0, 7, 8)]
    assert divided(ranges, None, None) == ranges
    assert divided(ranges, 2, None) == ranges
    for parts, most in ((5, None), (None, 30), (1000, None), (3, 30)):
        found = divided(ranges, parts, most)
        covered = [(each.topic, offset) for each in found for offset in range(each.start, each.end)]
        assert covered == [("a", offset) for offset in range(100)] + [("b", 7)]
        assert len(found) >= min(parts or 1, 101)
        assert all(each.end - each.start <= (most or 100) for each in found)
