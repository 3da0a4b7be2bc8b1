"""Logs whose files others wrote: Jelly-Patch without our mark, of any options, which put end to end is not one stream."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly import _internal
from jelly._log_files import INDEX
from jelly.types import PatchOptions

pytest.importorskip("grpc")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("moto")
pytest.importorskip("obstore")

import jelly.grpc
from grpc_servers import here
from jelly._frames import frames_in, length_of
from object_store import ObjectStore, running
from servers import served

OPTIONS: dict[str, list[PatchOptions | None]] = {
    "as ours": [PatchOptions()],
    "FLAT": [PatchOptions(stream_type="FLAT")],
    "FRAME": [PatchOptions(stream_type="FRAME")],
    "TRIPLES": [PatchOptions(statement_type="TRIPLES")],
    "each others": [PatchOptions(max_name_table_size=8 * n) for n in range(1, 5)],
    "ours between": [None, PatchOptions(), None, PatchOptions(stream_type="FLAT")],
}
COUNT = 4


def written(n: int, options: PatchOptions | None) -> bytes:
    """A patch with names of its own, as others write it; without options, as our logs keep it."""
    prev = f"H prev <u:{n - 1}> .\n" if n > 1 else ""
    names = f"<http://e.{n}/p> <http://e.{n}/o> ."  # the second time they are said by their numbers
    text = f'H id <u:{n}> .\n{prev}TX .\nA <a:s{n}> {names}\nA <a:t{n}> {names}\nA <a:s{n}> <a:p> "{n}" .\nTC .\n'
    out = io.BytesIO()
    asked: Any = {} if options is None else {"options": options, "restart_bytes": 0}
    with (
        jelly.PatchWriter(out, format="jelly-patch", **asked) as writer,
        jelly.read_patch(text.encode()) as rows,
    ):
        writer.write(rows)
    if options is None:
        return out.getvalue()
    first, *rest = frames_in(out.getvalue())
    assert first[0] == 15 << 3 | 2, "the frame begins with our mark"
    first = first[2 + first[1] :]
    return b"".join(length_of(frame) + frame for frame in (first, *rest))


def rows(reader: Any) -> list[Any]:
    with reader:
        return [
            (row.op, row.subject, row.predicate, row.object, row.value) for row in reader.rows()
        ]


def flat(versions: list[list[Any]]) -> list[Any]:
    return [row for version in versions for row in version]


@pytest.fixture(params=OPTIONS)
def files(request: pytest.FixtureRequest) -> list[bytes]:
    options = OPTIONS[request.param]
    return [written(n, options[(n - 1) % len(options)]) for n in range(1, COUNT + 1)]


@pytest.fixture
def expected(files: list[bytes]) -> list[list[Any]]:
    """The rows of each version."""
    return [rows(jelly.read_patch(data)) for data in files]


@pytest.fixture(params=["folder", "log.json"])
def folder(request: pytest.FixtureRequest, files: list[bytes], tmp_path: Path) -> Path:
    folder = tmp_path / "logs" / "brick"
    folder.mkdir(parents=True)
    for n, data in enumerate(files, 1):
        (folder / f"patch-{n:04}.jellyp").write_bytes(data)
    if request.param == "log.json":
        jelly.Log.create(folder, b"")
    return folder


def test_in_a_folder_and_on_a_server(
    folder: Path, expected: list[list[Any]], tmp_path: Path
) -> None:
    log, wanted, later = jelly.Log(folder), flat(expected), flat(expected[2:])
    assert rows(log.read()) == wanted
    assert rows(log.read(after=2)) == later
    assert [row[0] for row in wanted].count("Z") == COUNT
    with served(folder.parent) as address:
        there = jelly.Log(f"{address}/brick")
        assert rows(there.read()) == wanted
        assert rows(there.read(after=2)) == later
        assert rows(there.pull(tmp_path / "copy").read()) == wanted
    with here(folder.parent) as target:
        assert rows(jelly.grpc.read_log(target, "brick")) == wanted
        assert rows(jelly.grpc.read_log(target, "brick", after=2)) == later


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with running() as store:
        yield store


def test_in_an_object_store(
    files: list[bytes], expected: list[list[Any]], store: ObjectStore
) -> None:
    from jelly.log._objects import Objects

    place = store.place()
    log = jelly.Log.create(place, storage=store.storage)
    objects = Objects(place, store.storage)
    for n, data in enumerate(files, 1):
        objects.create(f"patch-{n:04}.jellyp", data)
    assert rows(log.read()) == flat(expected)
    assert rows(log.read(after=2)) == flat(expected[2:])


def test_whose_a_file_is(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log")
    log.publish(written(1, PatchOptions()))
    (ours,) = (path.read_bytes() for path in log.files)
    assert _internal.is_part(ours[:128])
    least = next(n for n in range(128) if _internal.is_part(ours[:n]))
    assert ours[:least].endswith(_internal.written_options(PatchOptions(), PatchOptions))
    for options in OPTIONS["as ours"] + OPTIONS["FLAT"] + OPTIONS["TRIPLES"]:
        assert not _internal.is_part(written(1, options)[:128])
    for other in (b"", b"H id <u:1> .\n", (tmp_path / "log" / INDEX).read_bytes()):
        assert not _internal.is_part(other)
