"""``Log.pull``: a copy of a log in a folder, continued where it ended."""

from __future__ import annotations

import os
from pathlib import Path

from jelly import _internal
from jelly._log_files import BASE_JSON, LOG_JSON, name_of
from jelly._whole_file import local_path, make_folder, sync_folder, work_folder, written_json
from jelly.log._begin import said_of
from jelly.log._folder import FolderLog
from jelly.log._log import Log
from jelly.log._patch import refused
from jelly.log._there import existing
from jelly.log._types import LogInfo


def pull(source: Log, folder: str | os.PathLike[str]) -> Log:
    """Copies new versions; see :meth:`Log.pull`."""
    home = local_path(folder)
    existing(source)
    info = source.info()
    make_folder(home)
    with work_folder(home) as work:
        copy = FolderLog(home)
        if not (home / LOG_JSON).exists() and not (home / BASE_JSON).exists():
            if copy.files:
                raise refused("patch.fork", f"{home} has patches, but no {LOG_JSON}, so it is not a copy of a log", str(home))  # fmt: skip
            _begin(source, info.id, home, work, info.base)
            copy = FolderLog(home)
        version = copy.head.version
        _check(source, copy, info)
        for number in range(version + 1, info.head.version + 1):
            name = name_of(number, copy.ending)
            source._stored(number, work / name)
            with copy.alone():
                (home / name).hardlink_to(work / name)
                (work / name).unlink()
                sync_folder(home)
    if source.info().id != info.id:
        message = (
            f"the log {info.id} was deleted and created again while it was copied: pull the new "
            "log into another folder"
        )
        raise refused("patch.fork", message, str(home))
    return Log(home)


def _begin(source: Log, id: str | None, home: Path, work: Path, base: str | None) -> None:
    """Starts the copy with the same beginning as the log."""
    said: dict[str, object] = {"id": id, "ending": source._stored_ending()}
    created = source.info().created
    said["created"] = None if created is None else created.isoformat()
    if base == "empty":
        said["begins"] = base
    elif base is not None:
        name = source._copy_base(work)
        _internal.refuse_other_base(work / name)
        (work / name).replace(home / name)
        sync_folder(home)
        (work / BASE_JSON).replace(home / BASE_JSON)
    written_json(work / LOG_JSON, said).replace(home / LOG_JSON)
    sync_folder(home)


def _check(source: Log, copy: FolderLog, info: LogInfo) -> None:
    """Rejects a folder whose content differs from the log."""
    head, id, last = copy.head, info.id, info.head.version
    where = str(copy.folder)
    if said_of(copy.folder).get("id") not in (None, id):
        raise refused("patch.fork", f"{where} is a copy of another log", where)
    if head.version > last:
        raise refused("patch.fork", f"{where} has version {head.version}, but the head of the log is {last}", where)  # fmt: skip
    if head.version < copy.info().first:
        return
    if head.version == info.first - 1:
        return  # the base replaced the last patch of the copy; the next patch names it
    found = next(source.versions(head.version - 1, head.version))
    if found.id != head.id:
        raise refused("patch.fork", f"version {head.version} is {head.id} in {where}, but {found.id} in the log", where)  # fmt: skip
    if source._digest(head.version) != copy._digest(head.version):
        raise refused("patch.fork", f"version {head.version} has other rows in {where} than in the log, because the log was rewritten: pull it into a new folder", where)  # fmt: skip
    if copy.info().first == info.first and source._chain(head.version) not in (None, copy.chain(head.version)):  # fmt: skip
        raise refused("patch.fork", f"a version before {head.version} has another id or other rows in {where} than in the log, because the log was rewritten: pull it into a new folder", where)  # fmt: skip
