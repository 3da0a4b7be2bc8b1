"""What no operation writes, reads or publishes: files of a log, one source twice, patches without effect."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import ArgumentError, JellyError, PatchError

DATASET = b"<urn:s> <urn:p> <urn:o> .\n"


def patch(number: int, headers: str = "", rows: str | None = None) -> bytes:
    prev = f"H prev <urn:p:{number - 1}> .\n" if number > 1 else ""
    row = f"A <urn:s> <urn:p> <urn:{number}> .\n" if rows is None else rows
    return f"H id <urn:p:{number}> .\n{prev}{headers}TX .\n{row}TC .\n".encode()


def timed(time: str) -> str:
    return f'H timestamp "{time}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A published log of three patches."""
    for number in (1, 2, 3):
        jelly.Log(tmp_path / "log", ending=".rdfp").publish(patch(number))
    (tmp_path / "plain").mkdir()
    for path in (tmp_path / "log").glob("patch-*"):
        (tmp_path / "plain" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "d.nq").write_bytes(DATASET)
    return tmp_path / "log"


WRITES: dict[str, Callable[[Any, Path], Any]] = {
    "apply": lambda log, dest: jelly.apply(DATASET, log, dest, to="nq"),
    "as_of": lambda log, dest: jelly.as_of(DATASET, log, 1, dest, to="nq"),
    "squash": lambda log, dest: jelly.squash(log, dest, to="rdfp"),
    "net": lambda log, dest: jelly.net(log, dest, to="rdfp"),
    "between": lambda log, dest: jelly.between(log, 0, 2, dest, to="rdfp"),
    "invert": lambda log, dest: jelly.invert(log, dest, to="rdfp"),
    "canonicalize": lambda log, dest: jelly.canonicalize(log, DATASET, dest, to="rdfp"),
}
ALSO: dict[str, Callable[[Path, Path], Any]] = {
    "convert": lambda log, dest: jelly.convert(log / "patch-0002.rdfp", dest, to="rdfp"),
    "diff": lambda _, dest: jelly.diff(DATASET, b"", dest, to="rdfp"),
}
OWN = ("patch-0002.rdfp", "patch-0004.rdfp", "log.json", "_index.jsonl")


@pytest.mark.parametrize("name", OWN)
def test_no_result_replaces_a_file_of_a_log(name: str, log: Path) -> None:
    before = {path: path.read_bytes() for path in log.parent.rglob("*") if path.is_file()}
    for write in (*WRITES.values(), *ALSO.values()):
        with pytest.raises(ValueError, match="the result would become a file of the log"):
            write(log, log / name)
    if name.startswith("patch"):
        for one in WRITES.values():
            with pytest.raises(ValueError, match="the result would become a file of the log"):
                one(log.parent / "plain", log.parent / "plain" / name)
    files = sorted((log.parent / "plain").glob("patch-*"))
    for one in WRITES.values():
        with pytest.raises(ValueError, match="the result would replace one of the patches"):
            one(files, files[1])
    assert {path: path.read_bytes() for path in log.parent.rglob("*") if path.is_file()} == before


def test_other_results_beside_a_log_are_written(log: Path) -> None:
    for dest in (log / "result.nq", log.parent / "patch-0004.rdfp"):
        jelly.convert(log.parent / "d.nq", dest, to="nq")
        assert dest.stat().st_size


def test_a_broken_log_takes_no_patch(log: Path) -> None:
    whole = (log / "patch-0002.rdfp").read_bytes()
    for damage in (b"\x00nonsense", b"", patch(1), whole.replace(b"TC", b"TX")):
        (log / "patch-0002.rdfp").write_bytes(damage)
        with pytest.raises(JellyError):
            jelly.Log(log).publish(patch(4))
        assert not (log / "patch-0004.rdfp").exists()
    (log / "patch-0002.rdfp").write_bytes(whole)
    once = jelly.Log(log)
    assert once.publish(patch(4)).version == 4
    (log / "patch-0001.rdfp").write_bytes(b"")
    for other in (jelly.Log(log), jelly.Log(log)):
        with pytest.raises(JellyError):
            other.publish(patch(5))


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    jelly.backup(DATASET, tmp_path / "backup", at="2026-01-01T00:00Z")
    return tmp_path / "backup"


def test_a_patch_published_to_a_backup_has_a_time(backup: Path) -> None:
    jelly.Log(backup).publish(patch(1))
    with jelly.read_patch(backup / "patch-0001.jellyp") as reader:
        assert "timestamp" in dict(next(iter(reader.patches())).headers)
    for at, count in (("2026-01-02", 1), ("2999-01-01", 2)):
        assert jelly.restore(backup, io.BytesIO(), at=at).statements == count
    with pytest.raises(PatchError) as caught:
        jelly.Log(backup).publish(patch(2, timed("2026-01-01T00:00:00Z")))
    assert caught.value.kind == "patch.time"


