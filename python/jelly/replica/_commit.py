"""Commits: finds the buckets that changes affect, has them written, and publishes the new version."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from jelly.replica._changes import beside, deleted_rows, fits
from jelly.replica._keys import children, cover, keys, span
from jelly.replica._rewrite import Rewrite, Rewritten, Unit, last_changes, read_file
from jelly.replica._spill import MOVE, PARTS, Spill
from jelly.replica._state import Attempt, DataFile, State, Store

if TYPE_CHECKING:
    import pyarrow as pa

_PART_BITS = 8
_SHIFT = 8  # shift from place numbers to parts
_THREADS = 4

Work: TypeAlias = Callable[[Unit, "pa.Table"], Rewritten]
Runner: TypeAlias = Callable[
    [Work, Iterable[tuple[Unit, Callable[[], "pa.Table"]]]], Iterator[Rewritten]
]
"""Runs work on units, in any order; the changes of a unit are read when its work starts."""


class Committed(NamedTuple):
    """A summary of a commit."""

    state: State
    added: int
    deleted: int
    files: int
    rows: int
    """Rows of the written files."""


def run_in_threads(
    work: Work, units: Iterable[tuple[Unit, Callable[[], pa.Table]]]
) -> Iterator[Rewritten]:
    """Works on as many units in parallel as there are processors."""
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
    """Applies changes to ``state`` and publishes the result with the metadata of ``after``.

    If there are few changes, and the table supports it, they are stored beside the buckets. Otherwise the affected
    buckets are written, together with all changes stored beside them. If ``after`` has another bucket size, all
    buckets are written.

    Raises:
        ReplicaError: Another writer committed first.
        OSError: Reading or writing failed.
    """
    with store.begin(state) as attempt:
        spill.gather()
        is_same = state.bucket_rows == after.bucket_rows
        if store.merges and is_same and (count := sum(spill.counts)) and fits(state, count):
            return _merge(store, state, after, spill, attempt, report)
        return _rewrite(store, state, after, spill, attempt, runner, report)


def compact(
    store: Store,
    state: State,
    bucket_rows: int | None,
    runner: Runner,
    report: Callable[[int], None],
) -> bool:
    """Merges the changes beside the buckets into them, or rewrites all rows in buckets of another size.

    Raises:
        ReplicaError: Another writer was faster.
        OSError: Reading or writing failed.
    """
    after = replace(state, bucket_rows=bucket_rows or state.bucket_rows)
    if after == state and state.adds is None and state.deletes is None:
        store.mend(state)
        return False
    with Spill(state.secret) as spill, store.begin(state) as attempt:
        _rewrite(store, state, after, spill, attempt, runner, report)
    return True


def _merge(
    store: Store,
    state: State,
    after: State,
    spill: Spill,
    attempt: Attempt,
    report: Callable[[int], None],
) -> Committed:
    """Stores changes beside the buckets."""
    changes = spill.read(0, PARTS)
    changes = last_changes(changes, keys(changes, state.secret))
    done = beside(store.files, state, changes, attempt.name)
    rows = sum(file.rows for file in done.written)
    report(rows)
    after = replace(after, commit=state.commit + 1, adds=done.adds, deletes=done.deletes)
    attempt.commit(after, [], [])
    return Committed(after, done.added, done.deleted, len(done.written), rows)


def _rewrite(
    store: Store,
    state: State,
    after: State,
    spill: Spill,
    attempt: Attempt,
    runner: Runner,
    report: Callable[[int], None],
) -> Committed:
    """Writes the buckets that changes affect, and the buckets that have changes beside them."""
    deleted_in = deleted_rows(store.files, state)
    buckets = {code: list(files) for code, files in state.buckets.items()}
    if state.adds is not None:
        _move(store, [state.adds], {}, spill)
    gone: list[DataFile] = []
    if after.bucket_rows != state.bucket_rows:
        gone, buckets = state.files, {}
        _move(store, gone, deleted_in, spill)
    gone = [*gone, *_split(store, after.bucket_rows, buckets, deleted_in, spill)]
    spill.gather()
    rewrite = Rewrite(store.files, state.secret, after.bucket_rows, attempt.name)
    units = [(unit, _reading(spill, unit)) for unit in _units(buckets, deleted_in, spill)]
    added = deleted = rows = 0
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
    after = replace(after, commit=state.commit + 1, buckets=now, adds=None, deletes=None)
    attempt.commit(after, gone, files)
    return Committed(after, added, deleted, len(files), rows)


def _move(
    store: Store, files: Iterable[DataFile], gone: Mapping[str, Sequence[int]], spill: Spill
) -> None:
    """Moves the rows of files to the spill, to be written to other buckets."""
    for file in files:
        for batch in read_file(store.files, file, gone.get(file.path, ())):
            spill.add(batch, MOVE)


def _reading(spill: Spill, unit: Unit) -> Callable[[], pa.Table]:
    return lambda: spill.read(unit.first, unit.end)


def _parts(code: str) -> tuple[int, int]:
    """Returns the parts that contain rows of a bucket."""
    first, end = span(code)
    return first >> _SHIFT, max(end >> _SHIFT, (first >> _SHIFT) + 1)


def _split(
    store: Store,
    bucket_rows: int,
    buckets: dict[str, list[DataFile]],
    deleted_in: Mapping[str, Sequence[int]],
    spill: Spill,
) -> list[DataFile]:
    """Splits buckets that would get far too many rows for one task; returns their old files."""
    spill.gather()
    gone: list[DataFile] = []
    for code in cover(buckets):
        first, end = _parts(code)
        files = buckets.get(code, [])
        rows = sum(spill.counts[first:end]) + sum(file.rows for file in files)
        if len(code) >= _PART_BITS or rows <= 2 * bucket_rows:
            continue
        wanted = len(code) + ((rows - 1) // bucket_rows).bit_length()
        _move(store, files, deleted_in, spill)
        gone += files
        buckets.pop(code, None)
        buckets.update({child: [] for child in children(code, min(wanted, _PART_BITS))})
    return gone


def _units(
    buckets: dict[str, list[DataFile]], deleted_in: Mapping[str, Sequence[int]], spill: Spill
) -> Iterator[Unit]:
    """Yields independent units of work: one bucket, or the buckets of one part."""
    units: dict[tuple[int, int], list[tuple[str, list[DataFile]]]] = {}
    for code in cover(buckets):
        units.setdefault(_parts(code), []).append((code, buckets.get(code, [])))
    assert sum(end - first for first, end in units) == PARTS
    for (first, end), inside in units.items():
        paths = [file.path for _, files in inside for file in files]
        gone = {path: deleted_in[path] for path in paths if path in deleted_in}
        if gone or any(spill.counts[first:end]):
            yield Unit(inside, first, end, gone)
