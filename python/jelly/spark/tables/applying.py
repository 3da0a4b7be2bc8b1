"""Datasets with logs applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from jelly.spark.tables.changing import net_of
from jelly.spark.tables.keys import Keys, Labels
from jelly.spark.tables.log import Log, LogOptions
from jelly.spark.tables.terms import QUAD, named_graph, require

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BROADCAST = 250_000
"""Up to so many changes are sent to all workers, rather than that the base is shuffled."""


def apply(
    base_df: DataFrame,
    patch_df: DataFrame,
    *,
    broadcast: bool | None = None,
    **options: Unpack[LogOptions],
) -> DataFrame:
    """A dataset after a log: without what the log deletes in the end, with what it adds.

    The result has the columns of the base, in any order of rows; in rows that the log adds, columns beside the four
    terms are null. The default graph is ``''`` in every row, also where the base has a null. Quads are compared by
    their terms, whatever the case of language tags. A quad that the log adds and the base has is there once, as the
    log spells it last. Quads that the base has twice and the log does not change stay twice.

    A base that others made may spell a term in another way than this library, such as
    ``"1"^^<http://www.w3.org/2001/XMLSchema#string>`` for ``"1"``. Such a term fails the query, with an error that
    names it: write the rows with ``format("jelly")`` and read them back, and all terms are canonical.

    Args:
        base_df: Statements, with the columns ``subject``, ``predicate``, ``object`` and ``graph``, as
            ``spark.read.format("jelly")`` gives them; a null graph is the default graph.
        patch_df: A log, as :func:`changes` takes it.
        broadcast: Whether the net changes are sent to all workers, so that the base stays where it is, or
            both are shuffled. None: by the number of changes, up to 250,000.
        **options: As those of :func:`changes`.

    Raises:
        PatchError: As :func:`changes`.
        ValueError: As :func:`changes`; or columns of the base are missing.

    Cost:
        That of :func:`net`, and one pass over the base, whose terms go to the workers' Python for the native key.
    """
    log = Log(patch_df, options)
    return _applied(base_df, log, log.last, broadcast)


def as_of(
    base_df: DataFrame,
    log_df: DataFrame,
    version: int | str,
    *,
    broadcast: bool | None = None,
    **options: Unpack[LogOptions],
) -> DataFrame:
    """A dataset at a version of a log: as :func:`apply`, of the patches up to there.

    Args:
        base_df: The dataset before the log.
        log_df: The log.
        version: The number of a version, 0 for the base, or the id of its patch. What is missing or
            wrong in patches behind it does not matter.
        broadcast: As that of :func:`apply`.
        **options: As those of :func:`changes`.

    Raises:
        PatchError: There is no such version; or as :func:`apply`.
        ValueError: As :func:`apply`.
    """
    log = Log(log_df, options, version)
    return _applied(base_df, log, log.number(version), broadcast)


def _applied(base: DataFrame, log: Log, version: int, broadcast: bool | None) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    require(base, QUAD, "a base")
    versions = range(log.first + 1, version + 1)
    name = "_key"
    taken = {column.lower() for column in base.columns}
    while name in taken:
        name = f"_{name}"
    keys = Keys()
    net = net_of(log, versions, keys, name)
    changed = net.select(name)
    if broadcast if broadcast is not None else log.changes(versions) <= BROADCAST:
        changed = F.broadcast(changed)
    labels: Labels = "unscoped" if log.names_nodes(versions) else "any"
    keyed = base.withColumn(name, keys.of_dataset("the base", labels))
    kept = keyed.join(changed, name, "left_anti").drop(name)
    added = net.where(F.col("_change_type") == "insert").select(*QUAD)
    both = kept.withColumn("graph", named_graph()).unionByName(added, allowMissingColumns=True)
    return both.select(*base.columns)
