"""Publishing to the folder of a log: each patch gets the next number and appears complete, or is rejected."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from jelly import _internal
from jelly._base_json import last_dump
from jelly._log_files import BASE_JSON, LOG_JSON, name_of
from jelly._times import of_term
from jelly._whole_file import sync_file, sync_folder
from jelly.errors import JellyError
from jelly.log._begin import EMPTY, base_of, is_log, manifest
from jelly.log._contents import Contents
from jelly.log._patch import Prepared, count_of, refuse_miscounted, refuse_time, refused
from jelly.log._types import Head, Published, time_of

# number of files that are flushed in parallel
_FLUSHES = 8


class _Waiting:
    """A patch that waits for its number, and its result."""

    def __init__(
        self,
        found: Prepared,
        expect: int | str | None,
        check: Callable[[Head], None] | None,
        *,
        is_counted: bool,
    ) -> None:
        self.found, self.expect, self.check, self.is_counted = found, expect, check, is_counted
        self.done: Published | None = None
        self.error: Exception | None = None

    @property
    def is_over(self) -> bool:
        return self.done is not None or self.error is not None


def publish(
    contents: Contents,
    found: Prepared,
    expect: int | str | None,
    *,
    is_counted: bool = False,
    check: Callable[[Head], None] | None = None,
) -> Published:
    """Publishes a patch that was read and checked.

    If several threads publish, the first one also publishes the patches that wait behind its own, so one flush of the
    folder makes all of them durable.

    Args:
        contents: The content of the folder.
        found: The patch.
        expect: Number or id of the patch that must be the head.
        is_counted: Whether the patch has the number of statements that a backup counted.
        check: May reject a head.

    Raises:
        PatchError: As for :meth:`jelly.Log.publish`.
    """
    mine = _Waiting(found, expect, check, is_counted=is_counted)
    with contents.door:
        contents.waiting.append(mine)
    try:
        with contents.door:
            contents.door.wait_for(lambda: mine.is_over or contents.waiting[0] is mine)
            batch = list(contents.waiting)
        if not mine.is_over:
            _publish_all(contents, batch)
    finally:
        with contents.door:
            contents.waiting[:] = [
                one for one in contents.waiting if one is not mine and not one.is_over
            ]
            contents.door.notify_all()
    if mine.error is not None:
        raise mine.error
    assert mine.done is not None
    return mine.done


def _publish_all(contents: Contents, batch: list[_Waiting]) -> None:
    left = batch
    while left:
        try:
            left = _Round(contents).publish(left)
        except (JellyError, OSError, ValueError) as error:  # an error of the log, not of a patch
            for one in left:
                if not one.is_over:
                    one.error = error
            return


class _Round:
    """Patches that get the next numbers together."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._extent = contents.quick_extent()
        self._turns = contents.turns
        self._head = self._extent.head
        self._next: list[tuple[_Waiting, Prepared]] = []
        self._versions: dict[str | None, tuple[int, str]] = {}
        self._left: list[_Waiting] = []
        # rejected because of a head that is not on disk yet
        self._doubtful: list[tuple[_Waiting, Exception]] = []

    def publish(self, batch: list[_Waiting]) -> list[_Waiting]:
        """Publishes patches in order; returns the patches that must be tried again after another head."""
        with self._contents.turn:
            self._place_all(batch)
        wanted = len(self._next)
        self._flush()  # meanwhile other threads may read the log and check their patches
        if self._next:
            with self._contents.turn:
                self._link()
        for one, error in self._doubtful:
            if len(self._next) == wanted:
                one.error = error
            elif not one.is_over:
                self._left.append(one)
        return self._left

    def _place_all(self, batch: list[_Waiting]) -> None:
        is_flushed = False
        for one in batch:
            if one.found.summary.identity in self._versions:
                self._left.append(one)  # waits for the patch with the same id
                continue
            try:
                one.done = self._replayed(one)
                if one.done is None:
                    self._place(one)
                elif not is_flushed:
                    sync_folder(self._contents.home)  # the publisher may have died before it
                    is_flushed = True
            except Exception as error:
                one.done = None
                self._doubtful.append((one, error))
                if not self._next:
                    one.error = error

    def _replayed(self, one: _Waiting) -> Published | None:
        """Returns the earlier result of a replayed patch; None if the patch can be the next one.

        Raises:
            PatchError: The patch cannot be the next one.
        """
        said = one.found.summary
        known = self._contents.find(said.identity)
        made = _internal.place_patch(
            (said.id, said.prev, said.digest), one.expect, self._head, known and (known.version, known.digest)
        )  # fmt: skip
        if made is None or known is None:
            return None
        path = self._contents.path(made, self._extent)
        return Published(made, known.id or "", known.prev, path, replayed=True)

    def _place(self, one: _Waiting) -> None:
        """Adds a patch to the round as the next one."""
        contents, extent = self._contents, self._extent
        if one.check is not None:
            one.check(self._head)
        if not one.is_counted:
            contents.require_chain(extent)
            refuse_time(one.found, self._last_time())
            self._refuse_miscounted(one.found)
        found = one.found.after(self._head.id, extent.ending)
        self._next.append((one, found))
        self._head = Head(self._head.version + 1, found.summary.id)
        self._versions[found.summary.identity] = self._head.version, found.summary.digest

    def _flush(self) -> None:
        """Makes the files durable; if one flush fails, the patches after it are tried again."""
        with ThreadPoolExecutor(min(_FLUSHES, len(self._next) or 1)) as pool:
            flush = map if len(self._next) == 1 else pool.map
            flushed = flush(_flushed, [found.path for _, found in self._next])
            for at, error in enumerate(flushed):
                if error is not None:
                    self._give_up(at, error)
                    return

    def _give_up(self, at: int, error: Exception | None) -> None:
        """Removes patches from the round, from a position on; the first of them failed, or came too late."""
        out = [one for one, _ in self._next[at:]]
        del self._next[at:]
        if error is not None:
            out.pop(0).error = error
        self._left[:0] = out

    def _link(self) -> None:
        """Gives the files their names, in order."""
        contents, extent = self._contents, self._extent
        home, first = contents.home, extent.head.version + 1
        names = [home / name_of(first + at, extent.ending) for at in range(len(self._next))]
        with contents.alone():
            if self._is_outdated() or (
                extent.is_empty and contents.files
            ):  # perhaps with another ending
                contents.forget()
                self._give_up(0, None)
                return
            if extent.is_empty and not is_log(home):
                work = self._next[0][1].path.parent
                manifest(work, extent.ending).replace(home / LOG_JSON)
                sync_folder(home)
            for at, ((_, found), name) in enumerate(zip(self._next, names, strict=True)):
                try:
                    name.hardlink_to(found.path)
                except FileExistsError:
                    contents.forget()
                    self._give_up(at, None)
                    break
                except OSError as error:
                    self._give_up(at, error)
                    break
            if self._next:
                sync_folder(home)
        for (one, found), name in zip(self._next, names, strict=False):
            said = found.written
            extent = contents.grow(extent, name, said)
            one.done = Published(
                extent.head.version, said.id or "", said.prev, name, replayed=False
            )

    def _is_outdated(self) -> bool:
        """Returns whether the log was compacted, replaced or extended while files were flushed."""
        now = self._contents.quick_extent()
        return self._turns != self._contents.turns or now._replace(
            stamp=None
        ) != self._extent._replace(stamp=None)

    def _last_time(self) -> datetime | None:
        """Returns the last time of a backup: of its last version, or of a later dump without changes."""
        home = self._contents.home
        if not (home / BASE_JSON).exists():
            return None
        headers = [dict(found.written.headers) for _, found in self._next]
        times = (
            time_of(_internal.backup_base(home)[2]),
            last_dump(home),
            self._contents.index(self._extent).time_before(self._extent.head.version + 1),
            *(of_term(said["timestamp"]) for said in headers if "timestamp" in said),
        )
        return max((time for time in times if time), default=None)

    def _refuse_miscounted(self, found: Prepared) -> None:
        """Rejects ``H statements`` that would make this log unreadable."""
        if "statements" not in found.said:
            return
        if (self._contents.home / BASE_JSON).exists():
            raise refused("patch.header", "this log is a backup, which counts statements itself: publish the patch without the header 'statements'")  # fmt: skip
        if self._next:
            before = count_of(self._next[-1][1].said.get("statements", ""))
        elif self._extent.is_empty:
            before = 0 if base_of(self._contents.home) == EMPTY else None
        else:
            before = self._contents.line(self._extent.head.version, self._extent).statements
        refuse_miscounted(found, before)


def _flushed(path: Path) -> OSError | None:
    """Flushes a file to disk; returns the error if this fails."""
    try:
        sync_file(path)
    except OSError as error:
        return error
    return None
