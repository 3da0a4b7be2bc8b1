"""``Replica.follow``: applies new patches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly import _internal
from jelly._inputs import refuse_bool
from jelly._patching import Report, Step, reported
from jelly.errors import ReplicaError
from jelly.replica._commit import Runner, commit, compact
from jelly.replica._log import SHORT, Log, LogVersion, extended, log_number, new_versions
from jelly.replica._refused import refused
from jelly.replica._spill import ADD, DELETE, Spill
from jelly.replica._state import RECENT, State, Store

if TYPE_CHECKING:
    import pyarrow as pa

    Changes = tuple[int, pa.RecordBatch]


# one of several writers succeeds each time, so each of ten writers succeeds within ten tries
_TRIES = 10


class Followed(NamedTuple):
    """A summary of the result.

    Attributes:
        version: The version of the replica.
        id: The id of the patch that made the version.
        patches: Patches that were applied; 0 if all of them were applied before.
        changes: ``A`` and ``D`` rows of committed transactions in these patches.
        added: Quads that exist now and did not exist before; with several commits, the sum.
        deleted: Quads that no longer exist.
        prefixes: ``PA`` and ``PD`` rows.
        commits: Commits that were made.
        files: Files that were written.
        rows: Rows of the written files: the added rows, and other rows in the same files.
    """

    version: int
    id: str | None
    patches: int
    changes: int
    added: int
    deleted: int
    prefixes: int
    commits: int
    files: int
    rows: int


def follow(
    store: Store,
    sources: Sequence[Any],
    *,
    each_version: bool,
    upto: int | str | None,
    runner: Runner,
    progress: Report | None,
    options: dict[str, Any],
    names: Sequence[str | None] | None = None,
) -> Followed:
    """Applies the new patches of a log; ``names`` are the names of the files of a micro-batch."""
    refuse_bool("upto", upto)
    with ExitStack() as stack:
        log = Log(sources, options, stack, names)
        versions = log.versions(reported(progress), upto)
        if names is not None and versions and versions[0].id is None:
            raise refused("log", "patches of a stream need ids, but these patches have none")
        done = Followed(0, None, 0, 0, 0, 0, 0, 0, 0, 0)
        for left in reversed(range(_TRIES)):
            state = store.load()
            done = done._replace(version=state.version, id=state.id)
            new = new_versions(state, versions, log)
            if log.dataset is not None and len(new) == len(versions):
                _internal.refuse_empty_base(log.dataset, state.rows)
            state = replace(state, version=log_number(state, versions, new, log))
            new = _limited(new, state, upto, log)
            if not new:
                store.mend(state)
            steps = [[version] for version in new] if each_version else [list(new)]
            try:
                for last, rows in _stepwise(log, new, each_version=each_version):
                    group = steps[last if each_version else 0]
                    done, state = _step(store, state, group, last, rows, done, runner, progress)
            except (ReplicaError, FileNotFoundError) as error:
                if not left or not _is_overtaken(error, store, state):
                    raise
            else:
                break
        return done


def compacted(
    store: Store, bucket_rows: int | None, runner: Runner, progress: Report | None
) -> bool:
    """Merges the changes beside the buckets into them; returns whether there was something to do."""
    for left in reversed(range(_TRIES)):
        state = store.load()
        try:
            return compact(store, state, bucket_rows, runner, _told(progress))
        except (ReplicaError, FileNotFoundError) as error:
            if not left or not _is_overtaken(error, store, state):
                raise
    raise AssertionError


def _is_overtaken(error: ReplicaError | FileNotFoundError, store: Store, state: State) -> bool:
    """Returns whether another writer committed first; it may also have deleted the files of this state."""
    if isinstance(error, ReplicaError):
        return error.kind == "replica.writer"
    return store.load().commit > state.commit


def _limited(
    new: Sequence[LogVersion], state: State, upto: int | str | None, log: Log
) -> Sequence[LogVersion]:
    if upto is None:
        return new
    if isinstance(upto, int):
        last = state.version + len(new)
        if upto > last:
            # the numbers of the log may be others; then a fault that did not matter to it matters here
            log.versions(None, None)
            raise refused(
                "version", f"there is no version {upto}: the log has versions up to {last}"
            )
        return new[: max(upto - state.version, 0)]
    _, same = _internal.identify(upto)
    ids = [version.same_id for version in new]
    if same in state.recent:
        return []
    if same not in ids:
        raise refused(
            "version", f"none of the patches that the replica does not have yet has the id {upto}"
        )
    return new[: ids.index(same) + 1]


def _stepwise(
    log: Log, new: Sequence[LogVersion], *, each_version: bool
) -> Iterator[tuple[int, Iterator[Changes]]]:
    """Yields the number of the last patch of each commit, and the changes of the commit, even if there are none."""
    if not new:
        return
    changes = log.changes(new)
    if not each_version:
        yield len(new) - 1, changes
        return
    groups = groupby(changes, key=itemgetter(0))
    ahead = next(groups, None)
    for number in range(len(new)):
        if ahead is not None and ahead[0] == number:
            yield number, ahead[1]
            ahead = next(groups, None)
        else:
            yield number, iter(())


def _step(
    store: Store,
    state: State,
    versions: Sequence[LogVersion],
    number: int,
    batches: Iterator[Changes],
    done: Followed,
    runner: Runner,
    progress: Report | None,
) -> tuple[Followed, State]:
    """Makes one version of several patches; ``number`` is the number of the last one among the changes."""
    last = versions[-1]
    ids = tuple(version.same_id for version in versions if version.same_id is not None)
    digests = tuple((version.digest or "")[:SHORT] for version in versions)
    after = replace(
        state,
        version=state.version + len(versions),
        id=last.id,
        recent=(*state.recent, *ids)[-RECENT:],
        digests=(*state.digests, *digests)[-RECENT:],
        chain=extended(state.chain, versions),
    )
    digest = _internal.RowsDigest()
    prefixes = dict(state.prefixes)
    changes = of_prefixes = 0
    with Spill(state.secret) as spill:
        for patch, rows in batches:
            if patch == number:
                digest.update(rows)
            quads = _take(rows, prefixes, spill)
            changes, of_prefixes = changes + quads, of_prefixes + rows.num_rows - quads
            if progress is not None:
                progress(Step("reading the patches", changes, 0))
        after = replace(after, prefixes=prefixes, digest=digest.finish())
        made = commit(store, state, after, spill, runner, _told(progress))
    done = Followed(
        after.version,
        after.id,
        done.patches + len(versions),
        done.changes + changes,
        done.added + made.added,
        done.deleted + made.deleted,
        done.prefixes + of_prefixes,
        done.commits + 1,
        done.files + made.files,
        done.rows + made.rows,
    )
    return done, made.state


def _take(rows: pa.RecordBatch, prefixes: dict[tuple[str, str], str], spill: Spill) -> int:
    """Reads rows of patches into the spill; returns the number of rows of quads."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ops = rows.column("op")
    of_quads = pc.is_in(ops, value_set=pa.array(["A", "D"]))
    if not pc.all(of_quads).as_py():
        others = rows.filter(pc.invert(of_quads))
        for row in others.select(["op", "graph", "name", "value"]).to_pylist():
            key = row["graph"] or "", row["name"]
            if row["op"] == "PA":
                prefixes[key] = row["value"][1:-1]
            else:
                prefixes.pop(key, None)
        rows = rows.filter(of_quads)
        ops = rows.column("op")
    if rows.num_rows:
        kinds = pc.if_else(
            pc.equal(ops, "A"), pa.scalar(ADD, pa.int8()), pa.scalar(DELETE, pa.int8())
        )
        spill.add(rows, kinds)
    return int(rows.num_rows)


def _told(progress: Report | None) -> Callable[[int], None]:
    if progress is None:
        return lambda _: None
    return lambda rows: (progress(Step("writing the table", rows, 0)), None)[1]
