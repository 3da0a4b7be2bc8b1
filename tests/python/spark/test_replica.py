"""Replicas and Spark: DataFrames of versions, workers that write buckets, streams that are followed."""

import random
from pathlib import Path
from typing import Any

import pytest

import patch_model as model
from jelly.errors import PatchError, ReplicaError
from jelly.replica import Replica

pytestmark = pytest.mark.spark


def number(n: int) -> model.Quad:
    return f"<a:s{n // 4}>", f"<a:p{n % 4}>", f'"{n}"', ""


def log(patches: int) -> list[model.Patch]:
    rng, made = random.Random(3), []
    for n in range(1, patches + 1):
        rows = [model.Row(rng.choice("AD"), number(rng.randrange(400))) for _ in range(60)]
        head = [model.Row("H", ("id", f"<u:{n}>")), model.Row("H", ("prev", f"<u:{n - 1}>"))]
        made.append([*head, model.Row("TX"), *rows, model.Row("TC")])
    return made


def quads(rows: Any) -> set[model.Quad]:
    found = [tuple(row) for row in rows.collect()]
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.parametrize("format", ["parquet", "delta"])
def test_workers_write_and_spark_reads(spark: Any, tmp_path: Path, format: Any) -> None:
    base = [number(n) for n in range(200)]
    table = tmp_path / "t"
    replica = Replica.create(
        table, model.nquads(base), base_format="nq", id="u:0", bucket_rows=32, format=format
    )
    assert quads(replica.dataframe(spark)) == set(base)
    patches = log(3)
    done = replica.follow(model.text(patches), spark=spark)
    assert (done.version, done.id) == (3, "<u:3>")
    assert done.files >= 4
    assert quads(replica.dataframe(spark)) == model.applied(set(base), patches)
    assert quads(replica.dataframe(spark, 0)) == set(base)
    empty = Replica.create(tmp_path / "empty", format=format)
    assert quads(empty.dataframe(spark)) == set()


def test_changes_beside_the_buckets_are_read_and_compacted(spark: Any, tmp_path: Path) -> None:
    base, table = [number(n) for n in range(2000)], tmp_path / "t"
    replica = Replica.create(table, model.nquads(base), base_format="nq", id="u:0", bucket_rows=256)
    patches = log(2)
    replica.follow(model.text(patches), each_version=True)
    state = replica._store.load()
    assert state.adds is not None or state.deletes is not None
    expected = [model.applied(set(base), patches[:version]) for version in range(3)]
    for version, rows in enumerate(expected):
        assert quads(replica.dataframe(spark, version)) == rows
    # a program that reads the folder finds the version that was written whole
    assert quads(spark.read.parquet(str(table / "data"))) == expected[0]
    assert replica.compact(100, spark=spark)
    assert quads(replica.dataframe(spark)) == expected[2]
    assert quads(spark.read.parquet(str(table / "data"))) == expected[2]


