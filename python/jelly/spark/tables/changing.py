"""The changes of a log: row by row, and net."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from jelly.log._patch import refused
from jelly.spark.tables.keys import Keys
from jelly.spark.tables.log import Log, LogOptions
from jelly.spark.tables.terms import QUAD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CHANGE = ("_change_type", "_commit_version", "_commit_timestamp")


def changes(df: DataFrame, **options: Unpack[LogOptions]) -> DataFrame:
    """Returns the rows of a log that change quads, in the form of Spark's change data feeds.

    Columns: ``_change_type`` (``insert`` or ``delete``), ``_commit_version`` (bigint: the version that
    the patch makes, from 1), ``_commit_timestamp`` (the header ``timestamp`` of the patch, else the column ``timestamp`` of
    the DataFrame, as messages of Kafka have it, else null), ``subject``, ``predicate``, ``object``, ``graph``, and ``seq``, by
    which the rows of one version are in order.

    The rows are those of committed transactions and those outside transactions, not those of aborted transactions.
    Patches are in the order of their ``H id`` and ``H prev``; without these, in the order of the folders and names of
    their sources (``patch-9`` before ``patch-10``) and of their places in the source. In a folder with numbered files,
    no number may be missing. In one source, no patch between two others may be missing, unless a ``prev`` joins the
    two.

    Args:
        df: The rows of a log, with the columns of ``jelly.PATCH_SCHEMA``: all of them (``rows="all"``,
            the default of readers), with the rows ``H``, ``TX``, ``TC``, ``TA`` and ``Z``.
        **options: ``unfinished``: ``"refuse"`` rejects a log with a transaction that is neither committed nor
            aborted, ``"drop"`` leaves the transaction out. ``chain``: ``"check"`` checks ids and numbers,
            ``"ignore"`` does not. ``order``: all sources in order, with their names in the column ``source`` or the
            ends of these names (``order=["b.rdfp", "a.rdfp"]``); Spark does not keep the order of the paths that it
            reads. ``storage``: options of remote storage without ``storage.``, as for readers (``{"accessKey": …}``),
            to read ``base.json`` and ``log.json`` beside remote files; the default is the environment.

    Warns:
        JellyWarning: Only the names of the files decided their order; the warning names this order.

    Raises:
        PatchError: The log is not valid: an unfinished or stray transaction, a gap, a fork, a cycle, duplicate or
            missing ids, a damaged manifest of its folder.
        ValueError: Columns or rows are missing, or an option is wrong.

    Cost:
        One job at the call, which reads the log and collects a row for each patch (ids and outcomes). The result
        reads the log again: use ``df.cache()`` if that is expensive.
    """
    return Log("changes", df, options).changed_quads(Keys()).select(*CHANGE, *QUAD, "seq")


def prefixes(df: DataFrame, **options: Unpack[LogOptions]) -> DataFrame:
    """Returns the rows of a log that change prefixes, like those of :func:`changes`.

    Columns: ``_change_type``, ``_commit_version``, ``_commit_timestamp``, ``graph`` (``''`` for a prefix of the dataset),
    ``name``, ``value`` (the namespace as ``<iri>``; null on a ``delete`` without it) and ``seq``.
    """
    rows = Log("prefixes", df, options).changed_prefixes()
    return rows.select(*CHANGE, "graph", "name", "value", "seq")


def net(df: DataFrame, **options: Unpack[LogOptions]) -> DataFrame:
    """Returns the last of the :func:`changes` of each quad, which decides the result of a log.

    The columns are those of :func:`changes`, without ``seq``. Two quads are the same if their terms are the same,
    regardless of the case of language tags; the spelling is that of the last change. Arguments and errors are as for
    :func:`changes`.
    """
    return net_of(Log("net", df, options))


def between(
    df: DataFrame, after: int | str, to: int | str, **options: Unpack[LogOptions]
) -> DataFrame:
    """Returns the net changes from one version of a log to another, like those of :func:`net`.

    Args:
        df: The log.
        after: The version before, a number or the id of its patch; 0 is the base.
        to: The version after.
        **options: As for :func:`changes`.

    Raises:
        PatchError: The log does not have one of the versions, or ``after`` comes after ``to``; or as for
            :func:`changes`.
        ValueError: As for :func:`changes`.
    """
    log = Log("between", df, options, to)
    first, last = log.number(after), log.number(to)
    if first > last:
        raise refused("patch.version", f"version {first} comes after version {last}")
    return net_of(log, range(first + 1, last + 1))


def net_of(
    log: Log, versions: range | None = None, keys: Keys | None = None, name: str | None = None
) -> DataFrame:
    """Returns the last change of each quad in some versions; ``name`` adds a column with its key."""
    from pyspark.sql import functions as F  # noqa: N812

    rows = log.changed_quads(keys or Keys(), versions)
    last = F.max_by(F.struct(*CHANGE, *QUAD), F.struct("_commit_version", "seq"))
    found = by_key(rows).groupBy("_key").agg(last.alias("last"))
    return found.select("last.*", *([] if name is None else [F.col("_key").alias(name)]))


def by_key(rows: DataFrame) -> DataFrame:
    """Repartitions rows, so that rows with the same key are in one partition.

    Otherwise Spark would also sort the rows before an aggregation that has few rows per key.
    """
    return rows.repartition("_key")
