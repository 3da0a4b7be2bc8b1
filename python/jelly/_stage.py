"""``jelly.stage``: what a patch would change, before it is published."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple, TypeAlias, Unpack

from jelly._apply import apply
from jelly._history import LogReport, Problem, verify_log
from jelly._option_types import LookingOptions
from jelly._patching import Report, pipe_of
from jelly._whole_file import local_path
from jelly.errors import PatchError
from jelly.log import Log, Published
from jelly.log._patch import refused, several, summary_of
from jelly.types import PatchFormat, Source

_Rereadable: TypeAlias = str | os.PathLike[str] | bytes


class Staged(NamedTuple):
    """What a patch would change in a dataset, and whether it can be the next patch of a log.

    Attributes:
        id: Its id.
        prev: The id of the patch that it comes after.
        committed: Transactions that are committed.
        aborted: Transactions that are aborted.
        changes: ``A`` and ``D`` rows of committed transactions.
        without_effect: Number of these rows, and of ``PA`` and ``PD`` rows, that change nothing; None if the patch is
            not valid.
        before: Statements of the dataset; None, here and below, if the patch is not valid.
        after: Statements of the dataset with the patch.
        added: Quads that would be new.
        deleted: Quads that would be gone.
        prefixes: Prefixes that the patch adds or deletes, with or without effect.
        head: Number of the last patch of the log; None if no log was given.
        problems: The problems, in order; of rows without effect only the first hundred.
        data: The patch as it was read, which :meth:`publish` publishes.
        format: Its format as it was given, or ``auto``.
        log: The log that it is for.
    """

    id: str | None
    prev: str | None
    committed: int
    aborted: int
    changes: int
    without_effect: int | None
    before: int | None
    after: int | None
    added: int | None
    deleted: int | None
    prefixes: int | None
    head: int | None
    problems: tuple[Problem, ...]
    data: bytes
    format: PatchFormat
    log: Log | None

    @property
    def ok(self) -> bool:
        """Whether the patch can be applied, and published if a log was given.

        Some rows may have no effect, but not all: a patch in which no row changes the dataset was made for another
        dataset, or has already been applied.
        """
        return all(problem.kind == "patch.effect" for problem in self.problems)

    def publish(self) -> Published:
        """Publishes the patch if the log has not changed since the patch was checked.

        Raises:
            PatchError: There are problems, or another patch was published since.
            ValueError: No log was given.
            OSError: Writing failed.
        """
        if self.log is None or self.head is None:
            raise ValueError("stage() was called without a log to publish to")
        for kind, source, _, _, message in self.problems:
            if kind != "patch.effect":
                raise refused(kind, message.removeprefix(f"{kind}: "), source)
        return self.log.publish(self.data, expect=self.head, format=self.format)

    def __repr__(self) -> str:
        state = "ok" if self.ok else f"{len(self.problems)} problems"
        return f"<jelly.Staged id={self.id!r}, +{self.added} -{self.deleted}, {state}>"


def stage(
    base: _Rereadable,
    patch: Source,
    log: Log | str | os.PathLike[str] | None = None,
    *,
    progress: Report | None = None,
    **options: Unpack[LookingOptions],
) -> Staged:
    """Reports what a patch would change in a dataset. Nothing is written.

    The dataset is read twice, and the patch is kept in memory.

    Args:
        base: The dataset as it is now, at the head of the log: path or bytes.
        patch: One patch: path (``-`` is standard input), bytes, binary file object or iterable of
            bytes.
        log: The log for the patch, or its folder, to check whether the patch can be its next one.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: As for :func:`history`, except those for logs.

    Returns:
        What the patch would change, and its problems: damage, unfinished transactions, an id or a ``prev`` that the
        log does not accept, rows without effect, no row with an effect (``patch.nothing``).

    Raises:
        JellyError: The dataset has an error.
        OSError: Reading failed.
        ValueError: An option is wrong, or the dataset comes through a pipe.
    """
    if base == "-" or hasattr(base, "read"):
        raise TypeError("base is read twice: it must be a path or bytes")
    if pipe_of(base):
        raise ValueError(f"{base!r} is a pipe, but base is read twice: write it to a file first")
    for name in ("chain", "unfinished"):
        if name in options:
            raise TypeError(f"stage() got an unexpected keyword argument {name!r}")
    target = log if isinstance(log, Log) or log is None else Log(log)
    head = None if target is None else target.head
    data = _all_of(patch)
    options["chain"] = "ignore"
    report = verify_log(data, base=base, progress=progress, **options)
    if isinstance(patch, str | os.PathLike):
        named = (problem._replace(source=os.fsdecode(patch)) for problem in report.problems)
        report = report._replace(problems=tuple(named))
    found = _problems_of_one(report)
    wrong = found + [problem for problem in report.problems if problem.kind == "patch.effect"]
    is_known = False
    if target is not None and head is not None and not found:
        try:
            is_known = target.would_replay(summary_of(data, **_reading(options)), head)
        except PatchError as error:
            message = str(error).removeprefix(f"{error.kind}: ")
            wrong.insert(0, Problem(error.kind, None, 0, report.head, message))
    rows = report.changes + report.prefixes
    if not found and report.without_effect == rows and not is_known:
        message = (
            "no row changes the dataset: the patch was made for another dataset, or has already "
            "been applied"
            if rows
            else "the patch has no committed changes, only headers and empty or aborted transactions"
        )
        wrong.insert(0, Problem("patch.nothing", None, None, report.head, message))
    before = after = added = deleted = prefixes = None
    if not found:
        done = apply(base, data, _Nowhere(), to="jelly", progress=progress, **options)
        before, after, added, deleted, prefixes = done.base, done.statements, done.added, done.deleted, done.prefixes  # fmt: skip
    return Staged(
        report.head, report.prev, report.committed, report.aborted, report.changes,
        None if found else report.without_effect, before, after, added, deleted, prefixes,
        None if head is None else head.version, tuple(wrong),
        data, options.get("patch_format", "auto"), target,
    )  # fmt: skip


def _problems_of_one(report: LogReport) -> list[Problem]:
    """Why what was looked at cannot be published."""
    found = [problem for problem in report.problems if problem.kind != "patch.effect"]
    if report.patches != 1 and not found:
        found.append(Problem("patch.several", None, 0, report.head, several(report.patches)))
    return found


def _reading(options: LookingOptions) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in ("chain", "base_format")}


class _Nowhere:
    def write(self, data: bytes, /) -> int:
        return len(data)


def _all_of(source: Source) -> bytes:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if isinstance(source, str | os.PathLike):
        path = os.fsdecode(source)
        return sys.stdin.buffer.read() if path == "-" else local_path(path).read_bytes()
    if hasattr(source, "read"):
        pieces = iter(lambda: source.read(1 << 20), b"")
        return b"".join(pieces)
    return b"".join(source)
