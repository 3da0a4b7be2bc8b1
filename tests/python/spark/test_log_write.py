"""The sink ``jelly-log``: a batch of rows is one patch, whatever order, retries and tasks Spark has."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import PatchError

pytest.importorskip("pyspark", reason="pyspark is not installed")

from pyspark.sql.types import LongType, StructField, StructType

from jelly.spark.grpc.source import GrpcSource
from jelly.spark.log.rows import encoded
from jelly.spark.log.source import LogSource

from .raising import spark_raises
from .tables import schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TERMS = "op string, subject string, predicate string, object string, graph string"
CHANGES = [("A", n) for n in range(6)] + [("D", n) for n in range(6, 9)]


def table(rows: list[tuple[str, int]], seq: bool = False) -> pa.Table:
    found: dict[str, list[Any]] = {
        "op": [op for op, _ in rows],
        "subject": [f"<x:{n}>" for _, n in rows],
        "predicate": ["<x:p>" for _ in rows],
        "object": [f'"{n}"' for _, n in rows],
        "graph": ["" if n % 2 else "<x:g>" for _, n in rows],
    }
    return pa.table(found | ({"seq": list(range(len(rows)))} if seq else {}))


def patch(data: pa.Table, id: str = "<x:id>", pieces: int = 2) -> list[tuple[Any, ...]]:
    """The rows of the patch that a task makes of a table, which comes in pieces."""
    made, count = encoded(data.to_batches(max_chunksize=-(-len(data) // pieces)), id)
    assert count == len(data)
    with jelly.read_patch(made, columns=["op", "subject", "name", "value"]) as reader:
        return [tuple(row) for row in reader.rows()]


def writer(place: Path | str, ddl: str = TERMS, **options: str) -> Any:
    return LogSource({"path": str(place), **options}).writer(schema(ddl), False)


def publish(to: Any, *tasks: pa.Table) -> None:
    """What Spark does with the rows of some tasks, each of which has a copy of the writer."""
    there = pickle.loads(pickle.dumps(to))
    to.commit([pickle.loads(pickle.dumps(there.write(iter(task.to_batches())))) for task in tasks])


def test_any_order_makes_the_same_patch() -> None:
    made = patch(table(CHANGES))
    assert [row[0] for row in made] == ["H", "TX", *["D"] * 3, *["A"] * 6, "TC", "Z"]
    assert [row[1] for row in made[2:5]] == ["<x:7>", "<x:6>", "<x:8>"]  # by graph, then subject
    rnd = random.Random(7)
    for _ in range(5):
        mixed = rnd.sample(CHANGES, len(CHANGES))
        assert encoded(table(mixed).to_batches(), "<x:id>")[0] == encoded(table(CHANGES).to_batches(), "<x:id>")[0]  # fmt: skip
        assert patch(table(mixed), pieces=3) == made


def test_rows_stand_by_seq() -> None:
    numbered = table(CHANGES, seq=True)
    mixed = numbered.take([5, 0, 8, 1, 2, 7, 6, 3, 4])
    made = patch(mixed)
    assert [row[1] for row in made if row[0] in "AD"] == [f"<x:{n}>" for n in range(9)]
    for seq, message in (([0] * 9, "seq 0 occurs twice"), ([None, *range(8)], "has no seq")):
        wrong = numbered.set_column(numbered.schema.get_field_index("seq"), "seq", pa.array(seq, pa.int64()))  # fmt: skip
        with pytest.raises(ValueError, match=message):
            patch(wrong)


def test_a_patch_that_is_read_is_written_as_it_was() -> None:
    text = b'H id <x:own> .\nH author "me" .\nTX .\nA <x:a> <x:p> "1" .\nTA .\nTX .\nPA "p" "x:" .\nTC .\n'
    with jelly.read_patch(text, format="rdfp") as reader:
        rows = pa.table(reader)
    assert rows.num_rows > 8
    made = patch(rows.take(list(reversed(range(rows.num_rows)))), id="<x:other>")
    with jelly.read_patch(text, format="rdfp", columns=["op", "subject", "name", "value"]) as reader:  # fmt: skip
        was = [tuple(row) for row in reader.rows()]
    assert made[:-1] == was[:-1]  # the ends differ in how they are marked


def test_several_patches_are_no_batch(tmp_path: Path) -> None:
    with jelly.read_patch(b"TX .\nTC .\nZ .\nTX .\nTC .\n", format="rdfp") as reader:
        rows = pa.table(reader)
    for names in (rows.column_names, ["op", "subject", "predicate", "object", "seq"]):
        log_of = rows.select(names)
        with pytest.raises(PatchError, match=r"patch\.several"):
            jelly.Log(tmp_path).publish(encoded(log_of.to_batches(), "<x:id>")[0])
    ends = table([("A", 1)], seq=True)
    both = pa.concat_tables([ends, ends.set_column(0, "op", pa.array(["Z"])), ends.set_column(0, "op", pa.array(["Z"]))])  # fmt: skip
    both = both.set_column(both.schema.get_field_index("seq"), "seq", pa.array([0, 1, 2]))
    with pytest.raises(PatchError, match=r"patch\.several"):
        encoded(both.to_batches(), "<x:id>")
    assert jelly.Log(tmp_path).head.version == 0


def test_a_mark_needs_its_place() -> None:
    with pytest.raises(ValueError, match="add a column seq"):
        patch(table([("TX", 0), ("A", 1)]))


def test_a_retry_is_a_replay(tmp_path: Path) -> None:
    to = writer(tmp_path / "log", id="x:load")
    empty = table([])
    publish(to, empty, table(CHANGES), empty)
    publish(to, table(CHANGES[::-1]))  # its answer was lost
    log = jelly.Log(tmp_path / "log")
    assert tuple(log.head) == (1, "<x:load>")
    with pytest.raises(PatchError) as caught:
        publish(writer(tmp_path / "log", id="<x:load>"), table(CHANGES[1:]))
    assert caught.value.kind == "patch.duplicate"
    publish(writer(tmp_path / "log"), table(CHANGES))
    publish(writer(tmp_path / "log"), table(CHANGES))  # another write, without an id to know it by
    assert log.head.version == 3
    assert [(one.added, one.deleted) for one in log.versions()] == [(6, 3)] * 3


def test_rows_in_several_tasks_publish_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 tasks have rows"):
        publish(writer(tmp_path / "log"), table(CHANGES[:4]), table([]), table(CHANGES[4:]))
    publish(writer(tmp_path / "log"), table([]))
    assert jelly.Log(tmp_path / "log").head.version == 0


def test_refused_before_tasks_begin(tmp_path: Path) -> None:
    for ddl, message in (
        ("op string, subject string, predicate string", "needs the columns object"),
        (f"{TERMS}, extra string", "no column 'extra'"),
        (TERMS.replace("object string", "object bigint"), "column 'object' is long"),
        (f"{TERMS}, seq string", "column 'seq' is string; it must be long"),  # "10" is before "9"
        (f"{TERMS}, patch string", "column 'patch' is string; it must be long"),
        (f"{TERMS}, source int", "column 'source' is integer; it must be string"),
    ):
        with pytest.raises(ValueError, match=message):
            writer(tmp_path, ddl)
        with pytest.raises(ValueError, match=message):
            GrpcSource({"path": "h:1", "kind": "patch", "topic": "t"}).writer(schema(ddl), False)
    writer(tmp_path, f"{TERMS}, frame bigint, patch bigint, txn int, seq int, source string")
    nested = StructType([*schema("op string, subject string, predicate string"), StructField("object", StructType())])  # fmt: skip
    with pytest.raises(ValueError, match="'object' is not text"):
        LogSource({"path": str(tmp_path)}).writer(nested, False)
    LogSource({"path": str(tmp_path)}).writer(nested.add("seq", LongType()), False)
    with pytest.raises(ValueError, match="only grows"):
        LogSource({"path": str(tmp_path)}).writer(schema(TERMS), True)
    with pytest.raises(ValueError, match="no option 'compression'"):
        writer(tmp_path, compression="zstd")
    with pytest.raises(ValueError, match="option 'id'"):
        writer(tmp_path, id='"text"')


def test_ids_of_batches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Context:
        batch = "0"

        def getLocalProperty(self, name: str) -> str:  # noqa: N802
            return {"sql.streaming.queryId": "q", "streaming.sql.batchId": self.batch}[name]

    context = Context()
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: context)
    found = []
    for options in ({}, {"id": "https://example.org/load"}):
        made = LogSource({"path": str(tmp_path / "log"), **options}).streamWriter(schema(TERMS), False)  # fmt: skip
        for batch in "010":
            context.batch = batch
            made.commit([made.write(iter(table([("A", int(batch))]).to_batches()))], int(batch))
            found.append(jelly.Log(tmp_path / "log").head)
    versions, ids = [head.version for head in found], [head.id for head in found]
    assert versions == [1, 2, 2, 3, 4, 4]
    assert ids[3:5] == ["<https://example.org/load/0>", "<https://example.org/load/1>"]
    assert len({*ids}) == 4


@pytest.mark.spark
def test_in_spark(jelly_spark: SparkSession, tmp_path: Path) -> None:
    place = str(tmp_path / "log")
    rows = [("A", f"<x:{n}>", "<x:p>", f'"{n}"', "") for n in range(100)]
    df = jelly_spark.createDataFrame(rows, TERMS).repartition(3)
    with spark_raises("AnalysisException", "tasks have rows"):
        df.write.format("jelly-log").mode("append").save(place)
    for _ in range(2):
        df.repartition(1).write.format("jelly-log").mode("append").option("id", "x:1").save(place)
    log = jelly.Log(place)
    assert tuple(log.head) == (1, "<x:1>")
    assert next(log.versions()).added == 100
