"""Logs and backups are chains that begin at their base: what is missing, moved or damaged is noticed by all doors."""

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import JellyError, PatchError
from lost_patches import DUMPS, FILES
from test_patching_cli import run


def state(log: Any, version: int, base: Any = b"") -> list[str]:
    out = io.BytesIO()
    jelly.as_of(base, log, version, out, to="nq", base_format="nq")
    return sorted(out.getvalue().decode().splitlines())


def restored(folder: Path, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.restore(folder, out, **{"to": "nq", **options})
    return b"".join(sorted(out.getvalue().splitlines(keepends=True)))


def following(folder: Path) -> Callable[[], object]:
    replica = jelly.Replica.create(folder.parent / "table")
    return lambda: replica.follow(folder)


def doors(folder: Path) -> dict[str, Callable[[], object]]:
    """All that reads the folder as a log."""
    log = jelly.Log(folder)
    base = b""
    return {
        "apply": lambda: jelly.apply(base, folder, io.BytesIO(), base_format="nq"),
        "as_of": lambda: jelly.as_of(base, folder, 3, io.BytesIO(), base_format="nq"),
        "between": lambda: jelly.between(folder, 0, 3, io.BytesIO()),
        "squash": lambda: jelly.squash(folder, io.BytesIO()),
        "net": lambda: jelly.net(folder, io.BytesIO()),
        "invert": lambda: jelly.invert(folder, io.BytesIO()),
        "canonicalize": lambda: jelly.canonicalize(folder, base, io.BytesIO(), base_format="nq"),
        "history": lambda: list(jelly.history(folder)),
        "follow": following(folder),
        "publish": lambda: log.publish(b'A <a:s> <a:p> "9" .\n'),
        "stage": lambda: jelly.stage(base, b'A <a:s> <a:p> "9" .\n', log, base_format="nq"),
    }


def kinds_of(folder: Path) -> set[str]:
    return {problem.kind for problem in jelly.verify_log(folder).problems}


@pytest.mark.parametrize("lost", FILES[:2])
def test_a_backup_that_lost_a_patch(lost: str, kept: Path) -> None:
    (kept / lost).unlink()
    whole = FILES.index(lost)
    every = doors(kept) | {
        "restore": lambda: jelly.restore(kept, io.BytesIO(), to="nq"),
        "restore one": lambda: jelly.restore(kept, io.BytesIO(), to="nq", version=whole + 1),
        "backup": lambda: jelly.backup(DUMPS[0], kept, dump_format="nq"),
    }
    before = sorted(kept.iterdir())
    for name, door in every.items():
        with pytest.raises(PatchError) as caught:
            door()
        assert caught.value.kind == "patch.gap", name
        assert lost in str(caught.value), name
        assert f"--version {whole}" in str(caught.value), name
    assert sorted(kept.iterdir()) == before
    assert kinds_of(kept) == {"patch.gap"}
    for version in range(whole + 1):
        assert restored(kept, version=version) == DUMPS[version]


@pytest.mark.parametrize("lost", ["patch-0001.rdfp", "patch-0002.rdfp"])
def test_a_published_log_that_lost_a_patch(lost: str, published: Path) -> None:
    (published / lost).unlink()
    for name, door in doors(published).items():
        with pytest.raises(PatchError) as caught:
            door()
        assert caught.value.kind == "patch.gap", name
        assert lost in str(caught.value), name
    assert kinds_of(published) == {"patch.gap"}


def test_nothing_is_printed_before_a_gap_is_noticed(kept: Path) -> None:
    damages: list[Callable[[], object]] = [
        lambda: (kept / FILES[0]).unlink(),
        lambda: flip(kept / "base.jelly.zst"),
    ]
    for damage in damages:
        damage()
        for command in (["restore", "kept"], ["restore", "kept", "--version", "3"]):
            out, said = run(kept.parent, *command, code=1)
            assert out == ""
            assert said.startswith("jelly: patch.")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize(
    "manifest",
    [
        b"{}",
        b"",
        b"[]",
        b'{"base": "base.jelly.zst"}',
        b'{"base": "base.jelly.zst", "statements": 2}',
        b'{"base": "base.jelly.zst", "statements": "2", "timestamp": "2026-01-01T00:00:00+00:00"}',
        b'{"base": "base.jelly.zst", "statements": 2.5, "timestamp": "2026-01-01T00:00:00+00:00"}',
        b'{"base": "gone.jelly.zst", "statements": 2, "timestamp": "2026-01-01T00:00:00+00:00"}',
        b'{"base": "../base.jelly.zst", "statements": 2, "timestamp": "2026-01-01T00:00:00+00:00"}',
        b'{"base": "base.jelly.zst", "statements": 2, "timestamp": "2026-01-01T00:00:00',
    ],
)
def test_a_manifest_that_is_not_whole(manifest: bytes, kept: Path) -> None:
    (kept / "base.json").write_bytes(manifest)
    every = doors(kept) | {
        "restore": lambda: jelly.restore(kept, io.BytesIO(), to="nq"),
        "backup": lambda: jelly.backup(DUMPS[0], kept, dump_format="nq"),
    }
    for name, door in every.items():
        with pytest.raises(PatchError) as caught:
            door()
        assert caught.value.kind == "patch.damaged", name
    assert kinds_of(kept) == {"patch.damaged"}


def renamed(one: str, other: str) -> Callable[[Path], object]:
    return lambda folder: (folder / one).rename(folder / other)


def moved_up(folder: Path) -> None:
    """The first patch is gone, and the others have the names of those before them."""
    for number in (1, 2):
        (folder / FILES[number]).replace(folder / FILES[number - 1])


def swapped(folder: Path) -> None:
    one, other = (folder / name for name in FILES[:2])
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)


