"""Topics of a test broker."""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterable
from typing import Any

import jelly
import jellybytes as jb

_QUIET = {"log_level": 0}


class Log:
    """Makes topics and writes to them."""

    def __init__(self, address: str) -> None:
        from confluent_kafka.admin import AdminClient

        self.address = address
        self._admin = AdminClient({"bootstrap.servers": address, **_QUIET})

    @property
    def options(self) -> dict[str, str]:
        return {"kafka.bootstrap.servers": self.address}

    def topic(self, partitions: int = 1, name: str | None = None, **config: str) -> str:
        """A new topic."""
        from confluent_kafka.admin import NewTopic

        name = name or f"t{uuid.uuid4().hex[:12]}"
        asked = self._admin.create_topics([NewTopic(name, partitions, 1, config=config)])
        asked[name].result()
        return name

    def drop(self, topic: str) -> None:
        self._admin.delete_topics([topic])[topic].result()

    def put(self, topic: str, values: Iterable[Any], partition: int = 0, **more: Any) -> None:
        """Appends messages: values, or dicts of what `produce` takes."""
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.address, "linger.ms": 0, **_QUIET})
        failed: list[Any] = []
        for value in values:
            message = value if isinstance(value, dict) else {"value": value}
            producer.produce(
                topic, partition=partition, on_delivery=lambda error, _: failed.append(error) if error else None,
                **more, **message,
            )  # fmt: skip
            producer.poll(0)
        assert producer.flush(60) == 0
        assert not failed, failed

    def cut(self, topic: str, before: int, partition: int = 0) -> None:
        """Removes what is before an offset, as retention does."""
        from confluent_kafka import TopicPartition

        where = TopicPartition(topic, partition, before)
        for answer in self._admin.delete_records([where]).values():
            assert answer.result().low_watermark == before

    def all(self, topic: str, partitions: int = 1) -> list[Any]:
        """All messages."""
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer(
            {
                "bootstrap.servers": self.address,
                "group.id": "tests",
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
                **_QUIET,
            }
        )
        consumer.assign([TopicPartition(topic, each, 0) for each in range(partitions)])
        found, ended = [], 0
        while ended < partitions:
            message = consumer.poll(60)
            assert message is not None
            if message.error() is None:
                found.append(message)
            else:
                assert message.error().name() == "_PARTITION_EOF", message.error()
                ended += 1
        consumer.close()
        return found


def whole(subject: str, first: int, adds: int = 2) -> bytes:
    """A whole stream: one patch that adds so many statements."""
    out = io.BytesIO()
    with jelly.PatchWriter(out) as writer:
        writer.write(patch_rows(subject, first, adds))
    return out.getvalue()


def patch_rows(subject: str, first: int, adds: int = 2) -> list[dict[str, str]]:
    def row(op: str, n: int = 0) -> dict[str, str]:
        if op != "A":
            return {"op": op}
        place = {"subject": f"<http://e/{subject}{n % 50}>", "predicate": "<http://e/p>"}
        return {"op": op, "object": f'"{n}"', "graph": "", **place}

    return [row("TX"), *(row("A", n) for n in range(first, first + adds)), row("TC"), row("Z")]


def frames(
    count: int, adds: int = 2, subject: str = "s", options: jelly.PatchOptions | None = None
) -> list[bytes]:
    """Frames without length that share lookups: a patch in each; objects count on."""
    out = io.BytesIO()
    writer = jelly.PatchWriter(out, options, delimited=False)
    found = []
    for n in range(count):
        writer.write(patch_rows(subject, n * adds, adds))
        if options is None or options.stream_type != "FRAME":
            writer.end_frame()  # the Z of a FRAME stream did
        writer.flush()
        found.append(out.getvalue())
        out.seek(0)
        out.truncate()
    return found


def nameless(count: int) -> list[bytes]:
    """Streams of one frame with the same node without a label."""
    row = jb.triple(s_bnode="anon-0", p_iri=jb.iri(1), o_literal=jb.literal("0"))
    return [jb.frame(jb.rdf_options(), jb.rdf_entry("name", "p"), row)] * count
