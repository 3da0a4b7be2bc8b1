"""The versions in which quads existed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Unpack

from jelly._history import OneOf, alternatives
from jelly.spark.tables.changing import by_key
from jelly.spark.tables.keys import Keys
from jelly.spark.tables.log import Log, LogOptions
from jelly.spark.tables.terms import QUAD, require

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def history(
    log_df: DataFrame,
    subject: OneOf = None,
    predicate: OneOf = None,
    object: OneOf = None,
    graph: OneOf = None,
    *,
    base_df: DataFrame | None = None,
    **options: Unpack[LogOptions],
) -> DataFrame:
    """Returns the versions in which quads existed.

    Columns: ``subject``, ``predicate``, ``object``, ``graph``, ``valid_from`` (the version that added the quad; 0 if
    it was in the base) and ``valid_to`` (the version that deleted it; null if it still exists). A quad that is added
    several times has a row for each time. A quad that is added and deleted within one version never existed.

    Args:
        log_df: The log, as for :func:`changes`.
        subject: Only quads with this subject, or one of these, as canonical N-Triples; None: any. The other terms
            work in the same way; ``graph=""`` is the default graph.
        predicate: Like ``subject``.
        object: Like ``subject``; the case of language tags does not matter.
        graph: Like ``subject``.
        base_df: The dataset before the log, as for :func:`apply`. Without it, the log begins empty: unlike
            :func:`jelly.history`, this function does not read the dataset that the folder of a backup or log begins
            with, so read the file that its ``base.json`` names and give it here.
        **options: As for :func:`changes`.

    Raises:
        PatchError: As for :func:`apply`.
        ValueError: As for :func:`changes`; or columns of the base are missing, or a text is not a term.

    Cost:
        That of :func:`net`, plus a sort of the selected rows by quad and version.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    log, keys = Log("history", log_df, options), Keys()
    given = zip(QUAD, (subject, predicate, object, graph), strict=True)
    pattern = {name: _terms(name, wanted) for name, wanted in given if wanted is not None}
    chosen = keys.pattern(pattern) if pattern else None
    columns = ["_change_type", "_commit_version", "seq", *QUAD, "_key"]
    rows = log.changed_quads(keys, pattern=chosen).select(columns)
    if base_df is not None:
        require(base_df, QUAD, "a base")
        log.refuse_empty(base_df)
        labels = log.labels_of_base()
        if labels == "any" and any("_:" in term for terms in pattern.values() for term in terms):
            labels = "unscoped"
        base = keys.of_dataset(base_df.select(*QUAD), "the base", labels, pattern=chosen)
        inserted = {
            "_change_type": F.lit("insert"),
            "_commit_version": F.lit(log.first).cast("bigint"),
            "seq": F.lit(0).cast("bigint"),
        }
        rows = rows.unionByName(base.withColumns(inserted).select(columns))
    last = F.max_by(F.struct("_change_type", *QUAD), "seq")
    by_version = by_key(rows).groupBy("_key", "_commit_version").agg(last.alias("last"))
    in_time = Window.partitionBy("_key").orderBy("_commit_version")
    change = F.col("last._change_type")
    before = F.lag(change, 1, "delete").over(in_time)
    is_there = change == "insert"
    begins = (is_there & (before == "delete")).cast("int")
    # a quad has a period for each time that it is added, with the spelling of its last add in this period
    numbered = by_version.withColumn("_begins", begins)
    numbered = numbered.withColumn("_period", F.sum("_begins").over(in_time)).where("_period > 0")
    version = F.col("_commit_version")
    spelled = F.max_by("last", F.when(is_there, version))
    ended = F.min(F.when(~is_there, version))
    periods = numbered.groupBy("_key", "_period").agg(
        spelled.alias("last"), F.min(version).alias("valid_from"), ended.alias("valid_to")
    )
    return periods.select(*(f"last.{name}" for name in QUAD), "valid_from", "valid_to")


def _terms(name: str, wanted: str | Iterable[str]) -> list[str]:
    texts = alternatives(wanted)
    if not texts:
        raise ValueError(f"{name} is empty; expected a term, or several")
    for text in texts:
        if not (text.startswith(("<", '"', "_:")) or (name == "graph" and not text)):
            raise ValueError(f"{name} is {text!r}, which is not the canonical text of a term")
    return texts
