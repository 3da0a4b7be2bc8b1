"""The native key of quads as a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def quad_keys(df: DataFrame, secret: bytes, column: str = "quad_key") -> DataFrame:
    """A DataFrame with the native 128-bit key of each quad: one more column, binary, 16 bytes.

    Rows have the same key if they are the same quad, whatever the case of language tags; see
    :func:`jelly.quad_keys`, also for what is null and what is refused. For tables that keep the key, to join and to
    merge on one short column, and for tools that know nothing of language tags. Functions such as
    :func:`apply` compare the four columns in Spark's own code, so that no row goes to Python and back.

    Args:
        df: With the columns ``subject``, ``predicate``, ``object`` and ``graph``; a row without subject, predicate and
            object has a null for a key.
        secret: 16 bytes, the same for all tables whose keys are compared: ``secrets.token_bytes(16)``.
        column: The name of the new column.

    Raises:
        ValueError: The secret has not 16 bytes, a column is missing, or there is one of the new name.
    """
    from jelly.spark.tables.terms import QUAD, require

    require(df, QUAD, "quad_keys")
    if len(secret) != 16:
        raise ValueError(f"a secret has 16 bytes, not {len(secret)}")
    if column in df.columns:
        raise ValueError(f"there is a column {column!r} already")
    schema = type(df.schema)(list(df.schema)).add(column, "binary")
    return df.mapInArrow(_Keyed(secret, column), schema)


class _Keyed:
    def __init__(self, secret: bytes, column: str) -> None:
        self._secret = secret
        self._column = column

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        import jelly

        for batch in batches:
            yield batch.append_column(self._column, pa.array(jelly.quad_keys(batch, self._secret)))
