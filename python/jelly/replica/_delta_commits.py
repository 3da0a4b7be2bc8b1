"""Commits of a table of Delta Lake: those of the replica in it, and what other programs did after them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from jelly.replica._refused import changed, refused

META = "jelly.replica"
"""The metadata of commits that has what a replica remembers."""

Actions = list[dict[str, Any]]


def read_actions(fs: Any, number: int) -> Actions:
    """The actions of a commit.

    Raises:
        FileNotFoundError: The log of the table does not have it.
    """
    with fs.open_input_stream(f"_delta_log/{number:020}.json") as file:
        return [json.loads(line) for line in file.read().splitlines() if line.strip()]


def remembered(number: int, read: Callable[[int], Actions], table: str) -> str:
    """What the replica remembered when it made the rows that a version of the table has.

    Others may change where rows lie and what the table is called. A restored version of the replica
    is that version again.

    Raises:
        ReplicaError: Another program changed rows, or no commit is of a replica.
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
        pass  # before what the log still has
    raise refused("table", "this Delta Lake table is not a replica", table)


def _restored(info: Mapping[str, Any]) -> int | None:
    """The version that a commit restored, where it names one."""
    if info.get("operation") != "RESTORE":
        return None
    target = str(info.get("operationParameters", {}).get("version"))
    return int(target) if target.isdecimal() else None


def _changes_rows(action: Mapping[str, Any]) -> bool:
    return any(action[name].get("dataChange", True) for name in ("add", "remove") if name in action)
