"""How a log in a folder begins: ``log.json``, and the base that ``base.json`` names."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import uuid
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jelly import _internal
from jelly._apply import stored
from jelly._base_json import digest_of
from jelly._log_files import BASE_JSON, LOG_JSON
from jelly._whole_file import local_path, sync_folder, written_json
from jelly.errors import PatchError
from jelly.log._patch import refused_at
from jelly.types import Source

BASE = "base.jelly.zst"
BEGINS = "begins"
EMPTY = "empty"


def said_of(folder: Path) -> dict[str, Any]:
    """Returns the content of ``log.json``; an empty dict if there is no such file.

    Raises:
        PatchError: The file is damaged.
    """
    try:
        said = json.loads((folder / LOG_JSON).read_text())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError as error:
        raise refused_at("patch.damaged", f"{LOG_JSON} is incomplete or damaged: {error}", folder) from None  # fmt: skip
    return said if isinstance(said, dict) else {}


def is_log(folder: Path) -> bool:
    """Returns whether a folder has the manifest of a log."""
    return any((folder / name).exists() for name in (BASE_JSON, LOG_JSON))


def base_of(folder: Path) -> str | None:
    """Returns how a log begins: ``empty``, or the name of its base; None if the log does not record it."""
    return begin_of(folder)[0]


def begin_of(folder: Path) -> tuple[str | None, int | None]:
    """Like :func:`base_of`, with the number of statements."""
    if (folder / BASE_JSON).exists():
        return _internal.backup_base(folder)[:2]
    return (EMPTY, 0) if said_of(folder).get(BEGINS) == EMPTY else (None, None)


def said_base_of(folder: Path) -> str:
    """Like :func:`base_of`, for a log whose dataset is to be made.

    Raises:
        PatchError: The log does not record how it begins (``patch.base``).
    """
    base = base_of(folder)
    if base is None:
        raise no_base(folder)
    return base


def manifest(work: Path, ending: str, **more: object) -> Path:
    """Writes ``log.json`` of a new log into a work folder."""
    return written_json(work / LOG_JSON, fresh(ending) | more)


def fresh(ending: str) -> dict[str, Any]:
    """Returns the content of ``log.json`` of a new log."""
    return {"id": str(uuid.uuid4()), "created": datetime.now(UTC).isoformat(), "ending": ending}


def begin(
    folder: Path,
    work: Path,
    alone: AbstractContextManager[None],
    ending: str,
    base: tuple[Source, str, str] | None,
) -> bool:
    """Sets the beginning of a log in a folder: a base (source, digest of its bytes, format), or empty.

    Returns:
        Whether the log did not record before how it begins.

    Raises:
        PatchError: The log begins differently (``patch.conflict``), or it has patches and no base was given
            (``patch.base``).
    """
    wanted = None
    if base is not None and not is_nothing(base[0]):
        wanted = dumped(work, base)
        written_json(work / BASE_JSON, wanted)
    with alone:
        now = base_of(folder)
        if now is not None:
            known = json.loads((folder / BASE_JSON).read_text()) if now != EMPTY else {}
            has_patches = bool(_internal.patch_files(folder))
            refuse_other(folder, now, known.get("sha256"), wanted, has_patches=has_patches)
            return False
        if base is None and _internal.patch_files(folder):
            raise no_base(folder)
        said = said_of(folder)
        if not said:
            more = {BEGINS: EMPTY} if wanted is None else {}
            manifest(work, ending, **more)
        elif wanted is None:
            written_json(work / LOG_JSON, said | {BEGINS: EMPTY})
        if wanted is not None:
            (work / BASE).replace(folder / BASE)
            sync_folder(folder)
            (work / BASE_JSON).replace(folder / BASE_JSON)
        with suppress(FileNotFoundError):
            (work / LOG_JSON).replace(folder / LOG_JSON)
        sync_folder(folder)
    return True


def is_nothing(base: Source) -> bool:
    """Returns whether a base is no bytes: a log with this base begins empty."""
    return isinstance(base, bytes | bytearray | memoryview) and not base


def dumped(work: Path, base: tuple[Source, str, str]) -> dict[str, Any]:
    """Writes a base into a work folder, in the form that a log stores; returns its entry for ``base.json``."""
    source, digest, format = base
    asked = {"base_format": format, "namespaces": True}
    done, way = stored(source, work / BASE, asked, None)
    now = datetime.now(UTC).isoformat()
    return {
        "base": BASE,
        "digest": digest_of(work / BASE),
        "statements": done.statements,
        "timestamp": now,
        "sha256": digest,
        "blank_nodes": way,
    }


def refuse_other(
    place: object,
    now: str,
    digest: str | None,
    wanted: dict[str, Any] | None,
    *,
    has_patches: bool,
) -> None:
    """Rejects a beginning that differs from the beginning of an existing log.

    Args:
        place: The place of the log.
        now: How the log begins: ``empty``, or the name of its base.
        digest: Digest of the bytes from which the existing base was made.
        wanted: The entry of the given base, as the log would store it; None if the log is to begin empty.
        has_patches: Whether the log has patches.

    Raises:
        PatchError: The beginnings differ (``patch.conflict``).
    """
    if not has_patches:
        if wanted is None and now == EMPTY:
            return
        if wanted is not None and now != EMPTY and digest == wanted["sha256"]:
            return
    what = "empty" if now == EMPTY else f"with the base {now}"
    patches = ", and has patches" if has_patches else ""
    message = f"a log exists here already; it begins {what}{patches}"
    raise refused_at("patch.conflict", message, place)


def with_digest(base: Source, work: Path) -> tuple[Source, str]:
    """Returns a base that can be read again, and the SHA-256 of its bytes."""
    if isinstance(base, bytes | bytearray | memoryview):
        return base, hashlib.sha256(base).hexdigest()
    if isinstance(base, str | os.PathLike) and os.fsdecode(base) != "-":
        return base, digest_of(local_path(base))
    digest, copy = hashlib.sha256(), work / "given"
    with copy.open("wb") as file:
        for piece in _pieces(base):
            digest.update(piece)
            file.write(piece)
    return copy, digest.hexdigest()


def _pieces(source: Any) -> Iterable[bytes]:
    if isinstance(source, str):
        source = sys.stdin.buffer
    return iter(lambda: source.read(1 << 20), b"") if hasattr(source, "read") else source


def no_base(folder: object) -> PatchError:
    """Returns the error for a log that does not record how it begins."""
    message = (
        "this log does not record what it begins with, so no dataset can be made; record it once "
        'with `jelly log create`: with --base FILE, or --empty (`base=b""` in Python)'
    )
    return refused_at("patch.base", message, folder)
