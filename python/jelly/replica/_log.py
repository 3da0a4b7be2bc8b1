"""Finds the patches of a log that are new to a replica, and reads their changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly import _internal
from jelly._chain import chained
from jelly._log_files import BASE_JSON
from jelly._log_patches import Patches
from jelly._readers import read_patch
from jelly._whole_file import local_path
from jelly.errors import ReplicaError
from jelly.log._patch import refused_at
from jelly.replica._refused import refused
from jelly.replica._state import State

if TYPE_CHECKING:
    import pyarrow as pa

_DIGEST = 64
SHORT = 16
"""Number of digits of a digest that are stored for each patch."""
_COLUMNS = ["patch", "op", "subject", "predicate", "object", "graph", "name", "value"]


class LogVersion(NamedTuple):
    """A patch of a log."""

    source: int
    """Number of the source of the patch."""
    patch: int
    """0-based number within the source."""
    id: str | None
    prev: str | None
    same_id: str | None
    """The form of the id that is used for comparison."""
    same_prev: str | None
    digest: str | None
    """Digest of the rows that count."""


class Log:
    """A log that can be read several times."""

    def __init__(
        self,
        sources: Sequence[Any],
        options: dict[str, Any],
        stack: ExitStack,
        names: Sequence[str | None] | None = None,
    ) -> None:
        """Opens the sources; ``names`` are the names of the files of a micro-batch, which determine the order."""
        self._names = None if names is None else list(names)
        begins = map(_begin_of, sources)
        self.begin = next((id for id in begins if id is not None), None)
        """The id of the version that a compacted log without further patches begins after."""
        self._given = [_again(source, stack) for source in sources]
        self._options = options
        self._places: list[Any] = []
        self._stats: list[tuple[int, int] | None] = []
        self.before = 0
        """The version before the first patch: 0, unless the folder begins later."""
        self.dataset: tuple[str, int] | None = None
        """The dataset that the log begins with: its place and its statements."""

    def versions(self, progress: Any, upto: int | str | None) -> list[LogVersion]:
        """Returns the patches in order; faults after the version ``upto`` do not matter.

        Raises:
            PatchError: The patches are not valid, or have no order.
        """
        before = {path: _stat(path) for given in self._given for path in _files(given)}
        found, origins, self.before, self.dataset = _internal.log_versions(
            self._given, self._options, progress, self._names, upto
        )
        self._places = [path or self._given[number] for number, path in origins]
        self._stats = [before.get(_key(place)) for place in self._places]
        return [LogVersion(*version) for version in found]

    def changes(self, versions: Sequence[LogVersion]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yields the changes of patches: rows of committed transactions, with the patch number in ``versions``."""
        runs = groupby(enumerate(versions), key=lambda one: (one[1].source, one[1].patch - one[0]))
        for (source, shift), run in runs:
            numbers = [number for number, _ in run]
            yield from self._read(source, numbers[0] + shift, numbers[-1] + shift, shift)

    def _read(
        self, source: int, first: int, last: int, shift: int
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        import pyarrow as pa
        import pyarrow.compute as pc

        options = dict(self._options)
        format = options.pop("patch_format", "auto")
        place = self._places[source]
        with read_patch(
            place, format=format, rows="committed", columns=_COLUMNS, blank_nodes="named", **options
        ) as reader:
            for batch in reader:
                rows = pa.record_batch(batch)
                patches = rows.column("patch")
                found = pc.unique(patches).to_pylist()
                for patch in found:
                    if first <= patch <= last:
                        mine = rows if len(found) == 1 else rows.filter(pc.equal(patches, patch))
                        yield patch - shift, mine
                if found and found[-1] > last:
                    break
        if _stat(place) != self._stats[source]:
            raise refused_at("patch.changed", "this file was changed while it was read", place)

    def has(self, version: LogVersion, digest: str | None) -> bool:
        """Returns whether a patch has the same changes as the applied one, as far as its digest is known."""
        if digest is None:
            return True
        if len(digest) == _DIGEST:
            return version.digest == digest
        made = _FirstDigest()
        for _, rows in self.changes([version]):
            made.update(rows)
        return made.finish() == digest


class _FirstDigest:
    """The digest in tables of the first versions of this library."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def update(self, rows: pa.RecordBatch) -> None:
        for row in zip(*(rows.column(name).to_pylist() for name in _COLUMNS[1:]), strict=True):
            self._hash.update(repr(row).encode())

    def finish(self) -> str:
        return self._hash.hexdigest()


def _again(source: Any, stack: ExitStack) -> Any:
    """Returns a source that can be read again."""
    if isinstance(source, str) and source == "-":
        source = open(0, "rb", closefd=False)  # noqa: SIM115
    if isinstance(source, str | os.PathLike):
        return local_path(source)
    if isinstance(source, bytes | bytearray | memoryview):
        return source
    file = stack.enter_context(tempfile.NamedTemporaryFile(prefix="jelly-"))  # noqa: SIM115
    if hasattr(source, "read"):
        shutil.copyfileobj(source, file)
    else:
        file.writelines(source)
    file.flush()
    return _StoredPatches(file.name, source) if isinstance(source, Patches) else file.name


class _StoredPatches:
    """The file that keeps the patches of a log on a server or in an object store, and how the log begins."""

    def __init__(self, path: str, log: Patches) -> None:
        self._path = path
        self.comes_after, self.begin, self.dataset = log.comes_after, log.begin, log.dataset

    def __fspath__(self) -> str:
        return self._path


def _begin_of(source: Any) -> str | None:
    """Returns the id of the version that a log begins after, if the log has no patches."""
    if isinstance(source, Patches):
        return source.begin
    if not isinstance(source, str | os.PathLike) or os.fspath(source) == "-":
        return None
    home = local_path(source)
    if not (home / BASE_JSON).exists() or _internal.patch_files(home):
        return None
    return _internal.backup_base(home)[4]


def _files(source: Any) -> list[str]:
    """Returns the files of a source that is a file or a folder."""
    if not isinstance(source, str | os.PathLike):
        return []
    path = Path(os.fsdecode(source))
    return [str(file) for file in _internal.patch_files(path)] if path.is_dir() else [str(path)]


def _key(place: Any) -> str:
    return str(Path(os.fsdecode(place))) if isinstance(place, str | os.PathLike) else ""


def _stat(source: Any) -> tuple[int, int] | None:
    if not isinstance(source, str | os.PathLike):
        return None
    found = Path(os.fsdecode(source)).stat()
    return found.st_size, found.st_mtime_ns


def new_versions(state: State, versions: Sequence[LogVersion], log: Log) -> Sequence[LogVersion]:
    """Returns the patches that come after the version of a replica.

    Raises:
        ReplicaError: The patches do not continue the replica: a gap, a fork, another log.
    """
    if not versions:
        if log.begin is not None and _internal.identify(log.begin)[1] not in state.recent:
            where = state.id or f"version {state.version}"
            message = f"the replica is at {where}, but the log has no patches and begins after {log.begin}"
            raise refused("gap", message)
        return versions
    if versions[0].id is None:
        return _by_number(state, versions, log)
    if state.version and state.id is None:
        raise refused(
            "log", "the applied patches have no ids, but the patches of this log have ids"
        )
    here = state.recent[-1] if state.recent else None
    ids = [version.same_id for version in versions]
    if here in ids:
        at = ids.index(here)
        for back, (id, applied) in enumerate(zip(ids[at::-1], state.recent[::-1], strict=False)):
            if id != applied:
                raise _fork(state, versions[at - back])
        if not log.has(versions[at], state.digest):
            raise _rewritten(versions[at])
        refuse_rewritten(state, versions[: at + 1])
        return versions[at + 1 :]
    if _are_applied(ids, state.recent):
        refuse_rewritten(state, versions)
        return []
    first = versions[0]
    if first.same_prev == here is not None or (here is None is first.prev and not log.before):
        return versions
    known = [place for place, id in enumerate(ids) if id in state.recent]
    if known and known[-1] + 1 < len(versions):
        raise _fork(state, versions[known[-1] + 1])
    if first.same_prev in state.recent:
        raise _fork(state, first)
    begins = f"after {first.prev}" if first.prev else f"with {first.id}, after no patch"
    if log.before and not first.prev:
        begins = f"after version {log.before} with {first.id}"
    if here is None:
        message = (
            f"the log begins {begins}, but the replica has no id; set the patch that the replica "
            "comes after with Replica.create(..., id=...)"
        )
        raise refused("gap", message)
    message = f"the replica is at {state.id}, which is not in the log; the log begins {begins}"
    raise refused("gap", message)


def extended(
    chain: tuple[str, str] | None, versions: Sequence[LogVersion]
) -> tuple[str, str] | None:
    """Extends the digest of a chain by patches; None if a patch has no id or digest."""
    for version in versions:
        if version.same_id is None or version.digest is None:
            return None
        before, first = chain or ("", version.same_id)
        chain = chained(before, [(version.same_id, version.digest)]), first
    return chain


def refuse_rewritten(state: State, applied: Sequence[LogVersion]) -> None:
    """Rejects a log in which applied patches have other changes under the same ids.

    Args:
        state: The current version of the replica.
        applied: The patches of the log that were applied.

    Raises:
        ReplicaError: Applied patches have other changes (``replica.fork``).
    """
    known = dict(zip(state.recent[::-1], state.digests[::-1], strict=False))
    for version in applied:
        digest = known.get(version.same_id or "")
        if digest is not None and version.digest and not version.digest.startswith(digest):
            raise _rewritten(version)
    if state.chain is None or applied[-1].same_id != state.recent[-1]:
        return
    ids = [version.same_id for version in applied]
    if state.chain[1] in ids:
        begin = ids.index(state.chain[1])
        if extended(None, applied[begin:]) != state.chain:
            raise _rewritten(applied[begin], f"one of the {len(applied) - begin} patches from ")


def log_number(
    state: State, versions: Sequence[LogVersion], new: Sequence[LogVersion], log: Log
) -> int:
    """Returns the number of the version of a replica in a log; the number in the replica if the log has none.

    A replica that was created from the state after a patch counts from 0, but its log may begin earlier or later.

    Args:
        state: The current version of the replica.
        versions: The patches of the log.
        new: The patches after this version, which are the last ones of ``versions``.
        log: The log.
    """
    if versions and versions[0].prev is not None and not log.before:
        return state.version
    return max(state.version, log.before + len(versions) - len(new))


def _by_number(state: State, versions: Sequence[LogVersion], log: Log) -> Sequence[LogVersion]:
    if state.id is not None:
        message = f"the replica is at {state.id}, but the patches of this log have no ids"
        raise refused("log", message)
    applied = state.version - log.before
    # the digest of the last applied patch is known
    if not 0 <= applied <= len(versions) or (log.before and not applied):
        message = (
            f"the log has the patches of versions {log.before + 1} to "
            f"{log.before + len(versions)}, but {state.version} patches were applied; a log "
            "without ids is counted from its beginning, so give the whole log"
        )
        raise refused("gap", message)
    if applied and not log.has(versions[applied - 1], state.digest):
        message = f"patch {state.version} of this log is not the patch that was applied"
        raise refused("fork", message)
    return versions[applied:]


def _are_applied(ids: Sequence[str | None], recent: Sequence[str]) -> bool:
    """Returns whether ids occur one after the other among the applied ids."""
    if ids[0] not in recent:
        return False
    at = recent.index(ids[0])
    return list(recent[at : at + len(ids)]) == list(ids)


def _fork(state: State, other: LogVersion) -> ReplicaError:
    message = f"the replica is at {state.id}, but the log has another branch: {other.id} after {other.prev}"
    return refused("fork", message)


def _rewritten(version: LogVersion, what: str = "") -> ReplicaError:
    message = (
        f"{what}{version.id} was applied with other changes than the log has now: it was followed "
        "before the patch was complete, or the log was rewritten; create the replica again"
    )
    return refused("fork", message)
