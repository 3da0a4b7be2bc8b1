"""The columns that Spark requests from a data source, exactly as its check requires them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

NEEDED = {
    "patch": ("op", "subject", "predicate", "object"),
    "rdf": ("subject", "predicate", "object"),
}
"""Columns that written rows must have."""
_NUMBERS = ("frame", "patch", "txn", "seq", "row")
_TYPES = {
    "number": ("long", "integer", "short", "byte", "void"),
    "text": ("string", "struct", "void"),
}


def require_types(schema: StructType) -> None:
    """Rejects columns of written rows whose types do not match their names.

    Raises:
        ValueError: A number column is not of whole numbers (text would sort ``10`` before ``9``), or a term column
            does not contain terms.
    """
    for column in schema:
        found = column.dataType.typeName()
        right = _TYPES["number" if column.name in _NUMBERS else "text"]
        if found not in right:
            raise ValueError(f"column {column.name!r} is {found}; it must be {' or '.join(right)}")


def arrow_schema(schema: StructType) -> pa.Schema:
    """Returns the schema that Spark requires of batches."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # before Spark 4.3 the time zone is always UTC
        return to_arrow_schema(schema)


def as_wanted(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    """Selects the requested columns of a batch; the case of their names does not matter.

    Raises:
        ValueError: A column that the schema declares as NOT NULL has a null.
    """
    import pyarrow as pa

    if batch.schema.equals(wanted):
        return batch
    columns = [batch.column(name.lower()) for name in wanted.names]
    for field, column in zip(wanted, columns, strict=True):
        if not field.nullable and column.null_count:
            raise ValueError(f"column {field.name!r} is declared NOT NULL, but has a null")
    return pa.RecordBatch.from_arrays(columns, schema=wanted)
