"""The source ``jelly-log``: logs in folders and on a server, in batches and as streams; and ``jelly-grpc`` with logs.

Most tests call what Spark calls, without Spark, which needs seconds for each query.
"""

from __future__ import annotations

import io
import json
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly
from jelly.errors import PatchError

pytest.importorskip("pyspark", reason="pyspark is not installed")

from jelly.spark.grpc.source import GrpcSource
from jelly.spark.log.source import LogSource

from .tables import schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BASE = b'<x:s> <x:p> "0" .\n<x:s> <x:p> "base" .\n'
STORAGE: dict[str, str] = {}
# folders of logs, and the server of gRPC that each has
PEERS: dict[Path, str] = {}
COLUMNS = schema(jelly.PATCH_SCHEMA_DDL)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from servers import served

    root = tmp_path_factory.mktemp("logs")
    # a server sends these patches as they are stored only where they are Jelly-Patch
    jelly.Log.create(root / "text", BASE, base_format="nq", ending=".rdfp.gz")
    # and here nothing but the patch says that this is a log
    grow(jelly.Log(root / "others"), 1)
    (root / "others/log.json").unlink()
    with served(root) as address:
        yield address


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a server of gRPC."""
    pytest.importorskip("grpc")
    pytest.importorskip("starlette")
    from grpc_servers import here

    root = tmp_path_factory.mktemp("logs")
    with here(root) as target:
        PEERS[root] = target
        yield root
        del PEERS[root]


@pytest.fixture(params=["folder", "gzip", "server", "text", "store", "grpc"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> jelly.Log:
    if request.param == "store":
        pytest.importorskip("obstore")
        store = request.getfixturevalue("store")
        STORAGE.update(store.storage)
        return jelly.Log.create(store.place(), BASE, base_format="nq", storage=store.storage)
    if request.param in ("server", "text"):
        own = "".join(filter(str.isalnum, request.node.name))
        name = "text" if request.param == "text" else own
        place = f"{request.getfixturevalue('address')}/{name}"
        return jelly.Log.create(place, BASE, base_format="nq") if name != "text" else jelly.Log(place)  # fmt: skip
    if request.param == "grpc":
        name = request.node.name.partition("[")[0]
        return jelly.Log.create(request.getfixturevalue("peer") / name, BASE, base_format="nq")
    ending = ".rdfp.gz" if request.param == "gzip" else ".jellyp"
    return jelly.Log.create(tmp_path / "log", BASE, base_format="nq", ending=ending)


@pytest.fixture
def short(tmp_path: Path) -> jelly.Log:
    """A log of three versions."""
    log = jelly.Log.create(tmp_path / "log")
    grow(log, 3)
    return log


def grow(log: jelly.Log, count: int, prefix: str = "x") -> None:
    """Publishes patches, each of which deletes what the one before added."""
    for n in range(log.head.version + 1, log.head.version + count + 1):
        rows = f'D <x:s> <x:p> "{n - 1}" .\nA <x:s> <x:p> "{n}" .\nA <x:s{n}> <x:p> "new"@en .\n'
        log.publish(f"H id <{prefix}:{n}> .\nTX .\n{rows}TC .\n".encode())


def source(log: jelly.Log, **options: Any) -> LogSource | GrpcSource:
    texts = {name.lower(): str(value) for name, value in options.items()}
    if is_grpc(log):
        server, _, topic = name_of(log).partition("/")
        return GrpcSource({"path": server, "kind": "Patch", "topic": topic, **texts})
    if str(log.place).startswith("s3:"):
        texts |= {f"storage.{name.lower()}": value for name, value in STORAGE.items()}
    return LogSource({"path": str(log.place), **texts})


def is_grpc(log: jelly.Log) -> bool:
    return Path(log.place).parent in PEERS


def name_of(log: jelly.Log) -> str:
    """As ``source`` names the log."""
    place = Path(log.place)
    return f"{PEERS[place.parent]}/{place.name}" if is_grpc(log) else log.place


def rows_of(reader: Any, tasks: Any) -> list[tuple[Any, ...]]:
    """What workers give, each of which has a copy of the reader."""
    found: list[tuple[Any, ...]] = []
    for task in tasks:
        there, part = pickle.loads(pickle.dumps((reader, task)))
        for batch in there.read(part):
            found += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return list(map(plain, found))


def plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row without what its ``Z`` says of how the patch ended, by which formats differ."""
    return (*row[:-2], None, None) if row[4] == "Z" else row


