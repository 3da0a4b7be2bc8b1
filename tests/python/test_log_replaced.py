"""A log that is deleted and made again under one name while others have it open."""

from __future__ import annotations

import io
import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import jelly
from jelly.errors import PatchError
from jelly.log import _contents, _disorder

pytest.importorskip("starlette")
pytest.importorskip("moto")
pytest.importorskip("obstore")

from servers import served


class Place(NamedTuple):
    """Where a log stands, and how others delete it."""

    place: str
    storage: dict[str, str] | None
    delete: Callable[[], None]
    rewrite: Callable[[str, bytes], object]
    """Replaces a file or object of the log on purpose."""

    def open(self) -> jelly.Log:
        return jelly.Log(self.place, storage=self.storage)

    def make(self, *numbers: int) -> jelly.Log:
        log = jelly.Log.create(self.place, storage=self.storage)
        for n in numbers:
            log.publish(patch(n))
        return log

    def make_again(self, *numbers: int) -> None:
        self.delete()
        self.make(*numbers)


def patch(n: int) -> bytes:
    return f'H id <x:{n}> .\nTX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode()


def ids(log: Any) -> list[str | None]:
    return [version.id for version in log.versions()]


def in_folder(place: str, folder: Path) -> Place:
    def rewrite(name: str, data: bytes) -> None:
        (folder / name).write_bytes(data)
        (folder / "_index.jsonl").unlink()

    return Place(place, None, lambda: shutil.rmtree(folder), rewrite)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    root = tmp_path_factory.mktemp("served")
    with served(root) as address:
        yield root, address


@pytest.fixture(params=["folder", "server", "store"])
def where(request: pytest.FixtureRequest, tmp_path: Path, server: tuple[Path, str]) -> Place:
    if request.param == "store":
        from obstore.store import from_url

        store = request.getfixturevalue("store")
        place = store.place()
        objects: Any = from_url(
            place,
            endpoint=store.storage["endpoint"],
            access_key_id="test",
            secret_access_key="secret",
            region="us-east-1",
            client_options={"allow_http": True},
        )

        def delete() -> None:
            objects.delete([one["path"] for page in objects.list() for one in page])

        return Place(place, store.storage, delete, lambda name, data: objects.put(name, data))
    if request.param == "folder":
        folder = tmp_path / "log"
        return in_folder(str(folder), folder)
    root, address = server
    name = tmp_path.name.replace("[", "-").replace("]", "")
    return in_folder(f"{address}/{name}", root / name)


@pytest.mark.parametrize("others", [(), (7,), (7, 8, 9), (7, 8, 9, 10, 11)])
def test_a_publisher_goes_on_in_the_log_that_is_there(
    where: Place, others: tuple[int, ...]
) -> None:
    one = where.make(1, 2, 3)
    assert ids(one) == ["<x:1>", "<x:2>", "<x:3>"]
    where.make_again(*others)
    assert one.publish(patch(4)).version == len(others) + 1
    wanted = [f"<x:{n}>" for n in (*others, 4)]
    for log in (one, where.open()):
        assert ids(log) == wanted
        assert not log.verify().problems


def test_a_retry_is_no_replay_in_another_log(where: Place) -> None:
    one = where.make(1, 2, 3)
    where.make_again(7, 8, 9)
    assert one.publish(patch(8)).replayed
    done = one.publish(patch(2))
    assert (done.version, done.replayed) == (4, False)
    with pytest.raises(PatchError) as caught:
        one.publish(patch(5), expect="<x:3>")
    assert caught.value.kind == "patch.conflict"
    assert ids(where.open()) == ["<x:7>", "<x:8>", "<x:9>", "<x:2>"]


def test_a_publisher_goes_on_where_the_log_is_gone(where: Place) -> None:
    one = where.make(1, 2, 3)
    where.delete()
    if where.place.startswith("http"):
        with pytest.raises(FileNotFoundError, match="no log"):
            one.publish(patch(4))
        return
    assert one.publish(patch(4)).version == 1
    assert ids(where.open()) == ["<x:4>"]


def test_readers_read_the_log_that_is_there(where: Place) -> None:
    one = where.make(1, 2, 3)
    assert one.dataset(io.BytesIO(), to="nq").statements == 3
    where.make_again(7, 8)
    assert one.head == (2, "<x:8>")
    with one.read() as reader:
        assert [str(row.object) for row in reader.rows() if row.op == "A"] == ['"7"', '"8"']
    assert one.dataset(io.BytesIO(), to="nq").statements == 2
    assert one.known("x:2") is None
    where.make_again()
    assert one.info().head.version == 0
    assert one.dataset(io.BytesIO(), to="nq").statements == 0


@pytest.mark.parametrize("others", [(), (7,), (7, 8, 9), (7, 8, 9, 10)])
def test_watching_ends_with_an_error(where: Place, others: tuple[int, ...]) -> None:
    one = where.make(1, 2)
    found = one.watch(after=0)
    assert [next(found).id, next(found).id] == ["<x:1>", "<x:2>"]
    where.make_again(*others)
    with pytest.raises(PatchError) as caught:
        next(found)
    assert caught.value.kind == "patch.fork"
    assert where.place in str(caught.value)


