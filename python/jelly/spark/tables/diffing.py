"""The patch that makes one dataset of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jelly import _internal
from jelly.spark.tables.keys import Keys
from jelly.spark.tables.terms import QUAD, named_graph, require

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def diff(
    old_df: DataFrame,
    new_df: DataFrame,
    *,
    id: str | None = None,
    prev: str | None = None,
    source: str | None = None,
) -> DataFrame:
    """The patch that makes one dataset of another.

    ``apply(old_df, diff(old_df, new_df))`` is ``new_df``.

    The result has the columns of ``jelly.PATCH_SCHEMA`` and is one patch, sorted: ``H`` rows if there is an id or prev,
    then one transaction with all deletes and then all adds, then ``Z``. It is in one partition, as a patch
    must be to be written: ``diff(...).write.format("jelly-patch").mode("append").save(path)``. Datasets that are equal give no
    transaction, and without an id no row. No quad is there twice. Prefixes are not compared: tables have none.

    Args:
        old_df: The dataset before, as :func:`apply` takes it.
        new_df: The dataset after.
        id: ``H id``, a term or a bare IRI.
        prev: ``H prev``.
        source: What the column ``source`` says.

    Raises:
        ValueError: Columns are missing.

    As with :func:`apply`, a term that is not canonical fails the query.

    Cost:
        Both datasets are shuffled once. All differences are sorted in one task.
    """
    from pyspark.sql import functions as F  # noqa: N812

    from jelly import PATCH_SCHEMA_DDL

    sides, keys = [], Keys()
    for df, side in ((old_df, 1), (new_df, 2)):
        require(df, QUAD, "a dataset")
        key = keys.of_dataset(f"the {'old' if side == 1 else 'new'} dataset", "named")
        quad = df.withColumn("_key", key).select("_key", *QUAD[:3], named_graph())
        sides.append(quad.withColumn("side", F.lit(side)))
    both = sides[0].unionByName(sides[1])
    differing = (
        both.groupBy("_key")
        .agg(F.bit_or("side").alias("side"), F.min(F.struct(*QUAD)).alias("quad"))
        .where("side < 3")
        .select(F.when(F.col("side") == 1, "D").otherwise("A").alias("op"), "quad.*")
    )
    # with a row at the end there is a partition
    end = old_df.sparkSession.sql(
        "SELECT 'Z' AS op, '' AS subject, '' AS predicate, '' AS object, '' AS graph"
    )
    place = F.when(F.col("op") == "D", 0).when(F.col("op") == "A", 1).otherwise(2)
    rows = differing.unionByName(end).repartition(1).sortWithinPartitions(place, *QUAD)
    headers = [
        (key, _internal.identify(said)[0])
        for key, said in (("id", id), ("prev", prev))
        if said is not None
    ]
    return rows.mapInArrow(_Framed(source, headers), PATCH_SCHEMA_DDL)


class _Framed:
    """Puts changes into a transaction, and this into a patch."""

    def __init__(self, source: str | None, headers: list[tuple[str, str]]) -> None:
        self._source = source
        self._headers = headers

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        seq, begun = 0, False
        if self._headers:
            names, values = zip(*self._headers, strict=True)
            yield self._rows(seq, ["H"] * len(names), name=list(names), value=list(values))
            seq += len(names)
        for batch in batches:
            changes = batch.filter(_is_change(batch))
            if not changes.num_rows:
                continue
            if not begun:
                yield self._rows(seq, ["TX"], txn=0)
                seq, begun = seq + 1, True
            yield self._rows(seq, changes.column("op"), changes, txn=0)
            seq += changes.num_rows
        if begun:
            yield self._rows(seq, ["TC"], txn=0)
            seq += 1
        if seq:
            yield self._rows(seq, ["Z"], name=["mark"])

    def _rows(
        self,
        seq: int,
        ops: list[str] | pa.Array,
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


def _is_change(batch: pa.RecordBatch) -> pa.Array:
    import pyarrow.compute as pc

    return pc.not_equal(batch.column("op"), "Z")
