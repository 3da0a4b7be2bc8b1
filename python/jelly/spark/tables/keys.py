"""The native key of quads as a column."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from jelly import _internal
from jelly.errors import JellyError
from jelly.spark.tables.terms import QUAD, require
from jelly.spark.tables.udf import vectorized

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

Labels: TypeAlias = Literal["any", "unscoped", "named"]
_ANY = "<a:>"
# of a row of a log, for errors
_PLACE = ("source", "_commit_version", "seq", "op")


def quad_keys(df: DataFrame, secret: bytes, column: str = "quad_key") -> DataFrame:
    """A DataFrame with the native 128-bit key of each quad: one more column, binary, 16 bytes.

    Rows have the same key if they are the same quad, with language tags in any case; see
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
    return df.mapInArrow(_WithKey(secret, column), schema)


class _WithKey:
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
    """Keys under one secret, which the functions of this package compare quads by.

    The native library makes them in Spark's workers. A row that is no quad, a term that is not in its canonical form, as
    a table that others made may have it, and a label that is refused fail the query.
    """

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(16)

    def of_dataset(self, what: str, labels: Labels) -> Column:
        """The key of each quad of a dataset.

        Args:
            what: Which dataset, for errors.
            labels: What labels of blank nodes may be, as ``_internal.table_keys`` takes it.
        """
        return vectorized(_Keyed(self._secret, labels, what), "binary")(*QUAD)

    def of_log(self) -> Column:
        """The key of each ``A`` and ``D`` row of a log."""
        return vectorized(_KeyedLog(self._secret), "binary")(*_PLACE, *QUAD)

    def of_rows(self, rows: pa.Table) -> pa.ChunkedArray:
        """The same keys, of rows that were collected.

        Raises:
            JellyError: A row is refused.
        """
        import pyarrow as pa

        keyed = _KeyedLog(self._secret)
        batches = rows.select([*_PLACE, *QUAD]).to_batches()
        return pa.chunked_array([keyed(*batch.columns) for batch in batches], pa.binary())

    def are_absent(self, changed: bytes, what: str, labels: Labels) -> Column:
        """Whether the quads of a dataset have none of some keys.

        Args:
            changed: Keys, 16 bytes each; they go to each worker.
            what: As of :meth:`of_dataset`.
            labels: As of :meth:`of_dataset`.
        """
        return vectorized(_Absent(self._secret, labels, what, changed), "boolean")(*QUAD)

    def matches(self, pattern: Mapping[str, str], what: str, labels: Labels) -> Column:
        """Whether rows have these terms, language tags in any case.

        Args:
            pattern: Terms by their columns.
            what: Which rows, for errors.
            labels: What the labels in the columns of the pattern may be.

        Raises:
            TextError: A term of the pattern is not canonical.
            PatchError: A label of the pattern is a position, or stands behind a scope.
        """
        import pyarrow as pa

        wanted = _quads([pa.array([pattern.get(name, _ANY)]) for name in QUAD])
        key = pa.array(_internal.table_keys(wanted, self._secret, labels="named"))[0].as_py()
        found = _Matches(self._secret, labels, what, frozenset(pattern), key)
        return vectorized(found, "boolean")(*QUAD)


def checked(rows: DataFrame, *, quads: bool) -> DataFrame:
    """The same rows of a log, which fail the query where their terms or labels are refused.

    Args:
        rows: Those that :meth:`Log.rows` gives.
        quads: Whether the rows are quads, or prefixes that may have a graph.
    """
    return rows.where(vectorized(_Checked(quads), "boolean")(*_PLACE, *QUAD))


class _Keyed:
    def __init__(self, secret: bytes, labels: Labels, what: str) -> None:
        self._secret = secret
        self._labels: Labels = labels
        self._what = what

    def __call__(self, *terms: pa.Array) -> pa.Array:
        import pyarrow as pa

        try:
            return pa.array(_internal.table_keys(_quads(terms), self._secret, labels=self._labels))
        except JellyError as error:
            raise _located(error, self._what) from None


class _Absent:
    """A set of keys, which each worker makes once."""

    def __init__(self, secret: bytes, labels: Labels, what: str, changed: bytes) -> None:
        self._secret = secret
        self._labels: Labels = labels
        self._what = what
        self._changed = changed

    def __call__(self, *terms: pa.Array) -> pa.Array:
        import pyarrow as pa

        try:
            return pa.record_batch(self._filter.keep(_quads(terms))).column(0)
        except JellyError as error:
            raise _located(error, self._what) from None

    @property
    def _filter(self) -> _internal.KeyFilter:
        if (found := _FILTERS.get(self._secret)) is None:
            _FILTERS.clear()  # a worker that is kept has the last one
            found = _internal.KeyFilter(self._changed, self._secret, labels=self._labels)
            _FILTERS[self._secret] = found
        return found


_FILTERS: dict[bytes, _internal.KeyFilter] = {}


class _KeyedLog:
    """Keys of a log's rows; an error names the row of the patch."""

    def __init__(self, secret: bytes, *, quads: bool = True) -> None:
        self._secret = secret
        self._quads = quads

    def __call__(self, *columns: pa.Array) -> pa.Array:
        import pyarrow as pa

        place, terms = columns[: len(_PLACE)], columns[len(_PLACE) :]
        rows = _quads(terms)
        try:
            made = _internal.table_keys(rows, self._secret, labels="named", quads=self._quads)
        except JellyError as error:
            if error.row is None:
                raise
            source, version, row, op = (column[error.row].as_py() for column in place)
            source = "a source without a name" if source is None else source
            raise _located(error, f"{source}: version {version} row {row}: {op}") from None
        return pa.array(made)


class _Checked(_KeyedLog):
    def __init__(self, quads: bool) -> None:
        super().__init__(bytes(16), quads=quads)

    def __call__(self, *columns: pa.Array) -> pa.Array:
        import pyarrow as pa

        return pa.repeat(pa.scalar(True), len(super().__call__(*columns)))


class _Matches(_Keyed):
    """Terms that may be any are the same in all rows, so that the others alone decide."""

    def __init__(
        self, secret: bytes, labels: Labels, what: str, columns: frozenset[str], key: bytes
    ) -> None:
        super().__init__(secret, labels, what)
        self._columns = columns
        self._key = key

    def __call__(self, *terms: pa.Array) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = [
            column if name in self._columns else pa.repeat(pa.scalar(_ANY), len(column))
            for name, column in zip(QUAD, terms, strict=True)
        ]
        return pc.equal(super().__call__(*columns), pa.scalar(self._key))


def _quads(terms: Sequence[pa.Array]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.record_batch(list(terms), names=list(QUAD))


def _located(error: JellyError, what: str) -> JellyError:
    """The same error of a row that is known by more than its place in a batch."""
    said = str(error).removeprefix(f"{error.kind}: ")
    return type(error)(f"{error.kind}: {what}: {said}", kind=error.kind, field=error.field)
