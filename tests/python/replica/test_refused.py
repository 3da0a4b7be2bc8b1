"""What a replica refuses, and that nothing was changed then."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import JellyError, PatchError, ReplicaError
from jelly.replica import Replica

from .tables import files, quads


def patch(id: str | None, prev: str | None, row: str) -> bytes:
    head = (f"H id <u:{id}> .\n" if id else "") + (f"H prev <u:{prev}> .\n" if prev else "")
    return f"{head}TX .\n{row} .\nTC .\nZ .\n".encode()


OLD_DIGEST = "5b90891e63b92d4d65f7db7729a7da00"
ONE, TWO, THREE = patch("1", None, "A <a:1> <a:p> <a:o>"), patch("2", "1", "A <a:2> <a:p> <a:o>"), patch("3", "2", "D <a:1> <a:p> <a:o>")  # fmt: skip


def test_logs_that_do_not_continue_the_table(tmp_path: Path, format: str) -> None:
    replica = Replica.create(tmp_path / "t", format=format)  # type: ignore[arg-type]
    replica.follow([ONE, TWO])
    before = quads(replica), replica.versions, files(tmp_path / "t")
    other = [patch("2b", "1", "A <a:x> <a:p> <a:o>"), patch("3b", "2b", "A <a:y> <a:p> <a:o>")]
    cases: list[tuple[Any, str, str]] = [
        (patch("4", "3", "A <a:4> <a:p> <a:o>"), "replica.gap", "<u:2>, which is not in the log; the log begins after <u:3>"),
        (patch("9", None, "A <a:4> <a:p> <a:o>"), "replica.gap", "with <u:9>, after no patch"),
        ([ONE, *other], "replica.fork", "<u:2b> after <u:1>"),
        (other, "replica.fork", "<u:2b> after <u:1>"),
        ([patch("1b", None, "A <a:x> <a:p> <a:o>"), patch("2", "1b", "A <a:2> <a:p> <a:o>"), THREE], "replica.fork", "<u:1b>"),
        (patch(None, None, "A <a:4> <a:p> <a:o>"), "replica.log", "have no ids"),
        ([ONE, TWO, other[0]], "patch.fork", "both come after"),
        (b"H id <u:3> .\nH prev <u:2> .\nTX .\nA <a:4> <a:p> <a:o> .\n", "patch.unfinished", "neither"),
        (b"H id <u:3> .\nH prev <u:2> .\nTX .\nA <a:4> <a:p> .\nTC .\n", "", ""),
        ([THREE, patch("4", "3", "A <a:4> <a:p> <a:o>") + b"A <a"], "", ""),
    ]  # fmt: skip
    for log, kind, message in cases:
        for each in (False, True):
            with pytest.raises(JellyError) as caught:
                replica.follow(log, each_version=each)
            assert caught.value.kind == kind or not kind, log
            assert message in str(caught.value)
            assert (quads(replica), replica.versions, files(tmp_path / "t")) == before
    assert replica.follow([ONE]).patches == replica.follow(TWO).patches == 0
    assert replica.follow([TWO, THREE]).patches == 1
    assert quads(replica) == {("<a:2>", "<a:p>", "<a:o>", "")}


def test_logs_without_ids_are_counted(tmp_path: Path, format: str) -> None:
    log = [patch(None, None, f"A <a:{number}> <a:p> <a:o>") for number in range(4)]
    replica = Replica.create(tmp_path / "t", format=format)  # type: ignore[arg-type]
    assert replica.follow(log[:2]).version == 2
    assert replica.follow(b"".join(log[:2])).patches == 0
    for wrong, kind in [
        (log[2:3], "replica.gap"),
        (log[2:], "replica.fork"),
        (log[::-1], "replica.fork"),
        ([ONE], "replica.log"),
    ]:
        with pytest.raises(ReplicaError) as caught:
            replica.follow(wrong)
        assert caught.value.kind == kind
    assert replica.version == 2
    done = replica.follow(io.BytesIO(b"".join(log)), upto=3)
    assert (done.version, done.patches, len(replica)) == (3, 1, 3)
    assert replica.follow(iter([b"".join(log)])).version == 4


@pytest.mark.parametrize("each", [False, True])
def test_the_last_patch_with_other_rows(tmp_path: Path, format: str, each: bool) -> None:
    """A file that was followed while it was written, and a log that was rewritten under its ids."""
    begun = TWO.removesuffix(b"Z .\n")
    more = b"TX .\nA <a:late> <a:p> <a:o> .\nTC .\n"
    replica = Replica.create(tmp_path / "t", format=format)  # type: ignore[arg-type]
    assert replica.follow([ONE, begun], each_version=each).version == 2
    before = quads(replica), replica.versions, files(tmp_path / "t")
    prefix = patch("2", "1", 'PA "p" <a:p>')
    for other in (begun + more + b"Z .\n", patch("2", "1", "D <a:2> <a:p> <a:o>"), prefix):
        for log in ([ONE, other], [ONE, other, THREE], other):
            with pytest.raises(ReplicaError, match="other changes than the log has") as caught:
                replica.follow(log, each_version=each)
            assert caught.value.kind == "replica.fork"
            assert (quads(replica), replica.versions, files(tmp_path / "t")) == before
    # what does not count, and the format, do not matter
    aborted = TWO.removesuffix(b"Z .\n") + b"TX .\nA <a:no> <a:p> <a:o> .\nTA .\nZ .\n"
    jelly.convert(TWO, tmp_path / "two.jellyp")
    for same in (aborted, TWO, tmp_path / "two.jellyp"):
        assert replica.follow([ONE, same]).patches == 0
    assert replica.follow([tmp_path / "two.jellyp", THREE]).patches == 1
    assert replica.follow(THREE).patches == 0


FOUR = patch("4", "3", "A <a:4> <a:p> <a:o>")


def test_an_earlier_patch_with_other_rows(tmp_path: Path, format: str) -> None:
    replica = Replica.create(tmp_path / "t", format=format)  # type: ignore[arg-type]
    assert replica.follow([ONE, TWO]).version == 2
    assert replica.follow([ONE, TWO, THREE]).version == 3
    other = [ONE.replace(b"<a:o>", b"<a:q>"), patch("2", "1", "D <a:2> <a:p> <a:o>")]
    for log in ([other[0], TWO, THREE], [ONE, other[1], THREE, FOUR], [other[1], THREE], other):
        with pytest.raises(ReplicaError, match="other changes than the log has") as caught:
            replica.follow(log)
        assert caught.value.kind == "replica.fork"
    two = TWO.removesuffix(b"Z .\n") + b"TX .\nA <a:no> <a:p> <a:o> .\nTA .\nZ .\n"
    assert replica.follow([ONE, two, THREE, FOUR], each_version=True).version == 4


def test_an_early_patch_of_a_long_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jelly.replica._follow.RECENT", 2)
    replica = Replica.create(tmp_path / "t")
    for count in range(1, 4):
        replica.follow([ONE, TWO, THREE][:count])
    one = ONE.replace(b"<a:o>", b"<a:q>")
    with pytest.raises(ReplicaError, match="one of the 3 patches from <u:1> was applied with other") as caught:  # fmt: skip
        replica.follow([one, TWO, THREE, FOUR])
    assert caught.value.kind == "replica.fork"
    # what is not in the log cannot be compared
    assert replica.follow([TWO, THREE, FOUR]).version == 4
    # a table that was made before has no digests of earlier patches
    newest = max((tmp_path / "t" / "_replica").glob("*.json"))
    said = json.loads(newest.read_text())
    del said["digests"], said["chain"]
    newest.write_text(json.dumps(said))
    five = patch("5", "4", "A <a:5> <a:p> <a:o>")
    assert replica.follow([one, TWO, THREE, FOUR, five]).version == 5
    with pytest.raises(ReplicaError, match="<u:5> was applied with other"):
        replica.follow([one, TWO, THREE, FOUR, five.replace(b"<a:o>", b"<a:q>")])


def test_digests_of_older_tables(tmp_path: Path) -> None:
    """With ids, tables had none; without, one of another kind."""
    digests = {}
    for name, log in (
        ("ids", [ONE, TWO]),
        ("none", [patch(None, None, 'A <a:1> <a:p> "x\\n"@EN')]),
    ):
        replica = Replica.create(tmp_path / name)
        replica.follow(log)
        newest = max((tmp_path / name / "_replica").glob("*.json"))
        said = json.loads(newest.read_text())
        digests[name] = said["digest"]
        said["digest"] = None if name == "ids" else OLD_DIGEST
        newest.write_text(json.dumps(said))
        assert Replica(tmp_path / name).follow(log).patches == 0
    assert all(len(digest) == 64 for digest in digests.values())
    with pytest.raises(ReplicaError, match="is not the patch") as caught:
        Replica(tmp_path / "none").follow(patch(None, None, "A <a:1> <a:p> <a:o>"))
    assert caught.value.kind == "replica.fork"
    assert Replica(tmp_path / "ids").follow([ONE, TWO, THREE]).patches == 1


def test_where_a_log_begins(tmp_path: Path) -> None:
    late = patch("8", "7", "A <a:4> <a:p> <a:o>")
    with pytest.raises(ReplicaError, match=r"begins after <u:7>.*id=") as caught:
        Replica.create(tmp_path / "a").follow(late)
    assert caught.value.kind == "replica.gap"
    replica = Replica.create(tmp_path / "b", id="u:7")
    assert replica.id == "<u:7>"
    with pytest.raises(ReplicaError, match="which is not in the log"):
        replica.follow(ONE)
    assert replica.follow(late).version == 1
    uuid = "0b5e9d8a-77a9-4c0e-9f6e-3f0f3b0a2c11"
    other = Replica.create(tmp_path / "c", id=f"uuid:{uuid}")
    assert other.follow(f"H id <u:1> .\nH prev <urn:uuid:{uuid.upper()}> .\n".encode()).version == 1


def test_upto(tmp_path: Path) -> None:
    replica = Replica.create(tmp_path / "t")
    assert replica.follow([ONE, TWO, THREE], upto="u:2").id == "<u:2>"
    assert replica.follow([ONE, TWO, THREE], upto="<u:1>").patches == 0
    assert replica.follow([ONE, TWO, THREE], upto=1).patches == 0
    with pytest.raises(ReplicaError, match="has the id u:5"):
        replica.follow([ONE, TWO, THREE], upto="u:5")
    for upto in (4, 9):
        with pytest.raises(
            ReplicaError, match=f"no version {upto}: the log has versions up to 3"
        ) as caught:
            replica.follow([ONE, TWO, THREE], upto=upto)
        assert caught.value.kind == "replica.version"
    assert replica.follow([ONE, TWO, THREE], upto=3).version == 3
    assert replica.follow([ONE, TWO], upto=2).patches == 0
    late = Replica.create(tmp_path / "late", id="u:3")
    assert late.follow([ONE, TWO, THREE], upto=2).patches == 0


FAULTS = {
    "an error": b"H id <u:3> .\nH prev <u:2> .\nTX .\nA <a:4> <a:p> .\nTC .\n",
    "an unfinished transaction": b"H id <u:3> .\nH prev <u:2> .\nTX .\nA <a:4> <a:p> <a:o> .\n",
    "a gap": patch("4", "3", "A <a:4> <a:p> <a:o>"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("each_version", [False, True])
def test_faults_after_the_wanted_version(tmp_path: Path, fault: str, each_version: bool) -> None:
    """They do not matter, as they do not matter to ``jelly.as_of``. Before, they were errors."""
    folder = tmp_path / "log"
    folder.mkdir()
    for number, one in enumerate([ONE, TWO, FAULTS[fault]], 1):
        (folder / f"patch-{number:04}.rdfp").write_bytes(one)
    logs: list[Any] = [folder]
    if fault != "a gap":
        logs.append([ONE, TWO, FAULTS[fault]])
    for number, log in enumerate(logs):
        replica = Replica.create(tmp_path / str(number))
        for upto in (1, "u:2"):
            assert jelly.as_of(b"", log, upto, io.BytesIO(), to="nq").version == replica.version + 1
            assert replica.follow(log, upto=upto, each_version=each_version).patches == 1
            assert replica.follow(log, upto=upto, each_version=each_version).patches == 0
        for wrong in (None, 3, "u:3"):
            with pytest.raises(JellyError):
                replica.follow(log, upto=wrong)
        assert (replica.version, len(replica)) == (2, 2)


def test_numbers_that_the_log_counts_in_another_way(tmp_path: Path) -> None:
    """The replica counts from where it was created, these files from the first one. Before, nothing was applied, without an error."""
    four, five = (patch(str(n), str(n - 1), f"A <a:{n}> <a:p> <a:o>") for n in (4, 5))
    replica = Replica.create(tmp_path / "t", id="u:4")
    with pytest.raises(JellyError, match="neither committed nor aborted"):
        replica.follow([four, five.replace(b"TC .\n", b"")], upto=1)
    with pytest.raises(ReplicaError, match="no version 1: the log has versions up to 0"):
        replica.follow([four], upto=1)
    with pytest.raises(ReplicaError, match="no version 2: the log has versions up to 1"):
        replica.follow([four, five], upto=2)
    assert replica.follow([four, five], upto=0).patches == 0
    assert replica.follow([four, five], upto=1).patches == 1


def test_a_wrong_version_is_refused_before_the_log_is_read(tmp_path: Path) -> None:
    log = io.BytesIO(ONE)
    with pytest.raises(TypeError, match="upto"):
        Replica.create(tmp_path / "t").follow(log, upto=True)
    assert log.tell() == 0


def test_tables_that_are_none(tmp_path: Path, format: str) -> None:
    with pytest.raises(ReplicaError, match="there is no replica here"):
        Replica(tmp_path / "t", format=format)  # type: ignore[arg-type]
    with pytest.raises(ReplicaError, match="there is no replica here"):
        Replica(tmp_path / "t")
    with pytest.raises(JellyError):
        Replica.create(tmp_path / "t", b"<a:s> <a:p> .\n", base_format="nt", format=format)  # type: ignore[arg-type]
    assert files(tmp_path / "t") == set()
    replica = Replica.create(tmp_path / "t", format=format)  # type: ignore[arg-type]
    with pytest.raises(FileExistsError):
        Replica.create(tmp_path / "t", format=format)  # type: ignore[arg-type]
    with pytest.raises(
        ReplicaError, match="version 7 cannot be read; versions that can be read: 0"
    ):
        replica.read(7)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    with pytest.raises(FileExistsError):
        Replica.create(tmp_path / "full")
    with pytest.raises(ValueError, match="bucket_rows"):
        Replica.create(tmp_path / "u", bucket_rows=0)
    with pytest.raises(TypeError, match="base_format"):
        Replica.create(tmp_path / "u", base_formt="nt")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="csv"):
        Replica.create(tmp_path / "u", format="csv")  # type: ignore[arg-type]


def test_a_folder_that_delta_lake_takes_for_another(tmp_path: Path) -> None:
    pytest.importorskip("deltalake")
    for name in ("a%20", "a?", "a#b"):
        with pytest.raises(ValueError, match="of a Delta Lake table cannot contain"):
            Replica.create(tmp_path / name, format="delta")
    assert list(tmp_path.iterdir()) == []


def test_a_table_of_others_is_no_replica(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    import pyarrow as pa

    deltalake.write_deltalake(tmp_path / "t", pa.table({"x": [1]}))
    with pytest.raises(ReplicaError, match="is not a replica"):
        Replica(tmp_path / "t")


def test_a_file_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.rdfp"
    log.write_bytes(ONE)
    replica = Replica.create(tmp_path / "t")
    found = jelly._internal.log_versions

    def changing(*arguments: Any) -> Any:
        versions = found(*arguments)
        log.write_bytes(ONE + TWO)
        return versions

    monkeypatch.setattr(jelly._internal, "log_versions", changing)
    with pytest.raises(PatchError, match="changed while it was read"):
        replica.follow(log)
    assert replica.version == 0


def test_versions_have_the_numbers_of_the_log(tmp_path: Path, format: str) -> None:
    """A replica of the state after version 1, and folders that begin at version 1 and later."""
    rows = [f"A <a:{number}> <a:p> <a:o>" for number in range(1, 6)]
    patches = [patch(str(n), str(n - 1) if n > 1 else None, row) for n, row in enumerate(rows, 1)]
    whole, late = tmp_path / "whole", tmp_path / "late"
    for folder, first in ((whole, 1), (late, 2)):
        folder.mkdir()
        for number in range(first, 6):
            (folder / f"patch-{number:04}.rdfp").write_bytes(patches[number - 1])
    for place, log in enumerate((whole, late)):
        replica = Replica.create(tmp_path / f"t{place}", id="u:1", format=format)  # type: ignore[arg-type]
        assert replica.follow(log, upto=1).patches == 0
        done = replica.follow(log, upto=3)
        assert (done.version, done.patches, done.id) == (3, 2, "<u:3>"), log
        assert {quad[0] for quad in quads(replica)} == {"<a:2>", "<a:3>"}
        assert replica.follow(log, upto=3).patches == 0
        done = replica.follow(log, each_version=True)
        assert (done.version, done.patches) == (5, 2)
        assert replica.versions == [0, 3, 4, 5]


def test_a_log_that_was_compacted_to_its_last_version(tmp_path: Path) -> None:
    """The replica is behind: it does not say that nothing is new."""
    log, replica = jelly.Log.create(tmp_path / "log"), Replica.create(tmp_path / "t")
    for number in (1, 2, 3):
        log.publish(f'H id <x:{number}> .\nTX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode())
        if number == 1:
            replica.follow(tmp_path / "log")
    log.compact(3)
    with pytest.raises(
        ReplicaError, match="at <x:1>, but the log has no patches and begins after <x:3>"
    ):
        replica.follow(tmp_path / "log")
    new = Replica.create(tmp_path / "new", log.folder / "base-0003.jelly.zst", id="x:3")
    for upto in (None, 3):
        assert (new.follow(tmp_path / "log", upto=upto).patches, len(new)) == (0, 3)
    with pytest.raises(ReplicaError, match="no version 4: the log has versions up to 3"):
        new.follow(tmp_path / "log", upto=4)
