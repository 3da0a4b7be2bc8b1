"""How often values are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

# Different values that are counted; more take memory.
_MOST = 1 << 20


class Frequencies:
    """Counts of values; beyond a million of them the rare ones are forgotten."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.different: int | None = 0

    def add(self, values: Iterable[str]) -> None:
        self.counts.update(values)
        if self.different is not None:
            self.different = len(self.counts)
        if len(self.counts) > _MOST:
            self.different = None
            self.counts = Counter(dict(self.counts.most_common(_MOST // 2)))
