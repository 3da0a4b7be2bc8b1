"""Folders of patches as logs: publishing, several publishers, staging."""

import io
import re
import threading
from pathlib import Path

import pytest

import jelly
from jelly.errors import JellyError, PatchError
from jelly.log._contents import Contents, Extent
from jelly.log._folder import FolderLog
from jelly.log._patch import prepared

BASE = b'<a:s> <a:p> "x" .\n'
TIMESTAMP = re.compile(r"^H timestamp .*\n", re.MULTILINE)
UUID = re.compile(r"<urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}>")


def patch(name: str, *headers: str) -> bytes:
    return "".join([*headers, f'TX .\nA <a:s> <a:p> "{name}" .\nTC .\n']).encode()


def text(path: Path) -> str:
    out = io.BytesIO()
    jelly.convert(path, out, to="text")
    return TIMESTAMP.sub("", out.getvalue().decode())


def names(log: jelly.Log) -> list[str]:
    return sorted(
        path.name for path in log.folder.iterdir() if path.name not in ("log.json", "_index.jsonl")
    )


def test_publish(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path / "log")
    assert (log.head, log.files, log.verify().patches) == ((0, None), [], 0)
    first = log.publish(patch("1"), expect=0)
    assert first.path == tmp_path / "log" / "patch-0001.jellyp"
    assert first[:3] == (1, first.id, None)
    assert UUID.fullmatch(first.id)
    second = log.publish(patch("2", "H id <u:2> .\n"), headers={"author": '"me"'})
    assert second[:3] == (2, "<u:2>", first.id)
    assert second.path == tmp_path / "log" / "patch-0002.jellyp"
    assert text(second.path) == (
        f'H prev {first.id} .\nH author "me" .\nH id <u:2> .\nTX .\nA <a:s> <a:p> "2" .\nTC .\n'
    )
    third = log.publish(patch("3", "H prev <u:2> .\n"), expect="u:2")
    assert (third.version, third.prev) == (3, "<u:2>")
    assert log.head == (3, third.id)
    assert log.verify() == jelly.LogReport(3, 3, None, third.id, 3, 0, 3, 0, 0, ())
    assert log.verify(b'<a:s> <a:p> "1" .\n').without_effect == 1
    out = io.BytesIO()
    assert jelly.apply(BASE, log, out, to="nq").version == 3
    assert out.getvalue() == BASE + b"".join(b'<a:s> <a:p> "%d" .\n' % n for n in (1, 2, 3))
    assert names(log) == ["patch-0001.jellyp", "patch-0002.jellyp", "patch-0003.jellyp"]


@pytest.mark.parametrize("key", ["id", "Prev", "previous"])
def test_headers_cannot_break_the_chain(key: str, tmp_path: Path) -> None:
    log = jelly.Log(tmp_path / "log")
    with pytest.raises(ValueError, match=key):
        log.publish(b"A <a:s> <a:p> <a:o> .\n", headers={key: "<u:other>"})
    assert not log.files


def test_two_publishers_that_make_a_log_with_different_endings(tmp_path: Path) -> None:
    home, work = tmp_path / "log", tmp_path / "work"
    home.mkdir()
    work.mkdir()

    def publish_another(_: object) -> None:
        jelly.Log(home, ending=".jellyp").publish(patch("first", "H id <u:first> .\n"))

    found = prepared(patch("second"), work, {}, "auto")
    done = FolderLog(home, ending=".rdfp").publish_prepared(found, None, check=publish_another)
    assert (done.version, done.prev) == (2, "<u:first>")
    assert [path.name for path in jelly.Log(home).files] == ["patch-0001.jellyp", "patch-0002.jellyp"]  # fmt: skip
    assert jelly.Log(home).verify().ok


def test_verify_sees_that_the_first_patch_is_lost(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path / "log")
    assert (log.verify().ok, log.verify().patches) == (True, 0)
    (tmp_path / "log").mkdir()
    assert (log.verify().ok, log.verify().patches) == (True, 0)
    for number in range(3):
        log.publish(patch(str(number)))
    paths = log.files
    assert (log.verify().ok, log.verify().patches) == (True, 3)
    paths[0].unlink()
    assert [problem.kind for problem in log.verify().problems] == ["patch.gap"]
    assert log.verify() == jelly.verify_log(tmp_path / "log")


