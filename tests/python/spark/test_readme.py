"""The examples with Spark print what the README says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from readme import ROOT, blocks, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
def test_spark(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    assert spark.version  # the session that the examples get
    monkeypatch.chdir(ROOT)
    text = blocks("pycon", "In Spark").replace('"examples/', f'"{ROOT}/examples/')
    assert run(">>> import jelly\n" + text) >= 10
    page = (ROOT / "docs" / "spark.md").read_text()
    text = blocks("pycon", "Columns of streams", page).replace('"examples/', f'"{ROOT}/examples/')
    assert run(text) >= 8
