"""A log in a folder: ``patch-0001.jellyp``, ``patch-0002.jellyp`` and so on."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from jelly import _internal
from jelly._apply import Applied, applied
from jelly._base_json import last_dump
from jelly._convert import convert
from jelly._history import LogReport, verify_log
from jelly._internal import PatchReader
from jelly._log_files import (
    BASE_JSON,
    ENDING,
    LOG_JSON,
    NAME,
    name_of,
    number_of,
)
from jelly._option_types import DatasetOptions
from jelly._patching import keywords
from jelly._readers import read_patch
from jelly._whole_file import (
    check_folder,
    local_path,
    make_folder,
    once_checked,
    sync_file,
    sync_folder,
    work_folder,
)
from jelly.log._begin import EMPTY, base_of, begin, is_log, manifest, no_base, said_of, with_digest
from jelly.log._index import Index, Line, append, line_of
from jelly.log._log import Log
from jelly.log._patch import (
    Prepared,
    count_of,
    joined,
    prepared,
    refuse_time,
    refused,
)
from jelly.log._types import Head, LogInfo, LogVersion, Published, WrittenPatch, time_of
from jelly.types import Destination, PatchFormat, Source

_FORMATS = {".jellyp": "jelly-patch", ".rdfp": "rdfp", ".trp": "trp", "": "rdfp"}
# a look at the next name costs microseconds
_POLL = 0.02


class _Seen(NamedTuple):
    """What was found in the folder."""

    stamp: int | None
    head: Head
    ending: str
    first: int


class FolderLog(Log):
    """A log in a folder."""

    def __init__(
        self, place: str | os.PathLike[str], *, ending: str = ".jellyp", token: str | None = None
    ) -> None:
        super().__init__(place, ending=ending, token=token)
        self._home = local_path(place)
        self._turn = threading.RLock()
        self._found: _Seen | None = None
        self._index: Index | None = None
        self._is_whole = False
        self.work = self._home
        """Where patches are written before they get their names; on the same disk."""

    def __fspath__(self) -> str:
        return str(self._home)

    def __repr__(self) -> str:
        return f"jelly.Log({str(self._home)!r})"

    @property
    def folder(self) -> Path:
        """The folder of the log."""
        return self._home

    @property
    def files(self) -> list[Path]:
        """The files of the log, in order."""
        return _internal.patch_files(self._home) if self._home.is_dir() else []

    @property
    def head(self) -> Head:
        """Number and id of the last patch."""
        return self._last().head

    @property
    def ending(self) -> str:
        """The ending of its files."""
        return self._last().ending

    def info(self) -> LogInfo:
        """What the log is."""
        seen, said = self._last(), said_of(self._home)
        format = _FORMATS["." + seen.ending.split(".")[1] if seen.ending else ""]
        id, created = said.get("id"), time_of(said.get("created"))
        return LogInfo(self._home.resolve().name, id, seen.head, seen.first, base_of(self._home), format, created)  # fmt: skip

    def verify(self, base: Source | None = None) -> LogReport:
        """Reports all that is wrong with the log, as :func:`verify_log` does."""
        return verify_log(self._home if self.files or is_log(self._home) else b"", base=base)

    def publish(
        self,
        patch: Source,
        *,
        expect: int | str | None = None,
        headers: Mapping[str, str] | None = None,
        format: PatchFormat = "auto",
    ) -> Published:
        """Makes a patch the next one of the log; see :meth:`Log.publish`."""
        return self._publish(patch, expect, dict(headers or {}), format, is_counted=False)

    def publish_state(self, patch: Source, *, expect: int, headers: Mapping[str, str]) -> Published:
        """Publishes the patch of a backup, with the number of statements that the backup counted."""
        return self._publish(patch, expect, headers, "auto", is_counted=True)

    def _publish(
        self,
        patch: Source,
        expect: int | str | None,
        headers: Mapping[str, str],
        format: PatchFormat,
        *,
        is_counted: bool,
    ) -> Published:
        make_folder(self._home)
        with self._turn:
            self._last()
        with work_folder(self.work) as work:
            found = prepared(patch, work, headers, format)
            done = self.publish_prepared(found, expect, is_counted=is_counted)
        with self._turn:
            self._settle()
        return done

    def publish_prepared(
        self,
        found: Prepared,
        expect: int | str | None,
        *,
        is_counted: bool = False,
        check: Callable[[Head], None] | None = None,
    ) -> Published:
        """Publishes a patch that was read and checked; ``check`` may refuse to come after a head."""
        while True:
            with self._turn:
                done = self._attempt(found, expect, is_counted, check)
            if done is not None:
                return done  # else another one was published while this one was written

    def known(self, identity: str | None) -> tuple[int, str] | None:
        """Version and digest of the patch that has an id."""
        line = self.line(identity)
        return None if line is None else (line.version, line.digest)

    def line(self, identity: str | None) -> Line | None:
        """The version that has an id, as the index knows it."""
        if identity is None:
            return None
        with self._turn:
            if not self._home.is_dir():
                return None
            seen = self._quick()
            index = self._indexed(seen)
            version = index.version_of(identity)
            if version is None or not seen.first <= version <= seen.head.version:
                return None
            line = index.of(version, name_of(version, seen.ending))
            is_it = line.id is not None and _internal.identify(line.id)[1] == identity
            return line if is_it else None

    def _attempt(
        self,
        found: Prepared,
        expect: int | str | None,
        is_counted: bool,
        check: Callable[[Head], None] | None,
    ) -> Published | None:
        """Publishes after the head that is there now; None: it is there no more."""
        seen, said = self._quick(), found.summary
        head, known = seen.head, self.line(said.identity)
        made = _internal.place_patch(
            (said.id, said.prev, said.digest), expect, head, known and (known.version, known.digest)
        )
        if made is not None and known is not None:
            sync_folder(self._home)
            return Published(
                made, known.id or "", known.prev, self._path(made, seen), replayed=True
            )
        if check is not None:
            check(head)
        if not is_counted:
            self._refuse_damage(seen)
            refuse_time(found, self._last_time(seen))
            self._refuse_miscounted(found, seen)
        version = head.version + 1
        name = name_of(version, seen.ending)
        work = found.copy.parent
        part, path = work / name, self._home / name
        written = found.write(part, seen.ending, head.id)
        with self.alone():
            if not is_log(self._home) and not self.files:
                manifest(work, seen.ending).replace(self._home / LOG_JSON)
                sync_folder(self._home)
            try:
                path.hardlink_to(part)
            except FileExistsError:
                self._found = None
                return None
            sync_folder(self._home)
        line = line_of(version, path, written)
        append(self._home, line)
        if self._index is not None:
            self._index.keep(line)
        self._found = seen._replace(stamp=None, head=Head(version, written.id))
        return Published(version, written.id or "", written.prev, path, replayed=False)

    def _refuse_damage(self, seen: _Seen) -> None:
        """Refuses a log that is no chain of patches; reads only those that the index does not know.

        The check is made once, and again when the folder was changed by others.
        """
        if self._is_whole:
            return
        index = self._indexed(seen)
        lines = [index.of(version, name_of(version, seen.ending)) for version in range(seen.first, seen.head.version + 1)]  # fmt: skip
        facts = [
            (
                str(self._home / line.name),
                0,
                [(key, value) for key, value in line.headers],
                None,
                False,
                bool(line.added or line.deleted or line.prefixes),
                line.added - line.deleted,
            )
            for line in lines
        ]
        _internal.order_log(facts, {})
        self._is_whole = True

    def _last_time(self, seen: _Seen) -> datetime | None:
        """The time of a backup: of its last version, or of a dump after it that had nothing new."""
        if not (self._home / BASE_JSON).exists():
            return None
        base = time_of(_internal.backup_base(self._home)[2])
        times = (
            base,
            last_dump(self._home),
            self._indexed(seen).time_before(seen.head.version + 1),
        )
        return max((time for time in times if time), default=None)

    def _refuse_miscounted(self, found: Prepared, seen: _Seen) -> None:
        """Refuses ``H statements`` that would make this log unreadable."""
        said, summary = found.said, found.summary
        if "statements" not in said:
            return
        if (self._home / BASE_JSON).exists():
            raise refused("patch.header", "this log is a backup, which counts its statements itself: publish the patch without the header 'statements'")  # fmt: skip
        if seen.head.version < seen.first:
            return
        last = self._indexed(seen).of(seen.head.version, name_of(seen.head.version, seen.ending))
        headers = {key.lower(): value for key, value in last.headers}
        before, after = count_of(headers.get("statements", "")), count_of(said["statements"])
        if before is None or after is None:
            return
        made = before + summary.added - summary.deleted
        if after == made:
            return
        message = f"the header 'statements' says {after}, but the {before} before the patch and its changes make {made}"
        raise refused("patch.header", message)

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[LogVersion]:
        """What the log has, version after version; see :meth:`Log.versions`."""
        seen, upto = self._range(after, upto)
        return self._versions(seen, after, upto)

    def _versions(self, seen: _Seen, after: int, upto: int) -> Iterator[LogVersion]:
        before = None
        for version in range(after + 1, upto + 1):
            with self._turn:
                index = self._indexed(seen)
                line = index.of(version, name_of(version, seen.ending))
                before = index.time_before(version) if version == after + 1 else before
                found = index.described(version, line, before)
            before = found.time
            yield found

    def _range(self, after: int, upto: int | None) -> tuple[_Seen, int]:
        """The range that was asked for, if the log has it."""
        with self._turn:
            seen = self._last()
        last = seen.head.version
        upto = last if upto is None else upto
        if after < seen.first - 1:
            message = f"the log begins with version {seen.first}: what is after version {after} is gone ({self._home})"
            raise refused("patch.gap", message, str(self._home))
        if upto > last or after > last:
            message = f"there is no version {max(after, upto)}: the head is {last} ({self._home})"
            raise refused("patch.version", message, str(self._home))
        return seen, upto

    def paths(self, after: int = 0, upto: int | None = None) -> list[Path]:
        """The files of a range of versions."""
        seen, upto = self._range(after, upto)
        return [self._path(version, seen) for version in range(after + 1, upto + 1)]

    @property
    def is_plain(self) -> bool:
        """The files are Jelly-Patch of our own writer: put end to end, they are one stream."""
        return self._last().ending == ".jellyp" and is_log(self._home)

    def read(self, after: int = 0, upto: int | None = None, **options: Any) -> PatchReader[Any]:
        """Reads the patches of a range of versions as one stream; see :meth:`Log.read`."""
        files = self.paths(after, upto)
        if self.is_plain:
            return read_patch((path.read_bytes() for path in files), **options)
        return read_patch(_spooled(files), **options)

    def number(self, version: int | str) -> int:
        """The number of a version that is there.

        Raises:
            PatchError: It is not there (``patch.version``), or no longer (``patch.gap``).
        """
        if isinstance(version, str):
            line = self.line(_internal.identify(version)[1])
            if line is None:
                raise refused("patch.version", f"no patch of the log has the id {version} ({self._home})", str(self._home))  # fmt: skip
            return line.version
        if version < 1:
            raise refused("patch.version", f"there is no patch {version}: patches count from 1", str(self._home))  # fmt: skip
        self._range(version - 1, version)
        return version

    def fetch(
        self,
        version: int | str,
        dest: Destination,
        *,
        to: WrittenPatch = "auto",
    ) -> LogVersion:
        """Writes one patch; see :meth:`Log.fetch`."""
        check_folder(dest, [self._home])
        number = self.number(version)
        format: PatchFormat = "trp" if self.ending.startswith(".trp") else "auto"
        convert(self._path(number, self._last()), dest, to=to, format=format)
        return next(self.versions(number - 1, number))

    def watch(self, after: int | None = None, timeout: float | None = None) -> Iterator[LogVersion]:
        """Waits for versions; see :meth:`Log.watch`."""
        at = self.head.version if after is None else after
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._turn:
                last = self._quick().head.version
            if last > at:
                sync_folder(self._home)  # its publisher may have died in between
                for found in self.versions(at, last):
                    yield found
                    at = found.version
                until = None if timeout is None else time.monotonic() + timeout
            elif until is not None and time.monotonic() >= until:
                return
            else:
                time.sleep(_POLL)

    def dataset(
        self, dest: Destination, version: int | str | None = None, **options: Unpack[DatasetOptions]
    ) -> Applied:
        """Writes the dataset as it is at a version; see :meth:`Log.dataset`."""
        base = base_of(self._home)
        if base is None:
            raise no_base(self._home)
        check_folder(dest, [self._home])
        self._last()
        told = keywords("dataset", options, "dataset", "log", "result_rdf", takes_positions=True)
        if version is not None:
            told["version"] = version
        with once_checked(dest) as part:
            if base == EMPTY:
                told.setdefault("base_format", "nq")
            source = b"" if base == EMPTY else self._home / base
            done = applied(source, self._home, part, told, None)
            self._check_count(done)
        return done

    def _check_count(self, done: Applied) -> None:
        """The state has as many statements as its patch or the base says."""
        seen = self._last()
        if done.version >= seen.first:
            with self._turn:
                line = self._indexed(seen).of(done.version, name_of(done.version, seen.ending))
            headers = {key.lower(): value for key, value in line.headers}
            said = count_of(headers.get("statements", ""))
        elif (self._home / BASE_JSON).exists():
            said = _internal.backup_base(self._home)[1]
        else:
            said = 0
        if said is not None and said != done.statements:
            message = f"version {done.version} had {said} statements, but what is here makes {done.statements} ({self._home})"
            raise refused("patch.damaged", message, str(self._home))

    def _create(self, base: Source | None, base_format: Any) -> None:
        make_folder(self._home)
        with work_folder(self.work) as work:
            given = None if base is None else (*with_digest(base, work), base_format)
            begin(self._home, work, self.alone(), self._ending, given)
        self._found = None

    def _path(self, version: int, seen: _Seen) -> Path:
        return self._home / name_of(version, seen.ending)

    def path(self, version: int) -> Path:
        """The file of a version."""
        return self._path(version, self._last())

    def _stored(self, version: int, path: Path) -> None:
        shutil.copyfile(self.path(version), path)
        sync_file(path)

    def _stored_ending(self) -> str:
        return self.ending

    def _copy_base(self, work: Path) -> str:
        name = _internal.backup_base(self._home)[0]
        for one in (name, BASE_JSON):
            shutil.copyfile(self._home / one, work / one)
            sync_file(work / one)
        return name

    def _source(self) -> Any:
        return self._home

    def _indexed(self, seen: _Seen) -> Index:
        """The index, with a line for each version."""
        index = self._index = self._index or Index(self._home)
        count = seen.head.version - seen.first + 1
        if len(index) < count:
            for version in range(seen.first, seen.head.version + 1):
                index.of(version, name_of(version, seen.ending))
        return index

    def _settle(self) -> None:
        """What this process changed in the folder is known."""
        if self._found is not None and self._found.stamp is None:
            self._found = self._found._replace(stamp=self._home.stat().st_mtime_ns)

    def _quick(self) -> _Seen:
        """The end of the log by a look at two names, where it was known before."""
        seen = self._found
        if seen is None or (
            seen.head.version >= seen.first and not self._path(seen.head.version, seen).exists()
        ):
            return self._look()
        return seen if not self._path(seen.head.version + 1, seen).exists() else self._look()

    def _last(self) -> _Seen:
        """The end of the log; the folder is looked through where something changed."""
        try:
            stamp = self._home.stat().st_mtime_ns
        except FileNotFoundError:
            return _Seen(None, Head(0, None), self._ending, 1)
        seen = self._quick()
        return seen if seen.stamp == stamp else self._look()

    def _look(self) -> _Seen:
        stamp = self._home.stat().st_mtime_ns
        files = self.files
        ending = str(said_of(self._home).get("ending") or self._ending)
        for path in files:
            if not (match := NAME.fullmatch(path.name)):
                raise ValueError(f"{path}: patches can be published only to logs of patch-0001, patch-0002 and so on")  # fmt: skip
            ending = match[2]
        if not ENDING.fullmatch(ending) and not files:
            raise refused("patch.damaged", f"{LOG_JSON} says the ending {ending!r} ({self._home})", str(self._home))  # fmt: skip
        head = Head(*_internal.log_head(self._home))
        if (self._home / BASE_JSON).exists():
            first = _internal.backup_base(self._home)[3] + 1
        else:
            starts = (self._home / LOG_JSON).exists() or not files
            first = 1 if starts else number_of(files[0]) or 1
        self._found = _Seen(stamp, head, ending, first)
        self._is_whole = False
        return self._found

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps others out for a moment; where folders cannot be locked, names are still exclusive."""
        handle = os.open(self._home, os.O_RDONLY)
        try:
            with suppress(OSError):
                import fcntl  # not every system has it

                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _spooled(files: list[Path]) -> Iterator[bytes]:
    """The patches of files of any format as one stream of Jelly-Patch."""
    with tempfile.TemporaryFile() as spool:
        joined(files, spool, "jelly-patch")
        spool.seek(0)
        while piece := spool.read(1 << 18):
            yield piece
