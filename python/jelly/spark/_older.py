"""Support for streams on Spark 4.0 and 4.1.

Both versions ask for the end of the next batch without passing its start or a limit. Spark 4.0 has no class for
stream writers that take Arrow batches.

A query with ``availableNow`` asks once, and ends at the returned offset. A new query does so before it asks for the
initial offset, a restarted query after it has planned its last batch again. A source does not know the trigger, so the
first answer must include everything. If a query has asked for the initial offset first, or passes the start of the
batch, it asks more than once, so it has no ``availableNow``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceStreamArrowWriter
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
else:
    try:
        from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
    except ImportError:  # this Spark wraps sources itself

        class SupportsTriggerAvailableNow:
            """A placeholder for the missing class."""

    try:
        from pyspark.sql.datasource import DataSourceStreamArrowWriter
    except ImportError:  # Spark 4.0 passes Arrow batches to any writer of this class
        from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamWriter

        class DataSourceStreamArrowWriter(DataSourceStreamWriter, DataSourceArrowWriter):
            """A stream writer that takes record batches."""


__all__ = ["DataSourceStreamArrowWriter", "FirstAnswer", "SupportsTriggerAvailableNow"]


class FirstAnswer:
    """Records whether the next answer is the first one."""

    def __init__(self) -> None:
        self._is_due = True

    def begins(self) -> None:
        """Records that the query asked for the initial offset, so it asks more than once."""
        self._is_due = False

    def is_all(self, start: dict[str, Any] | None) -> bool:
        """Returns whether this answer must include everything; only the first one may have to."""
        is_due, self._is_due = self._is_due and start is None, False
        return is_due
