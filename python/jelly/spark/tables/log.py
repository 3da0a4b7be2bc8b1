"""A DataFrame of patches as a log: its versions, and the rows that count."""

from __future__ import annotations

import functools
import operator
import re
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from jelly import _internal
from jelly.errors import EncodeError, JellyWarning
from jelly.spark.tables.collected import with_versions
from jelly.spark.tables.jobs import described
from jelly.spark.tables.manifests import manifests_of
from jelly.spark.tables.terms import QUAD, named_graph, require
from jelly.spark.tables.unchanged import (
    COLUMNS,
    Stamp,
    are_unchanged,
    require_settled,
    stamp,
    unchanged,
)
from jelly.spark.whole import is_whole, not_whole, without_begin

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, Row

_NEEDED = ("source", "patch", "txn", "seq", "op", *QUAD, "name", "value")
_OPS = ("H", "PA", "PD", "A", "D", "TX", "TC", "TA", "Z")
_LEXICAL = re.compile(r'"([^"\\]*)".*')


class LogOptions(TypedDict, total=False):
    """How a log is taken."""

    unfinished: Literal["refuse", "drop"]
    chain: Literal["check", "ignore"]
    order: Sequence[str] | None
    storage: Mapping[str, str]


class Outcome(NamedTuple):
    """A patch, and what became of its transactions."""

    source: str | None
    patch: int
    headers: list[tuple[str, str]]
    """Keys in lower case, and values."""
    unfinished: list[int]
    """Transactions that are neither committed nor aborted."""
    aborted: list[int]
    is_stray: bool
    """A transaction ends that did not begin."""
    counts: bool
    """Something is committed, or stands outside of transactions."""
    net: int
    """``A`` rows less ``D`` rows."""
    changes: int
    """``A`` and ``D`` rows, those that do not count included."""
    stamp: Stamp
    """Of the file that it is in."""
    bytes: int
    """Of the terms of these, about."""
    names_nodes: bool
    """Rows that count have blank nodes."""

    @property
    def dropped(self) -> list[int]:
        """Transactions that do not count."""
        return [*self.aborted, *self.unfinished]

    @property
    def timestamp(self) -> datetime | None:
        """What its header ``timestamp`` says."""
        return _timestamp(dict(self.headers).get("timestamp"))