def test_a_patch_with_a_wrong_number_of_statements_is_refused(tmp_path: Path) -> None:
    kept = jelly.Log(tmp_path / "kept", ending=".jellyp.zst")
    log = jelly.Log.create(tmp_path / "log")
    with pytest.raises(PatchError, match="the number of statements before the patch is unknown"):
        jelly.Log(tmp_path / "begun").publish(patch("y"), headers={"statements": '"1"'})
    jelly.backup(BASE, kept.folder, dump_format="nt")
    path = jelly.backup(BASE + BASE.replace(b"x", b"y"), kept.folder, dump_format="nt").path
    assert kept.publish(path).replayed
    for headers in ({}, {"statements": '"7"'}):
        with pytest.raises(PatchError, match="but the 0 statements before the patch and its changes give 1") as caught:  # fmt: skip
            log.publish(patch("y") if headers else path, headers=headers)
        assert caught.value.kind == "patch.header"
    assert log.publish(patch("y"), headers={"statements": '"1"'}).version == 1
    for target, count in [(kept, "77"), (kept, "3"), (log, "77"), (log, "3")]:
        for data, headers in [
            (patch("z", f'H Statements "{count}" .\n'), {}),
            (patch("z"), {"statements": f'"{count}"^^<http://www.w3.org/2001/XMLSchema#integer>'}),
        ]:
            with pytest.raises(PatchError) as caught:
                target.publish(data, headers=headers)
            assert caught.value.kind == "patch.header"
            assert len(target.files) == 1
    assert log.publish(patch("z"), headers={"statements": '"2"'}).version == 2
    assert log.publish(patch("other", 'H statements "many" .\n')).version == 3
    with pytest.raises(
        PatchError, match="the number of statements before the patch is unknown"
    ) as caught:
        log.publish(patch("more"), headers={"statements": '"4"'})
    assert caught.value.kind == "patch.header"
    assert log.dataset(io.BytesIO()).statements == 3
    assert kept.publish(patch("z")).version == 2
    assert log.verify().ok
    assert jelly.restore(kept.folder, io.BytesIO()).statements == 3
    assert jelly.backup(BASE, kept.folder, dump_format="nt").version == 3
    assert jelly.restore(kept.folder, io.BytesIO()).statements == 1


def test_a_patch_that_is_a_link_to_nowhere_is_not_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    for name in ("patch-0001.rdfp", "patch-0003.rdfp"):
        (log / name).write_bytes(b"A <a:s> <a:p> <a:o> .\n")
    (log / "patch-0002.rdfp").symlink_to(tmp_path / "gone")
    with pytest.raises(FileNotFoundError, match="patch-0002"):
        jelly.apply(b"", log, tmp_path / "out.nq")
    (tmp_path / "gone").write_bytes(b"D <a:s> <a:p> <a:o> .\n")
    assert jelly.apply(b"", log, tmp_path / "out.nq").version == 3


def test_publishing_again_is_no_change(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path)
    log.publish(patch("1", "H id <u:1> .\n"))
    uuid = "0f0f0f0f-0000-4000-8000-00000000000a"
    published = log.publish(patch("2", f"H id <uuid:{uuid}> .\n"), expect=1)
    before = {path: path.read_bytes() for path in log.files}
    for name in (f"<uuid:{uuid}>", f"<urn:uuid:{uuid.upper()}>", f'"{uuid}"'):
        again = log.publish(patch("2", f"H id {name} .\n", "H prev <u:1> .\n"), expect=1)
        assert again == published._replace(replayed=True)
    assert {path: path.read_bytes() for path in log.files} == before
    with pytest.raises(PatchError, match="is a different patch with the same id"):
        log.publish(patch("3", f"H id <uuid:{uuid}> .\n"))


