"""CPU seconds of one side, and the ratio of two sides measured in turn."""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


class WrongAnswerError(Exception):
    """One side did not deliver what it should: then its speed means nothing."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    pairs: int = 7
    runs: int = 7
    forks: int = 4
    quick: bool = False


QUICK = Effort(pairs=3, runs=3, forks=2, quick=True)


@dataclass(frozen=True)
class Line:
    """One row of the report; rates in million rows a CPU second."""

    data: str
    ours: float
    peer: float
    ratio: float
    low: float
    high: float
    goal: float | None
    note: str = ""

    @property
    def met(self) -> bool:
        return self.goal is None or self.ratio >= self.goal


def rate(task: Callable[[], int], rows: int, runs: int) -> float:
    """Million rows per CPU second of this process: the median of runs that deliver all rows."""
    seconds = []
    gc.collect()  # not before each run: that leaves nothing of the program in the caches, and peers run on
    gc.disable()
    try:
        for _ in range(runs):
            start = time.process_time()
            seen = task()
            seconds.append(time.process_time() - start)
            if seen != rows:
                raise WrongAnswerError(f"{seen} rows instead of {rows}")
    finally:
        gc.enable()
    return rows / statistics.median(seconds) / 1e6


def pairwise(
    data: str,
    ours: Callable[[], float],
    peer: Callable[[], float],
    *,
    pairs: int,
    goal: float | None,
    note: str = "",
) -> Line:
    """A B A B: a machine that turns slower or faster half way does so for both."""
    both = [(ours(), peer()) for _ in range(pairs)]
    ratios = [our_rate / peer_rate for our_rate, peer_rate in both]
    return Line(
        data=data,
        ours=statistics.median(our_rate for our_rate, _ in both),
        peer=statistics.median(peer_rate for _, peer_rate in both),
        ratio=statistics.median(ratios),
        low=min(ratios),
        high=max(ratios),
        goal=goal,
        note=note,
    )


def against_best(
    data: str,
    ours: Callable[[], float],
    peer: Callable[[], float],
    *,
    pairs: int,
    goal: float | None,
    note: str = "",
) -> Line:
    """For a peer whose forks differ (what its JIT chose): our median against its best."""
    both = [(ours(), peer()) for _ in range(pairs)]
    best = max(peer_rate for _, peer_rate in both)
    our_rates = [our_rate for our_rate, _ in both]
    middle = statistics.median(our_rates)
    return Line(
        data=data,
        ours=middle,
        peer=best,
        ratio=middle / best,
        low=min(our_rates) / best,
        high=max(our_rates) / best,
        goal=goal,
        note=note,
    )
