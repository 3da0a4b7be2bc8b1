"""Filters of queries that the workers apply before rows go to the JVM."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import (
    DataSourceReader,
    EqualNullSafe,
    EqualTo,
    Filter,
    In,
    IsNotNull,
    IsNull,
)

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("op", "subject", "predicate", "object", "graph", "source")


class Pushes:
    """``pushFilters`` of a reader, which Spark calls where ``spark.sql.python.filterPushdown.enabled`` is on.

    Where it is off, Spark refuses to read with any class that has a method of this name, so that this is none.
    """

    __func__ = staticmethod(DataSourceReader.pushFilters)

    def __init__(self, names: Iterable[str], take: Callable[[list[Filter]], None]) -> None:
        self._columns = {name for name in names if name.lower() in COLUMNS}
        self._take = take

    def __call__(self, filters: list[Filter]) -> Iterator[Filter]:
        """Takes the filters that can be applied, and returns the others."""
        others: list[Filter] = []
        taken: list[Filter] = []
        for one in filters:
            (taken if _is_known(one, self._columns) else others).append(one)
        self._take(taken)
        return iter(others)


def filtered(rows: pa.RecordBatch, filters: Iterable[Filter]) -> pa.RecordBatch:
    """The rows that pass all filters, which Spark does not apply again."""
    for one in filters:
        if rows.num_rows:
            rows = rows.filter(_passes(rows, one))  # null does not pass
    return rows


def _is_known(one: Filter, columns: set[str]) -> bool:
    if not isinstance(one, (EqualTo, EqualNullSafe, In, IsNull, IsNotNull)):
        return False
    if len(one.attribute) != 1 or one.attribute[0] not in columns:
        return False
    if isinstance(one, In):
        return all(value is None or isinstance(value, str) for value in one.value)
    if isinstance(one, (EqualTo, EqualNullSafe)):
        return isinstance(one.value, str)
    return True


def _passes(rows: pa.RecordBatch, one: Any) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = rows.column(one.attribute[0])
    match one:
        case IsNull():
            return column.is_null()
        case IsNotNull():
            return column.is_valid()
        case In():
            values = [value for value in one.value if value is not None]
            return pc.is_in(column, pa.array(values, column.type))
        case _:
            return pc.equal(column, pa.scalar(one.value, column.type))
