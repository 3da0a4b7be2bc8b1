"""A base and a log of three patches as tables, and what comes of them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

import jelly
import patch_model as model

from .logs_in_one import rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

QUAD = ["subject", "predicate", "object", "graph"]
FIRST = """H id <u:1> .
H timestamp "2026-03-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
PA "e" <http://e/> .
TX .
A <a:n> <a:p> "1"@EN .
D <a:s> <a:p> "y" <a:g> .
TC .
"""
SECOND = """H id <u:2> .
H prev <u:1> .
PD "e" .
TX .
D _:b <a:p> <a:o> .
TC .
TX .
A <a:z> <a:p> <a:o> .
TA .
"""
THIRD = """H id <u:3> .
H prev <u:2> .
TX .
D <a:n> <a:p> "1"@en .
A <a:n> <a:p> "2" .
TC .
"""
BASE = b'<a:s> <a:p> "x"@en .\n<a:s> <a:p> "y" <a:g> .\n_:b <a:p> <a:o> .\n'


def statements(spark: SparkSession, data: bytes) -> DataFrame:
    table = pa.table(jelly.read_rdf(data, format="nq"))
    return spark.createDataFrame(table.cast(pa.schema(jelly.RDF_SCHEMA)))


def log_of(spark: SparkSession, *patches: str) -> DataFrame:
    return spark.createDataFrame(rows([(None, "".join(patches).encode())]))


def collected(df: DataFrame) -> set[model.Quad]:
    found = [model.folded(tuple(row)) for row in df.select(*QUAD).collect()]
    assert len(found) == len(set(found))
    return set(found)


def applied(base: bytes, *patches: bytes, **options: Any) -> set[model.Quad]:
    out = io.BytesIO()
    jelly.apply(base, list(patches), out, to="nq", base_format="nq", **options)
    return {model.folded(row[3:]) for row in jelly.read_rdf(out.getvalue(), format="nq").rows()}
