"""Logs that a crash cut off, and ``unfinished="drop"``: the same outcome for one file after another, in any packaging."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError

ENDS = {"in a row": 'A <a:s> <a:p> "x', "in a transaction": ""}


def rows(number: int, end: str, ids: bool) -> str:
    head = f"H id <u:{number}> .\n" if ids else ""
    head += f"H prev <u:{number - 1}> .\n" if ids and number > 1 else ""
    return f'{head}TX .\nA <a:s> <a:p> "{number}" .\n{end}'


def in_list(folder: Path, names: list[str]) -> list[Path]:
    return [folder / name for name in names]


def in_folder(folder: Path, _: list[str]) -> Path:
    return folder


NAMES = ["patch-000{}.rdfp", "log{}.rdfp"]
DOORS: dict[str, Callable[[Any], int]] = {
    "apply": lambda log: jelly.apply(b"", log, io.BytesIO(), base_format="nq", to="nq", unfinished="drop").version,
    "squash": lambda log: jelly.squash(log, io.BytesIO(), to="rdfp", unfinished="drop").patches,
    "history": lambda log: len(list(jelly.history(log, subject="<a:s>", unfinished="drop"))),
}  # fmt: skip


def written(folder: Path, name: str, cut: int, count: int, end: str, ids: bool) -> list[str]:
    names = [name.format(number) for number in range(1, count + 1)]
    for number, file in enumerate(names, 1):
        (folder / file).write_text(rows(number, end if number == cut else "TC .\n", ids))
    return names


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("given", [in_list, in_folder])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cut", [2, 3])
@pytest.mark.filterwarnings("ignore:the patches are applied in the order")
def test_one_of_three_patches(
    cut: int, name: str, given: Any, end: str, ids: bool, door: str, tmp_path: Path
) -> None:
    """A cut in the last patch is accepted; patches after the cut are an error."""
    names = written(tmp_path, name, cut, 3, ENDS[end], ids)
    if cut == 3:
        assert DOORS[door](given(tmp_path, names)) == 2
        return
    with pytest.raises(PatchError, match="left out because it is unfinished") as caught:
        DOORS[door](given(tmp_path, names))
    assert caught.value.kind == "patch.gap"
