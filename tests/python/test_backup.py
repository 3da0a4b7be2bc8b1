"""Backups: every state of a dataset, from the first dump and what changed since."""

import io
import json
import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import jelly
import patch_model as model
from jelly.errors import JellyError, PatchError

DAY = datetime(2026, 1, 1, tzinfo=UTC)
DUMPS = [
    b'@prefix e: <http://e/> . e:s e:p "1", "2", "3" .',
    b'@prefix e: <http://e/> . @prefix f: <http://f/> . e:s e:p "1", "2", "4", "5" .',
    b'<http://e/s> <http://e/p> "1" <a:g> .\n' * 2,
    b"",
    b'@prefix e: <http://e/> . e:s e:p "1" .',
]


def restored(folder: Path, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.restore(folder, out, **{"to": "nq", **options})
    return b"".join(sorted(out.getvalue().splitlines(keepends=True)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for day, dump in enumerate(DUMPS):
        jelly.backup(dump, tmp_path / "kept", at=DAY + timedelta(days=day))
    return tmp_path / "kept"


def test_states(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    done = [jelly.backup(dump, folder) for dump in DUMPS]
    assert [(d.version, d.written, d.statements, d.added, d.deleted, d.prefixes) for d in done] == [
        (0, True, 3, 3, 0, 0),
        (1, True, 4, 2, 1, 1),
        (2, True, 1, 1, 4, 2),
        (3, True, 0, 0, 1, 0),
        (4, True, 1, 1, 0, 1),
    ]
    for path in [done[-1].path, done[0].path]:
        assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"  # zstd, whose checksums are written
    before = sorted(folder.iterdir())
    again = jelly.backup(io.BytesIO(DUMPS[-1]), folder)
    assert again == done[-1]._replace(written=False, added=0, prefixes=0)
    assert sorted(folder.iterdir()) == before
    assert {path.name for path in before} == {
        "_index.jsonl",
        "base.json",
        "base.jelly.zst",
        *(f"patch-{n:04}.jellyp.zst" for n in range(1, 5)),
    }
    assert jelly.verify_log(folder, base=folder / "base.jelly.zst").ok


def test_restore(folder: Path, tmp_path: Path) -> None:
    ids = [None, *(jelly.verify_log(path).head for path in jelly.Log(folder).files)]
    for version, dump in enumerate(DUMPS):
        out = io.BytesIO()
        jelly.convert(dump, out, to="nq", format="nq" if not dump else "auto")
        expected = b"".join(sorted({*out.getvalue().splitlines(keepends=True)}))
        assert restored(folder, version=version) == expected
        assert restored(folder, at=DAY + timedelta(days=version, hours=5)) == expected
        if ids[version]:
            assert restored(folder, version=ids[version]) == expected
    done = jelly.restore(folder, tmp_path / "now.ttl")
    assert (tmp_path / "now.ttl").read_bytes() == b'@prefix e: <http://e/> .\ne:s e:p "1" .\n'
    assert (done.version, done.id, done.statements) == (4, ids[4], 1)
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "."] == []
    with pytest.raises(PatchError, match=r"patch\.version: there is no version up to 2025-12-31"):
        restored(folder, at=DAY - timedelta(seconds=1))
    with pytest.raises(PatchError, match="no version 5"):
        restored(folder, version=5)
    with pytest.raises(ValueError, match="cannot be used together"):
        restored(folder, version=1, at=DAY)
    with pytest.raises(FileNotFoundError, match="the folder is not a backup"):
        jelly.restore(tmp_path, tmp_path / "now.ttl")
    with pytest.raises(FileNotFoundError, match="there is no such folder; expected a folder that"):
        jelly.restore(tmp_path / "mistyped", tmp_path / "now.ttl")


def test_a_dump_of_the_future(tmp_path: Path) -> None:
    """All later dumps would be refused."""
    for _ in range(2):
        with pytest.raises(PatchError, match="which is in the future") as caught:
            jelly.backup(
                b"", tmp_path / "kept", dump_format="nq", at=datetime(2999, 1, 1, tzinfo=UTC)
            )
        assert caught.value.kind == "patch.time"
        jelly.backup(b"", tmp_path / "kept", dump_format="nq")


def test_what_was_dumped_comes_back(tmp_path: Path) -> None:
    rng = random.Random(11)
    state: set[model.Quad] = {model.random_quad(rng) for _ in range(20)}
    states = []
    for _ in range(30):
        state = {quad for quad in state if rng.random() < 0.9}
        state |= {model.random_quad(rng) for _ in range(rng.randrange(4))}
        dump = [quad for quad in sorted(state) for _ in range(rng.randrange(1, 3))]
        done = jelly.backup(model.nquads(dump), tmp_path, dump_format="nq")
        folded = {model.folded(quad) for quad in state}
        assert done.statements == len(folded)
        if done.written:
            states.append(folded)
        assert done.version == len(states) - 1
    assert len(states) > 20
    for version, expected in enumerate(states):
        rows = jelly.read_rdf(restored(tmp_path, version=version), format="nq").rows()
        assert {model.folded(row[3:]) for row in rows} == expected


def test_a_bad_dump_changes_nothing(folder: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(JellyError):
        jelly.backup(DUMPS[2][:-3], folder)
    with pytest.raises(FileNotFoundError):
        jelly.backup(tmp_path / "none.nq", folder)

    def stop(step: jelly.Step) -> None:
        raise KeyboardInterrupt(step.phase)

    rows = b"".join(b"<a:s%d> <a:p> <a:o> .\n" % n for n in range(200_000))
    with pytest.raises(KeyboardInterrupt):
        jelly.backup(rows, folder, progress=stop)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises(JellyError):
        jelly.backup(DUMPS[2][:-3], tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def shortened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def gone(path: Path) -> None:
    path.unlink()


def other(path: Path) -> None:
    """A sound file of another content."""
    jelly.convert(b"<a:s> <a:p> <a:o> .\n", path.parent / "x.jelly.zst")
    (path.parent / "x.jelly.zst").replace(path)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("base.jelly.zst", flipped),
        ("base.jelly.zst", shortened),
        ("base.jelly.zst", gone),
        ("base.jelly.zst", other),
        ("base.json", shortened),
        ("base.json", gone),
        ("patch-0001.jellyp.zst", flipped),
        ("patch-0001.jellyp.zst", shortened),
        ("patch-0003.jellyp.zst", gone),
    ],
)
def test_damage_is_told(
    name: str, damage: Callable[[Path], None], folder: Path, tmp_path: Path
) -> None:
    damage(folder / name)
    dest = tmp_path / "now.nq"
    dest.write_bytes(b"as before")
    for function in (
        lambda: jelly.restore(folder, dest, version=2 if "0003" not in name else 4),
        lambda: jelly.backup(DUMPS[0], folder),
    ):
        with pytest.raises((JellyError, FileNotFoundError)):
            function()
    assert dest.read_bytes() == b"as before"
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "."] == []


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


@pytest.mark.parametrize(
    ("name", "damage", "day", "kind"),
    [
        ("patch-0002.jellyp.zst", gone, 2, "patch.gap"),
        ("patch-0002.jellyp.zst", gone, 1, "patch.gap"),
        ("patch-0001.jellyp.zst", gone, 1, "patch.gap"),
        ("patch-0001.jellyp.zst", gone, 0, "patch.gap"),
        ("patch-0004.jellyp.zst", gone, 300, "patch.gap"),
        ("patch-0004.jellyp.zst", gone, 3, "patch.gap"),
        ("patch-0002.jellyp.zst", emptied, 2, "patch.damaged"),
        ("patch-0002.jellyp.zst", shortened, 2, None),
        ("patch-0002.jellyp.zst", zeros, 2, None),
        ("patch-0003.jellyp.zst", zeros, 2, None),
        ("patch-0004.jellyp.zst", emptied, 300, "patch.damaged"),
        ("patch-0004.jellyp.zst", zeros, 300, None),
    ],
)
def test_a_time_never_gives_a_state_before_a_patch_that_is_lost_or_damaged(
    name: str, damage: Callable[[Path], None], day: int, kind: str | None, folder: Path
) -> None:
    damage(folder / name)
    out = io.BytesIO()
    with pytest.raises(JellyError) as caught:
        jelly.restore(folder, out, at=DAY + timedelta(days=day, hours=5), to="nq")
    assert out.getvalue() == b""
    with pytest.raises(JellyError) as read:
        jelly.restore(folder, io.BytesIO(), version=int(name[6:10]), to="nq")
    assert caught.value.kind == read.value.kind == (kind or read.value.kind)
    assert str(caught.value) == str(read.value)


def moved(folder: Path) -> None:
    """The third patch is where the second one was."""
    (folder / "patch-0003.jellyp.zst").replace(folder / "patch-0002.jellyp.zst")


def swapped(folder: Path) -> None:
    one, other = (folder / f"patch-000{number}.jellyp.zst" for number in (2, 3))
    data = one.read_bytes()
    other.replace(one)
    other.write_bytes(data)


def first_of_another_backup(folder: Path) -> None:
    """Whose head has no `prev`, as that of this one."""
    for day in (0, 4):
        jelly.backup(DUMPS[day], folder.parent / "other", at=DAY + timedelta(days=day))
    (folder.parent / "other/patch-0001.jellyp.zst").replace(folder / "patch-0001.jellyp.zst")


@pytest.mark.parametrize(
    ("damage", "day"), [(moved, 2), (swapped, 2), (first_of_another_backup, 1)]
)
def test_a_time_is_not_bound_by_a_patch_in_the_place_of_another(
    damage: Callable[[Path], None], day: int, folder: Path
) -> None:
    damage(folder)
    with pytest.raises(PatchError) as caught:
        jelly.restore(folder, io.BytesIO(), at=DAY + timedelta(days=day, hours=5), to="nq")
    assert caught.value.kind in {"patch.gap", "patch.damaged"}


def test_the_last_state_is_not_the_one_before_a_patch_that_is_lost(folder: Path) -> None:
    (folder / "patch-0004.jellyp.zst").unlink()
    assert jelly.restore(folder, io.BytesIO(), version=3, to="nq").version == 3
    with pytest.raises(PatchError, match="version") as caught:
        jelly.restore(folder, io.BytesIO(), to="nq")
    assert caught.value.kind == "patch.gap"


def test_a_time_before_the_damage_is_found(folder: Path) -> None:
    emptied(folder / "patch-0004.jellyp.zst")
    for day, version in [(0, 0), (1, 1), (2, 2)]:
        at = DAY + timedelta(days=day, hours=5)
        assert jelly.restore(folder, io.BytesIO(), at=at, to="nq").version == version


@pytest.mark.parametrize(
    "name",
    [
        "base.jelly.zst",
        "base.json",
        "log.json",
        "patch-0002.jellyp.zst",
        "patch-0009.jellyp",
        "patch-9",
        "link",
    ],
)
def test_a_result_never_replaces_a_file_of_the_backup(name: str, folder: Path) -> None:
    if name == "link":
        (folder / name).symlink_to("base.jelly.zst")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    dest = folder / ".." / folder.name / name
    for function in (
        lambda: jelly.restore(folder, dest, to="jelly"),
        lambda: jelly.apply(folder / "base.jelly.zst", folder, str(dest), to="jelly"),
        lambda: jelly.as_of(folder / "base.jelly.zst", [folder], 1, dest, to="jelly"),
    ):
        with pytest.raises(ValueError, match="the result would become a file of the log"):
            function()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    again = jelly.backup(folder / "base.jelly.zst", folder)
    assert (again.version, again.statements) == (5, 3)
    jelly.restore(folder, folder / "now.nq")
    assert len((folder / "now.nq").read_bytes().splitlines()) == 3


def test_the_number_of_statements_is_checked(folder: Path) -> None:
    """A patch that is whole, in the chain, and not what was written."""
    path = folder / "patch-0004.jellyp.zst"
    rows = [row for row in jelly.read_patch(path).rows() if row.op != "A"]
    path.unlink()
    with jelly.PatchWriter(path) as writer:
        writer.write(rows)
    (folder / "_index.jsonl").unlink()
    with pytest.raises(PatchError, match=r"patch\.damaged: patch-0004\.jellyp\.zst should lead to 1 statements"):  # fmt: skip
        restored(folder)
    with pytest.raises(PatchError, match=r"patch\.damaged"):
        jelly.backup(DUMPS[0], folder)
    assert restored(folder, version=3) == b""


@pytest.mark.parametrize("begun", [False, True])
def test_two_at_once(begun: bool, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    found: list[bool | str] = []
    if begun:
        jelly.backup(DUMPS[0], folder)
    ready = threading.Barrier(4)

    def keep(number: int) -> None:
        ready.wait()
        try:
            found.append(jelly.backup(b'<a:s> <a:p> "%d" .\n' % number, folder).written)
        except PatchError as error:
            found.append(error.kind)

    threads = [threading.Thread(target=keep, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) <= {True, "patch.conflict"}
    assert found.count(True) >= 1
    versions = len(jelly.Log(folder).files)
    assert versions + (not begun) == found.count(True)
    for version in range(versions + 1):
        restored(folder, version=version)
    assert json.loads((folder / "base.json").read_text())["statements"] == (3 if begun else 1)


def test_a_log_that_is_no_backup(tmp_path: Path) -> None:
    jelly.Log(tmp_path).publish(b"TX .\nTC .\n")
    with pytest.raises(PatchError, match="this folder has a log, but no backup"):
        jelly.backup(DUMPS[0], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "_index.jsonl", "log.json", "patch-0001.jellyp"
    ]  # fmt: skip


def test_a_base_that_a_format_cannot_hold_is_not_damaged(tmp_path: Path) -> None:
    dump = tmp_path / "dump.jelly"
    jelly.apply(b"", b'A "literal" <a:p> <a:o> .\n', dump, base_format="nq", patch_format="rdfp")
    jelly.backup(dump, tmp_path / "kept")
    with pytest.raises(jelly.errors.EncodeError, match="generalized"):
        jelly.restore(tmp_path / "kept", tmp_path / "out.nq")
