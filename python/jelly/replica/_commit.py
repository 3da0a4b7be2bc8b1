"""Makes a version: finds the buckets that changes touch, has them written, publishes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from jelly.replica._keys import children, cover, span
from jelly.replica._rewrite import Rewrite, Rewritten, Unit, read_file
from jelly.replica._spill import MOVE, PARTS, Spill
from jelly.replica._state import DataFile, State, Store

if TYPE_CHECKING:
    import pyarrow as pa

_PART_BITS = 8
_SHIFT = 8  # from the numbers of buckets to parts
_THREADS = 4

Work: TypeAlias = Callable[[Unit, "pa.Table"], Rewritten]
Runner: TypeAlias = Callable[
    [Work, Iterable[tuple[Unit, Callable[[], "pa.Table"]]]], Iterator[Rewritten]
]
"""Does work on units, whose changes are read when it is their turn, in any order."""


class Committed(NamedTuple):
    """What a commit did."""

    state: State
    added: int
    deleted: int
    files: int
    rows: int
    """Rows of the files that were written."""


def run_in_threads(
    work: Work, units: Iterable[tuple[Unit, Callable[[], pa.Table]]]
) -> Iterator[Rewritten]:
    """Works on as many units at once as there are processors."""
    units = list(units)
    workers = min(os.cpu_count() or 1, _THREADS, len(units))
    if workers < 2:
        for unit, changes in units:
            yield work(unit, changes())
        return
    with ThreadPoolExecutor(workers) as pool:

        def task(unit: Unit, read: Callable[[], pa.Table]) -> Rewritten:
            return work(unit, read())

        tasks = [pool.submit(task, *one) for one in units]
        try:
            for one in tasks:
                yield one.result()
        finally:
            for one in tasks:
                one.cancel()


def commit(
    store: Store,
    state: State,
    after: State,
    spill: Spill,
    runner: Runner = run_in_threads,
    report: Callable[[int], None] = lambda _: None,
) -> Committed:
    """Applies changes to the buckets of ``state`` and publishes them with what ``after`` means.

    Raises:
        ReplicaError: Another writer was faster.
        OSError: Reading or writing failed.
    """
    buckets = {code: list(files) for code, files in state.buckets.items()}
    with store.begin(state) as attempt:
        split = _split(store, state, buckets, spill)
        spill.gather()
        rewrite = Rewrite(store.files, state.secret, state.bucket_rows, attempt.name)
        units = [(unit, _reading(spill, unit)) for unit in _units(buckets, spill)]
        gone, added, deleted, rows = list(split), 0, 0, 0
        files: list[tuple[str, DataFile]] = []
        with closing(runner(rewrite, units)) as results:  # type: ignore[type-var]
            for done in results:
                gone += [file for code in done.gone for file in buckets.pop(code, [])]
                files += done.files
                added, deleted = added + done.added, deleted + done.deleted
                rows += sum(file.rows for _, file in done.files)
                report(rows)
        for code, file in files:
            buckets.setdefault(code, []).append(file)
        now = {code: found for code, found in buckets.items() if found}
        after = replace(after, commit=state.commit + 1, buckets=now)
        attempt.commit(after, gone, files)
    return Committed(after, added, deleted, len(files), rows)


def _reading(spill: Spill, unit: Unit) -> Callable[[], pa.Table]:
    return lambda: spill.read(unit.first, unit.end)


def _parts(code: str) -> tuple[int, int]:
    """The parts that rows of a bucket are in."""
    first, end = span(code)
    return first >> _SHIFT, max(end >> _SHIFT, (first >> _SHIFT) + 1)


def _split(
    store: Store, state: State, buckets: dict[str, list[DataFile]], spill: Spill
) -> list[DataFile]:
    """Splits buckets that get many more rows than one task should hold; returns their files."""
    spill.gather()
    gone: list[DataFile] = []
    for code in cover(buckets):
        first, end = _parts(code)
        files = buckets.get(code, [])
        rows = sum(spill.counts[first:end]) + sum(file.rows for file in files)
        if len(code) >= _PART_BITS or rows <= 2 * state.bucket_rows:
            continue
        wanted = len(code) + ((rows - 1) // state.bucket_rows).bit_length()
        for file in files:
            for batch in read_file(store.files, file):
                spill.add(batch, _constant(MOVE, batch.num_rows))
        gone += files
        buckets.pop(code, None)
        buckets.update({child: [] for child in children(code, min(wanted, _PART_BITS))})
    return gone


def _constant(op: int, count: int) -> pa.Array:
    import pyarrow as pa

    return pa.repeat(pa.scalar(op, pa.int8()), count)


def _units(buckets: dict[str, list[DataFile]], spill: Spill) -> Iterator[Unit]:
    """What can be done apart: a bucket, or those of one part."""
    units: dict[tuple[int, int], list[tuple[str, list[DataFile]]]] = {}
    for code in cover(buckets):
        units.setdefault(_parts(code), []).append((code, buckets.get(code, [])))
    assert sum(end - first for first, end in units) == PARTS
    for (first, end), inside in units.items():
        if any(spill.counts[first:end]):
            yield Unit(inside, first, end)
