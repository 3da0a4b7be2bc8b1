"""The names of the files of a log in a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

LOG_JSON = "log.json"
BASE_JSON = "base.json"
INDEX = "_index.jsonl"
STATES = "_states"

NAME = re.compile(r"patch-(\d+)((?:\.(?:jellyp|rdfp|trp))?(?:\.(?:gz|zst|zstd))?)")
ENDING = re.compile(r"\.(jellyp|rdfp|trp)(\.(gz|zst|zstd))?")


def number_of(path: Path) -> int | None:
    """The version that the name of a patch says."""
    return int(match[1]) if (match := NAME.fullmatch(path.name)) else None


def name_of(version: int, ending: str) -> str:
    """The name of the patch that makes a version."""
    return f"patch-{version:04}{ending}"


def stored_format(ending: str) -> Literal["jelly-patch", "rdfp", "trp"]:
    """The format of the files with an ending."""
    if ending.startswith(".jellyp"):
        return "jelly-patch"
    return "trp" if ending.startswith(".trp") else "rdfp"


def other_name(files: Sequence[Path]) -> tuple[Path, str] | None:
    """Finds a patch of a log whose name is not like that of the last patch, so that its version has no file.

    Returns:
        The file, and what to do.
    """
    last = NAME.fullmatch(files[-1].name) if files else None
    for path in files if last else ():
        number = number_of(path)
        if last and number is not None and path.name != (name := name_of(number, last[2])):
            return path, f"{path.name} must be named {name}, with four digits and the ending of the last patch, {last[0]}: write {name} with `jelly convert {path.name} {name}`, and then delete {path.name}"  # fmt: skip
    return None