def read(log: jelly.Log, **options: Any) -> list[tuple[Any, ...]]:
    reader = source(log, **options).reader(COLUMNS)
    return rows_of(reader, reader.partitions())


def expected(log: jelly.Log, versions: range) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for version in versions:
        out = io.BytesIO()
        log.fetch(version, out)
        with jelly.read_patch(out.getvalue()) as reader:
            name = f"{name_of(log)}/patch-{version:04}"
            rows += [plain((name, *row[1:])) for row in reader.rows()]
    return rows


class Stream:
    """A stream as Spark runs it: offsets are kept as JSON, and every process has its own reader."""

    def __init__(self, log: jelly.Log, **options: Any) -> None:
        self._source = source(log, **options)
        self.start()
        self.at = json.dumps(self.reader.initialOffset())

    def start(self) -> None:
        self.reader: Any = self._source.streamReader(COLUMNS)

    def batch(self) -> list[tuple[Any, ...]]:
        before = json.loads(self.at)
        end = self.reader.latestOffset(before, self.reader.getDefaultReadLimit())
        self.at = json.dumps(end)
        return self.repeat(before, end) if end != before else []

    def repeat(self, before: Any, end: Any) -> list[tuple[Any, ...]]:
        """A batch that was planned before."""
        found = rows_of(self.reader, self.reader.partitions(before, end))
        self.reader.commit(end)
        return found


def test_rows(log: jelly.Log) -> None:
    grow(log, 7)
    reader = source(log, minPartitions=3).reader(COLUMNS)
    tasks = reader.partitions()
    assert [repr(task) for task in tasks] == ["versions 1 to 2", "versions 3 to 5", "versions 6 to 7"]  # fmt: skip
    assert rows_of(reader, tasks) == expected(log, range(1, 8))
    assert len(expected(log, range(1, 8))) == 7 * 9 - 1  # the first patch has no prev
    assert read(log, startingVersion=3, endingVersion=5) == expected(log, range(3, 6))
    assert read(log, startingVersion=8) == []
    committed = read(log, rows="committed", startingVersion=7)
    assert [row[4] for row in committed] == ["D", "A", "A"]
    for options, message in (({"endingVersion": 8}, "patch.version"), ({"startingVersion": 9}, "patch.version")):  # fmt: skip
        with pytest.raises(PatchError, match=message):
            read(log, **options)

    stream = Stream(log, maxVersionsPerTrigger=4)
    assert json.loads(stream.at) == {"version": 0, "id": None}
    assert stream.batch() == expected(log, range(1, 5))
    stream.start()  # in another process
    assert stream.batch() == expected(log, range(5, 8))
    assert json.loads(stream.at) == {"version": 7, "id": "<x:7>"}
    assert stream.batch() == []
    grow(log, 1)
    assert stream.batch() == expected(log, range(8, 9))
    assert stream.repeat({"version": 4, "id": "<x:4>"}, {"version": 6, "id": "<x:6>"}) == expected(log, range(5, 7))  # fmt: skip


def test_patches_of_others_on_a_server(address: str) -> None:
    log = jelly.Log(f"{address}/others")
    assert log.info().id is None
    assert read(log) == Stream(log).batch() == expected(log, range(1, 2))


@pytest.mark.parametrize("log", ["folder", "server", "store", "grpc"], indirect=True)
def test_nothing_is_there_yet(log: jelly.Log) -> None:
    assert read(log) == []
    stream = Stream(log, startingVersion="latest")
    assert stream.batch() == []
    grow(log, 1)
    assert stream.batch() == expected(log, range(1, 2))


@pytest.mark.parametrize("log", ["server", "grpc"], indirect=True)
def test_one_task_reads_many_versions(log: jelly.Log) -> None:
    grow(log, 20)
    assert read(log, minPartitions=1) == expected(log, range(1, 21))
    reader = source(log, minPartitions=1).reader(COLUMNS)
    for task in reader.partitions():
        assert next(iter(reader.read(task))).num_rows  # as LIMIT does, which drops the rest


