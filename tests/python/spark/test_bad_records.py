"""Streams that are bad: left out whole, and kept in a table of their own."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from jelly.spark._options import ReadOptions  # noqa: E402

from .raising import spark_raises  # noqa: E402
from .streams import patch  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOOD = patch(["TX", "A", "D", "TC"])
# whole rows come before what is wrong
CUT = GOOD[:-3]
LONG = patch(["TX", *["A"] * 9_000, "TC"])


def table(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder).to_pylist()
    return sorted(rows, key=lambda row: row["source"])


def messages(values: list[bytes | None]) -> Any:
    count = len(values)
    return pa.record_batch(
        {
            "topic": pa.array(["t"] * count),
            "partition": pa.array([0] * count, pa.int32()),
            "offset": pa.array(range(count), pa.int64()),
            "value": pa.array(values, pa.binary()),
        }
    )


@pytest.mark.parametrize("seed", range(25))
def test_good_values_give_the_rows_that_they_give_alone(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    kinds = [GOOD, GOOD, GOOD, None, CUT, b"", b"junk", LONG, LONG[:-3]]
    values = [rng.choice(kinds) for _ in range(rng.choice([1, 2, 40]))]
    bad = {number for number, value in enumerate(values) if value not in (GOOD, LONG, None)}
    plain = jelly.batch_decoder("patch", passthrough={"offset": "bigint"})
    expected = [
        row
        for number, value in enumerate(values)
        if number not in bad
        for batch in plain(iter([messages(values).slice(number, 1)]))
        for row in batch.to_pylist()
    ]
    decoder = jelly.batch_decoder(
        "patch", passthrough={"offset": "bigint"}, bad_records_path=str(tmp_path / "bad")
    )
    decoder = pickle.loads(pickle.dumps(decoder))
    step = rng.choice([1, 3, 40])
    pieces = [messages(values).slice(at, step) for at in range(0, len(values), step)]
    for _ in range(2):  # a task that is repeated
        found = [row for batch in decoder(iter(pieces)) for row in batch.to_pylist()]
        assert found == expected
        assert (tmp_path / "bad").exists() == bool(bad)
        if bad:
            kept = {row["source"]: row for row in table(tmp_path / "bad")}
            assert len(kept) == len(table(tmp_path / "bad")) == len(bad)
            for number in bad:
                row = kept[f"t/0@{number}"]
                assert row["value"] == values[number]
                assert row["error"].startswith(f"{row['kind']}: ")
                assert f"t/0@{number}" in row["error"]


def test_a_message_over_a_limit_is_a_bad_one(tmp_path: Path) -> None:
    decoder = jelly.batch_decoder(
        "patch", limits=jelly.Limits(row_bytes=128), bad_records_path=str(tmp_path)
    )
    text = f'A <a:s> <a:p> "{"x" * 300}" .\n'.encode()
    found = list(decoder(iter([messages([GOOD, text, GOOD])])))
    assert sum(batch.num_rows for batch in found) == 10
    [row] = table(tmp_path)
    assert row["kind"].startswith("limit.")


def test_files_that_workers_open(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.jellyp" for number in range(3)]
    for path, data in zip(paths, (GOOD, CUT, GOOD), strict=True):
        path.write_bytes(data)
    decoder = jelly.batch_decoder("patch", bad_records_path=str(tmp_path / "bad"))
    found = list(decoder(iter([pa.record_batch({"path": [str(path) for path in paths]})])))
    assert sum(batch.num_rows for batch in found) == 10
    [row] = table(tmp_path / "bad")
    assert (row["source"], row["value"]) == (str(paths[1]), None)


def test_what_cannot_go_together_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be used together"):
        jelly.batch_decoder("patch", mode="permissive", bad_records_path="x")
    for option in ({"ignoreCorruptFiles": "true"}, {"badRecordsPath": "y"}):
        with pytest.raises(ValueError, match="leave bad files out"):
            ReadOptions.of("patch", {"path": "x", "mode": "permissive"} | option, "j", stream=False)
    for path in ("s3://b/x/", "s3://b/x", "s3://b"):
        with pytest.raises(ValueError, match="is in a folder that is read"):
            ReadOptions.of("patch", {"path": path, "badRecordsPath": "s3://b/x"}, "j", stream=True)


@pytest.mark.spark
def test_bad_files_are_left_out_whole(spark: SparkSession, tmp_path: Path) -> None:
    folder, bad = tmp_path / "in", tmp_path / "bad"
    folder.mkdir()
    for number, data in enumerate([GOOD, CUT, LONG, LONG[:-3], b"", b"junk\n" * 9]):
        (folder / f"{number}.jellyp").write_bytes(data)
    rows = spark.read.format("jelly-patch").load(str(folder))
    with spark_raises("PythonException", r"truncated|detect"):
        rows.count()
    ignoring = spark.read.format("jelly-patch").option("ignoreCorruptFiles", True)
    good = {f"{folder}/0.jellyp": 5, f"{folder}/2.jellyp": 9_003}
    counts = ignoring.load(str(folder)).groupBy("source").count().collect()
    assert {row["source"]: row["count"] for row in counts} == good
    keeping = spark.read.format("jelly-patch").option("badRecordsPath", str(bad))
    for _ in range(2):
        assert keeping.load(str(folder)).count() == sum(good.values())
        kept = spark.read.parquet(str(bad)).orderBy("source").collect()
        assert [row["source"] for row in kept] == [f"{folder}/{n}.jellyp" for n in (1, 3, 4, 5)]
        assert all(row["error"].startswith(row["kind"]) for row in kept)


@pytest.mark.spark
def test_a_stream_of_files_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    folder, bad = tmp_path / "in", tmp_path / "bad"
    folder.mkdir()
    for number, data in enumerate([GOOD, CUT, GOOD]):
        (folder / f"{number}.jellyp").write_bytes(data)
    rows = spark.readStream.format("jelly-patch").option("badRecordsPath", str(bad))
    query = (
        rows.load(str(folder))
        .writeStream.format("parquet")
        .option("checkpointLocation", str(tmp_path / "state"))
        .trigger(availableNow=True)
        .start(str(tmp_path / "out"))
    )
    query.awaitTermination()
    assert spark.read.parquet(str(tmp_path / "out")).count() == 10
    assert [row["source"] for row in table(bad)] == [f"{folder}/1.jellyp"]
