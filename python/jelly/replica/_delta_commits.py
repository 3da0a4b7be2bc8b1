"""Commits of a Delta Lake table: commits of its replica, and later commits of other programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from jelly.replica._refused import changed, refused

META = "jelly.replica"
"""The key in the metadata of commits under which a replica stores its own metadata."""

Actions = list[dict[str, Any]]


def read_actions(fs: Any, number: int) -> Actions:
    """Reads the actions of a commit.

    Raises:
        FileNotFoundError: The transaction log of the table does not have the commit.
    """
    with fs.open_input_stream(f"_delta_log/{number:020}.json") as file:
        return [json.loads(line) for line in file.read().splitlines() if line.strip()]


def remembered(number: int, read: Callable[[int], Actions], table: str) -> str:
    """Returns the metadata of the replica for the rows in a version of the table.

    Other programs may change the layout of the rows and the name of the table. A restored version of the replica
    counts as that version again.

    Raises:
        ReplicaError: Another program changed rows, or no commit belongs to a replica.
    """
    foreign: tuple[int, Mapping[str, Any]] | None = None
    try:
        while number >= 0:
            actions = read(number)
            info: dict[str, Any] = next(
                (one["commitInfo"] for one in actions if "commitInfo" in one), {}
            )
            if META in info:
                if foreign is not None:
                    raise changed(*foreign, table)
                return str(info[META])
            target = _restored(info)
            if target is not None and target < number:
                number = target
                continue
            if any(map(_changes_rows, actions)):
                foreign = number, info
            number -= 1
    except FileNotFoundError:
        pass  # older than the transaction log
    raise refused("table", "this Delta Lake table is not a replica", table)


def _restored(info: Mapping[str, Any]) -> int | None:
    """Returns the version that a commit restored, if the commit names one."""
    if info.get("operation") != "RESTORE":
        return None
    target = str(info.get("operationParameters", {}).get("version"))
    return int(target) if target.isdecimal() else None


def _changes_rows(action: Mapping[str, Any]) -> bool:
    return any(action[name].get("dataChange", True) for name in ("add", "remove") if name in action)
