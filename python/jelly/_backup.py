"""``jelly.backup`` and ``jelly.restore``: a dataset at any of its times, from a dump and what changed since."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from jelly import _internal
from jelly._apply import Applied, applied
from jelly._base_json import keep_last_dump, last_dump
from jelly._changes import diff
from jelly._log_files import BASE_JSON, number_of
from jelly._option_types import DatasetOptions, ReadingOptions
from jelly._patching import Report, keywords
from jelly._readers import read_patch
from jelly._times import Time, as_term, end_of, of_term, shown, start_of
from jelly._whole_file import (
    check_folder,
    local_path,
    make_folder,
    once_checked,
    sync_folder,
    work_folder,
    written_json,
)
from jelly.errors import JellyError, PatchError
from jelly.log._folder import FolderLog as Log
from jelly.log._patch import count_of
from jelly.log._types import time_of
from jelly.types import Destination, RdfFormat, Source

_BASE = "base.jelly.zst"
_INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
_POSITIONS = (
    "this backup names blank nodes by their positions in a file (_:anon-0 and so on), which are other nodes "
    "in another dump; what is here can be restored, but a new dump needs a new folder"
)


class BackedUp(NamedTuple):
    """A state of a backup.

    Attributes:
        version: Its number; 0 is the first one.
        id: The id of its patch.
        path: The file that was written, or that has this state already.
        written: Something was new.
        statements: Statements of the dataset, each counted once.
        added: Those that the state before did not have.
        deleted: Those that only the state before had.
        prefixes: Rows of prefixes that changed.
    """

    version: int
    id: str | None
    path: Path
    written: bool
    statements: int
    added: int
    deleted: int
    prefixes: int


class Restored(NamedTuple):
    """What was restored.

    Attributes:
        version: The version of the result.
        id: The id of its patch.
        base: Statements of the first dump.
        statements: Statements of the result.
        added: Quads that are in the result and not in the first dump.
        deleted: Quads that are in the first dump and not in the result.
        changes: ``A`` and ``D`` rows of the patches up to this version.
        prefixes: Prefixes that the patches change.
        prefixes_left_out: Those of them that the result cannot hold.
        bytes: Bytes that were written, without compression.
        at: The time of the dump that the result is.
    """

    version: int
    id: str | None
    base: int
    statements: int
    added: int
    deleted: int
    changes: int
    prefixes: int
    prefixes_left_out: int
    bytes: int
    at: datetime | None


class BackupOptions(ReadingOptions, total=False):
    """How a dump is read."""

    dump_format: RdfFormat


class _State(NamedTuple):
    """What a backup says of one of its states."""

    version: int
    id: str | None
    at: datetime | None
    statements: int | None
    path: Path


def backup(
    dump: Source,
    folder: str | os.PathLike[str],
    *,
    at: Time | None = None,
    prefixes: bool = True,
    progress: Report | None = None,
    **options: Unpack[BackupOptions],
) -> BackedUp:
    """Keeps a dump of a dataset in a folder: whole the first time, what changed after that.

    The folder has ``base.jelly.zst``, ``base.json`` and a log that :class:`Log` reads and
    :func:`apply` applies. If nothing changed, no version is written: ``base.json`` keeps the time
    of the dump. A state appears whole or not at
    all; of two backups at once one is refused. Memory is that of :func:`diff` and of the changes
    since the first dump. Blank nodes are compared by their labels, as :func:`diff` does, and a
    dump with nodes that have none is refused.

    Args:
        dump: The dataset: path (``-`` is standard input), bytes, binary file object or iterable of
            bytes.
        folder: Where it is kept.
        at: The time of the dump, not before that of the last version; now otherwise. A ``datetime``,
            or text such as ``2026-11-21T18:00Z``; without a zone, in the zone of this machine. A
            day (``2026-11-21``) is its first moment.
        prefixes: Keep prefixes too. Formats without prefixes have none.
        progress: Called with a :class:`Step` now and then; an exception stops.
        **options: Of reading: ``dump_format``, ``framing``, ``strict``, ``lenient_flags``,
            ``strict_graphs``, ``limits``.

    Returns:
        The state that the folder has now.

    Raises:
        PatchError: Another backup was made at the same time (``patch.conflict``), the folder does
            not hold what it says (``patch.damaged``) or has a version of a later time
            (``patch.time``), or blank nodes of the dump or of the folder have no labels that last
            (``patch.labels``).
        JellyError: The dump is bad, or the folder.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    home = local_path(folder)
    make_folder(home)
    told: dict[str, Any] = dict(options)
    format = told.pop("dump_format", "auto")
    time = start_of(datetime.now(UTC) if at is None else at)
    with work_folder(home) as work:
        if not (home / BASE_JSON).exists():
            told = keywords(
                "backup", told, "dataset", "log", "result_rdf", distinct=True, base_format=format, to="jelly", namespaces=prefixes,
            )  # fmt: skip
            done = applied(dump, b"", work / _BASE, told | {"named": True}, progress)
            _begin(home, work, done, time)
            return BackedUp(0, None, home / _BASE, True, done.statements, done.statements, 0, 0)
        log, states = Log(home, ending=".jellyp.zst"), _states(home)
        last, patch = states[-1], work / "diff.jellyp"
        _refuse_older(time, states, home)
        with _current(states[0], home, last.version) as (state, then):
            compared = diff(
                state, dump, patch, old_format="jelly", new_format=format,
                prefixes=prefixes, blank_nodes="labels", progress=progress, **told,
            )  # fmt: skip
        (before,) = then
        _check(before, states, home)
        counts = compared.added, compared.deleted, compared.prefixes
        statements = before.statements + compared.added - compared.deleted
        if not any(counts):
            with log.alone():
                if log.head.version != last.version:
                    raise _error(
                        "patch.conflict", "another backup was made here at the same time", home
                    )
                if last.at is None or last.at < time:
                    keep_last_dump(home, work, time)
            return BackedUp(last.version, last.id, last.path, False, statements, *counts)
        headers = {
            "timestamp": as_term(time),
            "statements": f'"{statements}"^^{_INTEGER}',
        }
        published = log.publish_state(patch, expect=last.version, headers=headers)
        return BackedUp(
            published.version, published.id, log.path(published.version), True, statements, *counts
        )


