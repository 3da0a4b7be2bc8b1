"""The known versions of a log in an object store, kept between requests.

New patches are found by requests for the names after the last known version, not by listing. For each 256 versions
there is an object ``_index/000256.jsonl`` with lines as in :mod:`jelly.log._index`; it is derived, and any client
that finds it missing writes it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime

from jelly import _internal
from jelly._log_files import NAME, name_of
from jelly.log._index import Line, made_line, parsed, text_of, with_own_digest
from jelly.log._objects import Objects
from jelly.log._patch import Summary, refused_at, summary_of
from jelly.log._types import Head, LogVersion

_SEGMENT = 256
# number of names that are requested in parallel: one while new versions are unlikely
_PROBES = (1, 1, 1, 1, 2, 4, 8)


class Lines:
    """The versions of a log, from the first one. Not safe for several threads at once."""

    def __init__(self, objects: Objects, ending: str) -> None:
        self._objects = objects
        self.ending = ending
        self._lines: list[Line] = []
        self._times: list[datetime | None] = []
        self._versions: dict[str, int] = {}
        self._is_open = False

    @property
    def head(self) -> Head:
        """The last known version."""
        return Head(len(self._lines), self._lines[-1].id if self._lines else None)

    def line(self, version: int) -> Line:
        """Returns the line of a version."""
        return self._lines[version - 1]

    def described(self, version: int) -> LogVersion:
        """Returns a version in the form that users see."""
        return self.line(version).described(self._times[version - 2] if version > 1 else None)

    def find(self, identity: str | None) -> Line | None:
        """Returns the line of the version with an id."""
        version = None if identity is None else self._versions.get(identity)
        return None if version is None else self.line(version)

    def catch_up(self) -> None:
        """Finds the versions that were published since the last call.

        Raises:
            PatchError: A version is not a patch (``patch.damaged``), does not come after the version before
                (``patch.fork``), has the id of another version (``patch.duplicate``), or is gone (``patch.gap``).
            OSError: The store cannot be reached.
        """
        if not self._is_open:
            while self._take_segment():
                pass
        self._probe()
        if not self._is_open:
            self._refuse_hole()
            self._is_open = True

    def _probe(self) -> None:
        turn = 0
        while True:
            count = _PROBES[min(turn, len(_PROBES) - 1)]
            turn += 1
            next_one = len(self._lines) + 1
            names = [name_of(version, self.ending) for version in range(next_one, next_one + count)]
            with ThreadPoolExecutor(count) as pool:
                for found in pool.map(self._objects.get, names):
                    if found is None:
                        return
                    self.take(found.data)

    def _refuse_hole(self) -> None:
        """Rejects a log that lacks a version before an existing one; checked once, by one listing."""
        behind = [match for name in self._objects.numbers(name_of(len(self._lines), self.ending)) if (match := NAME.fullmatch(name))]  # fmt: skip
        last = max((int(match[1]) for match in behind), default=0)
        if last <= len(self._lines):
            return
        self._probe()
        if last > len(self._lines):
            message = f"version {len(self._lines) + 1} is missing, but version {last} exists"
            raise refused_at("patch.gap", message, self._objects.url)

    def take(self, data: bytes, found: Summary | None = None) -> None:
        """Stores the next version; ``found`` is the summary of its patch if it is known."""
        version = len(self._lines) + 1
        name = name_of(version, self.ending)
        if found is None:
            format = "trp" if self.ending.startswith(".trp") else "auto"
            found = with_own_digest(summary_of(data, patch_format=format, takes_positions=True))
        if found.patches != 1:
            message = f"{name} has {found.patches} patches; expected one"
            raise refused_at("patch.damaged", message, self._objects.url)
        self._keep(made_line(version, name, len(data), 0, found))
        if version % _SEGMENT == 0:
            self._put_segment()

    def _keep(self, line: Line) -> None:
        before = self.head.id
        if line.prev is not None and before is not None and _same(line.prev) != _same(before):
            message = f"{line.name} comes after {line.prev}, but the patch before it is {before}"
            raise refused_at("patch.fork", message, self._objects.url)
        if line.id is not None and (same := self._versions.get(_same(line.id))) is not None:
            message = f"{line.name} has the id {line.id}, which version {same} already has"
            raise refused_at("patch.duplicate", message, self._objects.url)
        latest = self._times[-1] if self._times else None
        self._lines.append(line)
        self._times.append(line.described(latest).time)
        if line.id is not None:
            self._versions[_same(line.id)] = line.version

    def _take_segment(self) -> bool:
        """Loads the next lines at once, if their segment is stored."""
        start = len(self._lines)
        found = self._objects.get(_segment(start + _SEGMENT))
        if found is None:
            return False
        lines = [line for text in found.data.decode().split("\n") if (line := parsed(text))]
        numbers = [line.version for line in lines]
        if numbers != list(range(start + 1, start + _SEGMENT + 1)):
            return False
        for line in lines:
            self._keep(line)
        return True

    def _put_segment(self) -> None:
        """Stores the last lines as a segment; errors are ignored because some clients may only read the log."""
        text = "\n".join(map(text_of, self._lines[-_SEGMENT:]))
        with suppress(OSError):
            self._objects.create(_segment(len(self._lines)), text.encode())


def _segment(last: int) -> str:
    return f"_index/{last:06}.jsonl"


def _same(id: str) -> str:
    return _internal.identify(id)[1]
