"""A log on a server or in an object store begins with a dataset: functions know it, as they know that of a folder."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly._log_patches import Patches
from jelly.errors import JellyError, PatchError
from servers import served
from test_patching_cli import run

FIRST = b'<a:s> <a:p> "1" .\n<a:s> <a:q> "x" .\n'
PATCHES = (
    b'D <a:s> <a:p> "1" .\nA <a:s> <a:p> "2" .\n',
    b'D <a:s> <a:p> "2" .\nA <a:s> <a:p> "3" .\n',
)
NOW = [b'<a:s> <a:p> "3" .', b'<a:s> <a:q> "x" .']
MESSAGE = "the base is empty, but the log begins with a dataset of 2 statements"


@contextmanager
def on_a_server(tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    (tmp_path / "logs").mkdir()
    with served(tmp_path / "logs") as address:
        yield lambda name: (f"{address}/{name}", None)


@contextmanager
def in_a_store(_: Path) -> Iterator[Callable[[str], Any]]:
    pytest.importorskip("moto")
    pytest.importorskip("obstore")
    from object_store import running

    with running() as store:
        yield lambda name: (f"{store.place()}/{name}", store.storage)


@pytest.fixture(params=[on_a_server, in_a_store])
def place(request: Any, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    with request.param(tmp_path) as place:
        yield place


def made(place: Callable[[str], Any], base: bytes | None = FIRST) -> jelly.Log:
    """A log with two patches."""
    url, storage = place("log" if base else "other")
    log = jelly.Log.create(url, base, base_format="nq", storage=storage)
    for patch in PATCHES:
        log.publish(patch)
    return jelly.Log(url, storage=storage)


def test_an_empty_base_is_refused(place: Callable[[str], Any]) -> None:
    """Before, the result had the added statements alone."""
    log = made(place)
    assert log.info().statements == 2
    calls: tuple[Callable[..., Any], ...] = (
        lambda base, **more: jelly.apply(base, log, io.BytesIO(), to="nq", **more),
        lambda base, **more: jelly.apply(base, [log], io.BytesIO(), to="nq", **more),
        lambda base, **more: jelly.as_of(base, log, 1, io.BytesIO(), to="nq", **more),
        lambda base, **more: jelly.canonicalize(log, base, io.BytesIO(), to="rdfp", **more),
        lambda base, **more: jelly.invert(log, io.BytesIO(), base=base, to="rdfp", **more),
        lambda base, **more: jelly.verify_log(log, base=base, **more),
        lambda base, **more: list(jelly.history(log, base=base, **more)),
    )
    for call in calls:
        with pytest.raises(PatchError, match=MESSAGE) as caught:
            call(b"", base_format="nq")
        assert (caught.value.kind, caught.value.source) == ("patch.base", log.place)
    for call in calls:
        call(b"", base_format="nq", chain="ignore")
    out = io.BytesIO()
    jelly.apply(FIRST, log, out, to="nq", base_format="nq")
    assert sorted(out.getvalue().splitlines()) == NOW
    log.compact(1)
    with pytest.raises(PatchError, match=MESSAGE):
        jelly.apply(b"", log, io.BytesIO(), to="nq")
    log.compact(2)
    both: list[Any] = [log, [log, b'A <a:s> <a:p> "4" .\n']]
    for patches in both:
        with pytest.raises(PatchError, match=MESSAGE):
            jelly.apply(b"", patches, io.BytesIO(), to="nq")


def test_an_address_is_a_log_too(tmp_path: Path) -> None:
    with on_a_server(tmp_path) as place:
        log = made(place)
        with pytest.raises(PatchError, match=MESSAGE):
            jelly.apply(b"", log.place, io.BytesIO(), to="nq")
        said, _ = run(tmp_path, "history", log.place, "--object", '"x"')
        assert said == '0\t\t<a:s> <a:q> "x" .\n'


def test_a_log_that_begins_empty(place: Callable[[str], Any]) -> None:
    log, out = made(place, None), io.BytesIO()
    assert log.info().statements == 0
    assert jelly.apply(b"", log, out, to="nq").version == 2
    assert out.getvalue() == NOW[0] + b"\n"
    assert [one.object for one in jelly.history(log)] == ['"2"', '"3"']


def test_history_begins_with_the_dataset(place: Callable[[str], Any]) -> None:
    """Before, statements of the dataset seemed never to have existed."""
    log = made(place)
    expected = [('"1"', 0, 1), ('"x"', 0, None), ('"2"', 1, 2), ('"3"', 2, None)]
    for patches in (log, [log]):
        assert [one[2:3] + one[4:] for one in jelly.history(patches)] == expected
        # the option is for a base that the caller gives
        assert len(list(jelly.history(patches, base_format="ttl"))) == 4
    assert list(jelly.history(log)) == list(jelly.history(log, base=FIRST, base_format="nq"))
    assert [one.object for one in jelly.history(log, chain="ignore")] == ['"2"', '"3"']
    log.compact(1)
    expected = [('"2"', 1, 2), ('"x"', 1, None), ('"3"', 2, None)]
    assert sorted(one[2:3] + one[4:] for one in jelly.history(log)) == sorted(expected)
    log.compact(2)
    assert sorted(one[2:3] + one[4:] for one in jelly.history(log)) == [
        ('"3"', 2, None),
        ('"x"', 2, None),
    ]


def test_a_dataset_that_cannot_be_read() -> None:
    """The error names the log. Before, a history without the dataset seemed complete."""
    whole = io.BytesIO()
    jelly.convert(FIRST, whole, format="nq", to="jelly")
    for base, kind in ((None, "patch.damaged"), (iter([whole.getvalue()[:-3]]), "truncated.frame")):
        log = Patches(iter([PATCHES[0]]), 0, None, ("http://host/log", 2), base)
        with pytest.raises(JellyError) as caught:
            jelly.history(log)
        assert (caught.value.kind, caught.value.source) == (kind, "http://host/log")


def test_a_replica_without_quads(place: Callable[[str], Any], tmp_path: Path) -> None:
    """Before, it had the added quads alone."""
    pytest.importorskip("pyarrow")
    from jelly.replica import Replica

    log = made(place)
    replica = Replica.create(tmp_path / "empty", format="parquet")
    with pytest.raises(PatchError, match=MESSAGE) as caught:
        replica.follow(log)
    assert (caught.value.kind, replica.version) == ("patch.base", 0)
    id = next(log.versions(0, 1)).id
    log.compact(1)
    for upto in (None, 1):
        empty = Replica.create(tmp_path / f"empty up to {upto}", format="parquet", id=id)
        with pytest.raises(PatchError, match=MESSAGE):
            empty.follow(log, upto=upto)
    whole = Replica.create(
        tmp_path / "whole",
        NOW[1] + b'\n<a:s> <a:p> "2" .',
        format="parquet",
        base_format="nq",
        id=id,
    )
    assert (whole.follow(log).version, len(whole)) == (2, 2)


def test_patches_are_asked_for_when_they_are_read(tmp_path: Path) -> None:
    """Before, a call with a wrong option left a connection open."""
    with on_a_server(tmp_path) as place:
        log = made(place)
        before = log._source()
        log.compact(1)
        with pytest.raises(ValueError, match="to is"):
            jelly.apply(FIRST, before, io.BytesIO(), to="none")  # type: ignore[arg-type]
        with pytest.raises(PatchError) as caught:
            jelly.apply(FIRST, before, io.BytesIO(), to="nq", base_format="nq")
        assert caught.value.kind == "patch.gap"
