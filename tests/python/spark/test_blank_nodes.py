"""Spark's tables keep nodes without labels apart, and take no position of a node for its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox
import pytest

import jelly

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
LABELS = Path(__file__).parent.parent / "positions.txt"


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
REFUSED = r"patch\.labels: [^ ]*log\.rdfp: version 1 row \d+: .*_:anon-0.* names a blank node by its position"


@pytest.mark.parametrize("door", BY_LOG)
def test_a_log_that_names_a_position_is_refused(
    spark: SparkSession, tmp_path: Path, door: str
) -> None:
    base = base_of(spark, "anon-0", "b")
    work = BY_LOG[door]
    rows = [f"D {POSITION}", 'PA "x" <urn:x:> _:anon-0']
    wrong = rows[1:] if door == "prefixes" else rows[:1]
    with pytest.raises(Exception, match=REFUSED):
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
    with pytest.raises(
        Exception, match=r"patch\.labels: [^ ]*log\.rdfp: version 2 row \d+: D _:anon-0"
    ):
        jelly.spark.as_of(base, log, 2).count()


def test_datasets_with_nodes_without_labels_are_not_compared(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "old.ttl").write_text(OLD)
    named, scoped = base_of(spark, "b"), spark.read.format("jelly").load(f"{tmp_path}/old.ttl")
    kept = spark.read.format("jelly").option("blankNodes", "keep").load(f"{tmp_path}/old.ttl")
    kept.write.parquet(f"{tmp_path}/parquet")
    tables = [scoped, kept, spark.read.parquet(f"{tmp_path}/parquet")]
    for table in tables:
        for sides, word in (((table, named), "old"), ((named, table), "new")):
            with pytest.raises(
                Exception, match=rf"patch\.labels: the {word} dataset: .*anon-\d.*by its position"
            ):
                jelly.spark.diff(*sides).count()
    assert jelly.spark.diff(named, base_of(spark, "c")).where("op in ('A', 'D')").count() == 2


def test_positions_and_labels_are_those_of_the_core(spark: SparkSession) -> None:
    from jelly.spark.tables.terms import _has_position

    labels = [line.split(" ", 1) for line in LABELS.read_text().splitlines()]
    assert len(labels) > 20
    terms = []
    for kind, label in labels:
        is_position = kind == "position"
        terms += [
            (f"_:{label}", is_position),
            (f"<<( _:{label} <urn:x:p> <urn:x:o> )>>", is_position),
            (f"<<( <urn:x:s> <urn:x:p> _:{label} )>>", is_position),
            (f"<<( <urn:x:s> <urn:x:p> <<( <urn:x:s> <urn:x:p> _:{label} )>> )>>", is_position),
            (f'"_:{label}"', False),
            (f'<<( <urn:x:s> <urn:x:p> " _:{label} \\" _:{label} " )>>', False),
            (f"<urn:{re.sub('[^a-z0-9]', '', label)}>", False),
        ]
    found = spark.createDataFrame(terms, "term string, wanted boolean")
    from pyspark.sql import functions as F  # noqa: N812

    wrong = found.where(_has_position(F.col("term")) != F.col("wanted")).collect()
    assert not wrong
