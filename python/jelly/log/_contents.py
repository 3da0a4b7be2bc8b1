"""The content of the folder of a log: its versions, their files, and the index."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from jelly import _internal
from jelly._log_files import BASE_JSON, ENDING, LOG_JSON, NAME, name_of, number_of, other_name
from jelly.log._begin import said_of
from jelly.log._disorder import Checked, grown, names_in, refuse_disorder
from jelly.log._guard import replaced
from jelly.log._index import Index, Line, append, line_of
from jelly.log._patch import Summary, refuse_range, refused_at, version_of
from jelly.log._types import Head


class Extent(NamedTuple):
    """The versions in a folder, as of one scan.

    Attributes:
        stamp: Time of the last change by another process, in nanoseconds; None if the folder does not exist.
        first: The first version whose patch can be read.
        head: The last version.
        ending: The ending of the files.
        begin: The first version that has a file; of the files before ``first``, only the headers are left.
    """

    stamp: int | None
    first: int
    head: Head
    ending: str
    begin: int

    @property
    def is_empty(self) -> bool:
        """Whether the folder has no patches."""
        return self.head.version < self.first


class Contents:
    """The content of the folder of a log, cached between scans. Several threads can use it.

    Args:
        home: The folder.
        ending: The ending of the files, if the folder does not record one.
    """

    def __init__(self, home: Path, ending: str) -> None:
        self.home = home
        self.turn = threading.RLock()
        self.door = threading.Condition()
        """Held by threads that access ``waiting``; notified when some of these patches are done."""
        self.waiting: list[Any] = []
        """Patches to be published, in the order in which they arrived."""
        self._checked: Checked | None = None
        """The versions that were checked to be a chain; only patches were published since then."""
        self._others: frozenset[str] = frozenset()
        """Names that were in the folder before it was listed."""
        self._changes = 0
        """Changes of this process that are in progress."""
        self._ending = ending
        self.id: str | None = None
        """The id of the log that was in the folder at the last scan."""
        self.turns = 0
        """How often the folder was found with another log, or without one: a log may come back between two scans."""
        self._manifests: _Manifests | None = None
        self._extent: Extent | None = None
        self._index: Index | None = None

    @property
    def files(self) -> list[Path]:
        """The patches, in order."""
        return _internal.patch_files(self.home) if self.home.is_dir() else []

    def path(self, version: int, extent: Extent) -> Path:
        """Returns the file of a version."""
        return self.home / name_of(version, extent.ending)

    def extent(self) -> Extent:
        """Returns the current versions; lists the folder again if other processes changed it."""
        with self.turn:
            extent = self.quick_extent()
            if self._changes or extent is not self._extent:
                return extent
            return extent if self.home.stat().st_mtime_ns == extent.stamp else self._look()

    def quick_extent(self) -> Extent:
        """Returns the current versions; checks only two names if the versions were known before."""
        with self.turn:
            self.renew()
            extent = self._extent
            if extent is None or not (extent.is_empty or self._has(extent.head.version, extent)):
                return self._look()
            return self._look() if self._has(extent.head.version + 1, extent) else extent

    def expected(self) -> Extent:
        """Returns the versions of the last scan, which are probably current, without waiting for other threads."""
        return self._extent or self.quick_extent()

    def renew(self) -> None:
        """Discards the cached content if the folder now has another log, or another index."""
        if self._index is not None and self._index.is_replaced():
            self._index = self._extent = self._checked = None
        before, found = self._manifests, _Manifests.of(self.home)
        if found == before:
            return
        id = said_of(self.home).get("id")
        self._extent = self._checked = None
        if id != self.id:
            self._index = None
        if before and (before.is_other(found) or replaced("read", self.id, id) is not None):
            self.turns += 1
        self._manifests, self.id = found, id

    def _has(self, version: int, extent: Extent) -> bool:
        return self.path(version, extent).exists()

    def _look(self) -> Extent:
        for is_last in (False, False, True):
            if not self.home.is_dir():
                break
            try:
                return self._look_into()
            except FileNotFoundError:  # the folder is being deleted or replaced
                if is_last:
                    raise
        self._extent = None
        return Extent(None, 1, Head(0, None), self._ending, 1)

    def _look_into(self) -> Extent:
        if self._checked is not None and self._index is not None:
            self._extent = grown(self.home, self._checked, self._index, partial(self._line, self._index))  # fmt: skip
            if self._extent is not None:
                self._checked = self._checked._replace(extent=self._extent)
                return self._extent
            self._checked = None
        stamp = self.home.stat().st_mtime_ns
        self._others = frozenset(name for name, _ in names_in(self.home))
        files = self.files
        ending = str(said_of(self.home).get("ending") or self._ending)
        for path in files:
            if not NAME.fullmatch(path.name):
                raise ValueError(f"{path}: the patches of a log must be named patch-0001, patch-0002 and so on; `jelly between`, `jelly history` and `jelly log verify` read files with other names")  # fmt: skip
        if not ENDING.fullmatch(ending) and not files:
            raise refused_at("patch.damaged", f"{LOG_JSON} has the ending {ending!r}", self.home)  # fmt: skip
        head = Head(*_internal.log_head(self.home))
        if (self.home / BASE_JSON).exists():
            first = _internal.backup_base(self.home)[3] + 1
        else:
            starts = (self.home / LOG_JSON).exists() or not files
            first = 1 if starts else number_of(files[0]) or 1
        begin, named = first, files
        if first > 1:
            numbers = ((number_of(path), path) for path in self.home.iterdir())
            gone = sorted((number, path) for number, path in numbers if number is not None and number < first)  # fmt: skip
            if gone:
                begin, named = gone[0][0], [*(path for _, path in gone), *files]
        if other := other_name(named):
            raise refused_at("patch.damaged", other[1], self.home)
        if named and (match := NAME.fullmatch(named[-1].name)):
            ending = match[2]
        self._extent = Extent(stamp, first, head, ending, begin)
        return self._extent

    def require_chain(self, extent: Extent) -> None:
        """Rejects a log whose patches are not a chain; reads only the patches that the index does not have.

        The check runs once, and again if other processes changed the folder by more than publishing. The last patch
        is checked each time.

        Raises:
            PatchError: The patches are not a chain.
        """
        if self._checked is not None:
            if not extent.is_empty:
                self.line(extent.head.version, extent)
            return
        lines = [self.line(one, extent) for one in range(extent.first, extent.head.version + 1)]
        refuse_disorder(self.home, lines)
        others = self._others - {line.name for line in lines}
        self._checked = Checked(extent, others, self.index(extent).doubts)

    def range(self, after: int, upto: int | None) -> tuple[Extent, int]:
        """Checks that a range of versions exists.

        Returns:
            The current versions, and the last version of the range.

        Raises:
            PatchError: A version of the range is gone (``patch.gap``), or does not exist yet (``patch.version``).
        """
        extent = self.extent()
        return extent, refuse_range(after, upto, extent.first, extent.head.version, self.home)

    def number(self, version: int | str) -> int:
        """Returns the number of an existing version.

        Args:
            version: Number of the version, or id of its patch.

        Raises:
            PatchError: The version does not exist (``patch.version``), or is gone (``patch.gap``).
        """
        number = version_of(version, self.find, self.home)
        self.range(number - 1, number)
        return number

    def state(self, version: int | str) -> int:
        """Returns the number of a version whose dataset can be made: the version of a patch, or of the base of the log.

        Args:
            version: Number of the version, or id of its patch.

        Raises:
            PatchError: As for :meth:`number`.
        """
        if isinstance(version, str):
            version = version_of(version, self.find, self.home)
        self.range(version, version)
        return version

    def index(self, extent: Extent) -> Index:
        """Returns the index, with a line for each version."""
        with self.turn:
            index = self._index = self._index or Index(self.home)
            count = extent.head.version - extent.begin + 1
            if len(index) < count:
                for version in range(extent.begin, extent.head.version + 1):
                    if version >= extent.first or self._has(version, extent):
                        self._line(index, version, extent)
            return index

    def _line(self, index: Index, version: int, extent: Extent) -> Line:
        name = name_of(version, extent.ending)
        return index.of(version, name, is_gone=version < extent.first)

    def keep(self, line: Line) -> None:
        """Stores the line of a version whose file this process rewrote."""
        with self.turn:
            if self._index is not None:
                self._index.keep(line)

    def line(self, version: int, extent: Extent) -> Line:
        """Returns the line of the index for an existing version."""
        with self.turn:
            return self._line(self.index(extent), version, extent)

    def chain(self, version: int) -> str:
        """Returns the digest of ids and rows of all versions up to one, as the index has them."""
        with self.turn:
            extent = self.extent()
            index = self.index(extent)
            read = partial(self._line, index, extent=extent)
            return index.chain(extent.first, version, read)

    def find(self, identity: str | None) -> Line | None:
        """Returns the line of the index for the version with an id, even if the rows of the version are gone."""
        if identity is None:
            return None
        with self.turn:
            if not self.home.is_dir():
                return None
            extent = self.quick_extent()
            version = self.index(extent).version_of(identity)
            if version is None or not extent.begin <= version <= extent.head.version:
                return None
            line = self.line(version, extent)
            is_it = line.id is not None and _internal.identify(line.id)[1] == identity
            return line if is_it else None

    def forget(self) -> None:
        """Makes the next call scan the folder again."""
        self._extent = None

    def grow(self, extent: Extent, path: Path, written: Summary) -> Extent:
        """Stores a version that this process added, and appends its line to the index; returns the new extent."""
        line = line_of(extent.head.version + 1, path, written)
        append(self.home, line)
        if self._index is not None:
            self._index.keep(line)
        self._extent = extent._replace(head=Head(line.version, written.id))
        if self._checked is not None:
            self._checked = self._checked._replace(extent=self._extent)
        return self._extent

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Wraps a change of the folder by this process, so that the change does not cause a new check of all patches."""
        with self.turn:
            self.extent()
            self._changes += 1
        try:
            yield
        finally:
            with self.turn:
                self._changes -= 1
                if self._extent is not None and not self._changes:
                    self._extent = self._extent._replace(stamp=self.home.stat().st_mtime_ns)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Locks the folder for a moment; if folders cannot be locked, file names are still exclusive."""
        handle = os.open(self.home, os.O_RDONLY)
        try:
            with suppress(OSError):
                import fcntl  # some systems do not have it

                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


class _Manifests(NamedTuple):
    """What a log says of itself in its folder.

    Attributes:
        log: The stamp of ``log.json``.
        base: The stamp of ``base.json``.
        folder: The number of the folder, if it has neither. None: it is not there, or has one.
    """

    log: tuple[int, int] | None
    base: tuple[int, int] | None
    folder: int | None

    @classmethod
    def of(cls, home: Path) -> _Manifests:
        log, base = (_stamp(home / name) for name in (LOG_JSON, BASE_JSON))
        folder = None if log or base else _stamp(home)
        return cls(log, base, folder and folder[0])

    def is_other(self, now: _Manifests) -> bool:
        """Whether there was nothing before, or another folder is there now that says nothing."""
        return not any(self) or bool(self.folder and now.folder and self.folder != now.folder)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Identifies a file, to distinguish it from a later file with the same name; None if there is no file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns
