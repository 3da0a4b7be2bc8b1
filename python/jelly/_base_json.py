"""``base.json`` of a backup: how it is written, and the time of the last dump that had nothing new."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from jelly._log_files import BASE_JSON
from jelly._whole_file import sync_folder, written_json
from jelly.errors import PatchError

_LAST = "last_dump"


def last_dump(home: Path) -> datetime | None:
    """The time of the last dump that had nothing new; None: no dump of this backup had nothing new.

    Raises:
        PatchError: What stands there is no time (``patch.damaged``).
    """
    said = json.loads((home / BASE_JSON).read_text()).get(_LAST)
    if said is None:
        return None
    try:
        return datetime.fromisoformat(said).astimezone(UTC)
    except (TypeError, ValueError):
        message = f"patch.damaged: {_LAST} of {BASE_JSON} is {said!r}; expected a time ({home})"
        raise PatchError(message, kind="patch.damaged", source=str(home)) from None


def keep_last_dump(home: Path, work: Path, time: datetime) -> None:
    """Replaces ``base.json`` with one that has the time of the last dump, if that is later."""
    known = last_dump(home)
    if known is None or known < time:
        said = json.loads((home / BASE_JSON).read_text()) | {_LAST: time.isoformat()}
        written_json(work / BASE_JSON, said).replace(home / BASE_JSON)
        sync_folder(home)