def doubled(folder: Path) -> None:
    """Two patches in one file."""
    patch = jelly.read_patch(folder / FILES[1])
    with jelly.PatchWriter(folder / "new.rdfp", format="rdfp") as writer:
        writer.write(patch)
    text = (folder / "new.rdfp").read_text()
    (folder / "new.rdfp").unlink()
    more = "H id <u:more> .\nH prev <u:no> .\nTX .\nTC .\n"
    (folder / FILES[1]).unlink()
    (folder / "patch-0002.rdfp").write_text(text + more)


def counted(folder: Path) -> None:
    """A patch that says another number of statements than it makes."""
    path = folder / FILES[2]
    rows = [row for row in jelly.read_patch(path).rows() if row.op != "D"]
    path.unlink()
    with jelly.PatchWriter(path) as writer:
        writer.write(rows)


@pytest.mark.parametrize(
    ("damage", "kinds"),
    [
        (lambda folder: (folder / FILES[1]).write_bytes(b""), {"patch.damaged", "patch.gap"}),
        (lambda folder: shutil.copy(folder / FILES[1], folder / "patch-2"), {"patch.fork", "patch.duplicate"}),
        (lambda folder: (folder / "fix.rdfp").write_bytes(b"TX .\nTC .\n"), {"patch.damaged", "patch.mixed"}),
        (swapped, {"patch.gap", "patch.damaged"}),
        (doubled, {"patch.damaged", "patch.gap"}),
        (counted, {"patch.damaged"}),
        (renamed(FILES[0], "patch-0000.jellyp.zst"), {"patch.damaged", "patch.gap"}),
        (moved_up, {"patch.gap"}),
    ],
)  # fmt: skip
def test_numbers_ids_and_counts_agree(
    damage: Callable[[Path], object], kinds: set[str], kept: Path
) -> None:
    damage(kept)
    assert kinds_of(kept) & kinds
    for door in (
        lambda: jelly.apply(b"", kept, io.BytesIO(), base_format="nq"),
        lambda: jelly.restore(kept, io.BytesIO(), to="nq"),
        lambda: jelly.backup(DUMPS[0], kept, dump_format="nq"),
        following(kept),
    ):
        with pytest.raises(PatchError) as caught:
            door()
        assert caught.value.kind in kinds


