"""A log in an object store: the same names as in a folder, and each can be created only once."""

from __future__ import annotations

import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Unpack

from jelly import _internal
from jelly._apply import Applied, applied
from jelly._chain import chained
from jelly._convert import convert
from jelly._internal import PatchReader
from jelly._log_files import BASE_JSON, name_of, stored_format
from jelly._log_patches import Patches
from jelly._option_types import DatasetOptions
from jelly._patching import keywords
from jelly._readers import read_patch
from jelly._whole_file import once_checked, sync_file, written_json
from jelly.errors import JellyError, PatchError
from jelly.log._ahead import patches
from jelly.log._begin import BASE, BEGINS, EMPTY, dumped, is_nothing, no_base, with_digest
from jelly.log._followed import Followed, watched, watched_from
from jelly.log._guard import Guard, Seen
from jelly.log._joined import stored_parts
from jelly.log._lines import Lines
from jelly.log._log import Log
from jelly.log._manifest import Manifest, first_of
from jelly.log._objects import Objects
from jelly.log._patch import (
    Prepared,
    prepared,
    refuse_miscounted,
    refuse_other_count,
    refuse_range,
    refuse_time,
    version_of,
)
from jelly.log._types import Compacted, Head, LogInfo, LogVersion, Published, WrittenPatch, time_of
from jelly.types import Destination, PatchFormat, Source

# each look costs a request
_POLL = 1.0


