"""``jelly.backup`` and ``jelly.restore``: every stored version of a dataset, from a first dump and the changes since."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Unpack, get_args

from jelly import _internal
from jelly._apply import Applied, Ways, applied, stored
from jelly._backup_states import (
    State,
    at_time,
    base_errors,
    check,
    last_version,
    refuse_older,
    states_of,
)
from jelly._base_json import digest_of, keep_last_dump, keep_way, way_of
from jelly._changes import diff
from jelly._log_files import BASE_JSON
from jelly._option_types import DatasetOptions, ReadingOptions
from jelly._patching import Report, keywords
from jelly._times import Time, as_term, start_of
from jelly._whole_file import (
    check_folder,
    local_path,
    make_folder,
    once_checked,
    sync_folder,
    work_folder,
    written_json,
)
from jelly.errors import PatchError
from jelly.log._begin import said_of
from jelly.log._folder import FolderLog as Log
from jelly.log._guard import Guard, Seen, steadily
from jelly.log._patch import refuse_future, refused_at
from jelly.types import Destination, RdfFormat, Source

_BASE = "base.jelly.zst"
_INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
_POSITIONS = (
    "this backup names blank nodes by their positions in a file (_:anon-0 and so on), which are "
    "other nodes in another dump; its versions can be restored, but a new dump needs a new folder"
)


class BackedUp(NamedTuple):
    """A version of a backup.

    Attributes:
        version: Its number; 0 is the first one.
        id: The id of its patch.
        path: The file that was written, or that already has this version.
        written: Whether something was new.
        statements: Statements of the dataset, each counted once.
        added: Statements that the previous version did not have.
        deleted: Statements that only the previous version had.
        prefixes: Rows of prefixes that changed.
        blank_nodes: How blank nodes were compared with the previous version: ``match``, ``content`` or ``labels``;
            for the first dump, how blank nodes of later dumps will be compared.
        kept_nodes: Blank nodes that the previous version also had. 0 unless nodes were matched, like the three
            numbers below.
        new_nodes: Blank nodes that the previous version did not have.
        gone_nodes: Blank nodes that only the previous version had.
        unsettled_nodes: Blank nodes of both versions in components so symmetric that ``limits.blank_work`` did not
            suffice to put their nodes in order.
    """

    version: int
    id: str | None
    path: Path
    written: bool
    statements: int
    added: int
    deleted: int
    prefixes: int
    blank_nodes: str = "labels"
    kept_nodes: int = 0
    new_nodes: int = 0
    gone_nodes: int = 0
    unsettled_nodes: int = 0


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
        prefixes_left_out: Prefixes, and changes of prefixes, that the result cannot hold.
        bytes: Bytes that were written, without compression.
        at: The time of the dump that was restored.
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


def backup(
    dump: Source,
    folder: str | os.PathLike[str],
    *,
    at: Time | None = None,
    prefixes: bool = True,
    blank_nodes: Ways = "auto",
    progress: Report | None = None,
    **options: Unpack[BackupOptions],
) -> BackedUp:
    """Stores a dump of a dataset in a folder: the whole dump the first time, then only the changes.

    The folder has ``base.jelly.zst``, ``base.json`` and a log that :class:`Log` reads and
    :func:`apply` applies. If nothing changed, no version is written: ``base.json`` keeps the time
    of the dump. A version appears complete or not at all; of two backups at once, one is rejected. Memory is the
    memory of :func:`diff` plus that of the changes since the first dump.

    If the labels of blank nodes are not stable (see :func:`diff`), the first dump is stored with content labels,
    which depend on the graph alone; nodes of a later dump that the previous version also has keep these labels. So a
    dump in another order or format, or with other labels, has no changes, and :func:`history` follows a node.

    Args:
        dump: The dataset: path (``-`` is standard input), bytes, binary file object or iterable of
            bytes.
        folder: The folder of the backup.
        at: The time of the dump, not before the time of the last version; the default is now. A ``datetime``, or text
            such as ``2026-11-21T18:00Z``; without a zone, in the zone of this machine. A day (``2026-11-21``) means
            its first moment.
        prefixes: Store prefixes too. Formats without prefixes have none.
        blank_nodes: How blank nodes are compared. ``match``: nodes of the dump are matched to nodes of the previous
            version by the statements about them. ``labels``: the same label is the same node, for dumps of a store
            that keeps labels. ``content``: by content labels of each dump, which gives more rows. ``auto``: as
            recorded in ``base.json`` of the folder; in a new folder ``match`` if the labels of the dump are not
            stable, else ``labels``. A folder can switch to ``match`` with any dump.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For reading: ``dump_format``, ``framing``, ``strict``, ``lenient_flags``,
            ``strict_graphs``, ``threads``, ``limits``.

    Returns:
        The version that the folder has now.

    Raises:
        PatchError: Another backup was made at the same time (``patch.conflict``), the content of the folder is
            damaged (``patch.damaged``), the folder has a version of a later time, or the time is in the future
            (``patch.time``), labels are compared but are not stable, or the folder compares blank nodes in another way
            (``patch.labels``).
        LimitError: Matching needs more memory than ``limits.blank_bytes`` allows
            (``limit.blank_bytes``).
        JellyError: The dump or the folder has an error.
        OSError: Reading or writing failed.
        ValueError: An option is wrong.
    """
    if blank_nodes not in (ways := get_args(Ways)):
        raise ValueError(f"blank_nodes is {blank_nodes!r}; it can be {', '.join(map(repr, ways))}")
    home = local_path(folder)
    make_folder(home)
    given: dict[str, Any] = dict(options)
    format = given.pop("dump_format", "auto")
    time = start_of(datetime.now(UTC) if at is None else at)
    refuse_future(time, "the dump is of")
    with work_folder(home) as work:
        if not (home / BASE_JSON).exists():
            given = keywords(
                "backup", given, "dataset", "log", "result_rdf", base_format=format, namespaces=prefixes,
            )  # fmt: skip
            done, way = stored(dump, work / _BASE, given, progress, blank_nodes=blank_nodes)
            _begin(home, work, done, time, way)
            return BackedUp(
                0, None, home / _BASE, True, done.statements, done.statements, 0, 0, way
            )
        log = Log(home, ending=".jellyp.zst")
        begin = _seen(home)
        guard = Guard(home, lambda: _seen(home), begin.first - 1, before=begin)
        states = states_of(home)
        last, patch = states[-1], work / "diff.jellyp"
        refuse_older(time, states, home)
        way = way_of(home, blank_nodes)
        if way == "content":
            named = given | {"base_format": format, "namespaces": prefixes}
            stored(dump, work / "dump.jelly", named, progress, blank_nodes=way)
            dump, format = work / "dump.jelly", "jelly"
        with _current(states[0], home, last.version) as (state, then):
            compared = diff(
                state, dump, patch, old_format="jelly", new_format=format,
                prefixes=prefixes, blank_nodes="match" if way == "match" else "labels", progress=progress, **given,
            )  # fmt: skip
        (before,) = then
        guard.check()
        check(before, states, home)
        counts = (
            compared.added,
            compared.deleted,
            compared.prefixes,
            way,
            compared.kept_nodes,
            compared.new_nodes,
            compared.gone_nodes,
            compared.unsettled_nodes,
        )
        statements = before.statements + compared.added - compared.deleted
        if not any(counts[:3]):
            with log.alone():
                if log.head.version != last.version:
                    raise refused_at(
                        "patch.conflict", "another backup to this folder ran at the same time", home
                    )
                keep_way(home, work, way)
                if last.at is None or last.at < time:
                    keep_last_dump(home, work, time)
            return BackedUp(last.version, last.id, last.path, False, statements, *counts)
        # before the version: what was matched once, is matched from then on
        with log.alone():
            keep_way(home, work, way)
        headers = {
            "timestamp": as_term(time),
            "statements": f'"{statements}"^^{_INTEGER}',
        }
        published = log.publish_state(patch, expect=last.version, headers=headers)
        return BackedUp(
            published.version,
            published.id,
            log.path(published.version),
            True,
            statements,
            *counts,
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
    """Writes the newest dataset of a backup, or an earlier one.

    The number of statements must be the same as in the dump. Until this is checked, no file appears and nothing is
    written to standard output or a file object; that output waits in a temporary file.

    Args:
        folder: The folder of the backup.
        dest: Path (``-`` is standard output) or binary file object.
        version: The number of a version, or the id of its patch; the default is the last version.
        at: Instead of ``version``: restore the last version of this day, or up to this time. A day or time is a
            ``date``, a
            ``datetime``, or text such as ``2026-11-21`` (a day), ``2026-11-21T18:00`` or
            ``2026-11-21T18:00Z``. Without a zone, in the zone of this machine.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For writing, as for :func:`apply`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: There is no such version (``patch.version``), or the content of the folder is damaged
            (``patch.damaged``).
        JellyError: The folder has an error, or the result cannot be written in this format.
        OSError: Reading or writing failed.
        ValueError: An option is wrong, or ``dest`` is a file of the backup.
    """
    home = local_path(folder)
    if at is not None and version is not None:
        raise ValueError("version and at cannot be used together")
    check_folder(dest, [home])

    def made(unchanged: Callable[[], None]) -> Restored:
        states = states_of(home)
        number = version if at is None else at_time(states, at, home)
        wanted = last_version(states, home) if number is None else number
        with once_checked(dest) as part:
            given = keywords(
                "restore", options, "dataset", "log", "result_rdf", version=wanted, takes_positions=True
            )  # fmt: skip
            with base_errors(states[0]):
                done = applied(states[0].path, home, part, given, progress)
            unchanged()
            state = check(done, states, home)
        fields = {name: value for name, value in done._asdict().items() if name in Restored._fields}
        return Restored(**fields, at=state.at)

    return steadily(home, lambda: _seen(home), made)


def _seen(home: Path) -> Seen:
    """How a backup begins; its end may be damaged."""
    first = _internal.backup_base(home)[3] + 1 if (home / BASE_JSON).exists() else 1
    return Seen(said_of(home).get("id"), first, first)


def _begin(home: Path, work: Path, done: Applied, time: datetime, way: Ways) -> None:
    """Gives the first state its name; the manifest, which comes last, makes it count."""
    said = {
        "base": _BASE,
        "digest": digest_of(work / _BASE),
        "statements": done.statements,
        "timestamp": time.isoformat(),
        "blank_nodes": way,
    }
    part = written_json(work / BASE_JSON, said)
    with Log(home).alone():
        if (home / BASE_JSON).exists():
            raise refused_at(
                "patch.conflict", "another backup to this folder ran at the same time", home
            )
        if Log(home).files:
            raise refused_at("patch.conflict", "this folder has a log, but no backup", home)
        (work / _BASE).replace(home / _BASE)
        sync_folder(home)
        part.replace(home / BASE_JSON)
        sync_folder(home)


@contextmanager
def _current(base: State, home: Path, version: int) -> Iterator[tuple[Any, list[Applied]]]:
    """The last state as a file that is read while it is made, and what was done, once it is."""
    read, write = os.pipe()
    done: list[Applied] = []
    problems: list[BaseException] = []

    def make() -> None:
        try:
            with os.fdopen(write, "wb") as file, base_errors(base):
                given = {"version": version, "to": "jelly", "base_labels": "named"}
                done.append(applied(base.path, home, file, given, None))
        except BaseException as error:
            is_ours = isinstance(error, PatchError) and error.kind == "patch.labels"
            problems.append(refused_at("patch.labels", _POSITIONS, home) if is_ours else error)

    maker = threading.Thread(target=make, name="jelly-backup")
    maker.start()
    try:
        with os.fdopen(read, "rb") as file:
            yield file, done
    except Exception:
        maker.join()
        # a state that could not be made ends too early; that is not what went wrong
        if problems and not isinstance(problems[0], BrokenPipeError):
            raise problems[0] from None
        raise
    finally:
        maker.join()
    if problems:
        raise problems[0]
