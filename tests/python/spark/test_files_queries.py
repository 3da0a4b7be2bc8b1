"""What a query of files needs: its columns, its number of rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jelly
import jelly.spark

from .raising import spark_raises

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

LOG = """H id <u:1> .
TX .
A <a:s> <a:p> "1" .
A <a:s> <a:q> "1"@en <a:g> .
D <a:t> <a:p> "it's \\"\\\\ é" .
TC .
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.rdfp"
    path.write_text(LOG)
    return path


def test_a_query_with_a_filter_leaves_other_queries_their_rows(
    jelly_spark: SparkSession, log: Path
) -> None:
    """Spark 4.3 keeps filters that a Python source took, so the sources take none."""
    jelly_spark.conf.set("spark.sql.python.filterPushdown.enabled", True)
    try:
        rows = jelly_spark.read.format("jelly-patch").load(str(log))
        assert [rows.where("op = 'A'").count(), rows.count(), rows.where("op = 'D'").count()] == [
            2,
            7,
            1,
        ]
    finally:
        jelly_spark.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_columns_in_any_case(jelly_spark: SparkSession, log: Path) -> None:
    read = jelly_spark.read.format("jelly-patch")
    chosen = read.schema("Seq bigint, OP string").load(str(log))
    assert chosen.columns == ["Seq", "OP"]
    assert [tuple(row) for row in chosen.where("op = 'D'").collect()] == [(4, "D")]
    fewer = jelly_spark.read.format("jelly-patch").option("columns", "Object,OP")
    assert fewer.load(str(log)).columns == ["object", "op"]


def test_count_is_the_number_of_rows(jelly_spark: SparkSession, log: Path) -> None:
    count = jelly.spark.count
    assert count(jelly_spark, [log, str(log)], kind="patch") == 7  # the end of the patch has a row
    assert count(jelly_spark, log, kind="patch", rows="committed") == 3
    log.with_name("a.nq").write_text("<a:s> <a:p> <a:o> .\n" * 1000)
    paths = str(log.with_name("*.nq"))
    assert count(jelly_spark, paths, split_bytes=4000, open_cost_bytes=0) == 1000
    with pytest.raises(ValueError, match="count has no option 'columns'"):
        count(jelly_spark, log, columns=["op"])
    with spark_raises("PythonException", r"log\.rdfp"):
        count(jelly_spark, log)
    (log.parent / "none").mkdir()
    assert count(jelly_spark, log.parent / "none") == 0


def test_a_missing_path_fails_at_load(jelly_spark: SparkSession, log: Path) -> None:
    missing = str(log.with_name("nowhere"))
    for read in (jelly_spark.read, jelly_spark.readStream):
        with spark_raises("AnalysisException", "nowhere: there is no such file or folder"):
            read.format("jelly-patch").load(missing)
    with spark_raises("AnalysisException", "nowhere: there is no such file or folder"):
        jelly_spark.read.format("jelly-patch").load([str(log), missing])
