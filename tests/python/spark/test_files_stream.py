"""Streams of the files that appear in folders."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from pyspark.sql.types import LongType, StringType, StructType

from jelly.spark._options import ReadOptions
from jelly.spark.files.stream_read import FilesStreamReader

from .raising import spark_raises
from .streams import patch, rdf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = StructType().add("source", StringType()).add("seq", LongType())


def put(path: Path, data: bytes, seconds: int | None = None) -> Path:
    """A file appears under its name, whole."""
    part = path.with_name(f".{path.name}")
    part.write_bytes(data)
    if seconds is not None:
        os.utime(part, (seconds, seconds))
    return part.rename(path)


def reader(folder: Path, **options: Any) -> FilesStreamReader:
    return FilesStreamReader(ReadOptions("rdf", (str(folder),), **options), SCHEMA)


def read(source: FilesStreamReader, start: Any, end: Any) -> list[tuple[str, int]]:
    return [
        (Path(row["source"]).name, row["seq"])
        for partition in source.partitions(start, end)
        for batch in source.read(partition)
        for row in batch.to_pylist()
    ]


def limit(**most: int) -> Any:
    """As Spark hands them over: only the attribute of its kind is there."""
    return SimpleNamespace(**most)


def names(rows: list[tuple[str, int]]) -> set[str]:
    return {name for name, _ in rows}


def test_batches_keep_to_the_limit_that_spark_tells(tmp_path: Path) -> None:
    for n in range(5):
        put(tmp_path / f"f{n}.jelly", rdf(3), 1000 - n)
    source = reader(tmp_path, max_files_per_trigger=2)
    offsets = [source.initialOffset()]
    for _ in range(4):
        offsets.append(source.latestOffset(offsets[-1], limit(max_files=2)))
    assert offsets[3] == offsets[4]
    got = [read(source, *ends) for ends in pairwise(offsets[:4])]
    assert [sorted(names(rows)) for rows in got] == [
        ["f3.jelly", "f4.jelly"],
        ["f1.jelly", "f2.jelly"],
        ["f0.jelly"],
    ]
    assert sum(map(len, got)) == 15
    everything = source.latestOffset(offsets[0], limit())  # ReadAllAvailable
    assert len(read(reader(tmp_path), offsets[0], everything)) == 15
    size = (tmp_path / "f0.jelly").stat().st_size
    by_size = source.latestOffset(offsets[0], limit(max_bytes=3 * size))
    assert len(read(source, offsets[0], by_size)) == 9
    assert len(read(source, offsets[0], source.latestOffset(offsets[0], limit(max_bytes=1)))) == 3


def test_a_batch_can_be_planned_again_elsewhere(tmp_path: Path) -> None:
    put(tmp_path / "a.jelly", rdf(3))
    first = reader(tmp_path)
    start = first.initialOffset()
    end = first.latestOffset(start, limit())
    put(tmp_path / "b.jelly", rdf(4))
    assert names(read(reader(tmp_path), start, end)) == {"a.jelly"}
    (tmp_path / "a.jelly").unlink()
    with pytest.raises(FileNotFoundError, match="1 of 1 files of a batch that has begun are gone"):
        reader(tmp_path).partitions(start, end)


def test_with_a_snapshot_nothing_new_is_seen(tmp_path: Path) -> None:
    put(tmp_path / "a.jelly", rdf(3))
    source = reader(tmp_path)
    source.prepareForTriggerAvailableNow()
    put(tmp_path / "b.jelly", rdf(3))
    end = source.latestOffset(source.initialOffset(), limit())
    assert names(read(source, source.initialOffset(), end)) == {"a.jelly"}
    assert source.latestOffset(end, limit()) == end


def test_spark_41_tells_neither_start_nor_limit(tmp_path: Path) -> None:
    for n in range(4):
        put(tmp_path / f"f{n}.jelly", rdf(3))
    source = reader(tmp_path, max_files_per_trigger=1)
    start = source.initialOffset()
    first = source.latestOffset()
    assert len(read(source, start, first)) == 12
    put(tmp_path / "g.jelly", rdf(3))
    put(tmp_path / "h.jelly", rdf(3))
    second = source.latestOffset()
    assert len(read(source, first, second)) == 3
    unlimited = reader(tmp_path)
    unlimited.commit(first)
    assert len(read(unlimited, first, unlimited.latestOffset())) == 6
    # Started again, it does not know how far it was; what was read is left out all the same.
    source = reader(tmp_path, max_files_per_trigger=1)
    assert len(read(source, second, source.latestOffset())) == 3


@pytest.mark.parametrize("grows", [True, False])
def test_files_that_change_are_told_of(tmp_path: Path, grows: bool) -> None:
    path = put(tmp_path / "a.jelly", rdf(3))
    source = reader(tmp_path)
    start = source.initialOffset()
    end = source.latestOffset(start, limit())
    [partition] = source.partitions(start, end)
    put(path, rdf(30) if grows else rdf(3, "t"), 2_000_000_000)
    for attempt in (
        lambda: source.latestOffset(end, limit()),
        lambda: reader(tmp_path).partitions(start, end),
        lambda: list(source.read(partition)),
    ):
        with pytest.raises(ValueError, match=r"a\.jelly has changed since the stream found it"):
            attempt()
    lax = reader(tmp_path, ignore_changed_files=True)
    assert lax.latestOffset(end, limit()) == end
    assert len(read(lax, start, end)) == (30 if grows else 3)


@pytest.mark.spark
def test_a_query_reads_each_file_once_over_restarts(spark: SparkSession, tmp_path: Path) -> None:
    folder, out = tmp_path / "in", str(tmp_path / "out")
    folder.mkdir()
    sizes: list[int] = []
    shown: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def run(**trigger: Any) -> Counter[str]:
        df = spark.readStream.format("jelly-patch").option("maxFilesPerTrigger", 2)
        query = (
            df.load(str(folder))
            .selectExpr("source", "op")
            .writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(**trigger)
            .start(out)
        )
        query.awaitTermination()
        sizes[:] = [progress.numInputRows for progress in query.recentProgress]
        shown[:] = [
            (
                json.loads(progress.sources[0].endOffset),
                json.loads(progress.sources[0].latestOffset),
            )
            for progress in query.recentProgress
            if progress.numInputRows
        ]
        rows = spark.read.parquet(out).collect()
        assert {row["op"] for row in rows} == {"A", "Z"}
        return Counter(Path(row["source"]).name for row in rows)

    for n in range(5):
        put(folder / f"f{n}.jellyp", patch(["A", "A"]))
    (folder / ".half.jellyp").write_bytes(patch(["A"])[:-1])
    assert run(availableNow=True) == {f"f{n}.jellyp": 3 for n in range(5)}
    assert [size for size in sizes if size] == [6, 6, 3]
    size = (folder / "f0.jellyp").stat().st_size
    assert [latest for _, latest in shown] == [
        {"files": 5, "waiting": waiting, "waitingBytes": waiting * size} for waiting in (3, 1, 0)
    ]
    assert [end["files"] for end, _ in shown] == [2, 4, 5]
    assert {Path(end["last"]).parent for end, _ in shown} == {folder}
    put(folder / "f5.jellyp", patch(["A", "A"]), 1000)  # an old file that came late
    for n in range(6, 9):
        put(folder / f"f{n}.jellyp", patch(["A", "A"]))
    assert run(once=True) == {f"f{n}.jellyp": 3 for n in range(9)}
    assert [size for size in sizes if size] == [12]
    assert run(availableNow=True) == {f"f{n}.jellyp": 3 for n in range(9)}


@pytest.mark.spark
def test_a_file_that_appears_half_written_stops_the_query(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    whole = patch(["A"] * 300)
    half = put(folder / "half.jellyp", whole[:-20])

    def run(**options: Any) -> int:
        df = spark.readStream.format("jelly-patch").options(**options).load(str(folder))
        query = (
            df.writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        query.awaitTermination()
        return spark.read.parquet(str(tmp_path / "out")).count()

    with spark_raises("StreamingQueryException", rf"truncated\.frame: .*{half}"):
        run()
    put(half, whole)
    with spark_raises("StreamingQueryException", "has changed since the stream found it"):
        run()
    assert run(ignoreChangedFiles=True) == 301
