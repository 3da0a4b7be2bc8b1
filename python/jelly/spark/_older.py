"""Streams on Spark 4.0 and 4.1.

Both ask for the end of the next batch without its start or a limit. Spark 4.0 has no class for writers of streams that take Arrow.

A query with ``availableNow`` asks once and ends with what that says: a new one before it asks where to begin, one that
goes on after it planned its last batch again. A source does not learn the trigger, so the first answer is all there is.
A query that asked where to begin before that, or that gives the start of the batch, asks more than once: it has no ``availableNow``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceStreamArrowWriter
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
else:
    try:
        from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
    except ImportError:  # Spark wraps sources itself

        class SupportsTriggerAvailableNow:
            """Nothing."""

    try:
        from pyspark.sql.datasource import DataSourceStreamArrowWriter
    except ImportError:  # 4.0 gives Arrow to any writer that is of this class
        from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamWriter

        class DataSourceStreamArrowWriter(DataSourceStreamWriter, DataSourceArrowWriter):
            """Takes record batches."""


__all__ = ["DataSourceStreamArrowWriter", "FirstAnswer", "SupportsTriggerAvailableNow"]


class FirstAnswer:
    """Whether the next answer is the first one."""

    def __init__(self) -> None:
        self._is_due = True

    def begins(self) -> None:
        """The query asked where to begin, so it asks more than once."""
        self._is_due = False

    def is_all(self, start: dict[str, Any] | None) -> bool:
        """Whether this answer is all there is; no later one is."""
        is_due, self._is_due = self._is_due and start is None, False
        return is_due
