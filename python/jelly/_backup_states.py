"""The states of a backup: what its folder says of them, and whether it holds that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from jelly import _internal
from jelly._apply import Applied, applied
from jelly._base_json import last_dump
from jelly._log_files import BASE_JSON, number_of
from jelly._patching import keywords
from jelly._readers import read_patch
from jelly._times import Time, end_of, of_term, shown
from jelly.errors import EncodeError, JellyError
from jelly.log._folder import FolderLog as Log
from jelly.log._patch import count_of, refuse_other_count, refused_at
from jelly.log._types import time_of
from jelly.types import Source


class State(NamedTuple):
    """What a backup says of one of its states."""

    version: int
    id: str | None
    at: datetime | None
    statements: int | None
    path: Path


def states_of(home: Path) -> list[State]:
    """All states, by what is written of them; a file that cannot be read is left to whoever reads the log."""
    if not (home / BASE_JSON).exists():
        expected = "expected a folder that `jelly backup` made"
        if home.is_dir():
            found = f"the folder is not a backup, because it has no {BASE_JSON}"
        else:
            found = f"{'a file' if home.exists() else 'there is no such folder'}; {expected}"
        raise FileNotFoundError(f"{home}: {found}")
    base, statements, timestamp, version, id = _internal.backup_base(home)
    states = [State(version, id, time_of(timestamp), statements, home / base)]
    number = version
    for path in Log(home).files:
        number = number_of(path) or number + 1
        # what is wrong with a patch, is found and named where the log is read
        with suppress(JellyError), closing(read_patch(path)) as reader:
            patch = next(reader.patches(), None)
            headers = {key.lower(): value for key, value in patch.headers} if patch else {}
            time = of_term(headers.get("timestamp", ""))
            said = count_of(headers.get("statements", ""))
            states.append(State(number, patch.id if patch else None, time, said, path))
            continue
        states.append(State(number, None, None, None, path))
    return states


@contextmanager
def base_errors(base: State) -> Iterator[None]:
    """Says that the base is damaged, where it cannot be read."""
    try:
        yield
    except JellyError as error:
        is_written = isinstance(error, EncodeError)  # the base can be read, but not written so
        if is_written or error.source != str(base.path) or error.kind == "patch.labels":
            raise
        message = f"the base {base.path.name} is damaged: {error}; no version can be restored"
        raise refused_at("patch.damaged", message, base.path.parent) from error


def check(done: Applied, states: list[State], home: Path) -> State:
    """The state that was made, if it has as many statements as it had."""
    state = next(state for state in states if state.version == done.version)
    refuse_other_count(done, state.statements, home)
    return state


def refuse_older(time: datetime, states: list[State], home: Path) -> None:
    known = [(state.at, f"version {state.version} is of") for state in states]
    known.append((last_dump(home), f"version {states[-1].version} was dumped again at"))
    for at, what in known:
        if at is not None and time < at:
            message = (
                f"the dump is of {shown(time)}, but {what} {shown(at)}; "
                "a backup grows only at its end: keep older dumps in another folder"
            )
            raise refused_at("patch.time", message, home)


def last_version(states: list[State], home: Path) -> int:
    """The last version that was there, whether its patch still is or not."""
    return max(states[-1].version, _internal.log_known_end(home) or 0)


def at_time(states: list[State], time: Time, home: Path) -> int:
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
            # a patch in the place of another says nothing of the version before it
            _read_patches(state.version, states[0], home)
            break
        found, unknown = state.version, []
    else:
        last = states[-1].version
        # lost at the end, and perhaps of that time
        if (end := last_version(states, home)) > last:
            _read_to(end, states[0], home)
    if found is None:
        first = states[0].at
        message = f"there is no version up to {shown(wanted)}: the first dump is of {first and shown(first)}"  # fmt: skip
        raise refused_at("patch.version", message, home)
    if unknown:
        _read_to(unknown[0], states[0], home)
        message = f"version {unknown[0]}, after version {found}, has no time (H timestamp): restore it by its number, with --version {found} or a later one"  # fmt: skip
        raise refused_at("patch.time", message, home)
    return found


def _read_patches(version: int, base: State, home: Path) -> None:
    """As :func:`_read_to`, and without the base where nothing is wrong."""
    try:
        _applied_to(version, b"", home, base_format="nq")
    except JellyError:
        _read_to(version, base, home)


def _read_to(version: int, base: State, home: Path) -> None:
    """Raises what is wrong with the log up to a version."""
    with base_errors(base):
        _applied_to(version, base.path, home)


def _applied_to(version: int, base: Source, home: Path, **options: str) -> None:
    with Path(os.devnull).open("wb") as nowhere:
        given = keywords("restore", options, "dataset", "log", "result_rdf", version=version, to="jelly", takes_positions=True)  # fmt: skip
        applied(base, home, nowhere, given, None)
