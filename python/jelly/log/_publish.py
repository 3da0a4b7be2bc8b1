"""Publishing to the folder of a log: each patch gets the next number, whole, or is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from jelly import _internal
from jelly._base_json import last_dump
from jelly._log_files import BASE_JSON, LOG_JSON, name_of
from jelly._whole_file import sync_folder
from jelly.log._begin import is_log, manifest
from jelly.log._contents import Contents, Extent
from jelly.log._patch import Prepared, refuse_miscounted, refuse_time, refused
from jelly.log._types import Head, Published, time_of


def publish(
    contents: Contents,
    found: Prepared,
    expect: int | str | None,
    *,
    is_counted: bool = False,
    check: Callable[[Head], None] | None = None,
) -> Published:
    """Publishes a patch that was read and checked.

    Args:
        contents: Of the folder.
        found: The patch.
        expect: Number or id of the patch that must be the head.
        is_counted: The patch has the number of statements that a backup counted.
        check: May refuse to come after a head.

    Raises:
        PatchError: As of :meth:`jelly.Log.publish`.
    """
    while True:
        with contents.turn:
            done = _attempt(contents, found, expect, is_counted, check)
        if done is not None:
            return done  # else another one was published while this one was written


def _attempt(
    contents: Contents,
    found: Prepared,
    expect: int | str | None,
    is_counted: bool,
    check: Callable[[Head], None] | None,
) -> Published | None:
    """Publishes after the head that is there now; None: it is there no more."""
    home, extent, said = contents.home, contents.quick_extent(), found.summary
    head, known = extent.head, contents.find(said.identity)
    made = _internal.place_patch(
        (said.id, said.prev, said.digest), expect, head, known and (known.version, known.digest)
    )
    if made is not None and known is not None:
        sync_folder(home)
        path = contents.path(made, extent)
        return Published(made, known.id or "", known.prev, path, replayed=True)
    if check is not None:
        check(head)
    if not is_counted:
        _refuse_damage(contents, extent)
        refuse_time(found, _last_time(contents, extent))
        _refuse_miscounted(contents, found, extent)
    version = head.version + 1
    name = name_of(version, extent.ending)
    work = found.copy.parent
    part, path = work / name, home / name
    written = found.write(part, extent.ending, head.id)
    with contents.alone():
        if extent.is_empty and contents.files:  # the first one, perhaps under another ending
            contents.forget()
            return None
        if extent.is_empty and not is_log(home):
            manifest(work, extent.ending).replace(home / LOG_JSON)
            sync_folder(home)
        try:
            path.hardlink_to(part)
        except FileExistsError:
            contents.forget()
            return None
        sync_folder(home)
    contents.grow(extent, path, written)
    return Published(version, written.id or "", written.prev, path, replayed=False)


def _refuse_damage(contents: Contents, extent: Extent) -> None:
    """Refuses a log that is no chain of patches; reads only those that the index does not know.

    The check is made once, and again when the folder was changed by others.
    """
    if contents.is_chain:
        return
    versions = range(extent.first, extent.head.version + 1)
    facts = [
        (
            str(contents.home / line.name),
            0,
            [(key, value) for key, value in line.headers],
            None,
            False,
            bool(line.added or line.deleted or line.prefixes),
            line.added - line.deleted,
        )
        for line in (contents.line(version, extent) for version in versions)
    ]
    _internal.order_log(facts, {})
    contents.is_chain = True


def _last_time(contents: Contents, extent: Extent) -> datetime | None:
    """The time of a backup: of its last version, or of a dump after it that had nothing new."""
    home = contents.home
    if not (home / BASE_JSON).exists():
        return None
    times = (
        time_of(_internal.backup_base(home)[2]),
        last_dump(home),
        contents.index(extent).time_before(extent.head.version + 1),
    )
    return max((time for time in times if time), default=None)


def _refuse_miscounted(contents: Contents, found: Prepared, extent: Extent) -> None:
    """Refuses ``H statements`` that would make this log unreadable."""
    if "statements" not in found.said:
        return
    if (contents.home / BASE_JSON).exists():
        raise refused("patch.header", "this log is a backup, which counts its statements itself: publish the patch without the header 'statements'")  # fmt: skip
    if extent.is_empty:
        return
    refuse_miscounted(found, contents.line(extent.head.version, extent).statements)
