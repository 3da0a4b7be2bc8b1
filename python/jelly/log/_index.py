"""``_index.jsonl``: information about each version of a log, without reading its patch.

The index is derived: if it is deleted, it is made again. Each line is written by one append and ends with its own
checksum, so no lock is needed; truncated and duplicate lines are ignored. A file whose size or rows differ from its
line is rejected.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from jelly import _internal
from jelly._chain import chained
from jelly._log_files import INDEX
from jelly._times import of_term
from jelly.errors import JellyError
from jelly.log._patch import Summary, count_of, lexical, refused, summary_of
from jelly.log._types import LogVersion

_CHECKSUM = ',"crc":"'
COMPACTED = "compacted"
"""The header of a stub in a compacted log: the digest of the rows that the patch had."""


class Line(NamedTuple):
    """The line of the index for a version."""

    version: int
    name: str
    size: int
    mtime: int
    id: str | None
    prev: str | None
    added: int
    deleted: int
    prefixes: int
    digest: str
    headers: list[list[str]]

    @property
    def time(self) -> datetime | None:
        """The ``H timestamp`` of the patch."""
        return of_term(self._header("timestamp"))

    @property
    def keys(self) -> set[str]:
        """The keys of the headers, in lower case."""
        return {key.lower() for key, _ in self.headers}

    @property
    def statements(self) -> int | None:
        """The ``H statements`` of the patch: the number of statements of the dataset after it."""
        return count_of(self._header("statements"))

    def described(self, before: datetime | None) -> LogVersion:
        """Returns the version in the form that users see; ``before`` is the latest time before it."""
        own = self.time
        time = max(before, own) if before and own else own or before
        headers = tuple((key, value) for key, value in self.headers)
        counts = self.added, self.deleted, self.prefixes
        return LogVersion(self.version, self.id, self.prev, time, *counts, self.size, headers)

    def _header(self, name: str) -> str:
        return {key.lower(): value for key, value in self.headers}.get(name, "")


class Index:
    """The index of a folder. Not safe for several threads at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / INDEX
        # the position up to which the file was read, and its inode
        self._read: tuple[int, int] = (0, 0)
        self.doubts = 0
        """Incremented when a version gets another line, or when another version already had its id."""
        self._lines: dict[int, Line] = {}
        self._versions: dict[str, int] = {}
        # the latest time up to each version, for the versions that were requested
        self._times: dict[int, datetime | None] = {}
        # the chain up to each version, after the version before the first one; of these first and doubts
        self._chains: list[str] = []
        self._chained: tuple[int, int] | None = None
        # size and inode of the file when it was last looked at; unlike `_read`, also of what this process appended
        self._file: tuple[int, int] | None = None
        for line in self.more() or ():
            self.keep(line)

    def __len__(self) -> int:
        return len(self._lines)

    def of(self, version: int, name: str, *, is_gone: bool = False) -> Line:
        """Returns the line of a version; reads the patch if the index does not match its file.

        Args:
            version: The version.
            name: The name of its file.
            is_gone: Whether the version was compacted, so that its file may have only the headers of the patch.

        Raises:
            PatchError: The file does not match the index (``patch.damaged``), or has only headers left
                (``patch.gap``).
        """
        stat = (self._folder / name).stat()
        line = self._lines.get(version)
        if line is None or (line.name, line.size, line.mtime) != (name, stat.st_size, stat.st_mtime_ns):  # fmt: skip
            path = self._folder / name
            # deleting the index means that the files were changed on purpose
            known = (line.name, line.size, line.digest) if line and self._path.exists() else None
            if known is not None and stat.st_size != known[1] and _is_stub(path):
                known = (name, stat.st_size, known[2])
            if known is not None:
                _internal.refuse_changed(path, known, stat.st_size)
            found = summary_of(path, takes_positions=True)
            if COMPACTED in found.said and not is_gone:
                raise refused("patch.gap", f"the log was compacted, and the rows of version {version} are gone ({self._folder})", str(path))  # fmt: skip
            found = with_own_digest(found)
            if known is not None:
                _internal.refuse_changed(path, known, stat.st_size, found.digest)
            if found.patches != 1:
                raise refused("patch.damaged", f"{name} has {found.patches} patches; expected one ({self._folder})", str(path))  # fmt: skip
            line = line_of(version, path, found)
            self.keep(line)
            append(self._folder, line)
        return line

    def version_of(self, identity: str) -> int | None:
        """Returns the version whose patch has an id."""
        return self._versions.get(identity)

    def described(self, version: int, line: Line, before: datetime | None) -> LogVersion:
        """Returns a version in the form that users see; ``before`` is the latest time before it."""
        found = line.described(before)
        self._times[version] = found.time
        return found

    def time_before(self, version: int) -> datetime | None:
        """Returns the latest time before a version, among the versions in the index."""
        if version - 1 in self._times:
            return self._times[version - 1]
        times = (line.time for number, line in self._lines.items() if number < version)
        self._times[version - 1] = max((time for time in times if time), default=None)
        return self._times[version - 1]

    def keep(self, line: Line) -> None:
        """Stores the line of a version whose patch was read or written."""
        if (known := self._lines.get(line.version)) is not None:
            self._times.clear()
            self.doubts += known != line
        self._lines[line.version] = line
        if line.id is not None:
            identity = _internal.identify(line.id)[1]
            self.doubts += self._versions.get(identity, line.version) != line.version
            self._versions[identity] = line.version

    def is_replaced(self) -> bool:
        """Returns whether the file was deleted or replaced since the last call: patches may have changed on purpose."""
        before = self._file
        try:
            stat = self._path.stat()
        except OSError:
            self._file = None
            return before is not None
        self._file = stat.st_size, stat.st_ino
        return before is not None and _is_other(stat, *before)

    def chain(self, first: int, version: int, line: Callable[[int], Line]) -> str:
        """Returns the digest of ids and rows of the versions from one to another; ``line`` reads a missing line."""
        if self._chained != (first, self.doubts):
            self._chains, self._chained = [""], (first, self.doubts)
        for number in range(first + len(self._chains) - 1, version + 1):
            one = self._lines.get(number) or line(number)
            self._chains.append(chained(self._chains[-1], [(one.id, one.digest)]))
        return self._chains[version - first + 1]

    def known(self, version: int) -> Line | None:
        """Returns the line of a version, even if its file does not match."""
        return self._lines.get(version)

    def more(self) -> list[Line] | None:
        """Returns the lines that were appended since the last read; None if the file was replaced or deleted."""
        at, inode = self._read
        self._read = 0, 0
        try:
            with self._path.open("rb") as file:
                stat = os.fstat(file.fileno())
                if at and _is_other(stat, at, inode):
                    return None
                file.seek(at)
                texts = file.read()
        except OSError:
            return None
        self._read = at + texts.rfind(b"\n") + 1, stat.st_ino
        lines = map(parsed, texts.decode("utf-8", "replace").split("\n"))
        return [line for line in lines if line is not None]