class Log:
    """A log whose patches are known; one job of Spark finds them."""

    def __init__(
        self, call: str, df: DataFrame, options: LogOptions, up_to: int | str | None = None
    ) -> None:
        """Looks at all patches; what is wrong behind the version ``up_to`` does not matter.

        Args:
            call: Name of the function that needs it, for Spark's pages.
            df: The rows.
            options: How they are taken.
            up_to: A version; None: the last.

        Raises:
            TypeError: There is no such option.
            ValueError: A column is missing, rows are missing, or an option is wrong.
            PatchError: The log has no meaning: an unfinished or stray transaction, a broken chain.
        """
        require(df, _NEEDED, "a log")
        for name in options:
            if name not in LogOptions.__annotations__:
                raise TypeError(f"a log has no option {name!r}")
        given: dict[str, Any] = dict(options)
        storage = given.pop("storage", {})
        _internal.order_log([], {**given, "order": None})  # wrong options cost no job
        self._df = df
        self._call = call
        began = time.time_ns()
        with described(df.sparkSession, f"jelly.spark.{call}: finds the patches of the log"):
            collected = _collected(df)
        found = [_outcome(row) for row in collected]
        _require_begins(collected)
        level = df.storageLevel
        self._is_read_again = not (level.useMemory or level.useDisk)
        if self._is_read_again:
            require_settled(((one.source, one.stamp) for one in found), began)
        facts = [_facts(one) for one in found]
        ignored = "order" in given or given.get("chain") == "ignore"
        manifests = {} if ignored else manifests_of((one.source for one in found), storage)
        self._log = _internal.order_log(facts, given, up_to, manifests)
        self._order = [found[place] for place in self._log.order]
        if self._log.by_name:
            named = ", ".join(self._log.by_name)
            advice = "order= says another order"
            warnings.warn(f"the log is taken in the order {named}; {advice}", JellyWarning, stacklevel=3)  # fmt: skip

    @property
    def first(self) -> int:
        """The version that the patches come after; 0 where the log does not begin later."""
        return self._log.before

    @property
    def last(self) -> int:
        """The last version."""
        return self.first + len(self._order)

    def number(self, version: int | str) -> int:
        """The number of a version.

        Raises:
            PatchError: There is none of this number or id.
        """
        return self._log.number(version)

    def changes(self, versions: range | None = None) -> int:
        """How many ``A`` and ``D`` rows some versions can have at most."""
        return sum(one.changes for _, one in self._chosen(versions))

    def bytes(self, versions: range | None = None) -> int:
        """About how many bytes the terms of these have."""
        return sum(one.bytes for _, one in self._chosen(versions))

    def names_nodes(self, versions: range | None = None) -> bool:
        """Whether rows of some versions have blank nodes."""
        return any(one.names_nodes for _, one in self._chosen(versions))

    def rows(self, versions: range | None = None) -> DataFrame:
        """The rows of some versions that count, with ``_commit_version`` and ``_commit_timestamp``.

        Terms and labels are not checked yet.
        """
        from pyspark.sql import functions as F  # noqa: N812

        chosen = self._chosen(versions)
        rows = self._df.where(F.col("op").isin("A", "D", "PA", "PD"))
        rows = rows.withColumn("graph", named_graph())
        dropped = [(one.source, one.patch, txn) for _, one in chosen for txn in one.dropped]
        if dropped:
            aborted = self._local(dropped, "_source string, _patch bigint, _txn bigint")
            here = _in_patch(rows) & (rows["txn"] == F.col("_txn"))
            rows = rows.join(F.broadcast(aborted), here, "left_anti")
        places = [
            (one.source, one.patch, *one.stamp, version, one.timestamp) for version, one in chosen
        ]
        numbers = self._local(
            places,
            f"_source string, _patch bigint, {COLUMNS}, _commit_version bigint, _commit_timestamp timestamp",
        )
        if self._is_read_again and any(one.stamp.size is not None for _, one in chosen):
            numbers = unchanged(numbers)
        numbers = numbers.drop("_size", "_modified")
        rows = rows.join(F.broadcast(numbers), _in_patch(rows), "inner").drop("_source", "_patch")
        if dict(self._df.dtypes).get("timestamp") == "timestamp":
            when = F.coalesce("_commit_timestamp", rows["timestamp"])
            rows = rows.withColumn("_commit_timestamp", when)
        return rows

    def collected(self, versions: range) -> pa.Table:
        """The rows that change quads in some versions and count; one job.

        Columns: ``source``, ``seq``, ``op``, the terms and ``_commit_version``. Terms and labels are not checked yet.
        """
        from pyspark.sql import functions as F  # noqa: N812

        chosen = self._chosen(versions)
        rows = self._df.where(F.col("op").isin("A", "D"))
        stamps = {one.source: one.stamp for _, one in chosen if one.stamp.size is not None}
        if self._is_read_again and stamps:
            rows = rows.where(are_unchanged(stamps))
        rows = rows.select("source", "patch", "txn", "seq", "op", *QUAD[:3], named_graph())
        text = f"jelly.spark.{self._call}: collects the changes of the log"
        with described(self._df.sparkSession, text):
            table = rows.toArrow()
        places = {(one.source, one.patch): (version, one.dropped) for version, one in chosen}
        return with_versions(table, places)

    def _chosen(self, versions: range | None) -> list[tuple[int, Outcome]]:
        numbered = list(enumerate(self._order, self.first + 1))
        return numbered if versions is None else [one for one in numbered if one[0] in versions]

    def _local(self, rows: Iterable[tuple[Any, ...]], schema: str) -> DataFrame:
        return self._df.sparkSession.createDataFrame(list(rows), schema)


def _in_patch(rows: DataFrame) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return rows["source"].eqNullSafe(F.col("_source")) & (rows["patch"] == F.col("_patch"))