def restore(
    folder: str | os.PathLike[str],
    dest: Destination,
    *,
    version: int | str | None = None,
    at: Time | None = None,
    progress: Report | None = None,
    **options: Unpack[DatasetOptions],
) -> Restored:
    """Writes the dataset that a backup keeps, as it is or was.

    The number of its statements must be that of the dump: before it is, nothing appears at a path
    or is written to standard output or a file object. What goes there is kept in a temporary file
    first.

    Args:
        folder: What :func:`backup` filled.
        dest: Path (``-`` is standard output) or binary file object.
        version: The number of a state, or the id of its patch; the last one otherwise.
        at: The last version of this day, or up to this time, in place of a version: a ``date``, a
            ``datetime``, or text such as ``2026-11-21`` (a day), ``2026-11-21T18:00`` or
            ``2026-11-21T18:00Z``. Without a zone, in the zone of this machine.
        progress: Called with a :class:`Step` now and then; an exception stops.
        **options: Of writing, as for :func:`apply`.

    Returns:
        What was done.

    Raises:
        PatchError: There is no such state (``patch.version``), or the folder does not hold what it
            says (``patch.damaged``).
        JellyError: The folder is bad, or the result cannot be written in this format.
        OSError: Reading or writing failed.
        ValueError: An option is wrong, or ``dest`` is a file of the backup.
    """
    home = local_path(folder)
    if at is not None and version is not None:
        raise ValueError("version and at cannot both be given")
    check_folder(dest, [home])
    states = _states(home)
    if at is not None:
        version = _at(states, at, home)
    wanted = states[-1].version if version is None else version
    with once_checked(dest) as part:
        told = keywords(
            "restore", options, "dataset", "log", "result_rdf", version=wanted, takes_positions=True
        )
        with _base_errors(states[0]):
            done = applied(states[0].path, home, part, told, progress)
        state = _check(done, states, home)
    told = {name: value for name, value in done._asdict().items() if name in Restored._fields}
    return Restored(**told, at=state.at)


def _begin(home: Path, work: Path, done: Applied, time: datetime) -> None:
    """Gives the first state its name; the manifest, which comes last, makes it count."""
    said = {"base": _BASE, "statements": done.statements, "timestamp": time.isoformat()}
    part = written_json(work / BASE_JSON, said)
    with Log(home).alone():
        if (home / BASE_JSON).exists():
            raise _error("patch.conflict", "another backup was made here at the same time", home)
        if Log(home).files:
            raise _error("patch.conflict", "this folder has a log, but no backup", home)
        (work / _BASE).replace(home / _BASE)
        sync_folder(home)
        part.replace(home / BASE_JSON)
        sync_folder(home)


