"""The files of a log in a folder: their names, and results that would replace one of them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from jelly import _internal
from jelly._whole_file import local_path

LOG_JSON = "log.json"
BASE_JSON = "base.json"
INDEX = "_index.jsonl"
MANIFESTS = (BASE_JSON, LOG_JSON)

NAME = re.compile(r"patch-(\d+)((?:\.(?:jellyp|rdfp|trp))?(?:\.(?:gz|zst|zstd))?)")
ENDING = re.compile(r"\.(jellyp|rdfp|trp)(\.(gz|zst|zstd))?")


def number_of(path: Path) -> int | None:
    """The version that the name of a patch says."""
    return int(match[1]) if (match := NAME.fullmatch(path.name)) else None


def name_of(version: int, ending: str) -> str:
    """The name of the patch that makes a version."""
    return f"patch-{version:04}{ending}"


def refuse_own_files(dest: object, folder: Path) -> None:
    """Refuses a result that would replace a file of a log or backup, or be taken for one.

    Raises:
        ValueError: ``dest`` is the path of such a file.
    """
    if not isinstance(dest, str | os.PathLike) or os.fsdecode(dest) == "-" or not folder.is_dir():
        return
    path = local_path(dest).resolve()
    if path.parent != folder.resolve():
        return
    own = {*MANIFESTS, INDEX, *(file.name for file in _internal.patch_files(folder))}
    if (folder / BASE_JSON).exists():
        own.add(_internal.backup_base(folder)[0])
    if path.name in own or NAME.fullmatch(path.name) or ENDING.search(path.name):
        message = f"{os.fsdecode(dest)}: the result would be a file of the log in {folder}; give another name or folder"
        raise ValueError(message)
