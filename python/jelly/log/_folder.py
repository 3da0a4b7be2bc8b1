"""A log in a folder: ``patch-0001.jellyp``, ``patch-0002.jellyp`` and so on."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Unpack

from jelly import _internal
from jelly._apply import Applied, applied
from jelly._convert import convert
from jelly._history import LogReport, Problem, verify_log
from jelly._internal import PatchReader
from jelly._log_files import BASE_JSON, other_name, stored_format
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
from jelly.errors import ArgumentError, PatchError
from jelly.log._begin import EMPTY, begin, begin_of, is_log, said_base_of, said_of, with_digest
from jelly.log._contents import Contents, Extent
from jelly.log._followed import Followed, watched, watched_from
from jelly.log._guard import Guard, Made, Seen, steadily
from jelly.log._joined import parts
from jelly.log._log import Log
from jelly.log._patch import Prepared, prepared, refuse_other_count
from jelly.log._publish import publish
from jelly.log._types import Compacted, Head, LogInfo, LogVersion, Published, WrittenPatch, time_of
from jelly.types import Destination, PatchFormat, Source

# checking the next name takes microseconds
_POLL = 0.02


class FolderLog(Log):
    """A log in a folder."""

    def _open(self, storage: Mapping[str, Any] | None) -> None:
        del storage  # a folder has no storage options
        scheme, is_url, _ = str(self.place).partition("://")
        if is_url and scheme.isalnum() and scheme != "file":
            more = "; jelly.grpc reads and publishes to logs over gRPC" if scheme.startswith("grpc") else ""  # fmt: skip
            raise ArgumentError(f"argument.remote: {self.place}: a log cannot be at this place: expected a folder, http://, https://, or an object store such as s3://{more}", kind="argument.remote")  # fmt: skip
        self._home = local_path(self.place)
        self.contents = Contents(self._home, self._ending)
        self.work = self._home
        """Where patches are written before they get their names; on the same disk as the log."""

    def __fspath__(self) -> str:
        return str(self._home)

    def __repr__(self) -> str:
        return f"jelly.Log({str(self._home)!r})"

    @property
    def folder(self) -> Path:
        return self._home

    @property
    def files(self) -> list[Path]:
        return self.contents.files

    @property
    def head(self) -> Head:
        return self.contents.extent().head

    @property
    def ending(self) -> str:
        """The ending of the files of the log."""
        return self.contents.extent().ending

    def info(self) -> LogInfo:
        extent, said = self.contents.extent(), said_of(self._home)
        format = stored_format(extent.ending)
        id, created = said.get("id"), time_of(said.get("created"))
        base, count = begin_of(self._home)
        return LogInfo(self._home.resolve().name, id, extent.head, extent.first, base, format, created, count)  # fmt: skip

    def is_there(self) -> bool:
        """Whether the folder is a log."""
        return is_log(self._home) or bool(self.files)

    def verify(self, base: Source | None = None) -> LogReport:
        files = self.files
        report = verify_log(self._home if self.is_there() else b"", base=base)
        problem = None
        if other := other_name(files):
            problem = Problem("patch.damaged", str(other[0]), None, None, other[1])
        elif report.ok and report.patches > len(files):
            # a file has two patches, or others published one meanwhile
            try:
                for _ in self.versions():
                    pass
            except PatchError as error:
                message = str(error).removeprefix(f"{error.kind}: ")
                problem = Problem(error.kind, error.source, None, None, message)
        return report if problem is None else report._replace(problems=(*report.problems, problem))

    def publish_state(self, patch: Source, *, expect: int, headers: Mapping[str, str]) -> Published:
        """Publishes the patch of a backup, with the number of statements that the backup counted."""
        return self._publish(patch, expect, headers, "auto", is_counted=True)

    def _publish(
        self,
        patch: Source,
        expect: int | str | None,
        more: Mapping[str, str],
        format: PatchFormat,
        *,
        is_counted: bool = False,
    ) -> Published:
        make_folder(self._home)
        with self.contents.changing(), work_folder(self.work) as work:
            found = self.prepared(patch, work, more, format)
            return self.steadily(
                lambda _: publish(self.contents, found, expect, is_counted=is_counted)
            )

    def prepared(
        self,
        patch: Source,
        work: Path,
        headers: Mapping[str, str],
        format: PatchFormat,
        **options: Any,
    ) -> Prepared:
        """Reads a patch to be published, and writes it so that it follows the current head.

        Raises:
            PatchError: The patch is not valid, or the source does not have exactly one patch.
            JellyError: The source has an error.
            ValueError: A header is one that the log sets.
        """
        extent = self.contents.expected()
        return prepared(
            patch, work, headers, format, ending=extent.ending, prev=extent.head.id, stamps=True, **options
        )  # fmt: skip

    def publish_prepared(
        self,
        found: Prepared,
        expect: int | str | None,
        *,
        check: Callable[[Head], None] | None = None,
    ) -> Published:
        """Publishes a patch that was read and checked; ``check`` may reject a head."""
        with self.contents.changing():
            return self.steadily(lambda _: publish(self.contents, found, expect, check=check))

    def known(self, identity: str | None) -> tuple[int, str] | None:
        line = self.contents.find(identity)
        return None if line is None else (line.version, line.digest)

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[LogVersion]:
        guard = self.same()
        extent, upto = self.contents.range(after, upto)
        return guard.some(self._versions(extent, after, upto))

    def _versions(self, extent: Extent, after: int, upto: int) -> Iterator[LogVersion]:
        before = None
        for version in range(after + 1, upto + 1):
            with self.contents.turn:
                index, line = self.contents.index(extent), self.contents.line(version, extent)
                before = index.time_before(version) if version == after + 1 else before
                found = index.described(version, line, before)
            before = found.time
            yield found

    def paths(self, after: int = 0, upto: int | None = None) -> list[Path]:
        """Returns the files of a range of versions.

        Raises:
            JellyError: A file is not a complete patch; in a joined stream, a part of it would be missing.
        """
        extent, upto = self.contents.range(after, upto)
        versions = range(after + 1, upto + 1)
        for version in versions:
            self.contents.line(version, extent)  # reads a file that does not match the index
        return [self.contents.path(version, extent) for version in versions]

    def path(self, version: int) -> Path:
        """Returns the file of a version.

        Raises:
            PatchError: The file has changed since it was published (``patch.damaged``).
        """
        extent = self.contents.extent()
        self.contents.line(version, extent)  # reads a file that does not match the index
        return self.contents.path(version, extent)

    def number(self, version: int | str) -> int:
        """Returns the number of an existing version.

        Raises:
            PatchError: The version does not exist (``patch.version``), or is gone (``patch.gap``).
        """
        return self.contents.number(version)

    def read(self, after: int = 0, upto: int | None = None, **options: Any) -> PatchReader[Any]:
        guard = self.guard(after, upto)
        files = self.paths(after, upto)
        return read_patch(guard.each(parts(files)), **options)

    def guard(self, after: int, upto: int | None = None) -> Guard:
        """Returns a guard for reading versions after one, up to another, while others may compact the log."""
        return Guard(self._home, self._seen, after, upto)

    def same(self) -> Guard:
        """Around reading what others may replace meanwhile: checks only whether it is the same log."""
        return Guard(self._home, self._standing, 0)

    def _standing(self) -> Seen:
        with self.contents.turn:
            self.contents.renew()
            return Seen(self.contents.id, 1, 0, self.contents.turns)

    def _seen(self) -> Seen:
        with self.contents.turn:
            extent = self.contents.extent()
            return Seen(self.contents.id, extent.first, extent.head.version, self.contents.turns)

    def fetch(
        self, version: int | str, dest: Destination, *, to: WrittenPatch = "auto"
    ) -> LogVersion:
        check_folder(dest, [self._home])
        number = self.number(version)
        guard = self.guard(number - 1, number)
        with self.path(number).open("rb") as file:
            guard.check()  # a file opened before is the patch, even if it is compacted later
            convert(file, dest, to=to, format=self._format)
        return next(self.versions(number - 1, number))

    def watch(self, after: int | None = None, timeout: float | None = None) -> Iterator[LogVersion]:
        followed = Followed(self.place)
        self.look(followed)
        return self.watch_on(watched_from(self, after), timeout, followed)

    def look(self, followed: Followed) -> int:
        """Returns the last version of a watched log.

        Raises:
            PatchError: The folder now has another log (``patch.fork``).
        """
        with self.contents.turn:
            id, head = self.seen()
            followed.check(id, head, self.contents.turns)
        return head.version

    def seen(self) -> tuple[str | None, Head]:
        """Returns the id of the log that is currently in the folder, and its head."""
        with self.contents.turn:
            head = self.contents.quick_extent().head
            return self.contents.id, head

    def has_moved(self, seen: tuple[str | None, Head]) -> bool:
        """Returns whether the log has changed since ``seen``; takes microseconds."""
        return self.seen() != seen

    def watch_on(self, at: int, timeout: float | None, followed: Followed) -> Iterator[LogVersion]:
        """Waits for versions after one; ``followed`` is the last known state of the log."""

        def versions(after: int, upto: int) -> Iterator[LogVersion]:
            sync_folder(self._home)  # the publisher may have died before this flush
            return self.versions(after, upto)

        return watched(
            versions, at, timeout, lambda: self.look(followed), lambda left: time.sleep(min(left, _POLL))
        )  # fmt: skip

    def dataset(
        self, dest: Destination, version: int | str | None = None, **options: Unpack[DatasetOptions]
    ) -> Applied:
        check_folder(dest, [self._home])
        return self.steadily(lambda check: self._dataset(dest, version, options, check))

    def steadily(self, make: Callable[[Callable[[], None]], Made]) -> Made:
        """Makes a result from base and patches, which others may compact meanwhile; see :mod:`jelly.log._guard`."""
        return steadily(self._home, self._seen, make)

    def _dataset(self, dest: Destination, version: int | str | None, options: Any, check: Callable[[], None]) -> Applied:  # fmt: skip
        base = said_base_of(self._home)
        extent = self.contents.extent()
        if isinstance(version, str):
            version = self.contents.state(version)
        upto = extent.head.version if version is None else min(version, extent.head.version)
        self.paths(min(upto, extent.first - 1), upto)
        asked = keywords("dataset", options, "dataset", "log", "result_rdf", takes_positions=True)
        if version is not None:
            asked["version"] = version
        with once_checked(dest) as part:
            if base == EMPTY:
                asked.setdefault("base_format", "nq")
            source = b"" if base == EMPTY else self._home / base
            done = applied(source, self._home, part, asked, None)
            self.check_count(done)
            check()
        return done

    def compact(self, upto: int | str) -> Compacted:
        from jelly.log._compact import compact

        return compact(self, upto)

    def check_count(self, done: Applied) -> None:
        """Rejects a dataset whose number of statements differs from the number in its patch or in the base."""
        extent = self.contents.extent()
        if done.version >= extent.first:
            said = self.contents.line(done.version, extent).statements
        elif (self._home / BASE_JSON).exists():
            said = _internal.backup_base(self._home)[1]
        else:
            said = 0
        refuse_other_count(done, said, self._home)

    def alone(self) -> AbstractContextManager[None]:
        """Locks out other publishing processes for a moment."""
        return self.contents.alone()

    def _create(self, base: Source | None, base_format: Any) -> None:
        make_folder(self._home)
        with work_folder(self.work) as work:
            given = None if base is None else (*with_digest(base, work), base_format)
            begin(self._home, work, self.alone(), self._ending, given)
        self.contents.forget()

    def _digest(self, version: int) -> str:
        return self.contents.line(version, self.contents.extent()).digest

    def _chain(self, version: int) -> str:
        return self.chain(version)

    def chain(self, version: int) -> str:
        """Returns the digest of ids and rows of all versions up to one, computed from the index."""
        extent = self.contents.extent()
        for number in range(extent.first, version + 1):
            self.contents.line(number, extent)  # checks the file
        return self.contents.chain(version)

    def _stored(self, version: int, path: Path) -> None:
        guard = self.guard(version - 1, version)
        shutil.copyfile(self.path(version), path)
        guard.check()
        sync_file(path)

    def _stored_ending(self) -> str:
        return self.ending

    def _each(self, after: int, sizes: Sequence[int]) -> Generator[tuple[Any, PatchFormat]]:
        format, upto = self._format, after + len(sizes)
        guard = self.guard(after, upto)
        for path in self.paths(after, upto):
            yield path, format
            guard.check()  # check after reading

    @property
    def _format(self) -> PatchFormat:
        """The format of the files, if readers cannot detect it."""
        return "trp" if self.ending.startswith(".trp") else "auto"

    def _copy_base(self, work: Path) -> str:
        name = _internal.backup_base(self._home)[0]
        for one in (name, BASE_JSON):
            shutil.copyfile(self._home / one, work / one)
            sync_file(work / one)
        return name

    def _source(self) -> Any:
        return self._home