@contextmanager
def _current(base: _State, home: Path, version: int) -> Iterator[tuple[Any, list[Applied]]]:
    """The last state as a file that is read while it is made, and what was done, once it is."""
    read, write = os.pipe()
    done: list[Applied] = []
    failed: list[BaseException] = []

    def make() -> None:
        try:
            with os.fdopen(write, "wb") as file, _base_errors(base):
                told = {"version": version, "to": "jelly", "named": True}
                done.append(applied(base.path, home, file, told, None))
        except BaseException as error:
            is_ours = isinstance(error, PatchError) and error.kind == "patch.labels"
            failed.append(_error("patch.labels", _POSITIONS, home) if is_ours else error)

    maker = threading.Thread(target=make, name="jelly-backup")
    maker.start()
    try:
        with os.fdopen(read, "rb") as file:
            yield file, done
    except Exception:
        maker.join()
        # a state that could not be made ends too early; that is not what went wrong
        if failed and not isinstance(failed[0], BrokenPipeError):
            raise failed[0] from None
        raise
    finally:
        maker.join()
    if failed:
        raise failed[0]


def _states(home: Path) -> list[_State]:
    """All states, by what is written of them; a file that cannot be read is left to whoever reads the log."""
    if not (home / BASE_JSON).exists():
        raise FileNotFoundError(f"{home}: no backup is here, which would have {BASE_JSON}")
    base, statements, timestamp, version, id = _internal.backup_base(home)
    states = [_State(version, id, time_of(timestamp), statements, home / base)]
    number = version
    for path in Log(home).files:
        number = number_of(path) or number + 1
        # what is wrong with a patch, is found and named where the log is read
        with suppress(JellyError), closing(read_patch(path)) as reader:
            patch = next(reader.patches(), None)
            headers = {key.lower(): value for key, value in patch.headers} if patch else {}
            time = of_term(headers.get("timestamp", ""))
            said = count_of(headers.get("statements", ""))
            states.append(_State(number, patch.id if patch else None, time, said, path))
            continue
        states.append(_State(number, None, None, None, path))
    return states


@contextmanager
def _base_errors(base: _State) -> Iterator[None]:
    """Says that the base is damaged, where it cannot be read."""
    try:
        yield
    except JellyError as error:
        if error.source != str(base.path) or error.kind == "patch.labels":
            raise
        message = f"the base {base.path.name} is damaged: {error}; no version can be restored"
        raise _error("patch.damaged", message, base.path.parent) from error


def _check(done: Applied, states: list[_State], home: Path) -> _State:
    """The state that was made, if it has as many statements as it had."""
    state = next(state for state in states if state.version == done.version)
    if state.statements is not None and done.statements != state.statements:
        message = (
            f"version {done.version} had {state.statements} statements, "
            f"but what is here makes {done.statements}"
        )
        raise _error("patch.damaged", message, home)
    return state


def _refuse_older(time: datetime, states: list[_State], home: Path) -> None:
    known = [(state.at, f"version {state.version} is of") for state in states]
    known.append((last_dump(home), f"version {states[-1].version} was dumped again at"))
    for at, what in known:
        if at is not None and time < at:
            message = (
                f"the dump is of {shown(time)}, but {what} {shown(at)}; "
                "a backup grows only at its end: keep older dumps in another folder"
            )
            raise _error("patch.time", message, home)


def _at(states: list[_State], time: Time, home: Path) -> int:
    """The last version up to a time, if no version that is lost or cannot be read may be a later one."""
    wanted = end_of(time)
    # a version has all that those before it have, so it is not older than they are
    latest: datetime | None = None
    found: int | None = None
    unknown: list[int] = []
    for before, state in zip([None, *states], states, strict=False):
        if before is not None and before.version + 1 < state.version:
            _read_to(before.version + 1, states[0], home)
        if state.at is None:
            unknown.append(state.version)
            continue
        latest = state.at if latest is None else max(latest, state.at)
        if latest > wanted:
            break
        found, unknown = state.version, []
    if found is None:
        first = states[0].at
        message = f"there is no version up to {shown(wanted)}: the first dump is of {first and shown(first)}"  # fmt: skip
        raise _error("patch.version", message, home)
    if unknown:
        _read_to(unknown[0], states[0], home)
        message = f"version {unknown[0]}, after version {found}, has no time (H timestamp): restore by version, with --version {found} or a later one"  # fmt: skip
        raise _error("patch.time", message, home)
    return found


def _read_to(version: int, base: _State, home: Path) -> None:
    """Raises what is wrong with the log up to a version."""
    with _base_errors(base), Path(os.devnull).open("wb") as nowhere:
        told = keywords("restore", {}, "dataset", "log", "result_rdf", version=version, to="nq", takes_positions=True)  # fmt: skip
        applied(base.path, home, nowhere, told, None)


def _error(kind: str, message: str, home: Path) -> PatchError:
    return PatchError(f"{kind}: {message} ({home})", kind=kind, source=str(home))
