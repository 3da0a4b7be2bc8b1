"""Replicas in tests: what is in them, and logs for them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import patch_model as model
from jelly.replica import Replica

FORMATS = ["parquet", "delta"]


def quads(replica: Replica, version: int | None = None) -> set[model.Quad]:
    """The quads of a version, tags in lower case; none is there twice."""
    rows = [tuple(row.values()) for row in replica.read(version).read_all().to_pylist()]
    found = {model.folded(row) for row in rows}
    assert len(found) == len(rows)
    return found


def states(base: set[model.Quad], log: list[model.Patch]) -> list[set[model.Quad]]:
    """The dataset at each version."""
    return [model.applied(base, log[:version]) for version in range(len(log) + 1)]


def create(table: Path, base: list[model.Quad], log: list[model.Patch], **options: Any) -> Replica:
    """A replica that can follow a log of the model, whose first patch may come after another one."""
    if log and log[0] and log[0][0].op == "H":
        options["id"] = "u:0"
    return Replica.create(table, model.nquads(base), base_format="nq", **options)


def numbered(number: int) -> model.Quad:
    return f"<a:s{number // 4}>", f"<a:p{number % 4}>", f'"{number}"', ""


def long_log(rng: random.Random, patches: int, changes: int, quads: int) -> list[model.Patch]:
    """Patches with ids, of many quads."""
    log = []
    for number in range(1, patches + 1):
        rows = [model.Row(rng.choice("AD"), numbered(rng.randrange(quads))) for _ in range(changes)]
        head = [
            model.Row("H", ("id", f"<u:{number}>")),
            model.Row("H", ("prev", f"<u:{number - 1}>")),
        ]
        log.append([*head, model.Row("TX"), *rows, model.Row("TC")])
    return log


def files(table: Path) -> set[str]:
    """All files of rows that lie in the folder of a table, whether they count or not."""
    if (table / "_replica").is_dir():
        return {f"_replica/files/{path.name}" for path in (table / "_replica" / "files").iterdir()}
    return {str(path.relative_to(table)) for path in table.rglob("*.parquet") if "_delta_log" not in path.parts}  # fmt: skip


def live(replica: Replica) -> set[str]:
    """The files of the last version."""
    state = replica._store.load()
    return {file.path for file in (*state.files, state.adds, state.deletes) if file is not None}
