"""The data source ``jelly-grpc``: each row of the spool is read once, also after stops, restarts and replaced topics."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import ArgumentError, JellyError

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("grpc", reason="grpcio is not installed")

import grpc

import jelly.grpc
from grpc_servers import frames, here, lines, numbers, read
from jelly.grpc._wire import RDF_SERVICE
from jelly.spark.grpc.source import GrpcSource
from servers import free_port, start

from .tables import schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = "source string, object string"
TERMS = "subject string, predicate string, object string, graph string"
PATCH = "source string, op string, " + TERMS


def options(server: str, spool: Path | None = None, /, **more: str) -> dict[str, str]:
    found = {"path": server, "topic": "t", **more}
    return found if spool is None else found | {"spoolLocation": str(spool)}


def streamed(server: str, spool: Path, **more: str) -> Any:
    return GrpcSource(options(server, spool, **more)).streamReader(schema(ROWS))


class Query:
    """What Spark does with a stream: a checkpoint, batches, commits one batch late."""

    def __init__(self) -> None:
        self.at: dict[str, Any] | None = None
        self.rows: list[str] = []
        self.batches: list[int] = []

    def batch(self, reader: Any) -> int:
        """Reads what is there, and returns how many rows that was."""
        start = self.at or reader.initialOffset()
        end = reader.latestOffset(start, reader.getDefaultReadLimit())
        if end == start:
            return 0
        count = len(self.rows)
        if self.at is not None:
            reader.commit(start)
        for _ in range(2):  # as after a failure: the same rows again
            again = [pickle.loads(pickle.dumps(one)) for one in reader.partitions(start, end)]
            worker = pickle.loads(pickle.dumps(reader))
            found = [value for one in again for rows in worker.read(one) for value in rows.column("object").to_pylist()]  # fmt: skip
        self.rows += found
        self.at = end
        self.batches.append(len(self.rows) - count)
        return self.batches[-1]

    def until(self, reader: Any, count: int) -> None:
        while len(self.rows) < count:
            if not self.batch(reader):
                reader._receiver.done.wait(0.01)


def publish(server: str, *values: range, **more: Any) -> None:
    for one in values:
        jelly.grpc.publish(server, lines(len(one), one.start), format="nt", topic="t", **more)


def test_a_stream_over_restarts_of_query_and_server(tmp_path: Path) -> None:
    """Query, receiver and server stop at some point each; nothing comes twice, nothing is left out."""
    query, spool = Query(), tmp_path / "spool"
    port = free_port()
    server = f"127.0.0.1:{port}"
    running = start(tmp_path / "logs", free_port(), "--grpc-port", str(port))
    publish(server, range(100), range(100, 20_000))
    reader = streamed(server, spool, maxBytesPerTrigger="1k")
    query.until(reader, 100)
    reader.stop()
    reader = streamed(server, spool)
    query.until(reader, 20_000)
    running.kill()
    running.wait()
    running = start(tmp_path / "logs", free_port(), "--grpc-port", str(port))
    publish(server, range(20_000, 20_010))
    query.until(reader, 20_010)  # the receiver asks again by itself
    assert query.batch(reader) == 0
    reader.stop()
    running.kill()
    running.wait()
    assert sorted(query.rows, key=lambda text: int(text[1:-1])) == numbers(range(20_010))
    assert len(list(spool.glob("*.jelly"))) <= 2  # what was read is deleted


def test_a_spool_has_room_for_so_much(tmp_path: Path) -> None:
    with here(tmp_path / "logs") as server:
        for one in range(20):
            publish(server, range(one * 3000, one * 3000 + 3000))
        query, reader = Query(), streamed(server, tmp_path / "spool", spoolBytes="20k")
        query.until(reader, 60_000)
        reader.stop()
    assert len(query.batches) > 5
    assert sorted(query.rows) == sorted(numbers(range(60_000)))


def test_available_now(tmp_path: Path) -> None:
    with here(tmp_path / "logs") as server:
        publish(server, range(500))
        query = Query()
        for count in (500, 700):
            reader = streamed(server, tmp_path / "spool", spoolBytes="10")
            reader.prepareForTriggerAvailableNow()
            publish(server, range(count, count + 200))
            query.until(reader, count)
            assert query.batch(reader) == 0
            reader.stop()
    assert query.rows == numbers(range(700))


def test_another_stream_under_the_name(tmp_path: Path) -> None:
    query, spool = Query(), tmp_path / "spool"
    with here(tmp_path / "one") as server:
        publish(server, range(10))
        reader = streamed(server, spool)
        query.until(reader, 10)
        reader.stop()
    with here(tmp_path / "other") as server:
        publish(server, range(50), range(50, 60))
        reader = streamed(server, spool)
        with pytest.raises(ArgumentError, match="the name of the topic now belongs to"):
            query.until(reader, 11)
        reader.stop()


def test_spools_and_checkpoints_go_together(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with here(tmp_path / "logs") as server:
        publish(server, range(10))
        query, reader = Query(), streamed(server, spool)
        query.until(reader, 10)
        publish(server, range(10, 20))
        query.until(reader, 20)
        query.until(reader, 20)
        reader.commit(query.at)
        reader.stop()
        wrong: list[tuple[Callable[[], object], str]] = [
            (lambda: Query().batch(streamed(server, spool)), "frames 0 to 1 are gone"),
            (lambda: query.batch(streamed(server, tmp_path / "new")), "belongs to another spool"),
            (lambda: streamed(server, spool, topic="u").initialOffset(), "spool of the topic 't'"),
            (lambda: streamed(server, tmp_path).initialOffset(), "not a spool, and is not empty"),
        ]
        for call, message in wrong:
            with pytest.raises(ArgumentError, match=message):
                call()


def test_servers_that_do_not_number_frames(tmp_path: Path) -> None:
    """Each start of the query gets the whole subscription once more; a connection that breaks is an error."""
    sent = frames(lines(30), frame_rows=10)
    breaks = False

    def subscribe(message: bytes, context: Any) -> Any:
        del message
        yield from sent
        if breaks:
            context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    from concurrent.futures import ThreadPoolExecutor

    server = grpc.server(ThreadPoolExecutor(4))
    methods = {"SubscribeRdf": grpc.unary_stream_rpc_method_handler(subscribe)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(RDF_SERVICE, methods),))
    target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    query = Query()
    for starts in (1, 2):
        reader = streamed(target, tmp_path / "spool")
        query.until(reader, 30 * starts)
        reader.stop()
    breaks = True
    reader = streamed(target, tmp_path / "spool")
    query.until(reader, 90)
    with pytest.raises(ConnectionError, match="gone"):
        query.until(reader, 91)
    reader.stop()
    server.stop(None)
    assert sorted(query.rows) == sorted(numbers(range(30)) * 3)


def written(server: str, *tasks: pa.Table, id: str | None = None) -> None:
    made = options(server, None, **({} if id is None else {"id": id}))
    to = GrpcSource(made).writer(schema(TERMS), False)
    to.commit([pickle.loads(pickle.dumps(to)).write(iter(one.to_batches())) for one in tasks])


def table(*values: int) -> pa.Table:
    found = {"subject": [f"<a:s{n}>" for n in values], "predicate": ["<a:p>"] * len(values)}
    return pa.table(found | {"object": [f'"{n}"' for n in values], "graph": [""] * len(values)})


def test_a_task_that_is_repeated_is_stored_once(tmp_path: Path) -> None:
    with here(tmp_path / "logs") as server:
        written(server, table(2, 1, 3), table()[:0], id="load")
        written(server, table(3, 2, 1), id="load")
        with pytest.raises(JellyError) as caught:
            written(server, table(3, 2), id="load")
        assert caught.value.kind == "patch.duplicate"
        assert read(server, "t") == ['"1"', '"2"', '"3"']
        written(server, table(4))
        written(server, table(4))  # another job
        assert len(read(server, "t")) == 5


def test_options_that_are_refused() -> None:
    for made, message in (
        (options("nowhere"), "expected host:port"),
        (options("http://a:1"), "expected host:port"),
        (options("a:1", topic=""), "'topic' is missing"),
        (options("a:1", spoolLocation="x"), "use readStream"),
        (options("a:1", format="nt"), "no option 'format'"),
        (options("a:1", tlsKey="x"), "tlsKey needs tlsCert"),
    ):
        with pytest.raises(ValueError, match=message):
            GrpcSource(made).reader(schema(ROWS))
    for made, message in (
        (options("a:1", kind="log"), "neither rdf nor patch"),
        (options("a:1", kind="patch", topic=""), "'topic' is missing"),
        (options("a:1", kind="patch", compress="true"), "no option 'compress'"),
        (options("a:1", kind="patch", maxVersionsPerTrigger="1"), "only with streams"),
        (options("a:1", kind="patch", spoolLocation="x"), "no option 'spoollocation'"),
    ):
        with pytest.raises(ValueError, match=message):
            GrpcSource(made).reader(schema(PATCH))
    with pytest.raises(ValueError, match="'spoolLocation' is missing"):
        GrpcSource(options("a:1")).streamReader(schema(ROWS))
    for ddl, overwrite, said in (
        (TERMS, True, "only grows"),
        ("subject string", False, "no column 'predicate'"),
    ):
        with pytest.raises(ValueError, match=said):
            GrpcSource(options("a:1")).writer(schema(ddl), overwrite)


@pytest.mark.spark
def test_a_log_in_spark(jelly_spark: SparkSession, tmp_path: Path) -> None:
    """A DataFrame becomes a patch of a log, from there a stream goes to another one, and both are read back."""
    import jelly.spark

    for name in ("t", "u"):
        jelly.Log.create(tmp_path / "logs" / name)
    rows = [("A", f"<a:s{n}>", "<a:p>", f'"{n}"', "") for n in range(100)]
    base = jelly_spark.createDataFrame([], TERMS)
    with here(tmp_path / "logs") as server:
        df = jelly_spark.createDataFrame(rows, f"op string, {TERMS}").repartition(1)
        to: dict[str, Any] = {"topic": "t", "kind": "patch", "id": "a:1"}
        for _ in range(2):
            df.write.format("jelly-grpc").mode("append").options(**to).save(server)
        for end in (2, 3):
            later = f'H id <a:{end}> .\nTX .\nA <a:s{98 + end}> <a:p> "x" .\nTC .\n'.encode()
            jelly.grpc.publish_patch(server, "t", later)
            stream = jelly_spark.readStream.format("jelly-grpc").options(
                topic="t", kind="patch", maxVersionsPerTrigger=1, spoolLocation=str(tmp_path / "no")
            )
            query = (
                stream.load(server)
                .writeStream.format("jelly-grpc")
                .options(topic="u", kind="patch", checkpointLocation=str(tmp_path / "checkpoint"))
                .trigger(availableNow=True)
                .start(server)
            )
            assert query.awaitTermination(120)
            found = jelly_spark.read.format("jelly-grpc").options(topic="u", kind="patch").load(server)  # fmt: skip
            assert jelly.spark.apply(base, found).count() == 99 + end
            sources = {row.source for row in found.select("source").distinct().collect()}
            assert sources == {f"{server}/u/patch-{n:04}" for n in range(1, end + 1)}
    one, other = (jelly.Log(tmp_path / "logs" / name) for name in ("t", "u"))
    assert [v.id for v in one.versions()] == [v.id for v in other.versions()] == ["<a:1>", "<a:2>", "<a:3>"]  # fmt: skip
    assert [one._digest(n) for n in (1, 2, 3)] == [other._digest(n) for n in (1, 2, 3)]
    assert not (tmp_path / "no").exists()


@pytest.mark.spark
def test_in_spark(jelly_spark: SparkSession, tmp_path: Path) -> None:
    """A DataFrame goes to a topic, from there through a stream to another one, and is read back."""
    rows = [(f"<a:s{n}>", "<a:p>", f'"{n}"', "<a:g>" if n % 2 else "") for n in range(1000)]
    with here(tmp_path / "logs") as server:
        df = jelly_spark.createDataFrame(rows, TERMS).repartition(3, "subject")
        for _ in range(2):
            df.write.format("jelly-grpc").mode("append").options(topic="t", id="1").save(server)
        for _ in range(2):
            query = (
                jelly_spark.readStream.format("jelly-grpc")
                .options(topic="t", spoolLocation=str(tmp_path / "spool"))
                .load(server)
                .select("subject", "predicate", "object", "graph")
                .writeStream.format("jelly-grpc")
                .options(topic="u", checkpointLocation=str(tmp_path / "checkpoint"))
                .trigger(availableNow=True)
                .start(server)
            )
            assert query.awaitTermination(120)
            publish_more = lines(5, 1000)
            jelly.grpc.publish(server, publish_more, format="nq", topic="t", publish_id="5")
        found = jelly_spark.read.format("jelly-grpc").option("topic", "u").load(server)
        got = {(row.subject, row.graph or "") for row in found.collect()}
        assert found.count() == 1005
    expected = {(subject, graph) for subject, _, _, graph in rows}
    assert got == expected | {(f"<a:s{n}>", "") for n in range(1000, 1005)}