@pytest.mark.parametrize(
    ("data", "expect", "kind"),
    [
        (b"TX .\nA <a:s> <a:p> <a:o> .\n", None, "patch.unfinished"),
        (b"A <a:s> <a:p> <a:o> .\nTC .\n", None, "patch.stray"),
        (b"H id <u:7> .\nH id <u:8> .\n", None, "patch.header"),
        (b"A <a:s> <a:p> .\n", None, "text.row"),
        (b"A <a:s> <a:p", None, "truncated.row"),
        (b"", None, "patch.several"),
        (patch("8") + b"Z .\n" + patch("9"), None, "patch.several"),
        (patch("9", "H id <u:1> .\n"), None, "patch.duplicate"),
        (patch("9", "H prev <u:1> .\n"), None, "patch.conflict"),
        (patch("9", "H id <u:9> .\n", "H prev <u:8> .\n"), None, "patch.conflict"),
        (patch("9"), 1, "patch.conflict"),
        (patch("9"), 0, "patch.conflict"),
        (patch("9"), "u:1", "patch.conflict"),
        (BASE, None, "wire.format"),
    ],
)
def test_what_is_refused(data: bytes, expect: int | str | None, kind: str, tmp_path: Path) -> None:
    log = jelly.Log(tmp_path, ending=".rdfp")
    log.publish(patch("1", "H id <u:1> .\n"))
    log.publish(patch("2", "H id <u:2> .\n"))
    before = names(log)
    with pytest.raises(JellyError) as caught:
        log.publish(data, expect=expect)
    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"{kind}: ")
    assert names(log) == before == ["patch-0001.rdfp", "patch-0002.rdfp"]


def test_a_log_keeps_its_format(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path, ending=".trp.gz")
    log.publish(patch("1"))
    jelly.Log(tmp_path).publish(patch("2"))
    assert names(log) == ["patch-0001.trp.gz", "patch-0002.trp.gz"]
    assert log.files[1].read_bytes()[:2] == b"\x1f\x8b"
    assert log.verify().ok
    with pytest.raises(ValueError, match=r"it must be \.jellyp, \.rdfp or \.trp"):
        jelly.Log(tmp_path, ending=".nq")


def test_logs_of_others(tmp_path: Path) -> None:
    """RDF Delta keeps text in files without an extension."""
    (tmp_path / "patch-0009").write_bytes(patch("9", "H id <u:9> .\n", "H prev <u:8> .\n"))
    (tmp_path / "source.cfg").write_text("{}")
    log = jelly.Log(tmp_path)
    assert log.head == (9, "<u:9>")
    done = log.publish(patch("10"))
    assert done.path is not None
    assert done.path.name == "patch-0010"
    assert TIMESTAMP.sub(
        "", done.path.read_text()
    ).encode() == f"H id {done.id} .\nH prev <u:9> .\n".encode() + patch("10")
    (tmp_path / "patch-0010.jellyp").write_bytes(done.path.read_bytes())
    with pytest.raises(
        PatchError, match=r"two files have the number 10: patch-0010 and patch-0010\.jellyp"
    ):
        log.publish(patch("11"))
    (tmp_path / "patch-0010.jellyp").unlink()
    (tmp_path / "patch-0011").write_bytes(b"Z .\n")
    with pytest.raises(
        PatchError, match="this patch has no id, but 2 patches of this log have one"
    ):
        log.publish(patch("12"))
    (tmp_path / "z-2026-11-21").write_bytes(b"Z .\n")
    with pytest.raises(ValueError, match="the patches of a log must be named patch-0001"):
        log.publish(patch("12"))


