"""The examples with Spark print what the pages say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import examples
from examples import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
@pytest.mark.parametrize(
    ("page", "section", "lines"),
    [("README.md", "In Spark", 10), ("docs/spark.md", "Columns of streams", 8)],
)
def test_section(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, page: str, section: str, lines: int
) -> None:
    assert spark.version  # the session that the examples get
    monkeypatch.chdir(ROOT)
    found = examples.run(page, section, instead={'"examples/': f'"{ROOT}/examples/'})
    assert found["pycon"] >= lines
