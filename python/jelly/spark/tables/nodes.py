"""Comparison of blank nodes for :func:`diff`: finds rows with blank nodes, and compares them in one task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

from jelly import _internal
from jelly.errors import JellyError
from jelly.spark._jobs import described
from jelly.spark.tables.keys import lasting, located
from jelly.spark.tables.terms import QUAD

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from jelly.types import Limits

Way: TypeAlias = Literal["auto", "match", "content", "labels"]


def way_of(blank_nodes: Way, datasets: dict[str, DataFrame]) -> Way:
    """Returns how nodes are compared; for ``auto``, one Spark job looks for labels that are not stable.

    Args:
        blank_nodes: The requested way.
        datasets: Both datasets, by their names in errors.

    Raises:
        ValueError: The way is unknown.
    """
    if blank_nodes not in get_args(Way):
        words = ", ".join(map(repr, get_args(Way)))
        raise ValueError(f"blank_nodes is {blank_nodes!r}; it can be {words}")
    if blank_nodes != "auto":
        return blank_nodes
    old, new = (
        df.select(*QUAD).mapInArrow(_Lost(what), "lost boolean") for what, df in datasets.items()
    )
    with described(old.sparkSession, "jelly.spark.diff: looks for labels that are not stable"):
        return "match" if old.unionAll(new).toArrow().num_rows else "labels"


class _Lost:
    """Yields one row for each partition with labels that are not stable."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for batch in batches:
            try:
                lost = pc.any(pc.invert(lasting(batch))).as_py()
            except JellyError as error:
                raise located(error, self._what) from None
            if lost:
                yield pa.record_batch({"lost": pa.array([True])})
                return


class ComparedNodes:
    """The rows with blank nodes of both datasets, in the task that compares them; a context manager.

    The rows and the differences are in temporary files of this machine.
    """

    def __init__(self, way: Way, limits: Limits | None) -> None:
        keywords: dict[str, object] = {"blank_nodes": way, "to": "jelly-patch"}
        if limits is not None:
            keywords["limits"] = limits
        self._native = _internal.BlankDiff(keywords)
        self._folder = TemporaryDirectory(prefix="jelly-diff-")
        self._path = Path(self._folder.name) / "rows.jellyp"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def add(self, rows: pa.RecordBatch, *, is_new: bool) -> None:
        """Adds rows of one dataset, in the columns of a quad.

        Raises:
            LimitError: The rows need more than ``limits.blank_bytes``.
        """
        if rows.num_rows:
            self._native.add(is_new, rows)

    def finish(self) -> list[tuple[str, str]]:
        """Compares all added rows; returns the headers that describe how the changes name nodes."""
        import jelly

        self._native.finish(self._path)
        with jelly.read_patch(self._path) as reader:
            headers = takewhile(lambda row: row.op == "H", reader.rows())
            return [(row.name or "", row.value or "") for row in headers]

    def changes(self, op: str) -> Iterator[pa.RecordBatch]:
        """Yields the changes with one ``op``, in the columns of a quad."""
        import pyarrow as pa
        import pyarrow.compute as pc

        import jelly

        with jelly.read_patch(self._path, columns=["op", *QUAD]) as reader:
            for batch in pa.RecordBatchReader.from_stream(reader):
                yield batch.filter(pc.equal(batch.column("op"), op))
