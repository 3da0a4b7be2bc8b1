"""What functions of tables ask of Spark: few jobs, which say whose they are, and plans that one can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .table_logs import BASE, FIRST, SECOND, THIRD, log_of, statements

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

LINES = 40
JOBS = 4


def doors(spark: SparkSession) -> dict[str, Callable[[], DataFrame]]:
    import jelly.spark

    base, log = statements(spark, BASE), log_of(spark, FIRST + SECOND + THIRD)
    now = statements(spark, b'<a:s> <a:p> "x"@EN .\n<a:z> <a:p> <a:o> .\n')
    return {
        "apply": lambda: jelly.spark.apply(base, log),
        "apply, shuffled": lambda: jelly.spark.apply(base, log, broadcast=False),
        "as_of": lambda: jelly.spark.as_of(base, log, 2),
        "net": lambda: jelly.spark.net(log),
        "between": lambda: jelly.spark.between(log, 1, 3),
        "changes": lambda: jelly.spark.changes(log),
        "prefixes": lambda: jelly.spark.prefixes(log),
        "history": lambda: jelly.spark.history(log, subject="<a:s>", base_df=base),
        "diff": lambda: jelly.spark.diff(base, now),
    }


def test_plans_fit_a_screen_and_jobs_are_few_and_say_whose_they_are(
    few: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    context: Any = few.sparkContext
    tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
    for name, door in doors(few).items():
        calling, asking = f"call {name}", f"action {name}"
        context.setJobGroup(calling, "mine")
        try:
            result = door()
            context.setJobGroup(asking, "mine")
            capsys.readouterr()
            result.explain()
            plan = capsys.readouterr().out.strip().splitlines()
            rows = result.collect()
        finally:
            context.setLocalProperty("spark.jobGroup.id", None)
            context.setLocalProperty("spark.job.description", None)
        assert rows, name
        assert 3 < len(plan) <= LINES, (name, len(plan))
        assert not any("lambda" in line or len(line) > 500 for line in plan), name
        jobs = tracker.getJobIdsForGroup(calling)
        said = [store.job(job).description().get() for job in jobs]
        call = name.split(",")[0]
        assert all(text.startswith(f"mine: jelly.spark.{call}: ") for text in said), said
        assert len(said) == 1, said
        ran = len(jobs) + len(tracker.getJobIdsForGroup(asking))
        assert 1 <= ran <= JOBS, (name, ran)
