"""Compaction of a log in a folder: the dataset at a version replaces the patches up to that version."""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jelly._base_json import digest_of
from jelly._log_files import BASE_JSON, INDEX, stored_format
from jelly._whole_file import sync_file, sync_folder, work_folder, written_json
from jelly._writers import PatchWriter
from jelly.log._folder import FolderLog
from jelly.log._index import COMPACTED, Line, append
from jelly.log._log import Log
from jelly.log._types import Compacted

# number of files that are flushed in parallel, and number of files written per round
_FLUSHES, _ROUND = 8, 256
_BASE = re.compile(r"base(-\d+)?\.jelly\.zst")


def compact(log: FolderLog, upto: int | str) -> Compacted:
    """Compacts a log; see :meth:`jelly.Log.compact`."""
    home = log.folder
    before = _bytes(home)
    number = log.number(upto) if isinstance(upto, str) else upto
    with work_folder(home) as work:
        if number >= log.info().first:
            _begin_after(log, work, number)
        first = log.info().first
        patches = _leave_stubs(log, work)
        with log.alone():
            said = json.loads((home / BASE_JSON).read_text()) if (home / BASE_JSON).exists() else {}
            for path in home.iterdir():
                if said and _BASE.fullmatch(path.name) and path.name != said["base"]:
                    path.unlink()
    return Compacted(first - 1, int(said.get("statements", 0)), patches, before - _bytes(home))


def _begin_after(log: FolderLog, work: Path, number: int) -> None:
    """Makes the log begin with the dataset at a version."""
    home = log.folder
    part = work / f"base-{number:04}.jelly.zst"
    made = base_at(log, number, part)
    with log.alone():
        path = home / BASE_JSON
        known = json.loads(path.read_text()) if path.exists() else {}
        if known.get("version", 0) >= number:
            return  # another process has already compacted the log further
        said = after_base(known, made)
        sync_file(part)
        manifest = written_json(work / BASE_JSON, said)
        part.replace(home / part.name)
        sync_folder(home)
        manifest.replace(path)  # from here on, the log begins with the new base
        sync_folder(home)


def base_at(log: Log, number: int, part: Path) -> dict[str, Any]:
    """Writes the dataset at a version to a file; returns the entry that records it as the base of the log."""
    found = next(log.versions(number - 1, number))
    done = log.dataset(part, number, to="jelly", namespaces=True)
    return {
        "base": part.name,
        "digest": digest_of(part),
        "statements": done.statements,
        "timestamp": (found.time or datetime.now(UTC)).isoformat(),
        "version": number,
        "id": found.id,
        "compacted": number,
    }


def after_base(known: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """Returns the entry of a new base that replaces another one; ``known`` is the entry of the old base."""
    # `sha256` is the digest of the file from which the log was created, not of this base
    return {name: value for name, value in known.items() if name != "sha256"} | made


def _leave_stubs(log: FolderLog, work: Path) -> int:
    """Replaces patches by their headers and the digests of their rows, by which the log recognizes late retries.

    Returns:
        Number of patches that still had rows.
    """
    contents, extent, count = log.contents, log.contents.extent(), 0
    with ThreadPoolExecutor(_FLUSHES) as pool:
        for version in range(extent.begin, extent.first, _ROUND):
            numbers = range(version, min(version + _ROUND, extent.first))
            paths = [contents.path(number, extent) for number in numbers]
            lines = [contents.line(number, extent) for number, path in zip(numbers, paths, strict=True) if path.exists()]  # fmt: skip
            stubs = [
                _stub(work, line, extent.ending) for line in lines if COMPACTED not in line.keys
            ]
            list(pool.map(sync_file, [part for part, _ in stubs]))
            for part, line in stubs:
                part.replace(log.folder / line.name)
                contents.keep(line)
                append(log.folder, line)
            count += len(stubs)
    sync_folder(log.folder)
    return count


def _stub(work: Path, line: Line, ending: str) -> tuple[Path, Line]:
    """Writes the stub of a patch; returns its file, and the line for the index."""
    part, headers = write_stub(work, line, ending)
    stat = part.stat()
    return part, line._replace(size=stat.st_size, mtime=stat.st_mtime_ns, headers=headers)


def write_stub(work: Path, line: Line, ending: str) -> tuple[Path, list[list[str]]]:
    """Writes the headers of a patch and the digest of its rows; returns the file and the headers."""
    part, headers = work / line.name, [*line.headers, [COMPACTED, f'"{line.digest}"']]
    with PatchWriter(part, format=stored_format(ending)) as writer:
        writer.write([{"op": "H", "name": key, "value": value} for key, value in headers])
        writer.write([{"op": "Z"}])
    return part, headers


def _bytes(home: Path) -> int:
    files = (entry for entry in os.scandir(home) if entry.is_file() and entry.name != INDEX)
    return sum(entry.stat().st_size for entry in files)
