"""A base that another file took the place of, with as many statements, is refused by all that read it."""

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError
from test_patching_cli import run

OTHER = b'<a:s> <a:p> "other" .\n<a:s> <a:q> "x" .\n'
FIRST = b'<a:s> <a:p> "1" .\n<a:s> <a:q> "x" .\n'
PATCH = b'A <a:s> <a:p> "9" .\n'


def replace(folder: Path) -> Path:
    """Puts a base of another backup in the place of that of a folder."""
    base: Path = folder / json.loads((folder / "base.json").read_text())["base"]
    jelly.backup(OTHER, folder.parent / "other")
    shutil.copyfile(folder.parent / "other" / "base.jelly.zst", base)
    return base


def stored(folder: Path) -> dict[str, bytes]:
    """The files of a log, but for the index, which is derived."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in paths if path.name != "_index.jsonl"}


def compacted(folder: Path) -> None:
    jelly.Log(folder).compact(1)


def created(folder: Path) -> None:
    shutil.rmtree(folder)
    jelly.Log.create(folder, FIRST, base_format="nq").publish(PATCH)


def pulled(folder: Path) -> None:
    folder.rename(folder.parent / "origin")
    jelly.Log(folder.parent / "origin").pull(folder)


def as_begun(folder: Path) -> None:
    del folder


def doors(folder: Path, base: Path, out: io.BytesIO) -> dict[str, Callable[[], object]]:
    """All that reads the base of a folder."""
    log = jelly.Log(folder)
    return {
        "apply": lambda: jelly.apply(base, folder, out, to="nq"),
        "a base alone": lambda: jelly.apply(base, b"", out, to="nq"),
        "as_of": lambda: jelly.as_of(base, folder, log.info().first, out, to="nq"),
        "restore": lambda: jelly.restore(folder, out, to="nq"),
        "restore the base": lambda: jelly.restore(folder, out, version=log.info().first - 1),
        "dataset": lambda: log.dataset(out, to="nq"),
        "backup": lambda: jelly.backup(FIRST, folder),
        "history": lambda: list(jelly.history(folder, base=base)),
        "canonicalize": lambda: jelly.canonicalize(folder, base, out),
        "invert": lambda: jelly.invert(folder, out, base=base),
        "show": lambda: jelly.show(folder, out, base=base),
        "stage": lambda: jelly.stage(base, PATCH),
        "show a version": lambda: log.show(log.info().first, out),
        "create a replica": lambda: jelly.Replica.create(folder.parent / "table", base=base),
        "pull": lambda: log.pull(folder.parent / "copy"),
        "compact": lambda: log.compact(log.head.version),
    }


@pytest.mark.parametrize("begun", [as_begun, compacted, created, pulled])
def test_a_base_of_another_backup(begun: Callable[[Path], None], kept: Path) -> None:
    begun(kept)
    assert jelly.verify_log(kept).problems == ()
    base = replace(kept)
    before = stored(kept)
    out = io.BytesIO()
    for name, door in doors(kept, base, out).items():
        with pytest.raises(PatchError) as caught:
            door()
        assert (caught.value.kind, out.getvalue()) == ("patch.damaged", b""), name
        assert "has the digest of" in str(caught.value), name
    (problem,) = jelly.Log(kept).verify().problems
    assert (problem.kind, problem.source) == ("patch.damaged", str(base))
    assert stored(kept) == before
    assert not (kept.parent / "table" / "_jelly").exists()


def test_commands(kept: Path) -> None:
    replace(kept)
    folder = kept.parent
    for command in (
        "restore kept -o - --to nq",
        "as-of kept/base.jelly.zst kept --version 1 --to nq",
        "apply kept/base.jelly.zst kept --to nq",
        "log dataset kept --to nq",
        "replica create table kept/base.jelly.zst",
    ):
        out, said = run(folder, *command.split(), code=1)
        assert out == "", command
        assert "patch.damaged" in said, command
    out, _ = run(folder, "log", "verify", "kept", code=1)
    assert "patch.damaged" in out


def test_a_manifest_without_a_digest(kept: Path) -> None:
    said = json.loads((kept / "base.json").read_text())
    assert len(said.pop("digest")) == 64
    (kept / "base.json").write_text(json.dumps(said))
    out = io.BytesIO()
    jelly.restore(kept, out, version=0, to="nq")
    assert sorted(out.getvalue().splitlines(keepends=True)) == FIRST.splitlines(keepends=True)
    assert jelly.verify_log(kept).problems == ()
    jelly.Log(kept).compact(2)
    replace(kept)
    assert {problem.kind for problem in jelly.verify_log(kept).problems} == {"patch.damaged"}


def test_a_server(kept: Path) -> None:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from servers import served

    replace(kept)
    said = kept.parent / "said"
    with served(kept.parent, said=said) as address:
        log, out = jelly.Log(f"{address}/kept"), io.BytesIO()
        for version in (0, 1, 3):
            with pytest.raises(PatchError, match=r"has the digest of .*status 500"):
                log.dataset(out, version)
            assert out.getvalue() == b""
        with pytest.raises(PatchError, match=r"has the digest of .*status 500"):
            log.pull(kept.parent / "copy")
    assert "has the digest of" in said.read_text()


def test_an_object_store() -> None:
    pytest.importorskip("moto")
    pytest.importorskip("obstore")
    from object_store import running

    with running() as store:
        log: Any = jelly.Log.create(store.place(), FIRST, base_format="nq", storage=store.storage)
        log.publish(PATCH)
        for upto in (None, 1):
            if upto:
                log.compact(upto)
            name = log.manifest.look()["base"]["base"]
            kept = log.objects.get(name)
            folder = jelly.Log.create(store.place(), OTHER, base_format="nq", storage=store.storage)
            other = folder.objects.get(folder.manifest.look()["base"]["base"])  # type: ignore[attr-defined]
            log.objects.delete(name)
            log.objects.create(name, other.data)
            out = io.BytesIO()
            with pytest.raises(PatchError) as caught:
                jelly.Log(log.place, storage=store.storage).dataset(out)
            assert (caught.value.kind, out.getvalue()) == ("patch.damaged", b"")
            log.objects.delete(name)
            log.objects.create(name, kept.data)
            assert log.dataset(out).statements == 3


@pytest.mark.parametrize("empty", [b"", "/dev/null"])
def test_an_empty_base_is_refused_where_the_log_begins_with_a_dataset(
    tmp_path: Path, empty: Any
) -> None:
    """Before, the result had the added statements alone."""
    jelly.backup(FIRST, tmp_path)
    jelly.backup(OTHER, tmp_path)
    with pytest.raises(
        PatchError, match="the base is empty, but the log begins with a dataset of 2 statements"
    ) as caught:
        jelly.apply(empty, tmp_path, io.BytesIO(), to="nq")
    assert caught.value.kind == "patch.base"
    with pytest.raises(PatchError, match=r"patch\.base"):
        jelly.as_of(empty, tmp_path, 1, io.BytesIO(), to="nq")
    out = io.BytesIO()
    jelly.apply(FIRST, tmp_path, out, to="nq", base_format="nq")
    assert sorted(out.getvalue().splitlines()) == sorted(OTHER.splitlines())
    assert jelly.apply(empty, tmp_path, io.BytesIO(), to="nq", chain="ignore").base == 0
    others: tuple[Callable[..., Any], ...] = (
        lambda base, **more: jelly.canonicalize(tmp_path, base, io.BytesIO(), to="rdfp", **more),
        lambda base, **more: jelly.invert(tmp_path, io.BytesIO(), base=base, to="rdfp", **more),
        lambda base, **more: jelly.verify_log(tmp_path, base=base, **more),
        lambda base, **more: jelly.show(tmp_path, base=base, **more),
        lambda base, **more: list(jelly.history(tmp_path, base=base, **more)),
    )
    for call in others:
        with pytest.raises(PatchError, match="the base is empty") as caught:
            call(empty, base_format="nq")
        assert caught.value.kind == "patch.base"
        call(empty, base_format="nq", chain="ignore")
        assert call(FIRST, base_format="nq")
    assert jelly.verify_log(tmp_path).without_effect == 0
    assert jelly.invert(tmp_path, io.BytesIO(), to="rdfp").patches == 1


def test_the_base_of_later_versions_may_be_empty(tmp_path: Path) -> None:
    first, second = b'<urn:s> <urn:p> "1" .\n', b'<urn:s> <urn:p> "2" .\n'
    for state in (first, b"", second):
        jelly.backup(state, tmp_path)
    shown = jelly.show(tmp_path, base=b"", base_format="nq", from_version=1, to_version=2)
    assert (shown.added, shown.deleted) == (1, 0)


def test_history_begins_with_the_dataset_of_the_folder(tmp_path: Path) -> None:
    """Before, statements of the first dump seemed never to have existed."""
    folder = tmp_path / "kept"
    for dump in (FIRST, OTHER, FIRST):
        jelly.backup(dump, folder, dump_format="nq")
    base = folder / "base.jelly.zst"
    expected = [('"1"', 0, 1), ('"1"', 2, None), ('"x"', 0, None), ('"other"', 1, 2)]
    for log in (folder, [folder], jelly.Log(folder)):
        assert [one[2:3] + one[4:] for one in jelly.history(log)] == expected
        assert list(jelly.history(log)) == list(jelly.history(log, base=base))
        assert [one[2:3] + one[4:6] for one in jelly.history_by(log, object='"1"')] == expected[:2]
    said, _ = run(tmp_path, "history", "kept", "--object", '"x"')
    assert said == '0\t\t<a:s> <a:q> "x" .\n'
    first = [one[2:3] + one[4:] for one in jelly.history(folder, chain="ignore")]
    assert first == [('"other"', 1, 2), ('"1"', 2, None)]
    jelly.Log(folder).compact(1)
    compacted = [one[2:3] + one[4:] for one in jelly.history(folder)]
    assert sorted(compacted) == [('"1"', 2, None), ('"other"', 1, 2), ('"x"', 1, None)]
    base = folder / "base-0001.jelly.zst"
    base.write_bytes((folder / "patch-0002.jellyp.zst").read_bytes())
    with pytest.raises(PatchError) as caught:
        jelly.history(folder)
    assert caught.value.kind == "patch.damaged"
    base.unlink()
    with pytest.raises(PatchError) as caught:
        jelly.history(folder)
    assert caught.value.kind == "patch.damaged"
