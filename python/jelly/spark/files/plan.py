"""Who reads what: small files together, large ones in parts."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from jelly._internal import restart_points

if TYPE_CHECKING:
    from jelly.spark._options import ReadOptions
    from jelly.spark.files.listing import File


class Part(NamedTuple):
    """A file, or a part of it that can be read alone."""

    file: File
    start: int | None = None
    end: int | None = None
    size: int = 0
    """Bytes of it, about."""


def plan(files: Sequence[File], options: ReadOptions) -> list[tuple[Part, ...]]:
    """Tasks, the longest first: each reads its parts in the order of the files.

    A task has about ``split_bytes``, or less if that gives work to all cores. As in Spark, opening
    a file counts as so many bytes.
    """
    cores = options.min_partitions or len(os.sched_getaffinity(0))
    total = sum(file.size + options.open_cost_bytes for file in files)
    most = min(options.split_bytes, max(options.open_cost_bytes, -(-total // cores), 1))
    parts = [part for file in files for part in _parts(file, most, options)]
    costs = [part.size + options.open_cost_bytes for part in parts]
    tasks = max(-(-sum(costs) // most), min(cores, len(parts)))
    return [tuple(parts[i] for i in chosen) for chosen in packed(costs, tasks)]


def packed(costs: Sequence[int], bins: int) -> list[list[int]]:
    """Spreads items over bins of about the same cost: the dearest first, into the emptiest bin.

    Returns:
        For each bin that has any the indices of its items, in order; the dearest bin first.
    """
    filled: list[list[int]] = [[] for _ in range(bins)]
    heap = [(0, number) for number in range(bins)]
    for item in sorted(range(len(costs)), key=lambda item: -costs[item]):
        cost, number = heap[0]
        filled[number].append(item)
        heapq.heapreplace(heap, (cost + max(costs[item], 1), number))
    order = sorted(heap, key=lambda bin: (-bin[0], bin[1]))
    return [sorted(filled[number]) for _, number in order if filled[number]]


def _parts(file: File, most: int, options: ReadOptions) -> Iterable[Part]:
    if file.size <= most or options.keywords.get("rows") == "committed":
        return [Part(file, size=file.size)]
    _, points = restart_points(file.where, compression=options.keywords.get("compression", "auto"))
    edges: list[int] = []
    for offset, *_ in points:
        if not edges or offset - edges[-1] >= most:
            edges.append(offset)
    if len(edges) < 2:
        return [Part(file, size=file.size)]
    ends: list[int | None] = [*edges[1:], None]
    return [
        Part(file, start, end, (end or max(file.size, start)) - start)
        for start, end in zip(edges, ends, strict=True)
    ]
