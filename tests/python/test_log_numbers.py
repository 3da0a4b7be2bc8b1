"""The number of a file of a log is the version of its patch, so a file with two patches makes no log."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError
from jelly.log import _folder
from test_patching_cli import run


def patch(number: int) -> str:
    prev = f"H prev <u:{number - 1}> .\n" if number > 1 else ""
    return f'H id <u:{number}> .\n{prev}TX .\nA <a:s> <a:p> "{number}" .\nTC .\n'


def test_a_patch_that_is_published_during_verify_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are listed and read at different times."""
    log, verify = jelly.Log(tmp_path / "log"), jelly.verify_log
    log.publish(patch(1).encode())

    def between(*args: Any, **more: Any) -> jelly.LogReport:
        monkeypatch.undo()
        before = verify(*args, **more)
        log.publish(patch(number + 1).encode())
        return before if number == 1 else verify(*args, **more)

    for number in (1, 2):
        monkeypatch.setattr(_folder, "verify_log", between)
        assert log.verify().problems == ()
        assert log.head.version == number + 1


@pytest.mark.parametrize(
    "files", [[[1, 2]], [[1, 2], [3]], [[1, 2], [3], [4]], [[1], [2, 3]], [[1], [2], [3, 4]]]
)
def test_a_file_with_two_patches(tmp_path: Path, files: list[list[int]]) -> None:
    """Before, the head had the number of the last file, and the id of the last patch in it."""
    for number, patches in enumerate(files, 1):
        path = tmp_path / "log" / f"patch-{number:04}.rdfp"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(map(patch, patches)))
    log = jelly.Log(tmp_path / "log")
    name = next(f"patch-{n:04}.rdfp" for n, patches in enumerate(files, 1) if len(patches) > 1)
    calls: list[Callable[[], object]] = [lambda: list(log.versions()), log.read]
    if files[-1:] != [[4]]:  # the last two files are looked at
        calls += [log.info, lambda: log.head]
    for call in calls:
        with pytest.raises(PatchError, match=f"{name} has 2 patches; expected one") as caught:
            call()
        assert caught.value.kind == "patch.damaged"
    assert run(tmp_path, "log", "list", "log", code=1)[0] == ""
    (found,) = log.verify().problems
    assert found.message.startswith(f"{name} has 2 patches; expected one")
    assert (found.kind, found.source) == ("patch.damaged", str(log.folder / name))
    # as files, they are patches in the order of their chain
    assert jelly.verify_log(log.folder).ok
    assert jelly.apply(b"", log.folder, io.BytesIO(), to="nq").version == len(files) + 1
