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
from jelly._chain import chained
from jelly._convert import convert
from jelly._history import LogReport, verify_log
from jelly._internal import PatchReader
from jelly._log_files import BASE_JSON, stored_format
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
from jelly.errors import ArgumentError
from jelly.log._begin import EMPTY, base_of, begin, is_log, said_base_of, said_of, with_digest
from jelly.log._contents import Contents, Extent
from jelly.log._followed import Followed, watched, watched_from
from jelly.log._guard import Guard, Made, Seen, steadily
from jelly.log._joined import parts
from jelly.log._log import Log
from jelly.log._patch import Prepared, prepared, refuse_other_count
from jelly.log._publish import publish
from jelly.log._types import Compacted, Head, LogInfo, LogVersion, Published, WrittenPatch, time_of
from jelly.types import Destination, PatchFormat, Source

# a look at the next name costs microseconds
_POLL = 0.02


class FolderLog(Log):
    """A log in a folder."""

    def _open(self, storage: Mapping[str, Any] | None) -> None:
        del storage  # the place is none that has it
        scheme, is_url, _ = str(self.place).partition("://")
        if is_url and scheme.isalnum() and scheme != "file":
            more = "; jelly.grpc reads and publishes to logs over gRPC" if scheme.startswith("grpc") else ""  # fmt: skip
            raise ArgumentError(f"argument.remote: {self.place}: a log cannot be at this place: expected a folder, http://, https://, or an object store such as s3://{more}", kind="argument.remote")  # fmt: skip
        self._home = local_path(self.place)
        self.contents = Contents(self._home, self._ending)
        self.work = self._home
        """Where patches are written before they get their names; on the same disk."""

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
        """The ending of its files."""
        return self.contents.extent().ending

    def info(self) -> LogInfo:
        extent, said = self.contents.extent(), said_of(self._home)
        format = stored_format(extent.ending)
        id, created = said.get("id"), time_of(said.get("created"))
        return LogInfo(self._home.resolve().name, id, extent.head, extent.first, base_of(self._home), format, created)  # fmt: skip

    def verify(self, base: Source | None = None) -> LogReport:
        return verify_log(self._home if self.files or is_log(self._home) else b"", base=base)

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
        """Reads a patch that is to be published, and writes it as it comes after the head that is there now.

        Raises:
            PatchError: It has no meaning, or is not one patch.
            JellyError: The source has an error.
            ValueError: A header is one that the log gives.
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
        """Publishes a patch that was read and checked; ``check`` may reject a head to publish after."""
        with self.contents.changing():
            return self.steadily(lambda _: publish(self.contents, found, expect, check=check))

    def known(self, identity: str | None) -> tuple[int, str] | None:
        line = self.contents.find(identity)
        return None if line is None else (line.version, line.digest)

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[LogVersion]:
        extent, upto = self.contents.range(after, upto)
        return self._versions(extent, after, upto)

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
        """The files of a range of versions.

        Raises:
            JellyError: A file is no whole patch; read with others, a part of it would be missing.
        """
        extent, upto = self.contents.range(after, upto)
        versions = range(after + 1, upto + 1)
        for version in versions:
            self.contents.line(version, extent)  # reads a file that is not as the index knows it
        return [self.contents.path(version, extent) for version in versions]

    def path(self, version: int) -> Path:
        """The file of a version.

        Raises:
            PatchError: It is not what it was when it was published (``patch.damaged``).
        """
        extent = self.contents.extent()
        self.contents.line(version, extent)  # reads a file that is not as the index knows it
        return self.contents.path(version, extent)

    def number(self, version: int | str) -> int:
        """The number of a version that is there.

        Raises:
            PatchError: It is not there (``patch.version``), or no longer (``patch.gap``).
        """
        return self.contents.number(version)

    def read(self, after: int = 0, upto: int | None = None, **options: Any) -> PatchReader[Any]:
        guard = self.guard(after, upto)
        files = self.paths(after, upto)
        return read_patch(guard.each(parts(files)), **options)

    def guard(self, after: int, upto: int | None = None) -> Guard:
        """Around reading versions after one, up to another, which others may compact meanwhile."""
        return Guard(self._home, self._seen, after, upto)

    def _seen(self) -> Seen:
        with self.contents.turn:
            extent = self.contents.extent()
            return Seen(self.contents.id, extent.first, extent.head.version)

    def fetch(
        self, version: int | str, dest: Destination, *, to: WrittenPatch = "auto"
    ) -> LogVersion:
        check_folder(dest, [self._home])
        number = self.number(version)
        guard = self.guard(number - 1, number)
        with self.path(number).open("rb") as file:
            guard.check()  # what was opened before that is the patch, whoever compacts the log
            convert(file, dest, to=to, format=self._format)
        return next(self.versions(number - 1, number))

    def watch(self, after: int | None = None, timeout: float | None = None) -> Iterator[LogVersion]:
        followed = Followed(self.place)
        self.look(followed)
        return self.watch_on(watched_from(self, after), timeout, followed)

    def look(self, followed: Followed) -> int:
        """The last version of a log that is watched.

        Raises:
            PatchError: It is another log now (``patch.fork``).
        """
        id, head = self.seen()
        followed.check(id, head)
        return head.version

    def seen(self) -> tuple[str | None, Head]:
        """The id of the log that is here now, and its head."""
        with self.contents.turn:
            head = self.contents.quick_extent().head
            return self.contents.id, head

    def has_moved(self, seen: tuple[str | None, Head]) -> bool:
        """Whether something is new since a look; takes microseconds."""
        return self.seen() != seen

    def watch_on(self, at: int, timeout: float | None, followed: Followed) -> Iterator[LogVersion]:
        """Waits for versions after one; ``followed`` is what was seen of the log before."""

        def versions(after: int, upto: int) -> Iterator[LogVersion]:
            sync_folder(self._home)  # its publisher may have died in between
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
        """Makes something of base and patches, which others may compact; see :mod:`jelly.log._guard`."""
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
        """Rejects a dataset that has another number of statements than its patch or the base says."""
        extent = self.contents.extent()
        if done.version >= extent.first:
            said = self.contents.line(done.version, extent).statements
        elif (self._home / BASE_JSON).exists():
            said = _internal.backup_base(self._home)[1]
        else:
            said = 0
        refuse_other_count(done, said, self._home)

    def alone(self) -> AbstractContextManager[None]:
        """Keeps other processes that publish out for a moment."""
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
        """The digest of ids and rows of all versions up to one, by what the index knows of them."""
        extent = self.contents.extent()
        lines = (self.contents.line(number, extent) for number in range(extent.first, version + 1))
        return chained("", ((line.id, line.digest) for line in lines))

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
            guard.check()  # after it was read

    @property
    def _format(self) -> PatchFormat:
        """The format of its files, where readers do not detect it."""
        return "trp" if self.ending.startswith(".trp") else "auto"

    def _copy_base(self, work: Path) -> str:
        name = _internal.backup_base(self._home)[0]
        for one in (name, BASE_JSON):
            shutil.copyfile(self._home / one, work / one)
            sync_file(work / one)
        return name

    def _source(self) -> Any:
        return self._home
