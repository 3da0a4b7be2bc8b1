"""A last patch that is a copy of another one is no version for anybody, where the index does not know it either."""

import io
import shutil
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import JellyError
from test_patching_cli import run

IDS = [f"<u:{number}>" for number in range(1, 6)]


def publish(log: jelly.Log, count: int = 4) -> None:
    for number, id in enumerate(IDS[:count], 1):
        log.publish(f'H id {id} .\nTX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode())


def said(error: JellyError) -> str:
    """What is wrong, without where and what to do about it."""
    return str(error).split(";")[0].split(" (")[0]


def forget(folder: Path, last: int) -> None:
    """Takes what the index knows of the last version away, or of all."""
    index = folder / "_index.jsonl"
    lines = index.read_text().splitlines(keepends=True)[:last] if last else []
    index.write_text("".join(lines)) if lines else index.unlink(missing_ok=True)


@pytest.mark.parametrize("known", [3, 0])
@pytest.mark.parametrize("copied", [1, 2, 3])
@pytest.mark.parametrize("has_prev", [True, False])
def test_a_copy(has_prev: bool, copied: int, known: int, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    if has_prev:
        publish(jelly.Log.create(folder))
    else:
        folder.mkdir()
        for number, id in enumerate(IDS[:4], 1):
            text = f'H id {id} .\nTX .\nA <a:s> <a:p> "{number}" .\nTC .\n'
            (folder / f"patch-000{number}.rdfp").write_text(text)
    assert [version.id for version in jelly.Log(folder).versions()] == IDS[:4]
    forget(folder, known)
    names = sorted(path.name for path in folder.glob("patch-*"))
    assert jelly.Log(folder).head == (4, IDS[3])
    shutil.copyfile(folder / names[copied - 1], folder / names[3])
    forget(folder, known)
    with pytest.raises(JellyError) as expected:
        jelly.squash(folder, io.BytesIO())
    log: Any = jelly.Log(folder)
    for door in (
        lambda: log.head,
        lambda: log.info(),
        lambda: list(log.versions()),
        lambda: log.path(4),
        lambda: log.fetch(4, io.BytesIO()),
        lambda: log.publish(b'A <a:s> <a:p> "9" .\n'),
    ):
        with pytest.raises(JellyError) as caught:
            door()
        assert said(caught.value) == said(expected.value)
    for command in ("list", "show"):
        out, error = run(tmp_path, "log", command, "log", code=1)
        assert (out, str(expected.value.kind) in error) == ("", True)


def test_a_copy_with_a_wrong_number_of_statements(kept: Path) -> None:
    forget(kept, 2)
    last = kept / "patch-0003.jellyp.zst"
    with jelly.read_patch(last) as reader:
        headers = [(row.name, str(row.value)) for row in reader.rows() if row.op == "H"]
    with jelly.PatchWriter(kept.parent / last.name) as writer:
        for name, value in headers:
            is_count = name == "statements"
            writer.write([{"op": "H", "name": name, "value": value.replace("1", "5", 1) if is_count else value}])  # fmt: skip
        writer.write([{"op": "TX"}, {"op": "TC"}])
    shutil.copyfile(kept.parent / last.name, last)
    with pytest.raises(JellyError, match="should lead to"):
        _ = jelly.Log(kept).head


@pytest.mark.parametrize("copied", [1, 2, 3])
def test_a_copy_in_an_object_store(copied: int) -> None:
    pytest.importorskip("moto")
    pytest.importorskip("obstore")
    from object_store import running

    with running() as store:
        place: Any = jelly.Log.create(store.place(), storage=store.storage)
        publish(place)
        names = [f"patch-000{number}.jellyp" for number in range(1, 5)]
        data = place.objects.get(names[copied - 1]).data
        place.objects.delete(names[3])
        place.objects.create(names[3], data)
        log = jelly.Log(place.place, storage=store.storage)
        for door in (
            lambda: log.head,
            lambda: list(log.versions()),
            lambda: list(log.read().rows()),
        ):
            with pytest.raises(JellyError) as caught:
                door()
            assert caught.value.kind in ("patch.duplicate", "patch.fork")
