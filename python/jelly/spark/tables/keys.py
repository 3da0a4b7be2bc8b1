"""The native keys of quads, by which tables are compared; Spark's workers compute each key once per row."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from jelly import _internal
from jelly.errors import JellyError
from jelly.spark.tables.terms import QUAD, require

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

Labels: TypeAlias = Literal["any", "unscoped", "named"]
_ANY = "<a:>"
KEY_BYTES = 16


def quad_keys(df: DataFrame, secret: bytes, column: str = "quad_key") -> DataFrame:
    """Adds the native 128-bit key of each quad: one more column, binary, 16 bytes.

    Rows have the same key if they are the same quad, regardless of the case of language tags; see
    :func:`jelly.quad_keys`, also for null keys and rejected rows. The key is for tables that store it, for joins and
    merges on one short column, and for tools that do not compare language tags correctly. In rows that have a key, a
    null graph, which is the default graph, becomes ``''``.

    Args:
        df: A DataFrame with the columns ``subject``, ``predicate``, ``object`` and ``graph``; a row without subject,
            predicate and object has a null key.
        secret: 16 bytes, the same for all tables whose keys are compared: ``secrets.token_bytes(16)``.
        column: The name of the new column.

    Raises:
        ValueError: The secret does not have 16 bytes, a column is missing, or a column has the name of the new one.
    """
    require(df, QUAD, "quad_keys")
    if len(secret) != 16:
        raise ValueError(f"secret must have 16 bytes, not {len(secret)}")
    if column in df.columns:
        raise ValueError(f"there is a column {column!r} already")
    return _with_column(df, _QuadKeys(secret, column), column)


class Pattern(NamedTuple):
    """Terms by which rows are selected; the case of language tags does not matter."""

    columns: frozenset[str]
    """The columns of the terms."""
    keys: list[bytes]
    """Keys of the quads that have the terms, and a constant in the other columns."""

    def chosen(self, rows: pa.RecordBatch, secret: bytes, labels: Labels) -> pa.RecordBatch:
        """Returns the rows that have the terms.

        Args:
            rows: Rows with the columns of a quad.
            secret: The secret of the key.
            labels: Which blank node labels are allowed in the columns of the pattern.

        Raises:
            JellyError: A row is rejected.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        terms = [
            rows[name] if name in self.columns else pa.repeat(pa.scalar(_ANY), rows.num_rows)
            for name in QUAD
        ]
        keys = _table_keys(_quads(terms), secret, labels)
        return rows.filter(pc.is_in(keys, pa.array(self.keys, keys.type)))


class Keys:
    """Keys with one secret, by which the functions of this package compare quads.

    The native library computes the keys in Spark's workers. The query fails if a row is not a quad, if a term is not
    canonical, which is possible in tables of other programs, or if a label is rejected.
    """

    def __init__(self) -> None:
        self.secret = secrets.token_bytes(16)

    def of_dataset(
        self,
        df: DataFrame,
        what: str,
        labels: Labels,
        *,
        column: str = "_key",
        pattern: Pattern | None = None,
        apart: bytes = b"",
    ) -> DataFrame:
        """Returns a dataset with the key of each quad, and ``''`` for the default graph.

        Args:
            df: The dataset.
            what: The name of the dataset, for errors.
            labels: Which blank node labels are allowed, as for ``_internal.quad_keys``.
            column: The name of the new column, which the dataset must not have.
            pattern: Select only rows that have these terms.
            apart: Suffix for the keys of quads with blank nodes.
        """
        made = _Keyed(self.secret, labels, what, column, pattern, apart)
        return _with_column(df, made, column)

    def without(self, df: DataFrame, changed: bytes, what: str, labels: Labels) -> DataFrame:
        """Returns the quads of a dataset whose keys are not in ``changed``, with ``''`` for the default graph.

        Args:
            df: The dataset.
            changed: Keys, 16 bytes each; they are sent to each worker.
            what: As for :meth:`of_dataset`.
            labels: As for :meth:`of_dataset`.
        """
        return df.mapInArrow(_Kept(self.secret, labels, what, changed), df.schema)

    def pattern(self, terms: Mapping[str, Sequence[str]]) -> Pattern:
        """Returns a pattern to select rows.

        Args:
            terms: Terms by their columns; a row has one of those of each column.

        Raises:
            TextError: A term is not canonical.
            PatchError: A label is positional or scoped.
        """
        import pyarrow as pa

        quads = product(*(terms.get(name, [_ANY]) for name in QUAD))
        columns = [pa.array(column) for column in zip(*quads, strict=True)]
        keys = _table_keys(_quads(columns), self.secret, "named").to_pylist()
        return Pattern(frozenset(terms), keys)