def _is_other(stat: os.stat_result, size: int, inode: int) -> bool:
    """Returns whether a file is not the one that had this size and inode and since then only grew."""
    return stat.st_ino != inode or stat.st_size < size


def _is_stub(path: Path) -> bool:
    """Returns whether a file has only the headers of a patch."""
    with suppress(JellyError):
        return COMPACTED in summary_of(path, takes_positions=True).said
    return False


def with_own_digest(found: Summary) -> Summary:
    """Returns the summary of a patch; for a stub, with the digest of the rows that the patch had."""
    digest = found.said.get(COMPACTED)
    return found if digest is None else found._replace(digest=lexical(digest))


def line_of(version: int, path: Path, found: Summary) -> Line:
    """Makes the line of a version whose patch was read or written."""
    stat = path.stat()
    return made_line(version, path.name, stat.st_size, stat.st_mtime_ns, found)


def made_line(version: int, name: str, size: int, mtime: int, found: Summary) -> Line:
    """Makes the line of a patch from the name, the size and the modification time of its file or object."""
    headers = [list(pair) for pair in found.headers]
    return Line(
        version, name, size, mtime, found.id, found.prev,
        found.added, found.deleted, found.prefixes, found.digest, headers,
    )  # fmt: skip


def append(folder: Path, line: Line) -> None:
    """Appends a line to the index if possible; errors are ignored because the index is derived."""
    with suppress(OSError):
        handle = os.open(folder / INDEX, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            size = os.fstat(handle).st_size
            is_torn = size and os.pread(handle, 1, size - 1) != b"\n"
            os.write(handle, (("\n" if is_torn else "") + text_of(line) + "\n").encode())
        finally:
            os.close(handle)


def text_of(line: Line) -> str:
    """Formats a line for storage, with its checksum."""
    body = json.dumps(line._asdict(), separators=(",", ":"))[:-1]
    return f'{body}{_CHECKSUM}{zlib.crc32(body.encode()):08x}"}}'


def parsed(text: str) -> Line | None:
    """Parses a stored line; None if it is damaged."""
    body, found, checksum = text.rpartition(_CHECKSUM)
    if not found or f'{zlib.crc32(body.encode()):08x}"}}' != checksum:
        return None
    try:
        return Line(**json.loads(body + "}"))
    except (ValueError, TypeError):
        return None
