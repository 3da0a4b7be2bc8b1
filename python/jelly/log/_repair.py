"""Sets aside the patches after a missing one, so that patches can be published to the log again."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from jelly import _internal
from jelly._log_files import BASE_JSON, INDEX, LOG_JSON, STATES, number_of
from jelly._whole_file import local_path, sync_folder
from jelly.log._folder import FolderLog
from jelly.log._there import existing


class Repaired(NamedTuple):
    """Summary of the patches that were set aside.

    Attributes:
        head: The last remaining version.
        moved: The files that came after the missing patch, at their new places.
        lost: Number of versions that the index records and that are gone.
    """

    head: int
    moved: tuple[Path, ...]
    lost: int


def repair(folder: Path | str) -> Repaired:
    """Moves the patches after the first missing one aside.

    The index and the datasets that a server kept are deleted, because they can be made again; nothing else is
    deleted. A log without a missing patch is not changed.

    Raises:
        PatchError: ``base.json`` or ``log.json`` is damaged.
        ValueError: The folder is not a log of ``patch-0001`` and so on.
        FileNotFoundError: There is no log in the folder.
        OSError: Reading or writing failed.
    """
    home = local_path(folder)
    log = FolderLog(home)
    existing(log)
    files = [(number_of(path), path) for path in _internal.patch_files(home)]
    if any(number is None for number, _ in files):
        raise ValueError(f"{home}: only logs of patch-0001, patch-0002 and so on can be repaired")
    with log.alone():
        head = _before(home, files[0][0] if files else None)
        behind: list[Path] = []
        for number, path in files:
            if number == head + 1 and not behind:
                head = number
            else:
                behind.append(path)
        last = _internal.log_known_end(home) or 0
        lost = max(0, last - head - len(behind))
        if not behind and not lost:
            return Repaired(head, (), 0)
        moved: list[Path] = []
        if behind:
            aside = home / f"aside-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
            aside.mkdir()
            moved = [path.replace(aside / path.name) for path in behind]
            sync_folder(aside)
        (home / INDEX).unlink(missing_ok=True)
        if (home / STATES).exists():  # datasets of versions whose numbers will be used again
            shutil.rmtree(home / STATES)
        sync_folder(home)
    return Repaired(head, tuple(moved), lost)


def _before(home: Path, first: int | None) -> int:
    """Returns the version before the first patch."""
    if (home / BASE_JSON).exists():
        return _internal.backup_base(home)[3]
    return 0 if (home / LOG_JSON).exists() or first is None else first - 1