@pytest.mark.parametrize("others", [(), (7,), (7, 8)])
def test_events_end_with_a_problem(server: tuple[Path, str], tmp_path: Path, others: tuple[int, ...]) -> None:  # fmt: skip
    root, address = server
    place = in_folder(f"{address}/{tmp_path.name}", root / tmp_path.name)
    place.make(1)
    with closing(urllib.request.urlopen(f"{place.place}/events?after=0", timeout=30)) as events:
        lines = (line.decode().strip() for line in events)
        while not (last := next(lines)).startswith("id: 1."):
            pass
        place.make_again(*others)
        assert [line for line in lines if line.startswith(("id:", "event:"))][1:] == ["event: problem"]  # fmt: skip
    again = urllib.request.Request(f"{place.place}/events", headers={"Last-Event-ID": last[4:]})
    with pytest.raises(urllib.error.HTTPError) as caught:  # a browser that comes again ends here
        urllib.request.urlopen(again, timeout=30)
    with closing(caught.value) as error:
        assert (error.code, json.load(error)["type"]) == (409, "urn:jelly:problem:patch.fork")


@pytest.mark.parametrize("others", [(), (7,), (7, 8, 9)])
def test_a_grpc_stream_ends_with_an_error(tmp_path: Path, others: tuple[int, ...]) -> None:
    pytest.importorskip("grpc")
    from grpc_servers import here

    place = in_folder(str(tmp_path / "x"), tmp_path / "x")
    place.make(1)
    with (
        here(tmp_path) as target,
        jelly.grpc.read_log(target, "x", follow=True, batch_rows=1) as reader,
    ):
        rows = (str(row.object) for row in reader.rows() if row.op == "A")
        assert next(rows) == '"1"'
        place.make_again(*others)
        with pytest.raises(PatchError) as caught:
            next(rows)
    assert caught.value.kind == "patch.fork"


@pytest.mark.parametrize("others", [(), (7,)])
def test_a_folder_may_go_while_it_is_looked_at(
    tmp_path: Path, others: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = in_folder(str(tmp_path / "x"), tmp_path / "x")
    place.make(1, 2)
    looks = []

    def names_in(folder: Path) -> object:
        looks.append(folder)
        if len(looks) == 1:
            shutil.rmtree(folder)
            if others:
                place.make(*others)
            raise FileNotFoundError(folder)
        return _disorder.names_in(folder)

    monkeypatch.setattr(_contents, "names_in", names_in)
    assert place.open().head.version == len(others)
    assert looks


def test_a_log_that_is_given_its_beginning_is_the_same(where: Place) -> None:
    if where.place.startswith("http"):
        pytest.skip("a server makes logs only with a beginning")
    one = where.open()
    one.publish(patch(1))
    found = one.watch(after=0)
    assert next(found).id == "<x:1>"
    jelly.Log.create(where.place, b"<x:a> <x:b> <x:c> .", base_format="nq", storage=where.storage)
    assert one.publish(patch(2)).version == 2
    assert next(found).id == "<x:2>"
    assert one.dataset(io.BytesIO(), to="nq").statements == 3


def test_a_log_with_patches_begins_empty_only_if_asked(where: Place, server: tuple[Path, str]) -> None:  # fmt: skip
    """Without a base it may have begun with any dataset, and what is recorded cannot be taken back."""
    root, address = server
    publisher = where.place.replace(address, str(root))
    jelly.Log(publisher, storage=where.storage).publish(patch(1))
    with pytest.raises(PatchError, match="record it once") as caught:
        jelly.Log.create(where.place, storage=where.storage)
    assert caught.value.kind == "patch.base"
    assert where.open().info().base is None
    assert jelly.Log.create(where.place, b"", storage=where.storage).info().base == "empty"
    assert where.open().dataset(io.BytesIO(), to="nq").statements == 1


def test_an_empty_base_is_no_base(where: Place) -> None:
    for base in (b"", None, bytearray()):
        log = jelly.Log.create(where.place, base, storage=where.storage)
        assert log.info().base == "empty"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_copy_refuses_a_log_with_other_rows_under_its_ids(where: Place, tmp_path: Path, version: int) -> None:  # fmt: skip
    where.make(1, 2, 3).pull(tmp_path / "copy")
    log = where.open()
    log.publish(patch(4))
    assert log.pull(tmp_path / "copy").head.version == 4
    assert log.pull(tmp_path / "copy").head.version == 4
    # not in place: the copy of a folder has no links to it, but a server may be reading
    out = io.BytesIO()
    log.fetch(version, out, to="rdfp")
    other = io.BytesIO()
    jelly.convert(out.getvalue().replace(b"<x:s>", b"<x:other>"), other, to="jelly-patch")
    where.rewrite(f"patch-000{version}.jellyp", other.getvalue())
    log = where.open()
    log.publish(patch(5))
    with pytest.raises(PatchError) as caught:
        log.pull(tmp_path / "copy")
    assert caught.value.kind == "patch.fork"
    assert len(jelly.Log(tmp_path / "copy").files) == 4


def test_ranges_that_are_not_there(where: Place) -> None:
    log = where.make(1, 2, 3)
    assert list(log.versions(3, 3)) == []
    for after, upto in ((3, 2), (1, 0), (2, 4), (4, None), (-1, 2), (-1, None), (0, -1)):
        for read in (log.versions, lambda after, upto: log.read(after, upto).rows()):
            with pytest.raises((PatchError, OSError)) as caught:
                list(read(after, upto))
            if after >= 0 and (upto or 0) >= 0:
                assert getattr(caught.value, "kind", "") == "patch.version"