def test_what_is_damaged_is_named(kept: Path) -> None:
    good = (kept / FILES[1]).read_bytes()
    flip(kept / FILES[1])
    for door in (
        lambda: restored(kept),
        lambda: restored(kept, version=2),
        lambda: jelly.backup(DUMPS[0], kept, dump_format="nq"),
        lambda: jelly.apply(kept / "base.jelly.zst", kept, io.BytesIO()),
    ):
        with pytest.raises(PatchError, match=r"patch-0002\.jellyp\.zst is damaged: .*versions 0 to 1 can be restored: --version 1") as caught:  # fmt: skip
            door()
        assert caught.value.kind == "patch.damaged"
    assert restored(kept, version=1) == DUMPS[1]
    (kept / FILES[1]).write_bytes(good)
    base = kept / "base.jelly.zst"
    whole = base.read_bytes()
    damages: list[tuple[str, Callable[[], object]]] = [
        ("damaged", lambda: flip(base)),
        ("damaged", lambda: base.write_bytes(whole[:-9])),
        ("missing", base.unlink),
    ]
    for word, damage in damages:
        base.write_bytes(whole)
        damage()
        for function in (lambda: restored(kept), lambda: jelly.backup(DUMPS[0], kept)):
            with pytest.raises(PatchError, match=rf"the base base\.jelly\.zst is {word}.*no version can be restored") as caught:  # fmt: skip
                function()
            assert caught.value.kind == "patch.damaged"


def test_a_backup_may_begin_later(kept: Path) -> None:
    """A base at a version: older patches are gone on purpose."""
    out = kept / "base-0002.jelly.zst"
    jelly.restore(kept, out, version=2)
    id = jelly.verify_log(kept / FILES[1]).head
    (kept / "base.json").write_text(
        json.dumps({"base": out.name, "statements": 2, "timestamp": "2026-01-03T00:00Z", "version": 2, "id": id})
    )  # fmt: skip
    for name in FILES[:2]:
        (kept / name).unlink()
    assert restored(kept) == DUMPS[3]
    assert restored(kept, version=2) == restored(kept, version=id) == DUMPS[2]
    done = jelly.apply(out, kept, io.BytesIO())
    assert (done.version, done.base_version) == (3, 2)
    with pytest.raises(
        PatchError, match="begins with version 3: the changes after version 1 are gone"
    ):
        restored(kept, version=1)
    done_backup = jelly.backup(DUMPS[0], kept, dump_format="nq")
    assert (done_backup.version, done_backup.path.name) == (4, "patch-0004.jellyp.zst")
    assert restored(kept) == DUMPS[0]
    assert jelly.verify_log(kept).ok


def numbered(folder: Path, numbers: list[int], headers: bool = False) -> Path:
    folder.mkdir()
    for before, number in zip([None, *numbers], numbers, strict=False):
        chain = f"H id <u:{number}> .\n" + ("" if before is None else f"H prev <u:{before}> .\n")
        data = f'TX .\nA <a:s> <a:p> "{number}" .\nTC .\n'
        (folder / f"patch-{number:04}").write_text((chain if headers else "") + data)
    return folder


def test_a_log_of_others_may_begin_anywhere(tmp_path: Path) -> None:
    log = numbered(tmp_path / "log", [5, 6, 7])
    done = jelly.apply(b"", log, io.BytesIO(), base_format="nq")
    assert (done.version, done.base_version, done.order) == (7, 4, ())
    assert state(log, 5) == ['<a:s> <a:p> "5" .']
    assert [period.valid_from for period in jelly.history(log)] == [5, 6, 7]
    report = jelly.verify_log(log)
    assert (report.ok, report.patches, report.base_version) == (True, 3, 4)
    with pytest.raises(
        PatchError, match="begins with version 5: the changes after version 3 are gone"
    ):
        state(log, 3)
    replica = jelly.Replica.create(tmp_path / "table")
    with pytest.raises(JellyError, match=r"replica\.gap"):
        replica.follow(log)


