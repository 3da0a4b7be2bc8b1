"""Datasets with logs applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from jelly.spark.tables.changing import net_of
from jelly.spark.tables.few import Few, is_few
from jelly.spark.tables.keys import Keys, Labels
from jelly.spark.tables.log import Log, LogOptions
from jelly.spark.tables.terms import QUAD, require

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
    their terms, with language tags in any case. A quad that the log adds and the base has is there once, as the
    log spells it last. Quads that the base has twice and the log does not change stay twice.

    A base that others made may spell a term in another way than this library, such as
    ``"1"^^<http://www.w3.org/2001/XMLSchema#string>`` for ``"1"``. Such a term fails the query, with an error that
    names it: write the rows with ``format("jelly")`` and read them back, and all terms are canonical.

    Args:
        base_df: Statements, with the columns ``subject``, ``predicate``, ``object`` and ``graph``, as
            ``spark.read.format("jelly")`` gives them; a null graph is the default graph.
        patch_df: A log, as :func:`changes` takes it.
        broadcast: Whether the driver collects the net changes and sends their keys to all workers, so that the base stays
            where it is, or both are shuffled. None: the first, up to 1,000,000 changes with 256 MiB of terms.
        **options: As those of :func:`changes`.

    Raises:
        PatchError: As :func:`changes`.
        ValueError: As :func:`changes`; or columns of the base are missing.

    Cost:
        One job at once, as that of :func:`changes`, which also collects the changes; another one does if there are more than 1 MiB
        of them in a task (144 MiB in the first two). The driver holds at most about 600 MiB.
        The result is one pass over the base without a shuffle. Its rows go through the workers' Python with all their
        columns, so select those that you need; the native key of each quad is looked up in a set of 16 to 31 bytes a change.
        With more changes the result also costs what :func:`net` does, and a join on the key.
    """
    log = Log("apply", patch_df, options, collects=broadcast is not False)
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
    log = Log("as_of", log_df, options, version, collects=broadcast is not False)
    return _applied(base_df, log, log.number(version), broadcast)


def _applied(base: DataFrame, log: Log, version: int, broadcast: bool | None) -> DataFrame:
    require(base, QUAD, "a base")
    versions = range(log.first + 1, version + 1)
    labels = log.labels_of_base(versions)
    if broadcast if broadcast is not None else is_few(log, versions):
        kept, added = _filtered(base, log, versions, labels)
    else:
        kept, added = _joined(base, log, versions, labels)
    both = kept.unionByName(added, allowMissingColumns=True)
    return both.select(*base.columns)


def _filtered(
    base: DataFrame, log: Log, versions: range, labels: Labels
) -> tuple[DataFrame, DataFrame]:
    keys = Keys()
    few = Few.of(log, versions, keys)
    kept = keys.without(base, few.keys, "the base", labels)
    return kept, base.sparkSession.createDataFrame(few.added)


def _joined(
    base: DataFrame, log: Log, versions: range, labels: Labels
) -> tuple[DataFrame, DataFrame]:
    from pyspark.sql import functions as F  # noqa: N812

    name = "_key"
    taken = {column.lower() for column in base.columns}
    while name in taken:
        name = f"_{name}"
    keys = Keys()
    # true of all rows; but so both sides of the union need the same of the log, which Spark then shuffles once
    is_there = F.col(name).isNotNull() & (F.col("_commit_version") > 0)
    net = net_of(log, versions, keys, name).where(is_there)
    keyed = keys.of_dataset(base, "the base", labels, column=name)
    kept = keyed.join(net.select(name), name, "left_anti").drop(name)
    return kept, net.where(F.col("_change_type") == "insert").select(*QUAD)
