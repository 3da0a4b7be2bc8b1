"""The cases of ``tests/cases/logs.json``: what patches say of themselves, and the order or error that comes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jelly import _internal
from jelly.errors import PatchError

Case = dict[str, Any]
CASES: dict[str, Case] = {
    case["name"]: case
    for case in json.loads((Path(__file__).parents[1] / "cases/logs.json").read_bytes())
    if "distant" not in case  # the manifest of a folder that is not local
}


def write(case: Case, folder: Path) -> Path:
    """The folder of a case, in RDF Patch text."""
    folder.mkdir()
    for name, text in case.get("others", {}).items():
        (folder / name).write_text(text)
    for name, patches in case["files"]:
        (folder / name).write_text("Z .\n".join(map(_text, patches)))
    return folder


def _text(patch: dict[str, Any]) -> str:
    rows = [
        f"H {'id' if key == 'more' else key} {patch[key]} ."
        for key in ("id", "more", "prev")
        if key in patch
    ]
    if "statements" in patch:
        rows.append(f'H statements "{patch["statements"]}" .')
    rows.append("TX .")
    rows += [f'A <u:s> <u:p> "{number}" .' for number in range(patch.get("adds", 1))]
    rows += [] if patch.get("unfinished") else ["TC ."]
    rows += ["TC ."] if patch.get("stray") else []
    return "".join(f"{row}\n" for row in rows)


SPELLINGS = ("{}/{}", "file://{}/{}", "{}/./{}", "{}//{}", "file:{}/{}")
"""Ways to write one path."""


def facts(case: Case, folder: Path, spellings: Sequence[str] = SPELLINGS[:1]) -> list[Any]:
    """What :func:`jelly._internal.order_log` takes, in the order of the case; paths are written in all these ways."""
    found: list[Any] = []
    for place, (name, patches) in enumerate(case["files"]):
        source = spellings[place % len(spellings)].format(folder, name)
        for number, patch in enumerate(patches):
            headers = [(key, patch[key]) for key in ("id", "prev") if key in patch]
            if "more" in patch:
                headers.append(("ID", patch["more"]))
            if "statements" in patch:
                headers.append(("statements", f'"{patch["statements"]}"'))
            unfinished = 0 if patch.get("unfinished") else None
            stray = bool(patch.get("stray"))
            found.append((source, number, headers, unfinished, stray, True, patch.get("adds", 1)))  # fmt: skip
    return found


def outcome(case: Case, folder: Path, given: list[Any]) -> dict[str, Any]:
    """What the core says of facts, in the words of a case; ``given`` may be in any order."""
    names = enumerate(facts(case, folder))
    places = {(Path(one[0]).name, one[1]): place for place, one in names}
    try:
        log = _internal.order_log(given, {})
    except PatchError as error:
        return said(error)
    order = [places[Path(given[place][0]).name, given[place][1]] for place in log.order]
    return {"order": order, "before": log.before, "by_name": bool(log.by_name)}


def said(error: PatchError) -> dict[str, Any]:
    """Kind and message of an error, without its place."""
    message = str(error).removeprefix(f"{error.kind}: ").split(" (")[0]
    return {"kind": error.kind, "message": message}


def expected(case: Case) -> dict[str, Any]:
    """What must come of a case."""
    if "kind" in case:
        return {"kind": case["kind"], "message": case["message"]}
    return {key: case.get(key, default) for key, default in [("order", []), ("before", 0), ("by_name", False)]}  # fmt: skip
