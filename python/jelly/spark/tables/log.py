"""A DataFrame of patches as a log: its versions, and the rows that count."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from jelly import _internal
from jelly.errors import JellyWarning
from jelly.spark._jobs import described
from jelly.spark.tables.keys import Keys, Labels, Pattern
from jelly.spark.tables.manifests import manifests_of
from jelly.spark.tables.outcomes import Outcome, outcomes_of
from jelly.spark.tables.placed import (
    LogRows,
    PackedLogRows,
    Version,
    needed_of,
    table_of,
    unpacked,
)
from jelly.spark.tables.terms import QUAD, log_columns, require
from jelly.spark.tables.unchanged import require_settled

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_NEEDED = ("source", "patch", "txn", "seq", "op", *QUAD, "name", "value")
_QUAD_OPS, _PREFIX_OPS = ("A", "D"), ("PA", "PD")
_QUADS = "seq bigint, op string, subject string, predicate string, object string, graph string"
_PLACED = "_commit_version bigint, _commit_timestamp timestamp, _key binary"


class LogOptions(TypedDict, total=False):
    """Options for reading a log."""

    unfinished: Literal["refuse", "drop"]
    chain: Literal["check", "ignore"]
    order: Sequence[str] | None
    storage: Mapping[str, str]


class Log:
    """A log with known patches; one Spark job finds them."""

    def __init__(
        self,
        call: str,
        df: DataFrame,
        options: LogOptions,
        up_to: int | str | None = None,
        *,
        collects: bool = False,
    ) -> None:
        """Finds and checks all patches; errors after the version ``up_to`` do not matter.

        Args:
            call: Name of the calling function, for the Spark UI.
            df: The rows.
            options: The options of the log.
            up_to: A version; None: the last one.
            collects: Whether :meth:`collected` may be called, which then needs no job if there are few changes.

        Raises:
            TypeError: An option is unknown.
            ValueError: A column is missing, rows are missing, or an option is wrong.
            PatchError: The log is not valid: an unfinished or stray transaction, a broken chain.
        """
        require(df, _NEEDED, "a log")
        for name in options:
            if name not in LogOptions.__annotations__:
                raise TypeError(f"a log has no option {name!r}")
        given: dict[str, Any] = dict(options)
        storage = given.pop("storage", {})
        _internal.order_log([], {**given, "order": None})  # raises for wrong options before any job
        self._df = df
        self._call = call
        began = time.time_ns()
        with described(df.sparkSession, f"jelly.spark.{call}: finds the patches of the log"):
            found, self._by_content, self._rows = outcomes_of(df, collects=collects)
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
            advice = "set another order with order="
            warnings.warn(f"the patches are applied in the order {named}; {advice}", JellyWarning, stacklevel=3)  # fmt: skip

    @property
    def first(self) -> int:
        """The version before the first patch: 0, unless the log begins later."""
        return self._log.before

    @property
    def last(self) -> int:
        """The last version."""
        return self.first + len(self._order)

    def number(self, version: int | str) -> int:
        """Returns the number of a version.

        Raises:
            PatchError: No version has this number or id.
        """
        return self._log.number(version)

    def refuse_empty(self, base: DataFrame) -> None:
        """Rejects an empty base if the log begins with a dataset; only then runs a job, which looks for one row.

        Raises:
            PatchError: The base is empty, but the dataset is not (``patch.base``).
        """
        if self._log.dataset is None:
            return
        text = f"jelly.spark.{self._call}: looks whether the base is empty"
        with described(base.sparkSession, text):
            is_empty = base.isEmpty()
        _internal.refuse_empty_base(self._log.dataset, 0 if is_empty else 1)

    def changes(self, versions: range | None = None) -> int:
        """Returns the maximum number of ``A`` and ``D`` rows in some versions."""
        return sum(one.changes for _, one in self._chosen(versions))

    def bytes(self, versions: range | None = None) -> int:
        """Returns the approximate number of bytes of the terms of these rows."""
        return sum(one.bytes for _, one in self._chosen(versions))

    def names_nodes(self, versions: range | None = None) -> bool:
        """Returns whether rows of some versions have blank nodes."""
        return any(one.names_nodes for _, one in self._chosen(versions))

    def labels_of_base(self, versions: range | None = None) -> Labels:
        """Returns which blank node labels a base of some versions may have."""
        if not self.names_nodes(versions):
            return "any"
        return "named" if self._by_content else "unscoped"

    def changed_quads(
        self, keys: Keys, versions: range | None = None, *, pattern: Pattern | None = None
    ) -> DataFrame:
        """Returns the rows that count and change quads, in some versions.

        Columns: ``_change_type``, ``_commit_version``, ``_commit_timestamp``, those of a quad, ``op``, ``seq`` and
        ``_key``. The query fails if a row is rejected.

        Args:
            keys: Computes the keys.
            versions: The versions; None: all.
            pattern: Select only rows with these terms.
        """
        rows, function = self._placed(_QUAD_OPS, (), keys, versions, pattern)
        return _changes(rows.mapInArrow(function, f"{_QUADS}, {_PLACED}"), "A")

    def changed_prefixes(self) -> DataFrame:
        """Returns the rows that count and change prefixes, with ``name`` and ``value``."""
        rows, function = self._placed(_PREFIX_OPS, ("name", "value"), Keys())
        return _changes(
            rows.mapInArrow(function, f"{_QUADS}, name string, value string, {_PLACED}"), "PA"
        )

    def collected(self, versions: range, keys: Keys) -> pa.Table:
        """Returns the rows that count and change quads, in some versions, with the columns of :func:`unpacked`.

        Runs one job if there are many rows.

        Raises:
            JellyError: A row is rejected.
        """
        if self._rows is not None:
            function = LogRows(self._known(versions), {}, keys.secret, None, quads=True)
            return table_of(needed_of(rows) for rows in function(self._rows))
        rows, function = self._placed(_QUAD_OPS, (), keys, versions)
        text = f"jelly.spark.{self._call}: collects the changes of the log"
        with described(self._df.sparkSession, text):
            return unpacked(rows.mapInArrow(PackedLogRows(function), PackedLogRows.DDL).toArrow())

    def _placed(
        self,
        ops: tuple[str, str],
        more: tuple[str, ...],
        keys: Keys,
        versions: range | None = None,
        pattern: Pattern | None = None,
    ) -> tuple[DataFrame, LogRows]:
        """Returns rows of a log, and the function that workers run on them."""
        from pyspark.sql import functions as F  # noqa: N812

        chosen = self._chosen(versions)
        if dict(self._df.dtypes).get("timestamp") == "timestamp":
            more = (*more, "timestamp")
        rows = self._df.where(F.col("op").isin(*ops)).select(*log_columns(), *more)
        stamps = {one.source: one.stamp for _, one in chosen if one.stamp.size is not None}
        checked = stamps if self._is_read_again else {}
        function = LogRows(
            self._known(versions), checked, keys.secret, pattern, quads=ops == _QUAD_OPS
        )
        return rows, function

    def _known(self, versions: range | None) -> list[Version]:
        return [
            Version(number, one.source, one.patch, one.dropped, one.timestamp)
            for number, one in self._chosen(versions)
        ]

    def _chosen(self, versions: range | None) -> list[tuple[int, Outcome]]:
        numbered = list(enumerate(self._order, self.first + 1))
        return numbered if versions is None else [one for one in numbered if one[0] in versions]


def _changes(rows: DataFrame, adds: str) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    kind = F.when(F.col("op") == adds, "insert").otherwise("delete")
    return rows.withColumn("_change_type", kind)


def _facts(
    one: Outcome,
) -> tuple[str | None, int, list[tuple[str, str]], int | None, bool, bool, int]:
    # rows are not counted per transaction, so after dropping some there is no number to compare
    headers = [
        (key, value)
        for key, value in one.headers
        if key != "timestamp" and not (key == "statements" and one.dropped)
    ]
    first = min(one.unfinished, default=None)
    return one.source, one.patch, headers, first, one.is_stray, one.counts, one.net
