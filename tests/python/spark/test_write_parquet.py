"""``write_parquet``: the same table as Spark writes, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

import pyarrow.fs as pafs
import pyarrow.parquet as pq

import jelly
import jelly.spark
from jelly.spark import write_parquet
from jelly.spark.files import folder
from jelly.storage import resolve
from object_store import ObjectStore

from .raising import spark_raises
from .streams import patch, rdf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Patches in files of all sizes."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(5):
        data = patch(["TX", *["A", "D"] * (number * 1000), "TC"], f"s{number}")
        (folder / f"{number}.jellyp").write_bytes(data)
    return folder


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def rows(spark: SparkSession, path: str | Path) -> list[Any]:
    return sorted(map(tuple, spark.read.parquet(str(path)).collect()), key=repr)


@pytest.mark.parametrize(
    ("options", "spark_options"),
    [
        ({}, {}),
        ({"columns": ["object", "seq"], "compression": "zstd"}, {"columns": "object,seq"}),
        ({"terms": "struct", "min_partitions": 3, "rows_per_group": 1000}, {"terms": "struct"}),
    ],
)
def test_same_table_as_spark_writes(
    jelly_spark: SparkSession,
    source: Path,
    tmp_path: Path,
    options: dict[str, Any],
    spark_options: dict[str, str],
) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    written = write_parquet(jelly_spark, source, ours, **options)
    read = jelly_spark.read.format("jelly-patch").options(**spark_options).load(str(source))
    read.write.parquet(str(theirs))
    assert rows(jelly_spark, ours) == rows(jelly_spark, theirs)
    assert (
        jelly_spark.read.parquet(str(ours)).schema == jelly_spark.read.parquet(str(theirs)).schema
    )
    assert sum(file.rows for file in written) == 20_000 + 15
    assert len(written) > 1
    assert names(ours) == sorted(["_SUCCESS", *(Path(file.path).name for file in written)])
    for file in written:
        assert Path(file.path).stat().st_size == file.size
        found = pq.ParquetFile(file.path)
        assert found.metadata.num_rows == file.rows
        wanted = options.get("compression", "snappy").upper()
        assert found.metadata.row_group(0).column(0).compression == wanted
        if "rows_per_group" in options:
            assert found.metadata.num_row_groups >= file.rows // 1000


def test_modes(jelly_spark: SparkSession, tmp_path: Path) -> None:
    one, two, dest = tmp_path / "one.jelly", tmp_path / "two.jelly", tmp_path / "to"
    one.write_bytes(rdf(10, "one"))
    two.write_bytes(rdf(20, "two"))
    dest.mkdir()

    def write(path: Path, **options: Any) -> int:
        write_parquet(jelly_spark, path, dest, kind="rdf", **options)
        assert names(tmp_path) == ["one.jelly", "to", "two.jelly"]
        return jelly_spark.read.parquet(str(dest)).count()

    assert write(one) == 10
    with pytest.raises(
        FileExistsError, match=r'/to: the folder exists already; use mode "append" or "overwrite"'
    ):
        write(two)
    assert write(two, mode="append") == 30
    assert write(two, mode="overwrite") == 20
    assert write(one, mode="overwrite", compression="gzip") == 10
    assert [name for name in names(dest) if name != "_SUCCESS"] == [
        name for name in names(dest) if name.endswith(".gz.parquet")
    ]


def test_overwrite_where_names_cannot_be_exchanged(
    jelly_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jelly").write_bytes(rdf(10))
    for _ in range(2):
        write_parquet(
            jelly_spark, tmp_path / "a.jelly", tmp_path / "to", kind="rdf", mode="overwrite"
        )
        monkeypatch.setattr(folder, "_exchanged", lambda *_: False)
    assert jelly_spark.read.parquet(str(tmp_path / "to")).count() == 10
    assert names(tmp_path) == ["a.jelly", "to"]


def test_no_rows_are_a_table_with_columns(jelly_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write_parquet(jelly_spark, tmp_path / "in", tmp_path / "to")
    table = jelly_spark.read.parquet(str(tmp_path / "to"))
    assert table.count() == 0
    assert tuple(table.columns) == jelly.PATCH_SCHEMA.names


def test_failure_leaves_nothing(jelly_spark: SparkSession, source: Path, tmp_path: Path) -> None:
    (source / "bad.jellyp").write_bytes(patch(["A"] * 500)[:-7])
    for mode in ("error", "append"):
        with spark_raises("PythonException", r"TruncatedError.*bad\.jellyp"):
            write_parquet(jelly_spark, source, tmp_path / "to", mode=mode)
        left = tmp_path / "to"
        assert [path for path in left.rglob("*") if path.is_file()] == []
    assert [name for name in names(tmp_path) if name.startswith(".")] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "ignore"}, 'mode must be "error", "append" or "overwrite"'),
        ({"rows_per_group": 0}, "rows_per_group is 0"),
        ({"compression": "best"}, "compression is 'best'; it can be snappy, zstd"),
        ({"column": ["op"]}, "did you mean 'columns'"),
        ({"storage": {"region": "x"}}, "storage is given, but all paths are local"),
    ],
)
def test_wrong_options(
    jelly_spark: SparkSession, source: Path, tmp_path: Path, options: Any, message: str
) -> None:
    with pytest.raises((ValueError, OSError), match=message):
        write_parquet(jelly_spark, source, tmp_path / "to", **options)
    assert names(tmp_path) == ["in"]


def test_object_store(jelly_spark: SparkSession, source: Path, store: ObjectStore) -> None:
    dest = f"{store.bucket()}/to"
    place = resolve(dest, store.storage)
    counts = []
    for mode in ("error", "append", "overwrite"):
        written = write_parquet(
            jelly_spark,
            source,
            dest,
            mode=mode,
            storage=store.storage,
        )
        found = place.fs.get_file_info(pafs.FileSelector(place.path, recursive=True))
        files = [info.path for info in found if info.is_file]
        assert all("/_" not in path for path in files if not path.endswith("/_SUCCESS"))
        counts.append(
            sum(
                pq.read_metadata(place.fs.open_input_file(path)).num_rows
                for path in files
                if path.endswith(".parquet")
            )
        )
    assert counts == [20_015, 40_030, 20_015]
    assert {file.path.rpartition("/")[0] for file in written} == {dest}
