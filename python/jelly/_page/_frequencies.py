"""How often values are there."""

from __future__ import annotations

from collections import Counter

# Different values that are counted, and characters of their texts; more take memory.
_MOST = 1 << 20
_MOST_CHARACTERS = 64 << 20


class Frequencies:
    """Counts of values; where there are too many, the rare ones are forgotten."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._characters = 0
        self._forgot = False

    @property
    def different(self) -> int | None:
        """How many values there are; None: some were forgotten."""
        return None if self._forgot else len(self.counts)

    def add(self, value: str) -> None:
        """Counts a value."""
        if value not in self.counts:
            self._characters += len(value)
            if len(self.counts) >= _MOST or self._characters > _MOST_CHARACTERS:
                self._forget(len(value))
        self.counts[value] += 1

    def _forget(self, more: int) -> None:
        most = self.counts.most_common(len(self.counts) // 2)
        self.counts, self._forgot = Counter(dict(most)), True
        self._characters = sum(len(value) for value, _ in most) + more