def test_tasks_by_bytes(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log")
    for size in (1, 40_000, 1, 1):
        log.publish(f'TX .\nA <x:s> <x:p> "{"x" * size}" .\nTC .\n'.encode())
    tasks = source(log, splitBytes=30_000).reader(COLUMNS).partitions()
    assert [repr(task) for task in tasks] == ["versions 1 to 2", "versions 3 to 4"]
    assert len(source(log).reader(COLUMNS).partitions()) == 1  # too small to divide


def test_batches_by_bytes(short: jelly.Log) -> None:
    grow(short, 1)
    sizes = [version.bytes for version in short.versions()]
    small = Stream(short, maxBytesPerTrigger=1)
    assert [small.batch(), small.batch()] == [expected(short, range(n, n + 1)) for n in (1, 2)]
    assert Stream(short, maxBytesPerTrigger=sum(sizes[:2])).batch() == expected(short, range(1, 3))
    assert len(Stream(short).batch()) == len(expected(short, range(1, 5)))


def test_where_a_stream_begins(short: jelly.Log) -> None:
    assert Stream(short, startingVersion=3).batch() == expected(short, range(3, 4))
    latest, next_one = Stream(short, startingVersion="Latest"), Stream(short, startingVersion=4)
    assert (latest.batch(), next_one.batch()) == ([], [])
    grow(short, 1)
    assert latest.batch() == next_one.batch() == expected(short, range(4, 5))
    with pytest.raises(PatchError, match=r"patch\.version"):
        Stream(short, startingVersion=9)


def test_what_came_after_the_start_is_left(short: jelly.Log) -> None:
    stream = Stream(short)
    stream.reader.prepareForTriggerAvailableNow()
    grow(short, 2)
    assert stream.batch() == expected(short, range(1, 4))
    assert stream.batch() == []


def test_before_spark_4_2(short: jelly.Log) -> None:
    """Spark says neither where a query is, nor a limit."""
    stream = Stream(short, maxVersionsPerTrigger=2)
    first = stream.reader.latestOffset()
    assert first["version"] == 2
    stream.reader.partitions(json.loads(stream.at), first)
    assert stream.reader.latestOffset()["version"] == 3
    stream.start()  # it does not know what was read
    assert stream.reader.latestOffset()["version"] == 3
    assert rows_of(stream.reader, stream.reader.partitions(first, {"version": 3, "id": "<x:3>"})) == expected(short, range(3, 4))  # fmt: skip


@pytest.mark.parametrize("log", ["folder", "grpc"], indirect=True)
def test_another_log(log: jelly.Log) -> None:
    grow(log, 3)
    stream = Stream(log)
    stream.batch()
    for count in (2, 3, 4):  # a head before the offset, at it, after it
        shutil.rmtree(log.folder)
        grow(jelly.Log.create(log.folder), count, "y")
        for kept in (False, True):
            if not kept:
                stream.start()
            with pytest.raises(PatchError, match=r"^patch\.fork"):
                stream.batch()
            with pytest.raises(PatchError, match=r"^patch\.fork"):
                stream.repeat({"version": 0, "id": None}, {"version": min(count, 3), "id": "<x:3>"})


@pytest.mark.parametrize("log", ["folder", "server", "store", "grpc"], indirect=True)
def test_another_log_that_was_compacted(log: jelly.Log) -> None:
    grow(log, 2)
    stream, other = Stream(log), Stream(log)
    stream.batch()
    other.at = json.dumps({"version": 2, "id": "<y:2>"})  # of a log that was there before
    log.compact(2)
    for count in (0, 1):  # the id is that of the head, then what the next patch comes after
        grow(log, count)
        with pytest.raises(PatchError, match=r"^patch\.fork.* but the log has <x:2> there"):
            other.batch()
        with pytest.raises(PatchError, match=r"^patch\.fork"):
            other.repeat(json.loads(other.at), {"version": 2 + count, "id": "<x:3>"})
        assert stream.batch() == expected(log, range(3, 3 + count))


@pytest.mark.parametrize("home", ["tmp_path", "peer"])
def test_what_is_gone(home: str, request: pytest.FixtureRequest) -> None:
    root = request.getfixturevalue(home)
    (root / "log").mkdir()
    for n in (3, 4):
        text = f"H id <x:{n}> .\nH prev <x:{n - 1}> .\nTX .\nA <x:s> <x:p> <x:{n}> .\nTC .\n"
        (root / f"log/patch-{n:04}.rdfp").write_text(text)
    log = jelly.Log(root / "log")
    assert read(log) == expected(log, range(3, 5))
    assert Stream(log).batch() == expected(log, range(3, 5))
    for ask in (lambda: read(log, startingVersion=2), lambda: Stream(log, startingVersion=2)):
        with pytest.raises(PatchError, match=r"^patch\.gap"):
            ask()


def test_refused_options(short: jelly.Log) -> None:
    for options, message in (
        ({"startingVersion": 0}, "not earliest, latest or a version from 1"),
        ({"endingVersion": "x"}, "not a whole number"),
        ({"startingVersion": 2, "endingVersion": 1}, "before startingVersion"),
        ({"startingVersion": "latest"}, "only with streams"),
        ({"maxVersionsPerTrigger": 1}, "only with streams"),
        ({"format": "rdfp"}, "no option 'format'"),
        ({"columns": "nothing"}, "nothing"),
    ):
        with pytest.raises(ValueError, match=message):
            source(short, **options).reader(COLUMNS)
    for options, message in (
        ({"endingVersion": 2}, "does not work with streams"),
        ({"maxVersionsPerTrigger": 1, "maxBytesPerTrigger": 1}, "cannot be used together"),
    ):
        with pytest.raises(ValueError, match=message):
            source(short, **options).streamReader(COLUMNS)
    with pytest.raises(ValueError, match="expected one log, found 2"):
        LogSource({"paths": '["a", "b"]'}).schema()


def test_a_place_without_a_log(log: jelly.Log, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in (f"{log.place}-other", str(tmp_path / "empty")):
        other = jelly.Log(place)  # its storage is that of the options
        for ask in (read, Stream):
            with pytest.raises(FileNotFoundError, match=r"there is no log|no log is here"):
                ask(other)


def test_a_damaged_version_is_named(short: jelly.Log) -> None:
    path = short.files[1]
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(jelly.errors.JellyError, match="log/patch-0002"):
        read(short)


def test_a_token_stays_secret(short: jelly.Log) -> None:
    from jelly.spark.log.options import LogPlace, LogReadOptions

    options = LogReadOptions.of({"path": str(short.place), "token": "hush"}, stream=None)
    assert isinstance(options.place, LogPlace)
    assert options.place.token == "hush"
    assert "hush" not in repr(options)


@pytest.mark.spark
def test_in_spark(jelly_spark: SparkSession, address: str, tmp_path: Path) -> None:
    import jelly.spark

    log = jelly.Log.create(f"{address}/in-spark", BASE, base_format="nq")
    grow(log, 5)
    (tmp_path / "base.nq").write_bytes(BASE)
    base = jelly_spark.read.format("jelly").load(str(tmp_path / "base.nq"))
    df = jelly_spark.read.format("jelly-log").option("minPartitions", 2).load(log.place)
    for version, made in ((3, jelly.spark.as_of(base, df, 3)), (5, jelly.spark.apply(base, df))):
        out = io.BytesIO()
        log.dataset(out, version, to="nq")
        lines = {f"{r.subject} {r.predicate} {r.object} ." for r in made.collect()}
        assert lines == set(out.getvalue().decode().splitlines())
        assert len(lines) == version + 2

    def run() -> list[tuple[Any, ...]]:
        df = jelly_spark.readStream.format("jelly-log").option("maxVersionsPerTrigger", 2).load(log.place)  # fmt: skip
        writer = df.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = writer.format("parquet").trigger(availableNow=True).start(str(tmp_path / "out"))
        query.awaitTermination()
        found = jelly_spark.read.parquet(str(tmp_path / "out")).orderBy("source", "seq").collect()
        return [plain(tuple(row)) for row in found]

    assert run() == expected(log, range(1, 6))
    grow(log, 1)
    assert run() == expected(log, range(1, 7))
    offset = json.loads((tmp_path / "checkpoint/offsets/3").read_text().splitlines()[-1])
    assert offset == {"version": 6, "id": "<x:6>"}
