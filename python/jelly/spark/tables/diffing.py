"""Computes the patch that turns one dataset into another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from jelly import _internal
from jelly.spark.tables.changing import by_key
from jelly.spark.tables.keys import KEY_BYTES, Keys, Labels
from jelly.spark.tables.nodes import ComparedNodes, Way, way_of
from jelly.spark.tables.terms import QUAD, require

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from jelly.types import Limits


def diff(
    old_df: DataFrame,
    new_df: DataFrame,
    *,
    id: str | None = None,
    prev: str | None = None,
    source: str | None = None,
    blank_nodes: Way = "auto",
    limits: Limits | None = None,
) -> DataFrame:
    """Returns the patch that turns one dataset into another.

    ``apply(old_df, diff(old_df, new_df))`` is ``new_df``.

    Blank nodes are compared as in :func:`jelly.diff`, and the patch has the same number of rows. If nodes are matched
    and the labels of ``old_df`` are not stable, as in Turtle files, the patch names nodes by content labels of
    ``old_df`` and has the headers ``blank-nodes`` and ``blank-digest``; :func:`jelly.apply` accepts this patch,
    :func:`apply` does not.

    The result has the columns of ``jelly.PATCH_SCHEMA`` and is one patch, sorted: ``H`` rows if there is an id or prev,
    then one transaction with all deletes and then all adds, then ``Z``. It is in one partition, so that it can be
    written as a patch: ``diff(...).write.format("jelly-patch").mode("append").save(path)``. Equal datasets give no
    transaction, and without an id no row. No quad occurs twice. Prefixes are not compared, because tables have none.

    Args:
        old_df: The dataset before, as for :func:`apply`.
        new_df: The dataset after.
        id: ``H id``, a term or a bare IRI.
        prev: ``H prev``.
        source: The value of the column ``source``.
        blank_nodes: How blank nodes are compared. ``match``: by the statements about them; ``content``: by content
            labels of both datasets; ``labels``: by their labels, which must be stable; ``auto``: ``match`` if one of
            the datasets has a positional label (``_:anon-0``) or a scoped label, else ``labels``.
        limits: ``blank_bytes`` and ``blank_work`` limit the matching, as in :func:`jelly.diff`.

    Raises:
        ValueError: Columns are missing, or ``blank_nodes`` is wrong.

    As with :func:`apply`, the query fails if a term is not canonical. It also fails if rows with blank nodes need
    more memory than ``limits.blank_bytes`` allows (``limit.blank_bytes``).

    Cost:
        Both datasets are shuffled once. One task sorts all differences. If nodes are not compared by their labels, it
        also gets all rows with blank nodes, keeps them in temporary files, and needs 120 bytes of memory for each row
        and 160 bytes for each node. ``auto`` reads both datasets once more, at the call.
    """
    from pyspark.sql import functions as F  # noqa: N812

    from jelly import PATCH_SCHEMA_DDL

    datasets = {"the old dataset": old_df, "the new dataset": new_df}
    for what, df in datasets.items():
        require(df, QUAD, what)
    way = way_of(blank_nodes, datasets)
    sides, keys = [], Keys()
    for side, (what, df) in enumerate(datasets.items(), 1):
        apart = b"" if way == "labels" else bytes([side])
        labels: Labels = "any" if apart else "named"
        quads = keys.of_dataset(df.select(*QUAD), what, labels, apart=apart)
        sides.append(quads.withColumn("side", F.lit(side)))
    both = by_key(sides[0].unionByName(sides[1]))
    is_old, is_apart = F.col("side") == 1, F.length("_key") > KEY_BYTES
    op = (
        F.when(is_apart, F.when(is_old, _OLD).otherwise(_NEW))
        .when(is_old, "D")
        .otherwise("A")
        .alias("op")
    )
    differing = (
        both.groupBy("_key")
        .agg(F.bit_or("side").alias("side"), F.min(F.struct(*QUAD)).alias("quad"))
        .where("side < 3")
        .select(op, "quad.*")
    )
    # the extra row ensures that there is a partition
    end = old_df.sparkSession.sql(
        "SELECT 'Z' AS op, '' AS subject, '' AS predicate, '' AS object, '' AS graph"
    )
    place = F.array_position(F.array(*map(F.lit, _ORDER)), F.col("op"))
    rows = differing.unionByName(end).repartition(1).sortWithinPartitions(place, *QUAD)
    headers = [
        (key, _internal.identify(said)[0])
        for key, said in (("id", id), ("prev", prev))
        if said is not None
    ]
    return rows.mapInArrow(_Framed(source, headers, way, limits), PATCH_SCHEMA_DDL)


_OLD, _NEW = "old", "new"
"""Values of ``op`` for rows with blank nodes of the old and the new dataset; the last task compares these rows."""
_ORDER = (_OLD, _NEW, "D", "A", "Z")


class _Framed:
    """Wraps changes in a transaction, and the transaction in a patch."""

    def __init__(
        self, source: str | None, headers: list[tuple[str, str]], way: Way, limits: Limits | None
    ) -> None:
        self._source = source
        self._headers = headers
        self._way: Way = way
        self._limits = limits

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with ExitStack() as stack:
            changes = groupby(_by_op(batches), itemgetter(0))
            op, group = next(changes)
            headers, ours = list(self._headers), None
            if op in (_OLD, _NEW):
                ours = stack.enter_context(ComparedNodes(self._way, self._limits))
                while op in (_OLD, _NEW):
                    for _, rows in group:
                        ours.add(rows, is_new=op == _NEW)
                    op, group = next(changes)
                headers += ours.finish()
            ground = chain([(op, group)], changes)
            yield from self._patch(headers, _merged(ground, ours))

    def _patch(
        self, headers: list[tuple[str, str]], changes: Iterable[tuple[str, pa.RecordBatch]]
    ) -> Iterator[pa.RecordBatch]:
        seq, begun = 0, False
        if headers:
            names, values = zip(*headers, strict=True)
            yield self._rows(seq, ["H"] * len(names), name=list(names), value=list(values))
            seq += len(names)
        for op, rows in changes:
            if not begun:
                yield self._rows(seq, ["TX"], txn=0)
                seq, begun = seq + 1, True
            yield self._rows(seq, [op] * rows.num_rows, rows, txn=0)
            seq += rows.num_rows
        if begun:
            yield self._rows(seq, ["TC"], txn=0)
            seq += 1
        if seq:
            yield self._rows(seq, ["Z"], name=["mark"])

    def _rows(
        self,
        seq: int,
        ops: list[str],
        changes: pa.RecordBatch | None = None,
        *,
        txn: int | None = None,
        name: list[str] | None = None,
        value: list[str] | None = None,
    ) -> pa.RecordBatch:
        import pyarrow as pa

        from jelly import PATCH_SCHEMA

        rows = len(ops)
        columns = {
            "source": [self._source] * rows, "patch": [0] * rows, "txn": [txn] * rows,
            "seq": range(seq, seq + rows), "op": ops, "name": name, "value": value,
        }  # fmt: skip
        if changes is not None:
            columns |= {term: changes.column(term) for term in QUAD}
        schema = pa.schema(PATCH_SCHEMA)
        arrays = [
            pa.nulls(rows, field.type)
            if (column := columns.get(field.name)) is None
            else pa.array(column, field.type)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


_Group: TypeAlias = tuple[str, Iterable[tuple[str, "pa.RecordBatch"]]]


def _by_op(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yields the rows of each batch by their values of ``op``, which are sorted."""
    import pyarrow.compute as pc

    for batch in batches:
        for op in _ORDER:
            rows = batch.filter(pc.equal(batch.column("op"), op))
            if rows.num_rows:
                yield op, rows


def _merged(
    ground: Iterable[_Group], nodes: ComparedNodes | None
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yields deletes, then adds; merges rows without blank nodes and rows with blank nodes."""
    apart = ["D", "A"] if nodes else []
    for op, group in ground:
        while nodes and apart and _ORDER.index(apart[0]) <= _ORDER.index(op):
            name = apart.pop(0)
            yield from ((name, rows) for rows in nodes.changes(name) if rows.num_rows)
        if op != "Z":
            yield from group