def test_a_version_is_not_older_than_those_before_it(backup: Path) -> None:
    for number, time in ((1, "2026-03-01T00:00:00Z"), (2, "2026-02-01T00:00:00Z")):
        (backup / f"patch-{number:04}.rdfp").write_bytes(patch(number, timed(time)))
    for at, version in (("2026-02-02", 0), ("2026-03-02", 2)):
        assert jelly.restore(backup, io.BytesIO(), at=at).version == version
    (backup / "patch-0003.rdfp").write_bytes(patch(3))
    with pytest.raises(PatchError) as caught:
        jelly.restore(backup, io.BytesIO(), at="2026-03-02")
    assert caught.value.kind == "patch.time"


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02T03:04:05", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02T03:04:05.1234567+14:00", "2026-01-01T13:04:05.123456+00:00"),
        ("2026-01-02T24:00:00Z", "2026-01-03T00:00:00+00:00"),
        *(
            (text, None)
            for text in (
                "2026-W01-1T00:00:00Z", "2026-01-02", "20260102T030405Z", "2026-01-02T03:04Z", "2026-01-02 03:04:05Z",
                "2026-01-02T03:04:05z", "2026-01-02T24:00:01Z", "2026-02-30T03:04:05Z", "2026-01-02T03:04:05+15:00", "",
            )
        ),
    ],
)  # fmt: skip
def test_times_of_headers_are_those_of_xsd(text: str, time: str | None, backup: Path) -> None:
    log = jelly.Log(backup.parent / "log", ending=".rdfp")
    log.publish(patch(1, timed(text)))
    found = next(log.versions()).time
    assert (found and found.isoformat()) == time
    if time is None:
        with pytest.raises(PatchError) as caught:
            jelly.Log(backup).publish(patch(1, timed(text)))
        assert caught.value.kind == "patch.header"


@pytest.mark.parametrize(
    "rows",
    ["", "TA .\nTX .\n", "A <urn:a> <urn:b> <urn:c> .\nTA .\nTX .\n"],
    ids=["empty", "aborted", "rows"],
)
def test_a_patch_of_which_no_row_counts_is_not_ok(rows: str) -> None:
    staged = jelly.stage(DATASET, patch(1, rows=rows))
    assert not staged.ok
    assert [problem.kind for problem in staged.problems] == ["patch.nothing"]
    assert jelly.stage(DATASET, b"H id <urn:p:1> .\n").ok is False


@pytest.mark.parametrize(
    "rows", ["A <urn:a> <urn:b> <urn:c> .\n", "D <urn:a> <urn:b> <urn:c> .\n", 'PA "x" <urn:x> .\n']
)
def test_net_refuses_a_log_that_is_provably_not_canonical(rows: str) -> None:
    log = [patch(1, rows=rows), patch(2, rows=rows)]
    doors: list[Callable[[Any], Any]] = [
        lambda mode: jelly.squash(log, io.BytesIO(), mode=mode),
        lambda mode: jelly.net(log, io.BytesIO(), mode=mode),
        lambda mode: jelly.between(log, 0, 2, io.BytesIO(), mode=mode),
    ]
    for door in doors:
        door("last")
        with pytest.raises(PatchError) as caught:
            door("net")
        assert caught.value.kind == "patch.canonical"
        assert rows.split()[1] in str(caught.value)
    once = jelly.squash([log[0]], io.BytesIO(), mode="net")
    assert once.patches == 1


def test_one_source_in_two_places_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.nq").write_bytes(DATASET)
    with (tmp_path / "d.nq").open("rb") as file:
        with pytest.raises(ValueError, match="is given twice"):
            jelly.diff(file, file, io.BytesIO())
        file.read()
        with pytest.raises(ValueError, match="already read"):
            jelly.diff(file, DATASET, io.BytesIO())
        with pytest.raises(ValueError, match="already read"):
            jelly.apply(file, patch(1), io.BytesIO())
    pieces = (piece for piece in [DATASET])
    assert jelly.diff(b"", pieces, io.BytesIO()).added == 1
    with pytest.raises(ValueError, match="already read"):
        jelly.diff(b"", pieces, io.BytesIO())
    twice = iter([DATASET])
    with pytest.raises(ValueError, match="is given twice"):
        jelly.diff(twice, twice, io.BytesIO())
    assert jelly.diff(io.BytesIO(b""), io.BytesIO(DATASET), io.BytesIO()).added == 1


@pytest.mark.parametrize("start", ["x", "", "genid/", "//host/", "http://e/ x", "_:"])
def test_what_iris_of_blank_nodes_begin_with_is_an_iri(start: str) -> None:
    data = b"_:a <urn:p> <urn:o> .\n"
    for door in (
        lambda: jelly.convert(data, io.BytesIO(), to="nq", skolemize=start),
        lambda: jelly.diff(b"", data, io.BytesIO(), skolemize=start),
    ):
        with pytest.raises(ValueError, match="an absolute IRI"):
            door()


@pytest.mark.parametrize("name", ["s3:bucket", "host:d.nq", "me@host:d.nq", "gs:"])
def test_names_of_other_hosts_are_no_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for write in (
        lambda: jelly.convert(DATASET, name, to="nq"),
        lambda: jelly.apply(DATASET, patch(1), name, to="nq"),
        lambda: jelly.backup(DATASET, name),
        lambda: jelly.Log(name).publish(patch(1)),
    ):
        with pytest.raises(ArgumentError) as caught:
            write()
        assert caught.value.kind == "argument.remote"
    assert list(tmp_path.iterdir()) == []
    jelly.convert(DATASET, f"./{name}", to="nq")
    assert list(jelly.read_rdf(name).rows())
