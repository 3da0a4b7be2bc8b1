"""Applies logs to datasets."""

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
    """Applies a log to a dataset.

    The result has the columns of the base, and its rows have no order; in rows that the log adds, columns other than
    the four terms are null. The default graph is ``''`` in every row, even if the base has a null. Quads are compared
    by their terms, regardless of the case of language tags. A quad that the log adds and the base has occurs once,
    with the last spelling in the log. Quads that the base has twice and the log does not change stay twice.

    A base that another program made may have terms that are not canonical, such as
    ``"1"^^<http://www.w3.org/2001/XMLSchema#string>`` for ``"1"``. The query then fails with an error that names the
    term: write the rows with ``format("jelly")`` and read them back to make all terms canonical.

    Args:
        base_df: Statements with the columns ``subject``, ``predicate``, ``object`` and ``graph``, as from
            ``spark.read.format("jelly")``; a null graph is the default graph.
        patch_df: A log, as for :func:`changes`.
        broadcast: True: the driver collects the net changes and sends their keys to all workers, so that the base is
            not shuffled. False: both are shuffled. None: like True, up to 1,000,000 changes with 256 MiB of terms.
        **options: As for :func:`changes`.

    Raises:
        PatchError: As for :func:`changes`; or the base is empty, but the folder of the log begins with a dataset that
            has statements (``patch.base``), unless ``order`` is given or ``chain`` is ``"ignore"``.
        ValueError: As for :func:`changes`; or columns of the base are missing.

    Cost:
        One job at the call, as for :func:`changes`, which also collects the changes; a second job collects them if a
        task has more than 1 MiB of changes (144 MiB in the first two). If the folder of the log begins with a dataset,
        another job looks for one row of the base. The driver holds at most about 600 MiB. The
        result is one pass over the base without a shuffle. Its rows pass through the Python workers with all their
        columns, so select only the columns that you need; the native key of each quad is looked up in a set of 16 to
        31 bytes per change. With more changes, the result also costs a :func:`net` and a join on the key.
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
    """Returns the dataset at a version of a log: like :func:`apply`, with the patches up to this version.

    Args:
        base_df: The dataset before the log.
        log_df: The log.
        version: The number of a version (0 is the base), or the id of its patch. Missing or wrong patches after this
            version do not matter.
        broadcast: As for :func:`apply`.
        **options: As for :func:`changes`.

    Raises:
        PatchError: The log does not have this version; or as for :func:`apply`.
        ValueError: As for :func:`apply`.
    """
    log = Log("as_of", log_df, options, version, collects=broadcast is not False)
    return _applied(base_df, log, log.number(version), broadcast)


def _applied(base: DataFrame, log: Log, version: int, broadcast: bool | None) -> DataFrame:
    require(base, QUAD, "a base")
    log.refuse_empty(base)
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
    # always true; but then both sides of the union need the same of the log, and Spark shuffles it once
    is_there = F.col(name).isNotNull() & (F.col("_commit_version") > 0)
    net = net_of(log, versions, keys, name).where(is_there)
    keyed = keys.of_dataset(base, "the base", labels, column=name)
    kept = keyed.join(net.select(name), name, "left_anti").drop(name)
    return kept, net.where(F.col("_change_type") == "insert").select(*QUAD)