def _collected(df: DataFrame) -> list[Row]:
    """One row for each patch."""
    from pyspark.sql import functions as F  # noqa: N812

    op, txn = F.col("op"), F.col("txn")
    ends = op.isin("TC", "TA")
    key = F.lower("name")
    header = (op == "H") & key.isin(
        "id", "prev", "previous", "statements", "timestamp", "blank-nodes"
    )
    changes = op.isin("A", "D", "PA", "PD")
    begun = F.collect_list(F.when(op == "TX", txn))
    ended = F.collect_list(F.when(ends, txn))
    inside = F.collect_set(F.when(changes, txn))
    own = (F.size(F.array_distinct(one)) == F.size(one) for one in (begun, ended))
    return (
        df.groupBy("source", "patch")
        .agg(
            F.collect_list(F.when(header, F.struct("seq", key.alias("key"), "value"))).alias(
                "headers"
            ),
            F.array_except(begun, ended).alias("unfinished"),
            (F.size(F.array_except(F.array_union(ended, inside), begun)) == 0).alias("began"),
            functools.reduce(operator.and_, own).alias("own"),
            F.min(
                F.when(~F.coalesce(op.isin(*_OPS), F.lit(False)), F.coalesce(op, F.lit("null")))
            ).alias("strange"),
            F.max_by("op", "seq").alias("end"),
            F.collect_list(F.when(op == "TA", txn)).alias("aborted"),
            F.count_if(ends & txn.isNull()).alias("stray"),
            F.count_if(op == "TC").alias("committed"),
            F.count_if(op == "TX").alias("begun"),
            F.count_if(changes & txn.isNull()).alias("loose"),
            F.count_if(changes & txn.isNotNull()).alias("within"),
            # a transaction or, outside of all, -1
            F.collect_set(F.when(changes & _names_node(), F.coalesce(txn, F.lit(-1)))).alias(
                "naming"
            ),
            F.count_if(op == "A").alias("adds"),
            F.count_if(op == "D").alias("deletes"),
            F.sum(F.when(changes, _size())).alias("bytes"),
            F.count_if(op == "Z").alias("ends"),
            F.count(F.lit(1)).alias("rows"),
            F.min("seq").alias("first"),
            F.max("seq").alias("last"),
        )
        .withColumn("stamp", stamp())
        .collect()
    )


def _names_node() -> Column:
    """Whether a row has a blank node, or a string in a quoted triple that looks like one."""
    from pyspark.sql import functions as F  # noqa: N812

    terms = [F.coalesce(F.col(name), F.lit("")) for name in QUAD]
    found = [
        term.startswith("_:") | (term.startswith("<<(") & term.contains(" _:")) for term in terms
    ]
    return functools.reduce(operator.or_, found)


def _size() -> Column:
    """Bytes of the terms of a row."""
    from pyspark.sql import functions as F  # noqa: N812

    sizes = [F.coalesce(F.octet_length(name), F.lit(0)) for name in QUAD]
    return functools.reduce(operator.add, sizes).cast("bigint")


def _outcome(row: Row) -> Outcome:
    source, patch = row["source"], row["patch"]
    whole = is_whole(row["ends"], row["rows"], row["first"], row["last"]) and row["end"] == "Z"
    if not whole or (row["within"] and not row["begun"]):
        raise not_whole(source, patch)
    if row["strange"] is not None:
        message = f"encode.row: patch {patch} of the source {source!r}: {row['strange']} is no op: {', '.join(_OPS)}"
        raise EncodeError(message, kind="encode.row", source=source, field="op")
    if not (row["began"] and row["own"]):
        raise ValueError(
            f"patch {patch} of the source {source!r}: the column 'txn' does not fit the rows TX, TC and TA; each "
            "transaction has a number of its own in its patch, which all its rows have"
        )
    headers = [(key, value) for _, key, value in sorted(map(tuple, row["headers"]))]
    counts = bool(row["committed"] or row["loose"])
    adds, deletes = row["adds"], row["deletes"]
    dropped = {*row["unfinished"], *row["aborted"]}
    return Outcome(
        source, patch, headers, row["unfinished"], row["aborted"], bool(row["stray"]), counts,
        adds - deletes, adds + deletes, Stamp(*row["stamp"]), row["bytes"] or 0,
        names_nodes=not dropped.issuperset(row["naming"]),
    )  # fmt: skip


def _require_begins(patches: Iterable[Row]) -> None:
    by_source: dict[str | None, list[tuple[int, int, int]]] = {}
    for row in patches:
        places = by_source.setdefault(row["source"], [])
        places.append((row["patch"], row["first"], row["last"]))
    for source, places in by_source.items():
        if (patch := without_begin(places)) is not None:
            raise not_whole(source, patch)


def _facts(
    one: Outcome,
) -> tuple[str | None, int, list[tuple[str, str]], int | None, bool, bool, int]:
    # rows are not counted by their transactions, so what was dropped leaves no number to compare
    headers = [
        (key, value)
        for key, value in one.headers
        if key != "timestamp" and not (key == "statements" and one.dropped)
    ]
    first = min(one.unfinished, default=None)
    return one.source, one.patch, headers, first, one.is_stray, one.counts, one.net


def _timestamp(term: str | None) -> datetime | None:
    """The time that a literal says, in UTC where it does not say; None where it says none."""
    found = _LEXICAL.fullmatch(term or "")
    try:
        when = datetime.fromisoformat(found[1]) if found else None
        if when is None:
            return None
        # years before 1 and after 9999 in UTC do not exist
        return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
