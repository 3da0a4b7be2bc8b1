"""The data sources over remote storage: an S3 service on loopback."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jelly
from jelly.spark._options import ReadOptions
from jelly.spark.files.listing import files_of
from jelly.spark.files.plan import plan
from jelly.storage import open_input, resolve
from object_store import ObjectStore

from .raising import spark_raises
from .streams import patch, rdf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def upload(store: ObjectStore, uri: str, data: bytes) -> None:
    place = resolve(uri, store.storage)
    with place.fs.open_output_stream(place.path, compression=None) as file:
        file.write(data)


def test_folders_globs_and_files(spark: SparkSession, store: ObjectStore, tmp_path: Path) -> None:
    bucket = store.bucket()
    names = ["day=1/a.jelly", "day=1/b.nq.gz", "day=2/c.jelly", "day=2/_hidden.jelly"]
    (tmp_path / "a.jelly").write_bytes(rdf(20))
    jelly.convert(tmp_path / "a.jelly", tmp_path / "b.nq.gz")
    for name in names:
        path = tmp_path / ("b.nq.gz" if ".nq" in name else "a.jelly")
        upload(store, f"{bucket}/log/{name}", path.read_bytes())

    def count(*paths: str) -> Counter[str]:
        df = spark.read.format("jelly").options(**store.options)
        rows = df.option("columns", "source").load(list(paths)).collect()
        return Counter(row["source"].removeprefix(bucket) for row in rows)

    everything = {f"/log/{name}": 20 for name in names[:3]}
    assert count(f"{bucket}/log") == everything
    assert count(bucket) == everything
    assert count(f"{bucket}/log/*/?.jelly", f"{bucket}/log/day=1/a.jelly") == {
        "/log/day=1/a.jelly": 20,
        "/log/day=2/c.jelly": 20,
    }
    with spark_raises("AnalysisException", f"{bucket}/nowhere: there is no such file or folder"):
        count(f"{bucket}/nowhere")
    upload(store, f"{bucket}/bad/cut.jelly", rdf(500)[:-100])
    with spark_raises("PythonException", rf"truncated\.frame: .*{bucket}/bad/cut\.jelly"):
        count(f"{bucket}/bad")


def test_large_files_are_divided_if_that_takes_little_reading(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = store.bucket()
    rows = [(f"<http://a/{n}>", "<http://a/p>", f'"{n}"', "") for n in range(20_000)]
    for name in ("a.jelly", "b.nt"):
        with jelly.RdfWriter(
            tmp_path / name, restart_bytes=2_000 if name == "a.jelly" else None
        ) as writer:
            writer.write(rows)
        upload(store, f"{bucket}/{name}", (tmp_path / name).read_bytes())
    options = ReadOptions(
        "rdf", (bucket,), storage=store.storage, min_partitions=4, open_cost_bytes=0
    )

    def parts() -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for task in plan(files_of(options), options):
            for part in task:
                source = open_input(part.file.where, options.storage)
                with options.open(source, split=part.split) as reader:
                    found.setdefault(part.file.source[-5:], []).extend(r.seq for r in reader.rows())
                counts[part.file.source[-5:]] += 1
        return found

    counts = Counter[str]()
    assert {name: sorted(seq) for name, seq in parts().items()} == {
        "jelly": list(range(20_000)),
        "/b.nt": list(range(20_000)),
    }
    assert counts["jelly"] > 1
    assert counts["/b.nt"] > 1  # small enough to be walked over
    monkeypatch.setattr("jelly.spark.files.plan._FRUGAL", 200_000)
    counts.clear()
    assert len(parts()["/b.nt"]) == 20_000
    assert counts["/b.nt"] == 1
    assert counts["jelly"] > 1


def test_a_stream(spark: SparkSession, store: ObjectStore, tmp_path: Path) -> None:
    bucket = store.bucket()
    out = str(tmp_path / "out")

    def run() -> Counter[str]:
        df = spark.readStream.format("jelly-patch").options(**store.options).load(f"{bucket}/log")
        writer = df.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.format("parquet").trigger(availableNow=True).start(out).awaitTermination()
        return Counter(row["source"] for row in spark.read.parquet(out).collect())

    upload(store, f"{bucket}/log/a.jellyp", patch(["A"]))
    assert run() == {f"{bucket}/log/a.jellyp": 2}
    upload(store, f"{bucket}/log/b.jellyp", patch(["A"]))
    assert run() == {f"{bucket}/log/{name}.jellyp": 2 for name in "ab"}
