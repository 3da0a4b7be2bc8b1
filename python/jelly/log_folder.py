"""``jelly.Log``: a folder of patches as a log that patches are published to."""

from __future__ import annotations

import os
import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from jelly import _internal
from jelly._whole_file import local_path, make_folder, sync_folder, work_folder, written_json
from jelly.errors import PatchError
from jelly.logs import LogReport, Problem, verify_log
from jelly.readers import read_patch
from jelly.types import PatchFormat, Source
from jelly.writers import PatchWriter

_NAME = re.compile(r"patch-(\d+)((?:\.(?:jellyp|rdfp|trp))?(?:\.(?:gz|zst|zstd))?)")
_ENDING = re.compile(r"\.(jellyp|rdfp|trp)(\.(gz|zst|zstd))?")
_LOG = "log.json"
_BACKUP = "base.json"
_MANIFESTS = (_BACKUP, _LOG)
_OF_THE_CHAIN = ("id", "prev", "previous")
# what a row of a patch is, without the place that it had
_ROW = ("op", "subject", "predicate", "object", "graph", "name", "value")


class Head(NamedTuple):
    """Where a log ends.

    Attributes:
        version: The number of its last patch; 0: it has none.
        id: The id of that patch.
    """

    version: int
    id: str | None


class Published(NamedTuple):
    """A patch of a log.

    Attributes:
        version: Its number.
        id: Its id.
        prev: The id of the patch before it.
        path: Its file.
        replayed: It was the head already, and nothing was written.
    """

    version: int
    id: str
    prev: str | None
    path: Path
    replayed: bool


