"""Datasets and logs of odd terms: Spark's ``apply`` comes to what the native one comes to."""

from __future__ import annotations

import io
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from .table_logs import QUAD, log_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

SUBJECTS = ["<a:s>", "<A:s>", "<a:\u00e9\U0001f600>", "_:b", "_:B"]
OBJECTS = [
    '"x"@en-GB', '"x"@EN-gb', '"X"@en-GB', '"x"', '"@EN"', '"a \\"@EN"', '"a \\\\"@EN', '"a \\"@b"@EN', '"\\t\\u0007"@De',
    '"\u03a3\u0130"@EL', '"\u03c3i"@EL', '"1"^^<a:string>', '"x"^^<a:t@EN>', "<a:@EN>", '"x"@EN--ltr', '"C:\\\\users"', "_:b",
    '<<( <a:s> <a:p> "X@Y\\""@EN )>>', '<<( _:b <a:p> <<( <a:s> <a:@EN> "\\\\"@EN )>> )>>', '""@DE', '""', '"\U0001f600\uffee"',
]  # fmt: skip
GRAPHS = ["", "", "<a:g>", "_:b"]


def in_another_case(term: str, rng: random.Random) -> str:
    """The same term with another spelling of a language tag at its end."""
    text, at, tag = term.rpartition('"@')
    if not at or '"' in tag or " " in tag or "--" in tag:
        return term
    return text + at + rng.choice([tag.lower(), tag.upper(), tag.swapcase()])


def lines(quads: list[tuple[str, ...]], op: str = "") -> str:
    return "".join(" ".join(filter(None, (op, *quad, ".\n"))) for quad in quads)


def test_odd_terms(few: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    import jelly.spark
    from jelly.spark.tables import outcomes

    rng = random.Random(1)
    every = [(s, "<a:p>", o, g) for s in SUBJECTS for o in OBJECTS for g in GRAPHS[1:]]

    def some(count: int) -> list[tuple[str, ...]]:
        found = rng.sample(every, count)
        return [tuple(in_another_case(term, rng) for term in quad) for quad in found]

    base = some(150)
    log = lines(some(80), "A") + "TX .\n" + lines(some(80), "D") + "TA .\n"
    log += lines(some(60), "D") + lines(some(40), "A")
    out = io.BytesIO()
    jelly.apply(lines(base).encode(), log.encode(), out, to="nq", base_format="nq")
    native = jelly.read_rdf(out.getvalue(), format="nq").rows()
    expected = {tuple(row)[-4:] for row in native}
    assert 50 < len(expected) != len(base)
    rows = [(*quad[:3], quad[3] or rng.choice([None, ""])) for quad in base]
    table = few.createDataFrame(rows, ", ".join(f"{name} string" for name in QUAD))
    patches = log_of(few, log)

    def found(broadcast: bool | None = None) -> Counter[tuple[str, ...]]:
        result = jelly.spark.apply(table, patches, broadcast=broadcast)
        return Counter(map(tuple, result.collect()))

    once = found()
    assert set(once) == expected
    assert found(broadcast=False) == once
    # what the driver does not get with the outcomes it collects by a job of its own
    monkeypatch.setattr(outcomes, "_MOST_OF_FIRST", 100)
    assert found() == once
    # a quad that the table has twice, and that the log does not change, stays twice
    changed = {tuple(row) for row in jelly.spark.net(patches).select(*QUAD).collect()}
    twice = Counter(map(tuple, jelly.spark.apply(table.union(table), patches).collect()))
    assert twice == Counter({quad: n * (1 if quad in changed else 2) for quad, n in once.items()})
    assert len(set(twice) - changed) > 20
