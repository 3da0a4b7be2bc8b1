"""What a log in a folder offers: index, beginnings, times, copies, repair."""

import io
import json
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

import jelly
from jelly import _internal
from jelly.cli.group import jelly as command
from jelly.errors import JellyError, PatchError

ROWS = b'TX .\nA <a:s> <a:p> "x"@EN <a:g> .\nD _:b <a:p> "7"^^<a:d> .\nPA "e" <http://e/> .\nPD "f" .\nTC .\n'


def patch(value: int, *headers: str) -> bytes:
    return "".join([*headers, f'TX .\nA <a:s> <a:p> "{value}" .\nTC .\n']).encode()


def filled(folder: Path, count: int = 3) -> jelly.Log:
    log = jelly.Log.create(folder)
    for value in range(1, count + 1):
        log.publish(patch(value, f"H id <u:{value}> .\n"))
    return log


def digest(data: bytes, **options: object) -> str:
    return _internal.summarize(data, options)[8]


def test_the_digest_is_of_rows_alone() -> None:
    same = {digest(ROWS), digest(b"H id <u:1> .\n" + ROWS + b"Z .\n")}
    for to in ("jelly-patch", "trp"):
        out = io.BytesIO()
        jelly.convert(ROWS, out, to=to)
        same.add(digest(out.getvalue(), patch_format=to))
    assert len(same) == 1
    others = [
        ROWS.replace(b"@EN", b"@en"),
        ROWS.replace(b"<a:g>", b""),
        ROWS.replace(b"A <", b"D <"),
        ROWS.replace(b"TC", b"TA"),
        ROWS.replace(b'PD "f"', b'PD "g"'),
        ROWS.replace(b"http://e/", b"http://f/"),
        ROWS + b"TX .\nTC .\n",
        b'TX .\nD _:b <a:p> "7"^^<a:d> .\nA <a:s> <a:p> "x"@EN <a:g> .\nPA "e" <http://e/> .\nPD "f" .\nTC .\n',
    ]
    assert len({*same, *map(digest, others)}) == 1 + len(others)


def test_a_retry_is_known_at_any_version(tmp_path: Path) -> None:
    log = filled(tmp_path / "log")
    for expect in (None, 0, 7, "u:none"):
        done = log.publish(patch(1, "H id <u:1> .\n", "H prev <u:77> .\n"), expect=expect)
        assert (done.version, done.replayed, done.prev) == (1, True, None)
    with pytest.raises(PatchError, match=r"version 1 of the log is a different patch") as caught:
        log.publish(patch(9, "H id <u:1> .\n"))
    assert caught.value.kind == "patch.duplicate"
    assert log.head.version == 3


def test_the_index_is_derived(tmp_path: Path) -> None:
    log = filled(tmp_path / "log")
    index = tmp_path / "log" / "_index.jsonl"
    wanted = list(log.versions())
    lines = index.read_text().splitlines()
    assert [json.loads(line)["version"] for line in lines] == [1, 2, 3]
    for text in (
        "",
        "nothing\n",
        lines[0] + "\n" + lines[1][:40],
        "\n".join([*lines, *lines, lines[0]]),
        index.read_text().replace('"added":1', '"added":5'),
    ):
        index.write_text(text)
        assert list(jelly.Log(tmp_path / "log").versions()) == wanted
        assert jelly.Log(tmp_path / "log").publish(patch(2, "H id <u:2> .\n")).version == 2
    # a file that was replaced on purpose is read again
    other = jelly.Log(tmp_path / "other")
    other.publish(patch(8, "H id <u:1> .\n"))
    (tmp_path / "log/patch-0001.jellyp").write_bytes(other.files[0].read_bytes())
    index.unlink()
    with pytest.raises(PatchError) as caught:
        jelly.Log(tmp_path / "log").publish(patch(1, "H id <u:1> .\n"))
    assert caught.value.kind == "patch.duplicate"