class Log:
    """A folder with a log: ``patch-0001.jellyp``, ``patch-0002.jellyp`` and so on.

    Each patch has an id, and the id of the patch before it as ``prev``. A log can stand wherever
    patches can, such as in :func:`apply`. Of several processes that publish at once each gets a
    number of its own, or is refused; a patch is there whole or not at all. What a killed process
    leaves has names that begin with ``.jelly-``; nobody reads it, and the next process that
    publishes removes it.

    Args:
        folder: The folder, a local path; it is made when the first patch is published.
        ending: Of the files, which tells format and compression: ``.jellyp``, ``.rdfp`` or
            ``.trp``, and after that ``.gz`` or ``.zst``. A log that has patches keeps theirs.
    """

    def __init__(self, folder: str | os.PathLike[str], *, ending: str = ".jellyp") -> None:
        if not _ENDING.fullmatch(ending):
            raise ValueError(f"ending is {ending!r}; it can be .jellyp, .rdfp or .trp, and .gz or .zst after that")  # fmt: skip
        self.folder = local_path(folder)
        self._ending = ending

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"jelly.Log({str(self.folder)!r})"

    @property
    def files(self) -> list[Path]:
        """The files of the log, in order."""
        return _internal.patch_files(self.folder) if self.folder.is_dir() else []

    @property
    def head(self) -> Head:
        """Number and id of the last patch."""
        return self._last()[0]

    def verify(self, base: Source | None = None) -> LogReport:
        """Tells all that is wrong with the log, as :func:`verify_log` does."""
        has_log = self.files or any((self.folder / name).exists() for name in _MANIFESTS)
        return verify_log(self.folder if has_log else b"", base=base)

    def publish(
        self,
        patch: Source,
        *,
        expect: int | str | None = None,
        headers: Mapping[str, str] | None = None,
        format: PatchFormat = "auto",
    ) -> Published:
        """Makes a patch the next one of the log.

        It gets an id (``<urn:uuid:...>``) and the ``prev`` where it has none. The head with its id
        is not published again: whoever did not learn how publishing ended can repeat it.

        Args:
            patch: One patch of any format: path (``-`` is standard input), bytes, binary file
                object or iterable of bytes.
            expect: Number or id of the patch that must be the head; 0: the log must be empty.
                Without it, and without a ``prev`` in the patch, it comes after whatever is there.
            headers: More headers, as terms: ``{"author": '"me"'}``. Those that the patch has
                stay as they are. ``id`` and ``prev`` are not told here.
            format: Of the patch, as in :func:`read_patch`.

        Returns:
            Where it is now.

        Raises:
            PatchError: The head is another one (``patch.conflict``), or the patch has no meaning:
                unfinished transactions, an id that the log has, several patches in one, a header
                ``statements`` that is wrong or is for a backup (``patch.header``).
            JellyError: The source is bad.
            OSError: Reading or writing failed.
            ValueError: A header is ``id`` or ``prev``.
        """
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
        if told := [key for key in headers if key.lower() in _OF_THE_CHAIN]:
            raise ValueError(f"headers cannot have {told[0]!r}: the log gives it, or the patch has it")  # fmt: skip
        make_folder(self.folder)
        with work_folder(self.folder) as work:
            copy = work / "copy.jellyp"
            with closing(read_patch(patch, format=format)) as reader, PatchWriter(copy) as writer:
                writer.write(reader)
            report = verify_log(copy, chain="ignore")
            refuse(problems_of_one(report))
            while (done := self._attempt(copy, report, expect, headers, is_counted)) is None:
                pass  # another one was published while this one was written
            return done

    def misplaced(
        self, report: LogReport, head: Head, expect: int | str | None = None
    ) -> Problem | None:
        """Why a patch cannot be the next one after ``head``; None: it can."""
        if same_id(report.head, head.id):
            return None
        if head.version and head.id is None:
            return _problem("patch.mixed", report, "the patches of this log have no ids, so that none can come after them by its prev")  # fmt: skip
        if isinstance(expect, int) and expect != head.version:
            return _conflict(report, f"patch {expect}", head)
        for wanted in (None if isinstance(expect, int) else expect, report.prev):
            if wanted is not None and not same_id(wanted, head.id):
                return _conflict(report, wanted, head)
        if report.head is not None and any(same_id(report.head, known) for known in self._ids()):
            return _problem("patch.duplicate", report, f"the log has a patch with the id {report.head}")  # fmt: skip
        return None

    def _attempt(
        self,
        copy: Path,
        report: LogReport,
        expect: int | str | None,
        headers: Mapping[str, str],
        is_counted: bool,
    ) -> Published | None:
        """Publishes after the head that is there now; None: it is there no more."""
        head, ending = self._last()
        refuse([problem] if (problem := self.misplaced(report, head, expect)) else [])
        if same_id(report.head, head.id):
            return self._replayed(copy, head)
        if not is_counted:
            refuse([problem] if (problem := self._miscounted(copy, report, headers)) else [])
        made = report.head or f"<urn:uuid:{uuid.uuid4()}>"
        more = {"id": made} | ({} if head.id is None else {"prev": head.id}) | dict(headers)
        name = f"patch-{head.version + 1:04}{ending}"
        part = copy.with_name(name)
        _with_headers(copy, part, more, "auto" if _ENDING.fullmatch(ending) else "rdfp")
        path = self.folder / name
        begun = _begin(copy.parent, ending)
        with self.alone():
            if self._last() != (head, ending):
                return None
            if not self.files and not any((self.folder / name).exists() for name in _MANIFESTS):
                begun.replace(self.folder / _LOG)
                sync_folder(self.folder)
            try:
                path.hardlink_to(part)
            except FileExistsError:
                return None
            sync_folder(self.folder)
        return Published(head.version + 1, made, head.id, path, replayed=False)

    def _miscounted(
        self, copy: Path, report: LogReport, headers: Mapping[str, str]
    ) -> Problem | None:
        """Why ``H statements`` of a patch would make this log unreadable; None: it would not."""
        said = {key.lower(): value for key, value in headers.items()} | _headers(copy)
        if "statements" not in said:
            return None
        if (self.folder / _BACKUP).exists():
            return _problem("patch.header", report, "this log is a backup, which counts its statements itself: publish the patch without the header 'statements'")  # fmt: skip
        files, after = self.files, count_of(said["statements"])
        before = count_of(_headers(files[-1]).get("statements", "")) if files else None
        if before is None or after is None:
            return None
        with closing(read_patch(copy, rows="committed", columns=["op"])) as reader:
            ops = Counter(row.op for row in reader.rows())
        if after == before + ops["A"] - ops["D"]:
            return None
        message = f"the header 'statements' says {after}, but the {before} before the patch and its changes make {before + ops['A'] - ops['D']}"
        return _problem("patch.header", report, message)

    def _replayed(self, copy: Path, head: Head) -> Published:
        path = self.files[-1]
        if any(one != other for one, other in zip_longest(_changes(copy), _changes(path))):
            message = f"the head {head.id} is another patch with the same id"
            raise PatchError(f"patch.duplicate: {message}", kind="patch.duplicate")
        found = verify_log(path)
        return Published(head.version, head.id or "", found.prev, path, replayed=True)

    def _last(self) -> tuple[Head, str]:
        """The head, and the ending that the next file has."""
        files = self.files
        if not files:
            head = _internal.log_head(self.folder) if self.folder.is_dir() else (0, None)
            return Head(*head), self._ending
        for path in files:
            if not (match := _NAME.fullmatch(path.name)):
                raise ValueError(f"{path}: patches can be published only to logs of patch-0001, patch-0002 and so on")  # fmt: skip
            ending = match[2]
        return Head(*_internal.log_head(self.folder)), ending

    def _ids(self) -> Iterator[str | None]:
        for path in self.files:
            with closing(read_patch(path)) as reader:
                yield next((patch.id for patch in reader.patches()), None)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps others out for a moment; where folders cannot be locked, names are still exclusive."""
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            with suppress(OSError):
                import fcntl  # not every system has it

                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _begin(work: Path, ending: str) -> Path:
    """What a log says of itself: that its first patch is patch-0001."""
    said = {"id": str(uuid.uuid4()), "created": datetime.now(UTC).isoformat(), "ending": ending}
    return written_json(work / _LOG, said)


def number_of(path: Path) -> int | None:
    """The version that the name of a patch says."""
    return int(match[1]) if (match := _NAME.fullmatch(path.name)) else None


def refuse_own_files(dest: object, folder: Path) -> None:
    """Refuses a result that would replace a file of a log or backup, or be taken for one.

    Raises:
        ValueError: ``dest`` is the path of such a file.
    """
    if not isinstance(dest, str | os.PathLike) or os.fsdecode(dest) == "-" or not folder.is_dir():
        return
    path = local_path(dest).resolve()
    if path.parent != folder.resolve():
        return
    own = {*_MANIFESTS, *(file.name for file in Log(folder).files)}
    if (folder / _BACKUP).exists():
        own.add(_internal.backup_base(folder)[0])
    if path.name in own or _NAME.fullmatch(path.name) or _ENDING.search(path.name):
        message = f"{os.fsdecode(dest)}: the result would be a file of the log in {folder}; give another name or folder"
        raise ValueError(message)


def same_id(one: str | None, other: str | None) -> bool:
    """Whether both are the id of one patch."""
    if one is None or other is None:
        return False
    return _internal.identify(one)[1] == _internal.identify(other)[1]


def problems_of_one(report: LogReport) -> list[Problem]:
    """Why what was looked at cannot be published."""
    found = [problem for problem in report.problems if problem.kind != "patch.effect"]
    if report.patches != 1 and not found:
        message = f"{report.patches} patches are here; publish one at a time, or squash them"
        if not report.patches:
            message = "no patch is here"
        found.append(_problem("patch.several", report, message))
    return found


def refuse(problems: list[Problem]) -> None:
    """Raises the first problem.

    Raises:
        PatchError: There is one.
    """
    for kind, source, _, _, message in problems:
        text = message if message.startswith(f"{kind}: ") else f"{kind}: {message}"
        raise PatchError(text, kind=kind, source=source)


def _problem(kind: str, report: LogReport, message: str) -> Problem:
    return Problem(kind, None, 0, report.head, message)


def _conflict(report: LogReport, wanted: str, head: Head) -> Problem:
    found = f"patch {head.version}, {head.id}" if head.version else "no patch: the log is empty"
    return _problem("patch.conflict", report, f"the head should be {wanted}, but it is {found}")


def count_of(term: str) -> int | None:
    """The number that a literal says."""
    text = term.split('"')[1] if term.startswith('"') else ""
    return int(text) if text.isascii() and text.isdecimal() else None


def _headers(path: Path) -> dict[str, str]:
    """The headers of the first patch in a file, under names in lower case."""
    with closing(read_patch(path)) as reader:
        patch = next(reader.patches(), None)
        return {key.lower(): value for key, value in patch.headers} if patch else {}


def _with_headers(copy: Path, path: Path, headers: Mapping[str, str], format: Any) -> None:
    has = set(_headers(copy))
    if "previous" in has:
        has.add("prev")
    with closing(read_patch(copy, columns=_ROW)) as reader, PatchWriter(path, format=format) as writer:  # fmt: skip
        added = [(key, value) for key, value in headers.items() if key.lower() not in has]
        writer.write({"op": "H", "name": key, "value": value} for key, value in added)
        writer.write(reader)


def _changes(path: Path) -> Iterator[Any]:
    with closing(read_patch(path, columns=_ROW)) as reader:
        yield from (row for row in reader.rows() if row.op not in ("H", "Z"))
