"""Checks the order of rows of patches: a file stores rows in their order of arrival, so this order must be right."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

_SORT = 'df.repartition("source").sortWithinPartitions("source", "seq") puts them in order'


class Run(NamedTuple):
    """Rows of one source in a partition."""

    source: str
    first: int
    """The first patch; without the column ``patch``, the first ``seq``."""
    last: int
    """The last patch, or the last ``seq``."""
    ends: int | None = None
    """Without the column ``patch``: the number of ``Z`` rows."""
    is_open: bool = False
    """Whether rows follow the last ``Z`` row."""


class Order:
    """Checks the rows of a partition.

    The rows of a ``source`` must be consecutive, with ``seq`` (or ``patch``, without it) not decreasing. Rows without
    these columns are accepted in any order.
    """

    def __init__(self) -> None:
        self._source: str | None = None
        self._has_begun = False
        self._seen: set[str | None] = set()
        self._last: int | None = None
        self._runs: list[tuple[str | None, Run]] = []

    @property
    def runs(self) -> tuple[Run, ...]:
        """The patches of each source that has a name."""
        return tuple(run for source, run in self._runs if source is not None)

    def check(self, batch: pa.RecordBatch) -> None:
        """Checks the next rows.

        Raises:
            ValueError: The rows are out of order.
        """
        names = batch.schema.names
        sources = batch.column("source") if "source" in names else None
        ordered = next((name for name in ("seq", "patch") if name in names), None)
        edges = [0, *_changes(sources), batch.num_rows]
        for start, stop in pairwise(edges):
            self._begin(None if sources is None else sources[start].as_py())
            if ordered is not None:
                self._require_order(ordered, batch.column(ordered).slice(start, stop - start))
            if ordered is not None:
                self._extend(batch.slice(start, stop - start))

    def _begin(self, source: str | None) -> None:
        if self._has_begun and source == self._source:
            return
        if source in self._seen:
            raise ValueError(
                f"rows of the source {source!r} are mixed with rows of other sources, which would "
                f"cut its patches; {_SORT}"
            )
        self._has_begun, self._source, self._last = True, source, None
        self._seen.add(source)

    def _require_order(self, name: str, numbers: Any) -> None:
        import pyarrow.compute as pc

        known = numbers.drop_null()
        if not len(known):
            return
        before = self._last
        self._last = known[-1].as_py()
        back = pc.index(pc.less(known[1:], known[:-1]), True).as_py()
        if before is not None and known[0].as_py() < before:
            later, earlier = before, known[0].as_py()
        elif back >= 0:
            later, earlier = known[back].as_py(), known[back + 1].as_py()
        else:
            return
        source = "" if self._source is None else f" of the source {self._source!r}"
        raise ValueError(f"rows{source} are out of order: {name} {earlier} after {later}; {_SORT}")

    def _extend(self, rows: pa.RecordBatch) -> None:
        import pyarrow.compute as pc

        in_patches = "patch" in rows.schema.names
        least, most = pc.min_max(rows.column("patch" if in_patches else "seq")).as_py().values()
        if least is None:
            return
        run = Run(self._source or "", least, most)
        if not in_patches:
            ends = pc.fill_null(pc.equal(rows.column("op"), "Z"), False)
            run = run._replace(ends=pc.sum(ends).as_py(), is_open=not ends[-1].as_py())
        if self._runs and self._runs[-1][0] == self._source:
            _, before = self._runs.pop()
            run = run._replace(first=min(before.first, run.first), last=max(before.last, run.last))
            if before.ends is not None and run.ends is not None:
                run = run._replace(ends=before.ends + run.ends)
        self._runs.append((self._source, run))


def _changes(sources: Any) -> list[int]:
    """Returns the positions of rows whose source differs from the row before."""
    import pyarrow.compute as pc

    if sources is None or len(sources) < 2:
        return []
    after, before = sources[1:], sources[:-1]
    both_null = pc.and_(pc.is_null(after), pc.is_null(before))
    same = pc.or_(pc.fill_null(pc.equal(after, before), False), both_null)
    return [row + 1 for row in pc.indices_nonzero(pc.invert(same)).to_pylist()]


def require_whole_patches(partitions: Iterable[tuple[int, Iterable[Run]]]) -> None:
    """Rejects patches with rows in several partitions.

    Raises:
        ValueError: A patch has rows in several partitions.
    """
    by_source: dict[str, list[tuple[Run, int]]] = {}
    for partition, runs in partitions:
        for run in runs:
            by_source.setdefault(run.source, []).append((run, partition))
    for source, found in by_source.items():
        found.sort()
        # changes without rows that end patches may be in any partition
        has_ends = any(run.ends for run, _ in found)
        for (one, here), (other, there) in pairwise(found):
            mixed = other.first <= one.last
            if mixed if one.ends is None else has_ends and (mixed or one.is_open):
                which = f"patch {other.first}" if one.ends is None else "a patch"
                raise ValueError(
                    f"{which} of the source {source!r} would be cut: partitions {here} and "
                    f"{there} both have rows of it; {_SORT}"
                )
