"""The native key of quads as a column."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from jelly.spark.tables.terms import QUAD, require
from jelly.spark.tables.udf import vectorized

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame


def quad_keys(df: DataFrame, secret: bytes, column: str = "quad_key") -> DataFrame:
    """A DataFrame with the native 128-bit key of each quad: one more column, binary, 16 bytes.

    Rows have the same key if they are the same quad, whatever the case of language tags; see
    :func:`jelly.quad_keys`, also for what is null and what is refused. For tables that keep the key, to join and to
    merge on one short column, and for tools that know nothing of language tags. In rows that have a key a null
    graph, which is the default graph, becomes ``''``.

    Args:
        df: With the columns ``subject``, ``predicate``, ``object`` and ``graph``; a row without subject, predicate and
            object has a null for a key.
        secret: 16 bytes, the same for all tables whose keys are compared: ``secrets.token_bytes(16)``.
        column: The name of the new column.

    Raises:
        ValueError: The secret has not 16 bytes, a column is missing, or there is one of the new name.
    """
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
        import pyarrow.compute as pc

        import jelly

        for batch in batches:
            keys = pa.array(jelly.quad_keys(batch, self._secret))
            place = batch.schema.get_field_index("graph")
            graph = batch.column(place)
            named = pc.if_else(keys.is_valid(), pc.fill_null(graph, ""), graph)
            named_batch = batch.set_column(place, batch.schema.field(place), named)
            yield named_batch.append_column(self._column, keys)


class Keys:
    """Keys under one secret, which the functions of this package compare quads by."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(16)

    def column(self) -> Column:
        """The key of each row, made by the native library in Spark's workers.

        A term that is not in its canonical form, as a table that others made may have it, fails the query.
        """
        return vectorized(_Key(self._secret, {}), "binary")(*QUAD)

    def matches(self, pattern: Mapping[str, str]) -> Column:
        """Whether rows have these terms, language tags in any case."""
        return vectorized(_Matches(self._secret, dict(pattern)), "boolean")(*QUAD)


class _Key:
    def __init__(self, secret: bytes, pattern: Mapping[str, str]) -> None:
        self._secret = secret
        self._pattern = pattern

    def __call__(self, *terms: pa.Array) -> pa.Array:
        import pyarrow as pa

        return self._keys(pa.record_batch(list(terms), names=list(QUAD)))

    def _keys(self, rows: pa.RecordBatch) -> pa.Array:
        import pyarrow as pa

        import jelly

        return pa.array(jelly.quad_keys(rows, self._secret, canonical=True))


class _Matches(_Key):
    """Terms that may be any are the same in all rows, so that the others alone decide."""

    def __call__(self, *terms: pa.Array) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        names = dict(zip(QUAD, terms, strict=True))
        columns = [
            column if name in self._pattern else pa.repeat(pa.scalar("<a:>"), len(column))
            for name, column in names.items()
        ]
        wanted = [[self._pattern.get(name, "<a:>")] for name in QUAD]
        key = self._keys(pa.record_batch([pa.array(term) for term in wanted], names=list(QUAD)))
        found = self._keys(pa.record_batch(columns, names=list(QUAD)))
        return pc.equal(found, key[0])
