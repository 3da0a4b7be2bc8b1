"""Compaction of a log in an object store: ``log.json`` is replaced only if it has not changed since it was read."""

from __future__ import annotations

import tempfile
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from jelly._log_files import stored_format
from jelly.log._begin import BEGINS
from jelly.log._compact import after_base, base_at, write_stub
from jelly.log._guard import Guard
from jelly.log._index import COMPACTED, Line
from jelly.log._manifest import Said, first_of
from jelly.log._object import ObjectLog
from jelly.log._patch import refused_at, summary_of
from jelly.log._types import Compacted

# number of objects that are read and written in parallel
_AT_ONCE = 16
# members of the base in `log.json`: the former bases, which must be deleted, and the version up to
# which patches are stubs
_FORMER, _STUBS = "former", "stubs"
# counts the deletions of unreferenced bases; a base that was written before a deletion and is named
# after it may be gone
_SWEEPS = "sweeps"
# a compaction may be about to name a base that is not referenced yet
_YOUNG = timedelta(hours=1)
# a header without meaning
_PADDING = "padding"


def compact(log: ObjectLog, upto: int | str) -> Compacted:
    """Compacts a log; see :meth:`jelly.Log.compact`."""
    number = log.number(upto) if isinstance(upto, str) else upto
    first, id = log.info().first, log.info().id
    freed = 0
    with tempfile.TemporaryDirectory() as folder:
        if number >= first:
            freed -= _begin_after(log, Path(folder), number)
        lines, first = log.found()
        said: Said = log.manifest.said or {}
        base = said.get("base", {})
        versions = range(base.get(_STUBS, 0) + 1, first)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            sizes = list(pool.map(lambda at: _leave_stub(log, Path(folder), lines.line(at)), versions))  # fmt: skip
    left = [size for size in sizes if size is not None]
    if id is not None and (versions or _FORMER in base):
        freed += sum(left) + _settle(log, id, base)
    if id is not None:
        freed += _sweep(log, id)
    return Compacted(first - 1, int(base.get("statements", 0)), len(left), freed)


def _begin_after(log: ObjectLog, work: Path, number: int) -> int:
    """Makes the log begin with the dataset at a version; returns the size of the new base in bytes."""
    guard: Guard = log.guard(number - 1, number)
    id = str((log.manifest.said or {}).get("id"))
    part = work / "base.jelly.zst"
    made = base_at(log, number, part)
    data = part.read_bytes()
    while True:
        guard.check()
        sweeps = (log.manifest.said or {}).get(_SWEEPS, 0)
        name = f"base-{uuid.uuid4()}.jelly.zst"
        log.objects.create(name, data)

        def after(said: Said, name: str = name, sweeps: int = sweeps) -> Said | None:
            if first_of(said) > number or said.get(_SWEEPS, 0) != sweeps:
                return None  # compacted further meanwhile, or the new base may be gone
            known: dict[str, Any] = said.get("base", {})
            former = [*known.get(_FORMER, ()), *([known["base"]] if known else ())]
            base = after_base(known, made | {"base": name}) | {_FORMER: former}
            return said | {BEGINS: "base", "base": base}

        said = log.manifest.change(id, after)  # from here on, the log begins with the new base
        if said.get("base", {}).get("base") == name:
            return len(data)
        log.objects.delete(name)
        if first_of(said) > number:
            return 0


def _sweep(log: ObjectLog, id: str) -> int:
    """Deletes unreferenced bases, which a compaction leaves if it is killed before it names its base.

    A compaction that has not named its base yet detects the deletion by the counter, and writes its base again.

    Returns:
        Number of deleted bytes.
    """
    left: list[str] = []

    def after(said: Said) -> Said | None:
        base, old = said.get("base", {}), datetime.now(UTC) - _YOUNG
        named = {base.get("base"), *base.get(_FORMER, ())}
        found = log.objects.dated("base-").items()
        left[:] = [name for name, made in found if name not in named and made <= old]
        return said | {_SWEEPS: said.get(_SWEEPS, 0) + 1} if left else None

    log.manifest.change(id, after)
    return sum(map(log.objects.delete, left))


def _leave_stub(log: ObjectLog, work: Path, line: Line) -> int | None:
    """Replaces a patch by its headers and the digest of its rows.

    Returns:
        The bytes by which the object shrank; None if the object had no rows any more.
    """
    found = log.objects.get(line.name)
    ending = line.name[line.name.index(".") :]
    if found is None:
        return None
    if len(found.data) != line.size or COMPACTED in line.keys:
        said = summary_of(found.data, patch_format=stored_format(ending), takes_positions=True).said
        if COMPACTED in said:
            return None
        message = (
            f"{line.name} had {line.size} bytes, but the stored file now has {len(found.data)}"
        )
        raise refused_at("patch.damaged", message, log.place)
    data = _stub(work, line, ending)
    if len(data) == len(found.data):  # readers detect the replacement by the size
        data = _stub(work, line._replace(headers=[*line.headers, [_PADDING, '""']]), ending)
    if log.objects.replace(line.name, data, found.tag) is not None:
        return None  # another process replaced it first
    return len(found.data) - len(data)


def _stub(work: Path, line: Line, ending: str) -> bytes:
    part, _ = write_stub(work, line, ending)
    data = part.read_bytes()
    part.unlink()
    return data


def _settle(log: ObjectLog, id: str, done: Said) -> int:
    """Deletes the former bases, and records that this work is complete; returns the number of deleted bytes."""
    freed = sum(log.objects.delete(name) for name in done.get(_FORMER, ()))

    def after(said: Said) -> Said | None:
        base: Said = said.get("base", {})
        if base.get("base") != done["base"]:
            return None
        kept = {name: value for name, value in base.items() if name != _FORMER}
        return said | {"base": kept | {_STUBS: done["version"]}}

    log.manifest.change(id, after)
    return freed
