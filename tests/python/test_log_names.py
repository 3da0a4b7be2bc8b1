"""Folders of patches whose names differ: each way to use the log names both files, and what it says mends the log."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import jelly
from asgi import ask
from jelly.errors import PatchError

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.service import app

NAMES = {
    "other endings": ("patch-0001.rdfp", "patch-0002.jellyp", "patch-0001.jellyp"),
    "no ending": ("patch-0001", "patch-0002.rdfp", "patch-0001.rdfp"),
    "compressed": ("patch-0001.rdfp.gz", "patch-0002.rdfp", "patch-0001.rdfp"),
    "fewer digits": ("patch-1.rdfp", "patch-0002.rdfp", "patch-0001.rdfp"),
}
FIRST = b'H id <u:1> .\nTX .\nA <a:s> <a:p> "1" .\nTC .\n'
SECOND = b'H id <u:2> .\nH prev <u:1> .\nTX .\nA <a:s> <a:p> "2" .\nTC .\n'
DOORS: dict[str, Callable[[jelly.Log], object]] = {
    "head": lambda log: log.head,
    "info": lambda log: log.info(),
    "versions": lambda log: list(log.versions()),
    "read": lambda log: list(log.read().rows()),
    "fetch": lambda log: log.fetch(1, io.BytesIO()),
    "publish": lambda log: log.publish(b'A <a:s> <a:p> "3" .\n'),
    "dataset": lambda log: log.dataset(io.BytesIO(), to="nq"),
    "compact": lambda log: log.compact(1),
    "pull": lambda log: log.pull(log.folder.parent / "copy"),
}


def made(folder: Path, first: str, second: str) -> None:
    folder.mkdir(parents=True)
    for name, text in ((first, FIRST), (second, SECOND)):
        with jelly.PatchWriter(folder / name, format="auto" if "." in name else "rdfp") as writer:
            writer.write(jelly.read_patch(text))


@pytest.mark.parametrize("case", NAMES)
def test_a_patch_with_another_name_is_an_error_that_says_what_to_do(case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:  # fmt: skip
    first, second, wanted = NAMES[case]
    folder = tmp_path / "logs" / "m"
    made(folder, first, second)
    message = f"{first} must be named {wanted}, with four digits and the ending of the last patch, {second}: write {wanted} with `jelly convert {first} {wanted}`"
    for name, door in DOORS.items():
        with pytest.raises(PatchError) as caught:
            door(jelly.Log(folder))
        assert message in str(caught.value), name
        assert (caught.value.kind, caught.value.source) == ("patch.damaged", str(folder)), name
    report = jelly.Log(folder).verify()
    assert [(one.kind, one.source) for one in report.problems] == [("patch.damaged", str(folder / first))]  # fmt: skip
    assert message in report.problems[0].message
    caplog.clear()
    assert ask(app(tmp_path / "logs"), "GET", "/m/versions").status == 500
    assert message in caplog.text
    reply = ask(app(tmp_path / "logs"), "POST", "/m", b'A <a:s> <a:p> "3" .\n', ("content-type", "application/rdf-patch"))  # fmt: skip
    assert json.loads(reply.body)["detail"].startswith(f"patch.damaged: {message}"), reply.body
    assert str(tmp_path).encode() not in reply.body
    assert jelly.apply(b"", folder, tmp_path / "out.nq", base_format="nq").version == 2

    jelly.convert(folder / first, folder / wanted)
    (folder / first).unlink()
    log = jelly.Log(folder)
    assert log.verify().ok
    assert [version.id for version in log.versions()] == ["<u:1>", "<u:2>"]
    assert log.publish(b'A <a:s> <a:p> "3" .\n').version == 3
    assert ask(app(tmp_path / "logs"), "GET", "/m/versions").status == 200


def test_the_headers_of_compacted_patches_with_another_name(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "m", ending=".rdfp")
    for text in (FIRST, SECOND):
        log.publish(text)
    log.compact(1)
    (log.folder / "patch-0001.rdfp").rename(log.folder / "patch-0001.trp")
    with pytest.raises(PatchError, match=r"patch-0001\.trp must be named patch-0001\.rdfp"):
        list(jelly.Log(log.folder).versions(1))