class ObjectLog(Log):
    """A log in an object store."""

    def _open(self, storage: Mapping[str, Any] | None) -> None:
        self.objects = Objects(self.place, storage or {})
        self._turn = threading.RLock()
        self.manifest = Manifest(self.objects)
        self._lines: Lines | None = None

    @property
    def head(self) -> Head:
        with self._turn:
            lines = self._known_lines()
            return Head(0, None) if lines is None else lines.head

    def info(self) -> LogInfo:
        with self._turn:
            head, said = self.head, self.manifest.said or {}
        name = self.objects.url.rpartition("/")[2]
        base, begins = said.get("base", {}), said.get(BEGINS)
        statements = 0 if begins == EMPTY else base.get("statements")
        return LogInfo(
            name, said.get("id"), head, first_of(said), base.get("base", begins), self._format,
            time_of(said.get("created")), statements,
        )  # fmt: skip

    def _publish(
        self, patch: Source, expect: int | str | None, more: Mapping[str, str], format: PatchFormat
    ) -> Published:
        with tempfile.TemporaryDirectory() as folder:
            known = self._lines or Lines(self.objects, self._ending)
            found = prepared(
                patch, Path(folder), more, format,
                ending=known.ending, prev=known.head.id, stamps=True,
            )  # fmt: skip
            return self.publish_prepared(found, expect)

    def publish_prepared(
        self,
        found: Prepared,
        expect: int | str | None,
        *,
        check: Callable[[Head], None] | None = None,
    ) -> Published:
        """Publishes a patch that was read and checked; ``check`` may reject a head."""
        with self._turn:
            while True:
                self._known_lines()
                done = self._attempt(found, expect, check)
                if done is not None:
                    return done  # otherwise another patch was published while this one was written

    def _attempt(
        self, found: Prepared, expect: int | str | None, check: Callable[[Head], None] | None
    ) -> Published | None:
        """Publishes after the known head; None if it is no longer the head."""
        lines, said = self._lines or Lines(self.objects, self._ending), found.summary
        known = lines.find(said.identity)
        claim = said.id, said.prev, said.digest
        made = _internal.place_patch(claim, expect, lines.head, known and (known.version, known.digest))  # fmt: skip
        if made is not None and known is not None:
            return Published(made, known.id or "", known.prev, None, replayed=True)
        if check is not None:
            check(lines.head)
        refuse_time(found, None)
        if lines.head.version:
            before = lines.line(lines.head.version).statements
        else:
            begun = self.manifest.said or {}
            before = 0 if begun.get(BEGINS) == EMPTY else begun.get("base", {}).get("statements")
        refuse_miscounted(found, before)
        if self._lines is None:
            self._begin({})
            lines = self._known_lines() or lines
            if lines.head.version:
                return None
        version = lines.head.version + 1
        found = found.after(lines.head.id, lines.ending)
        written, data = found.written, found.path.read_bytes()
        other = self.objects.create(name_of(version, lines.ending), data)
        if other is not None:
            with suppress(JellyError):  # the next check shows if it belongs to this log
                lines.take(other)
            return None
        lines.take(data, written)
        return Published(version, written.id or "", written.prev, None, replayed=False)

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[LogVersion]:
        lines, upto = self._range(after, upto)
        return (lines.described(version) for version in range(after + 1, upto + 1))

    def _range(self, after: int, upto: int | None) -> tuple[Lines, int]:
        """Returns the requested range, if the log has it."""
        lines, first = self.found()
        return lines, refuse_range(after, upto, first, lines.head.version, self.place)

    def found(self) -> tuple[Lines, int]:
        """Returns the lines of all versions, including those that are gone, and the first version that is not gone."""
        with self._turn:
            lines = self._known_lines() or Lines(self.objects, self._ending)
            return lines, first_of(self.manifest.said)

    def number(self, version: int | str) -> int:
        """Returns the number of an existing version.

        Raises:
            PatchError: The version does not exist (``patch.version``), or is gone (``patch.gap``).
        """
        number = version_of(version, self.found()[0].find, self.place)
        self._range(number - 1, number)
        return number

    def read(self, after: int = 0, upto: int | None = None, **options: Any) -> PatchReader[Any]:
        return read_patch(self._stream(after, upto), **options)

    def _stream(self, after: int, upto: int | None, said: Mapping[str, Any] | None = None) -> Iterator[bytes]:  # fmt: skip
        """Returns the patches of a range as one stream of Jelly-Patch; ``said`` is ``log.json`` if it was read already."""
        with self._turn:
            lines, upto = self._range(after, upto)
            guard = self.guard(after, upto, said)
        sizes = [lines.line(version).size for version in range(after + 1, upto + 1)]
        return guard.end(stored_parts(self._patches(after, sizes), self._format))

    def guard(self, after: int, upto: int, said: Mapping[str, Any] | None = None) -> Guard:
        """Returns a guard for reading versions; ``said`` is the content of ``log.json`` if it was read already."""
        with self._turn:
            known = said or self.manifest.said or self._look() or {}

        def seen(said: Mapping[str, Any]) -> Seen:
            return Seen(said.get("id"), first_of(said), upto)

        return Guard(self.place, lambda: seen(self._look() or {}), after, upto, seen(known))

    def _patches(self, after: int, sizes: Sequence[int]) -> Generator[bytes]:
        """Yields the patches of a range, in order; ``sizes`` are their sizes at the time of indexing."""
        return patches(self.objects, self._stored_ending(), after, sizes)

    def _one(self, version: int) -> bytes:
        with self._turn:
            lines = self._lines
            if lines is None or version > lines.head.version:
                lines = self._range(version - 1, version)[0]
            size = lines.line(version).size
            guard = self.guard(version - 1, version)
        return next(guard.end(self._patches(version - 1, [size])))

    def fetch(
        self, version: int | str, dest: Destination, *, to: WrittenPatch = "auto"
    ) -> LogVersion:
        number = self.number(version)
        convert(self._one(number), dest, to=to, format=self._format)
        return next(self.versions(number - 1, number))

    def watch(self, after: int | None = None, timeout: float | None = None) -> Iterator[LogVersion]:
        at = watched_from(self, after)
        followed = Followed(self.place)

        def look() -> int:
            with self._turn:
                head, said = self.head, self.manifest.said or {}
            followed.check(said.get("id"), head)
            return head.version

        yield from watched(
            self.versions, at, timeout, look, lambda left: time.sleep(min(left, _POLL))
        )

    def dataset(
        self, dest: Destination, version: int | str | None = None, **options: Unpack[DatasetOptions]
    ) -> Applied:
        with self._turn:
            info, said = self.info(), self.manifest.said or {}
        if BEGINS not in said:
            raise no_base(self.place)
        first, last = info.first, info.head.version
        if isinstance(version, str):
            version = version_of(version, self.found()[0].find, self.place)
        upto = last if version is None else min(version, last)
        refuse_range(upto, upto, first, last, self.place)
        asked = keywords("dataset", options, "dataset", "log", "result_rdf", takes_positions=True)
        if version is not None:
            asked["version"] = version
        with tempfile.TemporaryDirectory() as folder, once_checked(dest) as part:
            base: Any = b""
            if said[BEGINS] == EMPTY:
                asked.setdefault("base_format", "nq")
            else:
                base = Path(folder) / BASE
                base.write_bytes(b"".join(self._base(said)))
            done = applied(base, self._after(info, said), part, asked, None)
            self._check_count(done, said)
        return done

    def compact(self, upto: int | str) -> Compacted:
        from jelly.log._compact_store import compact

        return compact(self, upto)

    def _after(self, info: LogInfo, said: Mapping[str, Any]) -> Patches:
        pieces = self._stream(info.first - 1, None, said)
        dataset = self.place, info.statements
        return Patches.of(pieces, info.first, info.head, dataset, self._base(said))

    def _base(self, said: Mapping[str, Any]) -> Iterator[bytes]:
        """Reads the base when it is taken, unless the log is compacted or replaced meanwhile."""
        first = first_of(said)
        try:
            yield self.manifest.base(said)
        except JellyError:
            self.guard(first - 1, first - 1, said).check()
            raise

    def _check_count(self, done: Applied, said: Mapping[str, Any]) -> None:
        """Rejects a dataset whose number of statements differs from the number in its patch or in the base."""
        before = said.get("base", {}).get("statements", 0)
        is_after = done.version >= first_of(said)
        count = self.found()[0].line(done.version).statements if is_after else before
        refuse_other_count(done, count, self.place)

    def known(self, identity: str | None) -> tuple[int, str] | None:
        line = self.found()[0].find(identity)
        return None if line is None else (line.version, line.digest)

    def _look(self) -> dict[str, Any] | None:
        """Returns the content of ``log.json``; None if there is none. Discards the lines of another log."""
        with self._turn:
            before, said = self.manifest.said, self.manifest.look()
            if before is not None and (said is None or said["id"] != before["id"]):
                self._lines = None
            return said

    def _known_lines(self) -> Lines | None:
        """Returns the versions, including new ones; None if there is no log here yet."""
        known, failed = self._lines, None
        if known is not None:
            try:
                known.catch_up()
            except JellyError as error:
                failed = error
        # read last, so that the found versions belong to the log with this id
        said = self._look()
        if self._lines is None and said is not None:
            self._lines, failed = Lines(self.objects, said["ending"]), None
            self._lines.catch_up()
        if failed is not None and self._lines is not None:
            raise failed
        return self._lines

    def _create(self, base: Source | None, base_format: Any) -> None:
        self.create_with(base, base_format, {})

    def create_with(self, base: Source | None, base_format: Any, more: Mapping[str, str]) -> bool:
        """Creates the log, and records how it begins; a new ``log.json`` also gets ``more``.

        Returns:
            Whether the log did not exist.
        """
        if base is None or is_nothing(base):
            return self._begin({BEGINS: EMPTY}, more, is_given=base is not None)
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            wanted = dumped(work, (*with_digest(base, work), base_format))
            # the base counts only once log.json names it
            wanted["base"] = f"base-{uuid.uuid4()}.jelly.zst"
            self.objects.create(wanted["base"], (work / BASE).read_bytes())
        try:
            is_new = self._begin({BEGINS: "base", "base": wanted}, more)
        except PatchError:  # the log begins differently
            self.objects.delete(wanted["base"])
            raise
        if (self.manifest.said or {}).get("base", {}).get("base") != wanted["base"]:
            self.objects.delete(wanted["base"])  # the log already began with this base
        return is_new

    def _begin(
        self, more: dict[str, Any], new: Mapping[str, str] | None = None, *, is_given: bool = True
    ) -> bool:
        return self.manifest.begin(
            self._ending,
            more,
            new or {},
            is_given=is_given,
            has_patches=lambda: self.head.version > 0,
        )

    @property
    def _format(self) -> PatchFormat:
        return stored_format(self._stored_ending())

    def _stored(self, version: int, path: Path) -> None:
        path.write_bytes(self._one(version))
        sync_file(path)

    def _stored_ending(self) -> str:
        with self._turn:
            said = self.manifest.said or self._look()
        return self._ending if said is None else str(said["ending"])

    def _digest(self, version: int) -> str:
        return self._range(version - 1, version)[0].line(version).digest

    def _chain(self, version: int) -> str:
        lines, first = self.found()
        known = (lines.line(number) for number in range(first, version + 1))
        return chained("", ((line.id, line.digest) for line in known))

    def _each(self, after: int, sizes: Sequence[int]) -> Generator[tuple[Any, PatchFormat]]:
        guard = self.guard(after, after + len(sizes))
        for data in guard.end(self._patches(after, sizes)):
            yield data, self._format

    def _copy_base(self, work: Path) -> str:
        said = self._look() or {}
        (work / BASE).write_bytes(b"".join(self._base(said)))
        sync_file(work / BASE)
        written_json(work / BASE_JSON, said["base"] | {"base": BASE})
        return BASE

    def _source(self) -> Any:
        with self._turn:
            return self._after(self.info(), self.manifest.said or {})