def log_keys(rows: pa.RecordBatch, secret: bytes, *, quads: bool) -> pa.Array:
    """Returns the keys of rows of a log.

    Args:
        rows: Rows with the columns ``source``, ``_commit_version``, ``seq``, ``op`` and those of a quad.
        secret: The secret of the keys.
        quads: Whether the rows are quads, or prefixes that may have a graph.

    Raises:
        JellyError: A row is rejected; the error names the row of the patch.
    """
    terms = rows.select(list(QUAD))
    try:
        return _table_keys(terms, secret, "named", quads=quads)
    except JellyError as error:
        if error.row is None:
            raise
        place = ("source", "_commit_version", "seq", "op")
        source, version, row, op = (rows[name][error.row].as_py() for name in place)
        source = "a source without a name" if source is None else source
        raise located(error, f"{source}: version {version} row {row}: {op}") from None


def lasting(rows: pa.RecordBatch) -> pa.Array:
    """Returns whether the labels of blank nodes in each row are stable; null if the row has no blank node.

    Args:
        rows: Rows with the columns of a quad.

    Raises:
        JellyError: A row is not a quad.
    """
    import pyarrow as pa

    return pa.record_batch(_internal.lasting_labels(rows.select(list(QUAD)))).column(0)


# the following classes run in Spark's workers; query plans show their names


class _QuadKeys:
    """Adds the key of each row that has a quad."""

    def __init__(self, secret: bytes, column: str) -> None:
        self._secret = secret
        self._column = column

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        import jelly

        for batch in batches:
            keys = pa.array(jelly.quad_keys(batch, self._secret))
            graph = batch["graph"]
            named = pc.if_else(keys.is_valid(), pc.fill_null(graph, ""), graph)
            yield _replaced(batch, named).append_column(self._column, keys)


class _Keyed:
    """Adds the key of each quad of a dataset."""

    def __init__(
        self,
        secret: bytes,
        labels: Labels,
        what: str,
        column: str,
        pattern: Pattern | None,
        apart: bytes,
    ) -> None:
        self._secret = secret
        self._labels: Labels = labels
        self._what = what
        self._column = column
        self._pattern = pattern
        self._apart = apart

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow.compute as pc

        for batch in batches:
            rows = _named(batch)
            try:
                if self._pattern is not None:
                    rows = self._pattern.chosen(rows, self._secret, self._labels)
                terms = rows.select(list(QUAD))
                keys = _table_keys(terms, self._secret, self._labels)
                if self._apart:
                    behind = pc.binary_join_element_wise(keys, self._apart, b"")
                    keys = pc.if_else(lasting(rows).is_valid(), behind, keys)
            except JellyError as error:
                raise located(error, self._what) from None
            yield rows.append_column(self._column, keys)


class _Kept:
    """Removes the quads that have one of some keys; each worker builds the set of keys once."""

    def __init__(self, secret: bytes, labels: Labels, what: str, changed: bytes) -> None:
        self._secret = secret
        self._labels: Labels = labels
        self._what = what
        self._changed = changed

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        keys = self._filter
        for batch in batches:
            rows = _named(batch)
            try:
                kept = pa.record_batch(keys.keep(rows.select(list(QUAD)))).column(0)
            except JellyError as error:
                raise located(error, self._what) from None
            yield rows if kept.true_count == rows.num_rows else rows.filter(kept)

    @property
    def _filter(self) -> _internal.KeyFilter:
        if (found := _FILTERS.get(self._secret)) is None:
            _FILTERS.clear()  # a reused worker keeps only the last filter
            found = _internal.KeyFilter(self._changed, self._secret, labels=self._labels)
            _FILTERS[self._secret] = found
        return found


_FILTERS: dict[bytes, _internal.KeyFilter] = {}


def _with_column(df: DataFrame, function: _QuadKeys | _Keyed, column: str) -> DataFrame:
    schema = type(df.schema)(list(df.schema)).add(column, "binary")
    return df.mapInArrow(function, schema)


def _named(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns the same rows with ``''`` for the default graph."""
    import pyarrow.compute as pc

    graph = batch["graph"]
    return _replaced(batch, pc.fill_null(graph, "")) if graph.null_count else batch


def _replaced(batch: pa.RecordBatch, graph: pa.Array) -> pa.RecordBatch:
    place = batch.schema.get_field_index("graph")
    return batch.set_column(place, batch.schema.field(place), graph)


def _table_keys(
    rows: pa.RecordBatch, secret: bytes, labels: Labels, *, quads: bool = True
) -> pa.Array:
    """Returns the keys of rows that are compared with those of other tables, so their terms must be canonical."""
    import pyarrow as pa

    return pa.array(_internal.quad_keys(rows, secret, True, labels, quads))


def _quads(terms: list[pa.Array]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.record_batch(terms, names=list(QUAD))


def located(error: JellyError, what: str) -> JellyError:
    """Returns the same error with a description of the row instead of its position in a batch."""
    said = str(error).removeprefix(f"{error.kind}: ")
    return type(error)(f"{error.kind}: {what}: {said}", kind=error.kind, field=error.field)
