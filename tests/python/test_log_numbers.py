"""The number of a file of a log is the version of its patch, so a file with two patches makes no log."""

import io
from pathlib import Path

import pytest

import jelly
from jelly.errors import PatchError
from test_patching_cli import run


def patch(number: int) -> str:
    prev = f"H prev <u:{number - 1}> .\n" if number > 1 else ""
    return f'H id <u:{number}> .\n{prev}TX .\nA <a:s> <a:p> "{number}" .\nTC .\n'


@pytest.mark.parametrize("files", [[[1, 2]], [[1, 2], [3]], [[1], [2, 3]], [[1], [2], [3, 4]]])
def test_a_file_with_two_patches(tmp_path: Path, files: list[list[int]]) -> None:
    """Before, the head had the number of the last file, and the id of the last patch in it."""
    for number, patches in enumerate(files, 1):
        path = tmp_path / "log" / f"patch-{number:04}.rdfp"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(map(patch, patches)))
    log = jelly.Log(tmp_path / "log")
    name = next(f"patch-{n:04}.rdfp" for n, patches in enumerate(files, 1) if len(patches) > 1)
    for call in (log.info, lambda: log.head, lambda: list(log.versions()), log.read):
        with pytest.raises(PatchError, match=f"{name} has 2 patches; expected one") as caught:
            call()
        assert caught.value.kind == "patch.damaged"
    assert run(tmp_path, "log", "list", "log", code=1)[0] == ""
    found = log.verify().problems
    assert [one.kind for one in found] == ["patch.damaged"]
    assert (
        found[0].message
        == f"{len(files)} files have {len(files) + 1} patches; expected one in each file"
    )
    # as files, they are patches in the order of their chain
    assert jelly.verify_log(log.folder).ok
    assert jelly.apply(b"", log.folder, io.BytesIO(), to="nq").version == len(files) + 1
