"""Spark's tables keep nodes without labels apart, and take no position of a node for its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox
import pytest

import jelly
from jelly.errors import PatchError

from .raising import spark_raises

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

QUAD = ["subject", "predicate", "object", "graph"]
OLD = """@prefix : <urn:x:> .
:pump :has [ :property :power ; :max 5 ] , [ :property :flow ; :max 7 ] .
"""
NEW = OLD.replace(":max 5", ":max 6")
POSITION = "_:anon-0 <urn:x:property> <urn:x:power>"


def test_a_folder_of_files_keeps_their_nodes_apart(spark: SparkSession, tmp_path: Path) -> None:
    store = ox.Store()
    for name, text in {"old": OLD, "new": NEW}.items():
        (tmp_path / f"{name}.ttl").write_text(text)
        store.load(text.encode(), format=ox.RdfFormat.TURTLE)
    read = spark.read.format("jelly")
    rows = read.load(f"{tmp_path}/*.ttl").select(QUAD).distinct()
    assert rows.count() == len(store) == 12
    # a node of a file has the label that the file has alone
    alone = read.load(f"{tmp_path}/old.ttl").select(QUAD)
    assert alone.exceptAll(rows).count() == 0
    kept = read.option("blankNodes", "keep").load(f"{tmp_path}/old.ttl")
    assert "_:anon-0" in {row.object for row in kept.collect()}


def test_a_folder_of_converted_files_keeps_their_nodes_apart(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = ox.Store()
    for name, text in {"old": OLD, "new": NEW}.items():
        store.load(text.encode(), format=ox.RdfFormat.TURTLE)
        for ending in ("nq", "jelly"):
            jelly.convert(text.encode(), tmp_path / f"{name}.{ending}", format="ttl")
    read = spark.read.format("jelly").option("splitBytes", "64")
    for ending in ("nq", "jelly"):
        rows = read.load(f"{tmp_path}/*.{ending}").select(QUAD).distinct().collect()
        assert len(rows) == len(store) == 12
        native = [row for name in ("old", "new") for row in jelly.read_rdf(tmp_path / f"{name}.{ending}", columns=QUAD).rows()]  # fmt: skip
        assert len({(row.subject, row.object) for row in native}) == 12


def of_patch(spark: SparkSession, tmp_path: Path, *rows: str, end: str = "TC") -> DataFrame:
    text = "".join(f"{row} .\n" for row in ("H id <u:1>", "TX", *rows, end))
    path = tmp_path / "log.rdfp"
    path.write_text(text)
    return spark.read.format("jelly-patch").load(str(path))


def base_of(spark: SparkSession, *labels: str) -> DataFrame:
    rows = [("<urn:x:a>", "<urn:x:p>", f"_:{label}", "") for label in labels]
    return spark.createDataFrame(rows, ", ".join(f"{name} string" for name in QUAD))


BY_LOG: dict[str, Callable[[DataFrame, DataFrame], Any]] = {
    "changes": lambda _, log: jelly.spark.changes(log).collect(),
    "prefixes": lambda _, log: jelly.spark.prefixes(log).collect(),
    "net": lambda _, log: jelly.spark.net(log).collect(),
    "between": lambda _, log: jelly.spark.between(log, 0, 1).count(),
    "apply": lambda base, log: jelly.spark.apply(base, log).collect(),
    "apply, counted": lambda base, log: jelly.spark.apply(base, log).count(),
    "as_of": lambda base, log: jelly.spark.as_of(base, log, 1).collect(),
    "history": lambda _, log: jelly.spark.history(log).collect(),
    "history, base": lambda base, log: jelly.spark.history(log, base_df=base).collect(),
}


def log_refused(message: str) -> pytest.RaisesExc[Any]:
    """Expects the refusal of a row of a log: by a worker, or by the driver where it collects the changes."""
    from pyspark.errors import PythonException

    return pytest.raises((PatchError, PythonException), match=message)


REFUSED = r"patch\.labels: [^ ]*log\.rdfp: version 1 row \d+: .*_:anon-0.* names a blank node by its position"


@pytest.mark.parametrize("door", BY_LOG)
def test_a_log_that_names_a_position_is_refused(
    spark: SparkSession, tmp_path: Path, door: str
) -> None:
    base = base_of(spark, "anon-0", "b")
    work = BY_LOG[door]
    rows = [f"D {POSITION}", 'PA "x" <urn:x:> _:anon-0']
    wrong = rows[1:] if door == "prefixes" else rows[:1]
    with log_refused(REFUSED):
        work(base, of_patch(spark, tmp_path, *wrong))
    # in a transaction that was aborted it means nothing, and nodes of the base pass through
    work(base, of_patch(spark, tmp_path, *rows, end="TA"))
    work(base, of_patch(spark, tmp_path, "A <urn:x:a> <urn:x:p> _:b", "A _:c <urn:x:p> <urn:x:o>"))


def test_versions_that_are_not_asked_for_do_not_matter(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "log.rdfp"
    path.write_text(
        "H id <u:1> .\nTX .\nA <a:s> <a:p> _:b .\nTC .\n"
        f"H id <u:2> .\nH prev <u:1> .\nTX .\nD {POSITION} .\nTC .\n"
    )
    log = spark.read.format("jelly-patch").load(str(path))
    base = base_of(spark, "anon-0")
    assert jelly.spark.as_of(base, log, 1).count() == 2
    assert jelly.spark.between(log, 0, 1).count() == 1
    with log_refused(r"patch\.labels: [^ ]*log\.rdfp: version 2 row \d+: D: _:anon-0"):
        jelly.spark.as_of(base, log, 2).count()


def test_nodes_without_labels_are_not_compared_by_labels(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "old.ttl").write_text(OLD)
    named, scoped = base_of(spark, "b"), spark.read.format("jelly").load(f"{tmp_path}/old.ttl")
    kept = spark.read.format("jelly").option("blankNodes", "keep").load(f"{tmp_path}/old.ttl")
    kept.write.parquet(f"{tmp_path}/parquet")
    tables = [scoped, kept, spark.read.parquet(f"{tmp_path}/parquet")]
    for table in tables:
        for sides, word in (((table, named), "old"), ((named, table), "new")):
            with spark_raises(
                "PythonException", rf"patch\.labels: the {word} dataset: .*anon-\d.*by its position"
            ):
                jelly.spark.diff(*sides, blank_nodes="labels").count()
    assert jelly.spark.diff(named, base_of(spark, "c")).where("op in ('A', 'D')").count() == 2


SCOPED = "_:s0123456789abcdeff1_pump"


@pytest.mark.parametrize("door", BY_LOG)
def test_a_log_that_names_a_node_behind_the_scope_of_a_file_is_refused(
    spark: SparkSession, tmp_path: Path, door: str
) -> None:
    row = f'PA "x" <urn:x:> {SCOPED}' if door == "prefixes" else f"D {SCOPED} <urn:x:p> <urn:x:o>"
    with log_refused(
        rf"patch\.labels: [^ ]*log\.rdfp: version 1 row 2: .*{SCOPED}.* scope of the file"
    ):
        BY_LOG[door](base_of(spark, "b"), of_patch(spark, tmp_path, row))


def test_a_log_does_not_miss_the_nodes_of_a_base_read_with_scopes(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "base.ttl").write_text("_:pump <urn:x:p> <urn:x:o> . [] <urn:x:p> <urn:x:o> .")
    read = spark.read.format("jelly")
    base = read.load(f"{tmp_path}/base.ttl")
    kept = read.option("blankNodes", "keep").load(f"{tmp_path}/base.ttl")
    row = "D _:pump <urn:x:p> <urn:x:o>"
    naming = [row, "A <urn:x:a> <urn:x:p> <<( _:pump <urn:x:p> <urn:x:o> )>>"]
    refused = r"patch\.labels: the base: _:s[0-9a-f]{16}_pump .* blankNodes=keep"
    for named in naming:
        for work in (jelly.spark.apply, lambda base, log: jelly.spark.history(log, base_df=base)):
            with spark_raises("PythonException", refused):
                work(base, of_patch(spark, tmp_path, named)).collect()
    log = of_patch(spark, tmp_path, row)
    assert len(jelly.spark.apply(kept, log).collect()) == 1
    # a log that names no node, or names one in what does not count, leaves the labels of the base alone
    ground = "A <urn:x:a> <urn:x:p> <urn:x:o>"
    log = of_patch(spark, tmp_path, ground)
    assert len(jelly.spark.apply(base, log).collect()) == 3
    assert len(jelly.spark.history(log, base_df=base).collect()) == 3
    with spark_raises("PythonException", refused):
        jelly.spark.history(log, "_:pump", base_df=base).collect()
    aborted = of_patch(spark, tmp_path, row, "TA", "TX", ground)
    assert len(jelly.spark.apply(base, aborted).collect()) == 3


def test_labels_behind_scopes_are_not_compared(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.ttl").write_text("_:pump <urn:x:p> <urn:x:o> .")
    read = spark.read.format("jelly")
    old, new = (read.load(f"{tmp_path}/{name}.ttl") for name in ("old", "new"))
    ground = base_of(spark).limit(0)
    for sides, word in (((old, ground), "old"), ((ground, new), "new"), ((old, new), "(old|new)")):
        with spark_raises("PythonException", rf"patch\.labels: the {word} dataset: _:s\w+_pump"):
            jelly.spark.diff(*sides, blank_nodes="labels").count()
    read = read.option("blankNodes", "keep")
    old, new = (read.load(f"{tmp_path}/{name}.ttl") for name in ("old", "new"))
    assert jelly.spark.diff(old, new).count() == 0


@pytest.mark.parametrize("place", ["subject", "graph"])
def test_a_pattern_names_no_position_and_no_scoped_node(
    spark: SparkSession, tmp_path: Path, place: str
) -> None:
    log = of_patch(spark, tmp_path, "A <urn:x:a> <urn:x:p> <urn:x:o>")
    for label in ("_:anon-0", SCOPED):
        with pytest.raises(PatchError, match=label) as caught:
            jelly.spark.history(log, **{place: label})  # type: ignore[arg-type]
        assert caught.value.kind == "patch.labels"
