"""The order of rows of patches: a file has them as they come, so they must come in order."""

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
    """The first patch."""
    last: int
    """The last patch."""


class Order:
    """Follows the rows of a partition.

    The rows of a ``source`` come together, and ``seq`` (or ``patch``, without it) does not go back
    among them. What has neither column is taken as it comes.
    """

    def __init__(self) -> None:
        self._source: str | None = None
        self._has_begun = False
        self._seen: set[str | None] = set()
        self._last: int | None = None
        self._patches: list[tuple[str | None, int, int]] = []

    @property
    def runs(self) -> tuple[Run, ...]:
        """The patches of each source that has a name."""
        return tuple(
            Run(source, first, last) for source, first, last in self._patches if source is not None
        )

    def check(self, batch: pa.RecordBatch) -> None:
        """Takes the next rows.

        Raises:
            ValueError: They are out of order.
        """
        names = batch.schema.names
        sources = batch.column("source") if "source" in names else None
        ordered = next((name for name in ("seq", "patch") if name in names), None)
        edges = [0, *_changes(sources), batch.num_rows]
        for start, stop in pairwise(edges):
            self._begin(None if sources is None else sources[start].as_py())
            if ordered is not None:
                self._require_order(ordered, batch.column(ordered).slice(start, stop - start))
            if "patch" in names:
                self._extend(batch.column("patch").slice(start, stop - start))

    def _begin(self, source: str | None) -> None:
        if self._has_begun and source == self._source:
            return
        if source in self._seen:
            raise ValueError(
                f"rows of the source {source!r} are mixed with others, which would cut its "
                f"patches; {_SORT}"
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

    def _extend(self, patches: Any) -> None:
        import pyarrow.compute as pc

        least, most = pc.min_max(patches).as_py().values()
        if least is None:
            return
        if self._patches and self._patches[-1][0] == self._source:
            _, first, last = self._patches.pop()
            least, most = min(first, least), max(last, most)
        self._patches.append((self._source, least, most))


def _changes(sources: Any) -> list[int]:
    """Rows whose source is another than that of the row before."""
    import pyarrow.compute as pc

    if sources is None or len(sources) < 2:
        return []
    after, before = sources[1:], sources[:-1]
    both_null = pc.and_(pc.is_null(after), pc.is_null(before))
    same = pc.or_(pc.fill_null(pc.equal(after, before), False), both_null)
    return [row + 1 for row in pc.indices_nonzero(pc.invert(same)).to_pylist()]


def require_whole_patches(partitions: Iterable[tuple[int, Iterable[Run]]]) -> None:
    """Refuses patches of which several partitions had rows.

    Raises:
        ValueError: There is such a patch.
    """
    by_source: dict[str, list[tuple[int, int, int]]] = {}
    for partition, runs in partitions:
        for source, first, last in runs:
            by_source.setdefault(source, []).append((first, last, partition))
    for source, ranges in by_source.items():
        ranges.sort()
        for (_, last, one), (first, _, other) in pairwise(ranges):
            if first <= last:
                raise ValueError(
                    f"patch {first} of the source {source!r} would be cut: partitions {one} and "
                    f"{other} have rows of it; {_SORT}"
                )