def test_a_number_that_is_missing(tmp_path: Path) -> None:
    bare = numbered(tmp_path / "bare", [1, 2, 5])
    with pytest.raises(PatchError, match=r"patch\.gap: patch-0003 and 1 more is missing: after patch-0002 comes patch-0005; versions 0 to 2 can be restored"):  # fmt: skip
        state(bare, 3)
    assert state(bare, 2) == ['<a:s> <a:p> "1" .', '<a:s> <a:p> "2" .']
    joined = numbered(tmp_path / "joined", [1, 2, 5], headers=True)
    assert jelly.apply(b"", joined, io.BytesIO(), base_format="nq").version == 3


# The order of patches

TODAY = b'TX .\nA <a:a> <a:p> "1" .\nTC .\n'
CORRECTION = b'TX .\nD <a:a> <a:p> "1" .\nTC .\n'


@pytest.fixture(params=["bare", "ids"])
def names(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    folder = tmp_path / "in"
    folder.mkdir()
    paths = [folder / "today.rdfp", folder / "correction.rdfp"]
    for number, (path, data) in enumerate(zip(paths, [TODAY, CORRECTION], strict=True)):
        head = f"H id <u:{number}> .\n" if request.param == "ids" else ""
        path.write_bytes(head.encode() + data)
    return paths


def test_names_one_by_one_are_an_order(names: list[Path]) -> None:
    given: list[list[Any]] = [names, [str(name) for name in names], [name.read_bytes() for name in names]]  # fmt: skip
    for patches in given:
        assert state(patches, 2) == []
        assert state(patches[::-1], 2) == ['<a:a> <a:p> "1" .']
        assert jelly.apply(b"", patches, io.BytesIO(), base_format="nq").order == ()
    folder = names[0].parent
    assert run(folder, "apply", "/dev/null", "today.rdfp", "correction.rdfp") == ("", "")
    assert run(folder, "apply", "/dev/null", "correction.rdfp", "today.rdfp") == (
        '<a:a> <a:p> "1" .\n',
        "1 of 2 changes without effect\n",
    )
    assert [period.valid_to for period in jelly.history(names)] == [2]
    replicas = []
    for turn, patches in enumerate([names, names[::-1]]):
        replica = jelly.Replica.create(names[0].parent.parent / f"table{turn}")
        replica.follow(patches)
        replicas.append(len(replica))
    assert replicas == [0, 1]


def test_a_folder_is_sorted_and_says_so(names: list[Path]) -> None:
    folder = names[0].parent
    sorted_names = tuple(map(str, names[::-1]))
    out = io.BytesIO()
    assert jelly.apply(b"", folder, out, to="nq", base_format="nq").order == sorted_names
    assert out.getvalue() == b'<a:a> <a:p> "1" .\n'
    assert jelly.squash(folder, io.BytesIO()).order == sorted_names
    assert jelly.verify_log(folder).order == sorted_names
    order = "taken in the order correction.rdfp, today.rdfp"
    _, said = run(folder.parent, "apply", "/dev/null", "in", "-o", "x.nq")
    assert said == f"version 2: 1 statement (+1, -0, of 2 changes, 1 without effect); {order}\n"
    assert (
        run(folder.parent, "apply", "/dev/null", "in")[1]
        == f"1 of 2 changes without effect; {order}\n"
    )
    assert run(folder.parent, "log", "verify", "in")[0].endswith(f"; {order}\n")


def test_two_folders_come_as_they_are_given(tmp_path: Path) -> None:
    for name, data in [("b", TODAY), ("a", CORRECTION)]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.rdfp").write_bytes(data)
    assert state([tmp_path / "b", tmp_path / "a"], 2) == []
    assert len(state([tmp_path / "a", tmp_path / "b"], 2)) == 1
