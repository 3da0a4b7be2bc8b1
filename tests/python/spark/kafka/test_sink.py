"""What the sink makes of rows, without Spark and without a broker."""

from __future__ import annotations

from typing import Any

import pytest

import jelly
from jelly.spark.files.order import Order
from jelly.spark.kafka.options import KafkaWriteOptions
from kafkalog import patch_rows

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")

FIELDS = ("op", "subject", "predicate", "object", "graph")


def table(rows: list[dict[str, Any]], **more: list[Any]) -> Any:
    columns = {name: pa.array([row.get(name) for row in rows], pa.string()) for name in FIELDS}
    return pa.table(columns | more)


def encoded(batches: Any, **options: str) -> list[tuple[str, bytes | None, list[str]]]:
    from jelly.spark.kafka.sink import encoded as messages

    made = KafkaWriteOptions.of({"kafka.bootstrap.servers": "there", **options})
    read = jelly.read_rdf if made.kind == "rdf" else jelly.read_patch
    return [
        (target.topic, target.key, [row.object for row in read(value).rows() if row.object])
        for target, value in messages(made, batches, Order())
    ]


def test_patches_are_never_cut() -> None:
    rows = [row for n in range(6) for row in patch_rows("s", n * 10, 10)]
    found = encoded(table(rows).to_batches(max_chunksize=7), topic="t", key="k", messageRows="20")
    assert found == [("t", b"k", [f'"{n}"' for n in range(at, at + 20)]) for at in (0, 20, 40)]


def test_statements() -> None:
    rows = [row for row in patch_rows("s", 0, 10) if row["op"] == "A"]
    batches = table(rows).select(["subject", "predicate", "object"]).to_batches()
    found = encoded(batches, topic="t", kind="rdf", messageRows="4")
    assert [len(objects) for _, _, objects in found] == [4, 4, 2]


def test_columns_say_where_to() -> None:
    rows = [row for n in range(4) for row in patch_rows("s", n, 1)]
    to: dict[str, list[Any]] = {"topic": ["a"] * 8 + ["b"] * 8, "key": [b"1"] * 4 + [None] * 12}
    found = encoded(table(rows, **to).to_batches(max_chunksize=5))
    assert found == [("a", b"1", ['"0"']), ("a", None, ['"1"']), ("b", None, ['"2"', '"3"'])]
    found = encoded(table(rows, **to).to_batches(), topic="c", key="x")
    assert found == [("c", b"x", [f'"{n}"' for n in range(4)])]


def test_what_would_cut_a_patch() -> None:
    rows = [row for n in range(2) for row in patch_rows("s", n, 1)]
    with pytest.raises(ValueError, match="topic or key changes inside a patch"):
        encoded(table(rows, key=["a"] * 3 + ["b"] * 5).to_batches(), topic="t")
    with pytest.raises(ValueError, match="out of order: seq 2 after 3"):
        encoded(table(rows, seq=[0, 1, 3, 2, 4, 5, 6, 7]).to_batches(), topic="t")
    with pytest.raises(ValueError, match="has no topic"):
        encoded(table(rows, topic=[None] * 8).to_batches())


def test_patches_in_several_tasks() -> None:
    from jelly.spark.files.order import Run
    from jelly.spark.kafka.sink import Sent, require_uncut

    runs = [(Run("a", 0, 3),), (Run("a", 4, 5), Run("b", 0, 0))]
    require_uncut([Sent(n, 1, run) for n, run in enumerate(runs)])
    with pytest.raises(ValueError, match="patch 3 of the source 'a' would be cut"):
        require_uncut([None, Sent(0, 1, runs[0]), Sent(1, 1, (Run("a", 3, 5),))])


def test_what_cannot_be_written() -> None:
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    from jelly.spark.kafka.sink import KafkaWriter

    def writer(overwrite: bool, *names: str, topic: str = "t", **kinds: Any) -> None:
        fields = [StructField(name, kinds.get(name, StringType())) for name in names]
        given = {"kafka.bootstrap.servers": "there", **({"topic": topic} if topic else {})}
        KafkaWriter(KafkaWriteOptions.of(given), StructType(fields), overwrite)

    right = ("op", "subject", "predicate", "object")
    writer(False, *right)
    with pytest.raises(ValueError, match="cannot be overwritten"):
        writer(True, *right)
    with pytest.raises(ValueError, match="kind=patch needs the columns op"):
        writer(False, *right[1:])
    with pytest.raises(ValueError, match="option 'topic' is missing"):
        writer(False, *right, topic="")
    with pytest.raises(ValueError, match="column 'key' is bigint; it must be string or binary"):
        writer(False, *right, "key", key=LongType())
