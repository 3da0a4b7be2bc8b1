"""Compacting a log in an object store: what names the new base is replaced only in the state that was read."""

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

# objects that are read and written at once
_AT_ONCE = 16
# members of what `log.json` says of a base: the one before, which is to be deleted, and how far only headers are left
_FORMER, _STUBS = "former", "stubs"
# how often bases that nothing named were deleted; one that is made before that, and named after it, may be gone
_SWEEPS = "sweeps"
# a base that nothing names may be one that a compaction is about to name
_YOUNG = timedelta(hours=1)
# a header without a meaning
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
    """Makes the log begin with the dataset at a version; returns the bytes of the new base."""
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
                return None  # somebody else compacted it further meanwhile, or may have deleted the new base
            known: dict[str, Any] = said.get("base", {})
            former = [*known.get(_FORMER, ()), *([known["base"]] if known else ())]
            base = after_base(known, made | {"base": name}) | {_FORMER: former}
            return said | {BEGINS: "base", "base": base}

        said = log.manifest.change(id, after)  # from here on it begins there
        if said.get("base", {}).get("base") == name:
            return len(data)
        log.objects.delete(name)
        if first_of(said) > number:
            return 0


def _sweep(log: ObjectLog, id: str) -> int:
    """Deletes bases that nothing names, as a compaction leaves one that is killed before it names it.

    A compaction that is still to name one of these notices by the count, and makes it again.

    Returns:
        The bytes of what it deleted.
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
    """Leaves the headers of a patch and the digest of its rows.

    Returns:
        The bytes that the object has less; None: it had no rows any more.
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
    if len(data) == len(found.data):  # readers know by the size that it is another one
        data = _stub(work, line._replace(headers=[*line.headers, [_PADDING, '""']]), ending)
    if log.objects.replace(line.name, data, found.tag) is not None:
        return None  # somebody else was faster
    return len(found.data) - len(data)


def _stub(work: Path, line: Line, ending: str) -> bytes:
    part, _ = write_stub(work, line, ending)
    data = part.read_bytes()
    part.unlink()
    return data


def _settle(log: ObjectLog, id: str, done: Said) -> int:
    """Deletes the bases before, and records that nothing is left to do; returns the bytes of what it deleted."""
    freed = sum(log.objects.delete(name) for name in done.get(_FORMER, ()))

    def after(said: Said) -> Said | None:
        base: Said = said.get("base", {})
        if base.get("base") != done["base"]:
            return None
        kept = {name: value for name, value in base.items() if name != _FORMER}
        return said | {"base": kept | {_STUBS: done["version"]}}

    log.manifest.change(id, after)
    return freed