@pytest.mark.parametrize("base", [None, b'<a:s> <a:p> "0" .\n'])
def test_a_lost_last_patch_is_noticed(base: bytes | None, tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log", base, base_format="nt")
    for value in (1, 2, 3):
        path = log.publish(patch(value)).path
    assert path is not None
    path.unlink()
    doors: list[Callable[[], object]] = [
        lambda: jelly.Log(tmp_path / "log").head,
        lambda: log.head,
        lambda: log.publish(patch(4)),
        lambda: list(log.versions()),
        lambda: log.dataset(io.BytesIO()),
        lambda: jelly.apply(b"", log, io.BytesIO(), base_format="nq"),
        lambda: jelly.squash(log, io.BytesIO()),
        lambda: jelly.Log(tmp_path / "log").pull(tmp_path / "copy"),
    ]
    for door in doors:
        with pytest.raises(PatchError, match=r"patch-0003\.jellyp is missing: _index\.jsonl records") as caught:  # fmt: skip
            door()
        assert caught.value.kind == "patch.gap"
    assert [problem.kind for problem in log.verify().problems] == ["patch.gap"]
    out = CliRunner().invoke(command, ["log", "repair", str(tmp_path / "log")])
    assert out.output == "the head is version 2; 1 lost at the end\n"
    assert jelly.Log(tmp_path / "log").publish(patch(4)).version == 3


def test_repair_sets_aside_what_stands_behind_a_hole(tmp_path: Path) -> None:
    log = filled(tmp_path / "log", 5)
    log.files[2].unlink()
    with pytest.raises(PatchError, match=r"patch\.gap"):
        log.publish(patch(6))
    out = CliRunner().invoke(command, ["log", "repair", str(tmp_path / "log")])
    assert out.exit_code == 0, out.output
    aside = next((tmp_path / "log").glob("aside-*"))
    assert sorted(path.name for path in aside.iterdir()) == [
        "patch-0004.jellyp",
        "patch-0005.jellyp",
    ]
    assert log.head == (2, "<u:2>")
    assert log.publish(patch(6)).version == 3
    assert "0 lost" in CliRunner().invoke(command, ["log", "repair", str(tmp_path / "log")]).output


def test_how_a_log_begins(tmp_path: Path) -> None:
    plain = jelly.Log(tmp_path / "plain")
    plain.publish(patch(1))
    assert (plain.info().base, plain.info().first, plain.info().head.version) == (None, 1, 1)
    with pytest.raises(PatchError, match="jelly log create") as caught:
        plain.dataset(io.BytesIO())
    assert caught.value.kind == "patch.base"
    jelly.Log.create(tmp_path / "plain", b"")
    out = io.BytesIO()
    assert plain.dataset(out).statements == 1
    assert out.getvalue() == b'<a:s> <a:p> "1" .\n'
    with pytest.raises(
        PatchError, match="a log exists here already; it begins empty, and has patches"
    ):
        jelly.Log.create(tmp_path / "plain", b"")
    base = b'<a:s> <a:p> "0" .\n'
    based = jelly.Log.create(tmp_path / "based", base, base_format="nt")
    jelly.Log.create(tmp_path / "based", base, base_format="nt")
    with pytest.raises(PatchError, match="it begins with the base"):
        jelly.Log.create(tmp_path / "based", base + base, base_format="nt")
    based.publish(patch(1))
    for version, count in [(None, 2), (1, 2), (0, 1)]:
        out = io.BytesIO()
        assert based.dataset(out, version, to="nt").statements == count
    out = io.BytesIO()
    named = jelly.Log.create(tmp_path / "new", b"_:anon-0 <a:p> <a:o> .\n", base_format="nt")
    named.dataset(out, to="nt")
    assert out.getvalue().startswith(b"_:b"), "a label that depends on the graph alone"
    kept = tmp_path / "kept"
    jelly.backup(base, kept, dump_format="nt")
    jelly.backup(base + patch(1)[6:-5].replace(b"A ", b""), kept, dump_format="nt")
    assert jelly.Log(kept).info().base == "base.jelly.zst"
    assert jelly.Log(kept).dataset(io.BytesIO(), 0, to="nq").statements == 1


def test_times(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path / "log")
    stamp = '"2026-01-02T03:04:05Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    before = datetime.now(UTC)
    log.publish(patch(1))
    log.publish(patch(2, f"H timestamp {stamp} .\n"))
    log.publish(patch(3), headers={"Timestamp": stamp})
    times = [version.time for version in log.versions()]
    assert times[0] is not None
    assert before <= times[0] <= datetime.now(UTC)
    assert times == [times[0]] * 3, "the time of a version is the latest up to it"
    assert next(log.versions(2)).time == times[0]
    assert [dict(version.headers).get("Timestamp") for version in log.versions()][2] == stamp
    later = (datetime.now(UTC) + timedelta(minutes=6)).isoformat()
    with pytest.raises(PatchError) as caught:
        log.publish(patch(4, f'H timestamp "{later}" .\n'))
    assert caught.value.kind == "patch.time"
    with pytest.raises(PatchError) as caught:
        log.publish(patch(4, 'H blank-nodes "x" .\n'))
    assert caught.value.kind == "patch.base"
    assert log.head.version == 3


def test_a_copy_of_a_log_that_was_rewritten_under_its_ids(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log", ending=".rdfp")
    done = log.publish(patch(1))
    copy = log.pull(tmp_path / "copy")
    for rows in (b'A <a:s> <a:p> "other" .', b'PA "p" <a:p> .'):
        log.files[0].write_bytes(b"H id %s .\nTX .\n%s\nTC .\nZ .\n" % (done.id.encode(), rows))
        (log.folder / "_index.jsonl").unlink()
        with pytest.raises(PatchError, match="other rows") as caught:
            log.pull(tmp_path / "copy")
        assert caught.value.kind == "patch.fork"
    log.files[0].write_bytes(copy.files[0].read_bytes() + b"\n# the same rows\n")
    (log.folder / "_index.jsonl").unlink()
    log.publish(patch(2))
    assert len(log.pull(tmp_path / "copy").files) == 2


@pytest.mark.parametrize("ending", [".jellyp", ".rdfp", ".trp", ".jellyp.zst", ".rdfp.gz"])
def test_ranges_and_copies(ending: str, tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log", ending=ending)
    log.publish(patch(1))
    log.publish(b'H id <u:2> .\nH author "me" .\n')
    log.publish(patch(3))
    ids = [version.id for version in log.versions()]
    with log.read(1) as reader:
        assert [patch.id for patch in reader.patches()] == ids[1:]
    copy = log.pull(tmp_path / "copy")
    log.publish(patch(4))
    assert [path.read_bytes() for path in log.pull(tmp_path / "copy").files] == [
        path.read_bytes() for path in log.files
    ]
    assert copy.publish(patch(5)).version == 5
    with pytest.raises(PatchError) as caught:
        log.pull(tmp_path / "copy")
    assert caught.value.kind == "patch.fork"
    with pytest.raises(PatchError) as caught:
        jelly.Log.create(tmp_path / "other").pull(tmp_path / "copy")
    assert caught.value.kind == "patch.fork"
    for to in ("jelly-patch", "rdfp", "trp"):
        out = io.BytesIO()
        log.fetch(3, out, to=to)
        assert digest(out.getvalue(), patch_format=to) == digest(patch(3))
    with pytest.raises(ValueError, match="would become a file of the log"):
        log.fetch(1, tmp_path / "log" / "_index.jsonl")


def test_a_log_is_a_source(tmp_path: Path) -> None:
    log = filled(tmp_path / "log")
    out = io.BytesIO()
    assert jelly.apply(b"", [log], out, base_format="nq", to="nq").version == 3
    assert jelly.verify_log(log).patches == 3
    assert len(list(jelly.history(log, subject="<a:s>"))) == 3


def test_commands(tmp_path: Path) -> None:
    log = str(tmp_path / "log")

    def run(*args: str, code: int = 0) -> str:
        done = CliRunner().invoke(command, ["log", *args])
        assert done.exit_code == code, done.output
        return done.output

    assert run("create", log, "--empty") == f"{log}: begins empty\n"
    jelly.Log(log).publish(patch(1, "H id <u:1> .\n"))
    assert json.loads(run("list", log, "--json"))["id"] == "<u:1>"
    assert run("list", log).split()[0::2][:2] == ["1", "+1"]
    assert json.loads(run("show", log, "--json"))["head"] == {"version": 1, "id": "<u:1>"}
    assert "begins empty" in run("show", log)
    assert 'A <a:s> <a:p> "1" .' in run("show", log, "1")
    run("fetch", log, "u:1", "-o", str(tmp_path / "p.rdfp"))
    assert b"H id <u:1> ." in (tmp_path / "p.rdfp").read_bytes()
    run("dataset", log, "--version", "1", "-o", str(tmp_path / "x.nq"))
    assert (tmp_path / "x.nq").read_bytes() == b'<a:s> <a:p> "1" .\n'
    assert run("watch", log, "--after", "0", "--timeout", "0").startswith("1 ")
    run("pull", log, str(tmp_path / "copy"))
    assert "1 patch" in run("verify", str(tmp_path / "copy"))
    assert jelly.Log(tmp_path / "copy").verify().ok
    with pytest.raises(JellyError):
        jelly.Log(log).fetch(7, io.BytesIO())


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens here
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/brick"
        with pytest.raises(ConnectionError, match=f"^{url}: the server cannot be reached .*check"):
            jelly.Log(url).head  # noqa: B018
    for place in ("grpc://127.0.0.1:50051/brick", "ftp://host/brick"):
        with pytest.raises(
            jelly.errors.ArgumentError,
            match=f"^argument.remote: {place}: a log cannot be at this place: expected a folder, http://",
        ) as no:
            jelly.Log(place)
        assert ("jelly.grpc" in str(no.value)) == place.startswith("grpc")
    with pytest.raises(ValueError, match="expected a server and a name"):
        jelly.Log("http://127.0.0.1:8080").head  # noqa: B018


def test_a_server_of_another_kind_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            with other.accept()[0] as link:
                link.sendall(b"\0\0\x18\4\0\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{other.getsockname()[1]}/brick"
        with pytest.raises(ConnectionError, match="the answer is not HTTP"):
            jelly.Log(url).head  # noqa: B018
        thread.join()


def test_a_command_that_is_misspelled_is_guessed() -> None:
    for name, said in (("dif", "did you mean diff?"), ("zzz", "jelly --help lists the commands")):
        done = CliRunner().invoke(command, [name, "a", "b"])
        assert done.exit_code == 2
        assert f"there is no command '{name}'; {said}" in done.output


MORE = {"fetch": ["1"], "pull": ["copy"], "page": ["-o", "page"], "compact": ["--upto", "1"]}


@pytest.mark.parametrize(
    "verb", ["list", "show", "fetch", "dataset", "watch", "pull", "page", "repair", "compact"]
)
def test_a_place_without_a_log_is_refused(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistyped path read as an empty log, with exit code 0; the error says what is there instead."""
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "other", "logs"):
        Path(name).mkdir()
    for name in "abcde":
        Path("other", f"{name}.nq").touch()
    for name in ("brick", "weather"):
        jelly.Log.create(Path("logs", name))
    Path("file.nq").write_text("")
    before = sorted(tmp_path.rglob("*"))
    for place, said in {
        "nowhere": "there is no log and no folder; create one with `jelly log create`",
        "empty": "there is no log, and the folder is empty; create one with `jelly log create`",
        "127.0.0.1:8080/brick": "there is no log and no folder; the address of a log on a server begins with http:// or https://",
        "other": "there is no log, but a.nq, b.nq, c.nq and 2 more; expected log.json, or patches from patch-0001 on",
        "logs": "this is not a log, but a folder of logs: brick, weather; give one of them, such as logs/brick",
        "file.nq": "is a file; expected a folder, a server or an object store with a log",
    }.items():
        done = CliRunner().invoke(command, ["log", verb, place, *MORE.get(verb, [])])
        assert done.exit_code == 1, done.output
        assert done.output.startswith(f"jelly: {place}")
        assert said in done.output
    assert sorted(tmp_path.rglob("*")) == before


def test_commands_on_a_log_that_was_compacted(tmp_path: Path) -> None:
    """`jelly log list` was refused, and the format on standard output was that of the base."""
    log, place = filled(tmp_path / "log"), str(tmp_path / "log")
    dataset = CliRunner().invoke(command, ["log", "dataset", place]).stdout
    log.compact(2)
    listed = CliRunner().invoke(command, ["log", "list", place])
    assert (listed.exit_code, listed.output.split()[0], listed.output.count("\n")) == (0, "3", 1)
    refused = CliRunner().invoke(command, ["log", "list", place, "--after", "0"])
    assert (refused.exit_code, "the changes after version 0 are gone" in refused.output) == (
        1,
        True,
    )
    assert CliRunner().invoke(command, ["log", "dataset", place]).stdout == dataset
    assert dataset.count("<a:s>") == 3


def test_a_watch_from_a_version_that_is_not_there(tmp_path: Path) -> None:
    """It waited until the log had so many versions, and skipped those before."""
    log = filled(tmp_path / "log")
    assert [one.version for one in log.watch(after=1, timeout=0)] == [2, 3]
    assert list(log.watch(after=3, timeout=0)) == []
    with pytest.raises(PatchError, match="there is no version 9: the head is 3"):
        list(log.watch(after=9, timeout=0))
    log.compact(2)
    with pytest.raises(PatchError, match="the changes after version 1 are gone"):
        list(log.watch(after=1, timeout=0))
