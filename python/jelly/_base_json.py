"""``base.json`` of a backup: the digest of the base, how blank nodes are compared, and the time of the last dump that had nothing new."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from jelly._apply import Ways
from jelly._log_files import BASE_JSON
from jelly._whole_file import sync_folder, written_json
from jelly.errors import PatchError

_LAST = "last_dump"
_WAY = "blank_nodes"


def way_of(home: Path, asked: Ways) -> Ways:
    """How the blank nodes of the next dump are compared: as those of the dumps before, or by matching.

    Raises:
        PatchError: Another way is requested, with which all nodes would change (``patch.labels``), or the recorded
            way is not valid (``patch.damaged``).
    """
    known = json.loads((home / BASE_JSON).read_text()).get(_WAY, "labels")
    if known not in ("match", "content", "labels"):
        raise _error("damaged", f"{_WAY} in {BASE_JSON} is {known!r}; expected match, content or labels", home)  # fmt: skip
    if asked in ("auto", known):
        return cast("Ways", known)
    if asked == "match":
        return asked
    raise _error(
        "labels",
        f"this backup compares blank nodes by {known!r}, and with {asked!r} all of them would "
        "change; use 'auto' or 'match', or a new folder",
        home,
    )


def digest_of(path: Path) -> str:
    """The SHA-256 of the bytes of a file, as ``base.json`` has that of the base."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def keep_way(home: Path, work: Path, way: Ways) -> None:
    """Replaces ``base.json`` with one that says how blank nodes are compared, if that is another way."""
    said = json.loads((home / BASE_JSON).read_text())
    if said.get(_WAY, "labels") != way:
        written_json(work / BASE_JSON, said | {_WAY: way}).replace(home / BASE_JSON)
        sync_folder(home)


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
        message = f"{_LAST} in {BASE_JSON} is {said!r}; expected a time"
        raise _error("damaged", message, home) from None


def keep_last_dump(home: Path, work: Path, time: datetime) -> None:
    """Replaces ``base.json`` with one that has the time of the last dump, if that is later."""
    known = last_dump(home)
    if known is None or known < time:
        said = json.loads((home / BASE_JSON).read_text()) | {_LAST: time.isoformat()}
        written_json(work / BASE_JSON, said).replace(home / BASE_JSON)
        sync_folder(home)


def _error(kind: str, message: str, home: Path) -> PatchError:
    kind = f"patch.{kind}"
    return PatchError(f"{kind}: {message} ({home})", kind=kind, source=str(home))