def test_publishers_at_once(tmp_path: Path) -> None:
    """Those that expect no head all succeed; of those that expect a head, one does."""
    log, refused = jelly.Log(tmp_path), []
    log.publish(patch("0", "H id <u:0> .\n"))
    ready = threading.Barrier(8)

    def publish(name: int) -> None:
        ready.wait()
        for n in range(5):
            jelly.Log(tmp_path).publish(patch(f"{name}-{n}"))
        ready.wait()
        try:
            jelly.Log(tmp_path).publish(patch(f"last-{name}"), expect=41)
        except PatchError as error:
            refused.append(error.kind)

    threads = [threading.Thread(target=publish, args=[name]) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = log.verify()
    assert report.ok
    assert (report.patches, report.ids, report.changes) == (42, 42, 42)
    assert refused == ["patch.conflict"] * 7
    assert names(log) == [f"patch-{n:04}.jellyp" for n in range(1, 43)]


def test_a_name_that_is_taken_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where locks do nothing, as on some networks, the link decides."""
    log = jelly.Log(tmp_path)
    log.publish(patch("1", "H id <u:1> .\n"))
    real = Contents.quick_extent
    sent: list[int] = []

    def quick(self: Contents) -> Extent:
        found = real(self)
        if len(sent) == 1 and found.head.version == 1:  # looked at, and just before the link
            (tmp_path / "patch-0002.jellyp").write_bytes(
                patch("2", "H id <u:2> .\n", "H prev <u:1> .\n")
            )
        sent.append(found.head.version)
        return found

    monkeypatch.setattr(Contents, "quick_extent", quick)
    done = log.publish(patch("3"))
    assert sent[:2] == [1, 1]
    assert (done.version, done.prev) == (3, "<u:2>")
    assert b'"2"' in log.files[1].read_bytes()


def test_stage(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path / "log")
    log.publish(patch("x", "H id <u:1> .\n"))
    data = (
        b'H id <u:2> .\nTX .\nA <a:s> <a:p> "x" .\nA <a:s> <a:p> "y" .\nPA "e" "http://e/" .\nTC .\n'
        b'TX .\nD <a:s> <a:p> "x" .\nTC .\nTX .\nD <a:s> <a:p> "y" .\nTA .\n'
    )
    path = tmp_path / "next.rdfp"
    path.write_bytes(data)
    for source in (path, data, io.BytesIO(data), iter([data])):
        staged = jelly.stage(BASE, source, log)
        assert staged.ok
        assert staged[:11] == ("<u:2>", None, 2, 1, 3, 1, 1, 1, 1, 1, 1)
        assert [problem.kind for problem in staged.problems] == ["patch.effect"]
        assert "the quad exists already" in staged.problems[0].message
        assert repr(staged) == "<jelly.Staged id='<u:2>', +1 -1, ok>"
    assert log.head.version == staged.head == 1
    jelly.convert(path, tmp_path / "next.trp.gz")
    thrift = jelly.stage(BASE, tmp_path / "next.trp.gz", log)
    assert thrift[:12] == staged[:12]
    path.write_bytes(b"what was looked at is what is published")
    done = staged.publish()
    assert (done.version, done.prev) == (2, "<u:1>")
    assert thrift.publish().replayed
    out = io.BytesIO()
    jelly.apply(b"", log, out, to="nq", base_format="nq")
    assert out.getvalue() == b'<a:s> <a:p> "y" .\n'


def test_stage_says_what_is_wrong(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path)
    log.publish(patch("1", "H id <u:1> .\n"))
    log.publish(patch("2", "H id <u:2> .\n"))
    for data, kind in [
        (b"TX .\nA <a:s> <a:p> <a:o> .\n", "patch.unfinished"),
        (b"A <a:s> <a:p> .\n", "text.row"),
        (patch("1") + b"Z .\n" + patch("1"), "patch.several"),
        (patch("9", "H id <u:1> .\n"), "patch.duplicate"),
        (patch("9", "H prev <u:1> .\n"), "patch.conflict"),
    ]:
        staged = jelly.stage(BASE, data, tmp_path)
        assert not staged.ok
        assert staged.problems[0].kind == kind
        assert (staged.after is None) == (kind not in ("patch.duplicate", "patch.conflict"))
        with pytest.raises(PatchError) as caught:
            staged.publish()
        assert caught.value.kind == kind
    late = jelly.stage(BASE, patch("3"), tmp_path)
    log.publish(patch("4"))
    with pytest.raises(
        PatchError, match=r"patch\.conflict: the head should be patch 2, but it is patch 3"
    ):
        late.publish()
    with pytest.raises(ValueError, match="without a log to publish to"):
        jelly.stage(BASE, patch("3")).publish()
    with pytest.raises(TypeError, match="unexpected keyword argument 'chain'"):
        jelly.stage(BASE, patch("3"), chain="ignore")
    with pytest.raises(TypeError, match="base is read twice"):
        jelly.stage(io.BytesIO(BASE), patch("3"))  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", [".jellyp", ".rdfp", ".trp", ".rdfp.gz"])
def test_a_patch_that_lost_its_bytes_is_not_passed_over(tmp_path: Path, ending: str) -> None:
    log = jelly.Log.create(tmp_path / "log", ending=ending)
    for number in range(3):
        log.publish(f'A <x:s> <x:p> "{number}" .\n'.encode(), format="rdfp")
    with log.read() as reader:
        assert sum(row.op == "A" for row in reader.rows()) == 3
    (tmp_path / "log" / f"patch-0002{ending}").write_bytes(b"")
    for place in (log, jelly.Log(tmp_path / "log")):
        with pytest.raises(JellyError), place.read() as reader:
            list(reader.rows())
        with place.read(2) as reader:
            assert sum(row.op == "A" for row in reader.rows()) == 1
