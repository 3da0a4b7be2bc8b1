"""The columns that Spark wants of a data source, to the letter of its check."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

NEEDED = {
    "patch": ("op", "subject", "predicate", "object"),
    "rdf": ("subject", "predicate", "object"),
}
"""What rows that are written must have."""
_NUMBERS = ("frame", "patch", "txn", "seq", "row")
_TYPES = {
    "number": ("long", "integer", "short", "byte", "void"),
    "text": ("string", "struct", "void"),
}


def require_types(schema: StructType) -> None:
    """Rejects columns of rows that are written, whose values cannot be what their names say.

    Raises:
        ValueError: A number is no whole number, as text would sort ``10`` before ``9``, or a term is no term.
    """
    for column in schema:
        found = column.dataType.typeName()
        right = _TYPES["number" if column.name in _NUMBERS else "text"]
        if found not in right:
            raise ValueError(f"column {column.name!r} is {found}; it must be {' or '.join(right)}")


def arrow_schema(schema: StructType) -> pa.Schema:
    """The schema that Spark asks of batches."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # before Spark 4.3 it is always UTC
        return to_arrow_schema(schema)


def as_wanted(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    """A batch with the columns that are wanted in any case of letters, of those that it has.

    Raises:
        ValueError: There is a null where the schema has NOT NULL.
    """
    import pyarrow as pa

    if batch.schema.equals(wanted):
        return batch
    columns = [batch.column(name.lower()) for name in wanted.names]
    for field, column in zip(wanted, columns, strict=True):
        if not field.nullable and column.null_count:
            raise ValueError(f"column {field.name!r} is declared NOT NULL, but has a null")
    return pa.RecordBatch.from_arrays(columns, schema=wanted)
