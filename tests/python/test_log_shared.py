"""Processes that publish to one folder in turn: each checks what the others published, and sees all else that they did."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
import jelly.log._disorder as module
from jelly.errors import JellyError


def patch(n: int, *headers: str) -> bytes:
    said = "".join(f"H {header} .\n" for header in headers)
    return f'H id <x:{n}> .\n{said}TX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode()


def file(folder: Path, version: int, text: bytes) -> None:
    """A file that no publisher made; it appears whole, and the index does not know it."""
    part = folder / ".part"
    part.write_bytes(text)
    part.replace(folder / f"patch-{version:04}.rdfp")


def edit(folder: Path, version: int, old: bytes, new: bytes) -> None:
    path = folder / f"patch-{version:04}.rdfp"
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


def lines(folder: Path) -> list[str]:
    return (folder / "_index.jsonl").read_text().splitlines(keepends=True)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of how many versions each check was."""
    found: list[int] = []
    real = module.refuse_disorder

    def counted(home: Path, lines: Any, **more: Any) -> None:
        found.append(len(lines))
        real(home, lines, **more)

    monkeypatch.setattr("jelly.log._contents.refuse_disorder", counted)
    monkeypatch.setattr("jelly.log._disorder.refuse_disorder", counted)
    return found


@pytest.mark.parametrize("base", [None, b'<x:s> <x:p> "base" .\n'])
def test_only_what_others_published_is_checked(base: bytes | None, tmp_path: Path, checks: list[int]) -> None:  # fmt: skip
    one = jelly.Log.create(tmp_path / "log", base, base_format="nq")
    for n in range(1, 11):
        one.publish(patch(n))
    other = jelly.Log(tmp_path / "log")
    other.publish(patch(11))
    one.publish(patch(12))
    checks.clear()
    for n in range(13, 33, 2):
        other.publish(patch(n))
        one.publish(patch(n + 1))
    assert checks == [2] * 20
    for n in range(33, 36):
        other.publish(patch(n))
    assert one.publish(patch(36)).version == 36
    assert checks[-1] == 4
    assert one.verify().problems == other.verify().problems == ()
    assert len(lines(tmp_path / "log")) == 36  # what others wrote is not written again
    one.compact(20)
    assert other.publish(patch(37)).version == 37
    assert one.publish(patch(38)).version == 38


def removed(folder: Path, version: int) -> None:
    (folder / f"patch-{version:04}.rdfp").unlink()


def touched_headers(folder: Path) -> None:
    """The rows stay, and so does the size."""
    edit(folder, 4, b"H prev <x:3>", b"H prev <x:2>")


def lost_end(folder: Path) -> None:
    jelly.Log(folder).publish(patch(7))
    removed(folder, 7)


def on_purpose(folder: Path) -> None:
    edit(folder, 2, b'"2"', b'"9"')
    (folder / "_index.jsonl").unlink()


def other_line(folder: Path) -> None:
    """The index says another size of a file that nobody changed."""
    import zlib

    said = json.loads(next(one for one in lines(folder) if '"version":2,' in one))
    del said["crc"]
    body = json.dumps(said | {"size": said["size"] + 1}, separators=(",", ":"))[:-1]
    with (folder / "_index.jsonl").open("a") as index:
        index.write(f'{body},"crc":"{zlib.crc32(body.encode()):08x}"}}\n')


def no_folder(folder: Path) -> None:
    """A file has the name of a folder, which was no patch."""
    (folder / "notes.rdfp").rmdir()
    (folder / "notes.rdfp").write_bytes(patch(7))


OTHERS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _: None,
    "cut": lambda folder: edit(folder, 3, b"TC .\n", b""),
    "other rows": lambda folder: edit(folder, 3, b'"3"', b'"9"'),
    "other headers": touched_headers,
    "removed": lambda folder: removed(folder, 3),
    "last removed": lambda folder: removed(folder, 6),
    "lost end": lost_end,
    "two files": lambda folder: shutil.copy(folder / "patch-0003.rdfp", folder / "patch-0003.rdfp.gz"),
    "another name": lambda folder: shutil.copy(folder / "patch-0003.rdfp", folder / "other.rdfp"),
    "gap": lambda folder: file(folder, 8, patch(8)),
    "stray": lambda folder: file(folder, 7, patch(7, "prev <x:4>")),
    "known id": lambda folder: file(folder, 7, patch(3)),
    "id of the beginning": lambda folder: file(folder, 7, patch(0, "prev <x:6>")),
    "no id": lambda folder: file(folder, 7, b'TX .\nA <x:s> <x:p> "7" .\nTC .\n'),
    "no prev": lambda folder: file(folder, 7, patch(7)),
    "unfinished": lambda folder: file(folder, 7, patch(7).replace(b"TC .\n", b"")),
    "several": lambda folder: file(folder, 7, patch(7) + b"Z .\n" + patch(8)),
    "counted wrong": lambda folder: file(folder, 7, patch(7, 'statements "70"')),
    "touched": lambda folder: os.utime(folder / "patch-0002.rdfp"),
    "on purpose": on_purpose,
    "index gone": lambda folder: (folder / "_index.jsonl").unlink(),
    "other line": other_line,
    "a folder": lambda folder: (folder / "patch-0009.rdfp").mkdir(),
    "no folder": no_folder,
}  # fmt: skip


def outcome(log: jelly.Log, number: int) -> tuple[object, ...]:
    try:
        return tuple(log.publish(patch(number)))[:3]
    except (JellyError, ValueError) as error:
        return type(error), getattr(error, "kind", None)


@pytest.mark.parametrize("base", [None, b'<x:s> <x:p> "base" .\n', "others"])
@pytest.mark.parametrize("what", OTHERS)
def test_what_others_do_is_seen(what: str, base: bytes | str | None, tmp_path: Path) -> None:
    """A log that was open says the same as one that is opened then, whether another one published after that or not."""
    place = tmp_path / "log"
    place.mkdir()
    if base == "others":  # the first patch comes after one that is not here
        file(place, 1, patch(1, "prev <x:0>"))
    else:
        jelly.Log.create(place, base, base_format="nq", ending=".rdfp")
    one, other = jelly.Log(place), jelly.Log(place)
    (place / "notes.rdfp").mkdir()
    for n in range(len(one.files) + 1, 7):
        counts = (f'statements "{n}"',) if base is None else ()
        (other if n == 5 else one).publish(patch(n, *counts))
    OTHERS[what](place)
    copy = tmp_path / "copy"
    shutil.copytree(place, copy, copy_function=shutil.copy2)
    fresh = jelly.Log(copy)
    for number in (20, 21):
        found = outcome(fresh, number)
        assert outcome(other, number) == found, what