def test_a_stream_is_followed_and_a_batch_again_changes_nothing(spark: Any, tmp_path: Path) -> None:
    import jelly.spark

    jelly.spark.register(spark)
    patches, folder = log(6), tmp_path / "log"
    folder.mkdir()
    replica = Replica.create(tmp_path / "t", id="u:0", bucket_rows=32)

    def run(state: str) -> None:
        rows = spark.readStream.format("jelly-patch").load(str(folder))
        query = (
            rows.writeStream.foreachBatch(replica.foreach_batch)
            .option("checkpointLocation", str(tmp_path / state))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    for n in (1, 2, 3):
        (folder / f"patch-{n:04d}.rdfp").write_bytes(model.text(patches[n - 1 : n]))
    run("one")
    assert replica.version == 3
    (folder / "patch-0004.rdfp").write_bytes(model.text(patches[3:]))
    run("one")
    assert quads(replica.dataframe(spark)) == model.applied(set(), patches)
    versions = replica.versions
    run("two")  # it lost what it knew, so all of it comes again
    assert replica.versions == versions
    (folder / "patch-0005.rdfp").write_bytes(b"A <a:s> <a:p> <a:o> .\nZ .\n")
    batch = spark.read.format("jelly-patch").load(str(folder / "patch-0005.rdfp"))
    with pytest.raises(ReplicaError, match="need ids"):
        replica.foreach_batch(batch)
    assert replica.foreach_batch(batch.limit(0)).patches == 0
    assert replica.version == 6


def test_ids_without_prev_come_in_the_order_of_their_files(spark: Any, tmp_path: Path) -> None:
    import jelly.spark

    jelly.spark.register(spark)
    folder = tmp_path / "log"
    folder.mkdir()
    for n in range(1, 13):
        text = f'H id <u:{n}> .\nD <a:s> <a:v> "{n - 1}" .\nA <a:s> <a:v> "{n}" .\nZ .\n'
        (folder / f"patch-{n}.rdfp").write_text(text)
    replica = Replica.create(tmp_path / "t")
    rows = spark.read.format("jelly-patch").load(str(folder))
    replica.foreach_batch(rows.select(*reversed(rows.columns)))
    assert quads(replica.dataframe(spark)) == {("<a:s>", "<a:v>", '"12"', "")}
    assert (replica.version, replica.id) == (12, "<u:12>")
    assert replica.follow(folder).patches == 0
    # a file that is lost between two is noticed where no prev says it
    again = Replica.create(tmp_path / "again")
    some = rows.where("NOT source LIKE '%patch-7.rdfp'")
    with pytest.raises(PatchError, match=r"patch-0007\.rdfp is missing") as caught:
        again.foreach_batch(some)
    assert (caught.value.kind, again.version) == ("patch.gap", 0)
    again.foreach_batch(rows.where("cast(regexp_extract(source, 'patch-([0-9]+)', 1) AS int) < 7"))
    assert again.version == 6


def test_micro_batch_without_the_first_rows_of_a_patch_is_refused(
    spark: Any, tmp_path: Path
) -> None:
    import jelly.spark

    jelly.spark.register(spark)
    log = tmp_path / "log.rdfp"
    patches = [
        f"H prev <u:{n - 1}> .\nH id <u:{n}> .\nA <a:s> <a:v> <a:{n}> .\nZ .\n" for n in (1, 2)
    ]
    log.write_text("".join(patches))
    replica = Replica.create(tmp_path / "t", id="u:0")
    rows = spark.read.format("jelly-patch").load(str(log))
    for patch in (0, 1):
        prev = f"name = 'prev' AND patch = {patch}"
        with pytest.raises(ValueError, match=f"patch {patch} of the source '.*' is incomplete"):
            replica.foreach_batch(rows.where(f"NOT coalesce({prev}, false)"))
    assert replica.version == 0
    assert replica.foreach_batch(rows).patches == 2


def test_micro_batch_without_a_patch_between_two_others_is_refused(
    spark: Any, tmp_path: Path
) -> None:
    import jelly.spark

    jelly.spark.register(spark)
    log = tmp_path / "log.rdfp"
    patches = [f"H id <u:{n}> .\nA <a:s> <a:v> <a:{n}> .\nZ .\n" for n in range(4)]
    log.write_text("".join(patches))
    replica = Replica.create(tmp_path / "t")
    rows = spark.read.format("jelly-patch").load(str(log))
    for lost, said in [("patch = 1", "patch 2: patch 1 of this source is missing"), ("patch IN (1, 2)", "patches 1 to 2")]:  # fmt: skip
        with pytest.raises(PatchError, match=said) as caught:
            replica.foreach_batch(rows.where(f"NOT {lost}"))
        assert (caught.value.kind, replica.version) == ("patch.gap", 0)
    assert replica.foreach_batch(rows).patches == 4
    # a prev says where the patch between two others is
    (tmp_path / "2.rdfp").write_text("H id <u:b> .\nH prev <u:a> .\nA <a:s> <a:v> <a:b> .\nZ .\n")
    ends = [("a", "3"), ("between", "b"), ("c", "between")]
    log.write_text("".join(f"H id <u:{id}> .\nH prev <u:{prev}> .\nA <a:s> <a:v> <a:{id}> .\nZ .\n" for id, prev in ends))  # fmt: skip
    both = spark.read.format("jelly-patch").load(str(tmp_path / "*.rdfp"))
    lacking = both.where(f"NOT (source = '{log}' AND patch = 1)")
    assert replica.version == 4
    with pytest.raises(PatchError) as caught:
        replica.foreach_batch(lacking)
    assert caught.value.kind == "patch.gap"
    assert replica.foreach_batch(both).patches == 4


@pytest.mark.parametrize("lost", ["op = 'Z'", "op = 'A' AND object = '\"2\"'", "op = 'D'"])
def test_half_patch_of_a_micro_batch_is_refused_and_comes_again(
    spark: Any, tmp_path: Path, lost: str
) -> None:
    import jelly.spark

    jelly.spark.register(spark)
    log = tmp_path / "log.rdfp"
    changes = "".join(f'A <a:s> <a:v> "{n}" .\n' for n in (1, 2, 3))
    log.write_text(f"H id <u:1> .\nTX .\nD <a:s> <a:v> <a:o> .\n{changes}TC .\nZ .\n")
    replica = Replica.create(tmp_path / "t")
    rows = spark.read.format("jelly-patch").load(str(log))
    with pytest.raises(
        ValueError, match=r"patch 0 of the source '.*' is incomplete: .* each of its rows is needed"
    ):
        replica.foreach_batch(rows.where(f"NOT coalesce({lost}, false)"))
    assert (replica.version, replica.id) == (0, None)
    assert replica.foreach_batch(rows).patches == 1
    assert quads(replica.dataframe(spark)) == {("<a:s>", "<a:v>", f'"{n}"', "") for n in (1, 2, 3)}


def test_log_that_permissive_reading_cut_is_refused(spark: Any, tmp_path: Path) -> None:
    import jelly.spark

    jelly.spark.register(spark)
    log = tmp_path / "log.rdfp"
    log.write_text("H id <u:1> .\nA <a:s> <a:v> <a:o> .\nA <a:s> <a:v>")
    replica = Replica.create(tmp_path / "t")
    rows = spark.read.format("jelly-patch").option("mode", "permissive").load(str(log))
    with pytest.raises(ValueError, match="is incomplete"):
        replica.foreach_batch(rows.where("op IS NOT NULL"))
    assert replica.version == 0


@pytest.mark.parametrize("format", ["parquet", "delta"])
def test_spark_reads_a_folder_of_any_name(spark: Any, tmp_path: Path, format: Any) -> None:
    for name in ["a b", "a[1]", "a{b,c}", "a*"]:
        replica = Replica.create(
            tmp_path / format / name, model.nquads([number(1)]), base_format="nq", format=format
        )
        assert quads(replica.dataframe(spark)) == {number(1)}
