"""A DataFrame of patches as a log: its versions, and the rows that count."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from jelly.spark.tables.chain import Facts, error, id_text, identity, ordered
from jelly.spark.tables.terms import QUAD, named_graph, require, without_positions
from jelly.spark.tables.unchanged import COLUMNS, Stamp, require_settled, stamp, unchanged

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

_NEEDED = ("source", "patch", "txn", "seq", "op", *QUAD, "name", "value")
_LEXICAL = re.compile(r'"([^"\\]*)".*')


class LogOptions(TypedDict, total=False):
    """How a log is taken."""

    unfinished: Literal["refuse", "drop"]
    chain: Literal["check", "ignore"]


class Outcome(NamedTuple):
    """A patch, and what became of its transactions."""

    facts: Facts
    dropped: list[int]
    """Transactions that do not count."""
    changes: int
    """``A`` and ``D`` rows, those that do not count included."""
    is_nothing: bool
    """All that it has is what a crash cut off."""
    stamp: Stamp
    """Of the file that it is in."""


class Log:
    """A log whose patches are known; one job of Spark finds them."""

    def __init__(self, df: DataFrame, options: LogOptions) -> None:
        """Looks at all patches.

        Raises:
            ValueError: A column is missing, rows are missing, or an option is wrong.
            PatchError: The log has no meaning: an unfinished or stray transaction, a broken chain.
        """
        require(df, _NEEDED, "a log")
        drop = _choice(options, "unfinished", "refuse", "drop")
        ignore = _choice(options, "chain", "check", "ignore")
        self._df = df
        began = time.time_ns()
        found = [_outcome(row, drop) for row in _collected(df)]
        level = df.storageLevel
        self._is_read_again = not (level.useMemory or level.useDisk)
        if self._is_read_again:
            require_settled(((one.facts.source, one.stamp) for one in found), began)
        if drop:
            found = _without_remains(found)
        by_place = {(one.facts.source, one.facts.patch): one for one in found}
        order = ordered([one.facts for one in found], ignore=ignore)
        self._order = [by_place[facts.source, facts.patch] for facts in order]

    @property
    def versions(self) -> int:
        """The last version; 0 is the base."""
        return len(self._order)

    def number(self, version: int | str) -> int:
        """The number of a version.

        Raises:
            PatchError: There is none of this number or id.
        """
        most = self.versions
        if isinstance(version, int):
            if not 0 <= version <= most:
                raise error("patch.version", f"there is no version {version}: the log makes versions 0 to {most}", None)  # fmt: skip
            return version
        wanted = identity(id_text(version))
        for number, outcome in enumerate(self._order, 1):
            if outcome.facts.id is not None and identity(outcome.facts.id) == wanted:
                return number
        prev = self._order[0].facts.prev if self._order else None
        if prev is not None and identity(prev) == wanted:
            return 0
        raise error("patch.version", f"no patch of the log has the id {id_text(version)}", None)

    def changes(self, versions: range | None = None) -> int:
        """How many ``A`` and ``D`` rows some versions can have at most."""
        return sum(one.changes for _, one in self._chosen(versions))

    def rows(self, versions: range | None = None) -> DataFrame:
        """The rows of some versions that count, with ``_commit_version`` and ``_commit_timestamp``."""
        from pyspark.sql import functions as F  # noqa: N812

        chosen = self._chosen(versions)
        rows = self._df.where(F.col("op").isin("A", "D", "PA", "PD"))
        rows = rows.withColumn("graph", named_graph())
        dropped = [
            (one.facts.source, one.facts.patch, txn) for _, one in chosen for txn in one.dropped
        ]
        if dropped:
            aborted = self._local(dropped, "_source string, _patch bigint, _txn bigint")
            here = _in_patch(rows) & (rows["txn"] == F.col("_txn"))
            rows = rows.join(F.broadcast(aborted), here, "left_anti")
        places = [
            (one.facts.source, one.facts.patch, *one.stamp, version, one.facts.timestamp)
            for version, one in chosen
        ]
        numbers = self._local(
            places,
            f"_source string, _patch bigint, {COLUMNS}, _commit_version bigint, _commit_timestamp timestamp",
        )
        if self._is_read_again and any(one.stamp.size is not None for _, one in chosen):
            numbers = unchanged(numbers)
        numbers = numbers.drop("_size", "_modified")
        rows = rows.join(F.broadcast(numbers), _in_patch(rows), "inner").drop("_source", "_patch")
        # the version is known behind the joins, so that rows that do not count are not looked at
        what = F.concat(
            F.coalesce("source", F.lit("a source without a name")), F.lit(": version "), "_commit_version",
            F.lit(" row "), "seq", F.lit(": "), "op", F.lit(" "),
        )  # fmt: skip
        rows = without_positions(rows, what, *QUAD)
        if dict(self._df.dtypes).get("timestamp") == "timestamp":
            when = F.coalesce("_commit_timestamp", rows["timestamp"])
            rows = rows.withColumn("_commit_timestamp", when)
        return rows

    def _chosen(self, versions: range | None) -> list[tuple[int, Outcome]]:
        numbered = list(enumerate(self._order, 1))
        return numbered if versions is None else [one for one in numbered if one[0] in versions]

    def _local(self, rows: Iterable[tuple[Any, ...]], schema: str) -> DataFrame:
        return self._df.sparkSession.createDataFrame(list(rows), schema)


def _choice(options: LogOptions, name: str, default: str, other: str) -> bool:
    word = options.get(name, default)
    if word not in (default, other):
        raise ValueError(f'{name} is "{word}"; it can be "{default}" or "{other}"')
    return word == other


def _in_patch(rows: DataFrame) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return rows["source"].eqNullSafe(F.col("_source")) & (rows["patch"] == F.col("_patch"))


def _collected(df: DataFrame) -> list[Row]:
    """One row for each patch."""
    from pyspark.sql import functions as F  # noqa: N812

    op, txn = F.col("op"), F.col("txn")
    ends = op.isin("TC", "TA")
    key = F.lower("name")
    header = (op == "H") & key.isin("id", "prev", "previous", "timestamp")
    changes = op.isin("A", "D", "PA", "PD")
    begun = F.collect_list(F.when(op == "TX", txn))
    return (
        df.groupBy("source", "patch")
        .agg(
            F.collect_list(F.when(header, F.struct("seq", key.alias("key"), "value"))).alias(
                "headers"
            ),
            F.array_except(begun, F.collect_list(F.when(ends, txn))).alias("unfinished"),
            F.collect_list(F.when(op == "TA", txn)).alias("aborted"),
            F.count_if(ends & txn.isNull()).alias("stray"),
            F.count_if(op == "TC").alias("committed"),
            F.count_if(op == "TX").alias("begun"),
            F.count_if(changes & txn.isNull()).alias("loose"),
            F.count_if(changes & txn.isNotNull()).alias("within"),
            F.count_if(op.isin("A", "D")).alias("changes"),
            F.count_if(op == "Z").alias("ends"),
        )
        .withColumn("stamp", stamp())
        .collect()
    )


def _outcome(row: Row, drop: bool) -> Outcome:
    source, patch = row["source"], row["patch"]
    if row["ends"] != 1 or (row["within"] and not row["begun"]):
        raise ValueError(
            f'patch {patch} of the source {source!r} is not whole: a log is read with rows="all", '
            f"and all its rows are needed, each of them once"
        )
    if row["stray"]:
        raise error("patch.stray", f"patch {patch}: a transaction ends that did not begin", source)
    if row["unfinished"] and not drop:
        first = min(row["unfinished"])
        raise error("patch.unfinished", f"patch {patch}: transaction {first} is neither committed nor aborted; unfinished=\"drop\" leaves such transactions out", source)  # fmt: skip
    facts = _facts(source, patch, sorted(tuple(header) for header in row["headers"]))
    is_nothing = row["unfinished"] and not (row["committed"] or row["loose"])
    dropped = [*row["aborted"], *row["unfinished"]]
    return Outcome(facts, dropped, row["changes"], bool(is_nothing), Stamp(*row["stamp"]))


def _without_remains(found: list[Outcome]) -> list[Outcome]:
    """A last patch of a source of which nothing is left after a crash is no version."""
    last: dict[str | None, int] = {}
    for one in found:
        last[one.facts.source] = max(one.facts.patch, last.get(one.facts.source, -1))
    return [one for one in found if not one.is_nothing or one.facts.patch != last[one.facts.source]]


def _facts(source: str | None, patch: int, headers: list[tuple[int, str, str]]) -> Facts:
    said: dict[str, str] = {}
    for _, key, value in headers:
        if key == "id" and key in said and identity(said[key]) != identity(value):
            raise error(
                "patch.header",
                f"patch {patch}: two ids in one patch: {said[key]} and {value}",
                source,
            )
        said["prev" if key == "previous" else key] = value
    return Facts(source, patch, said.get("id"), said.get("prev"), _timestamp(said.get("timestamp")))


def _timestamp(term: str | None) -> datetime | None:
    """The time that a literal says, in UTC where it does not say; None where it says none."""
    found = _LEXICAL.fullmatch(term or "")
    try:
        when = datetime.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
    return when if when is None or when.tzinfo else when.replace(tzinfo=UTC)
