"""Publishing reads and writes a patch once, and patches that are published at the same time share a flush."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly import _internal
from jelly._whole_file import sync_folder
from jelly.errors import JellyError, PatchError
from jelly.log import Published, _publish
from jelly.log._contents import Contents
from jelly.log._folder import FolderLog
from servers import served

THREADS = 16


def patch(name: object, more: str = "") -> bytes:
    return f"{more}TX .\nA <a:{name}> <a:p> <a:o> .\nTC .\n".encode()


def with_id(name: object) -> bytes:
    return patch(name, f"H id <urn:patch:{name}> .\n")


class Held:
    """Holds the first publish of a log until a number of others wait behind it."""

    def __init__(self, log: FolderLog, monkeypatch: pytest.MonkeyPatch, waiting: int) -> None:
        self._log, self._waiting, self._is_first = log, waiting, True
        self.flushed = self._flush = _publish._flushed
        monkeypatch.setattr(_publish, "_flushed", self)

    def __call__(self, path: Path) -> OSError | None:
        if self._is_first:
            self._is_first = False
            # the first one stays at the head of the queue until it is answered
            while len(self._log.contents.waiting) < self._waiting + 1:
                threading.Event().wait(0.001)
        return self.flushed(path)


def published(log: FolderLog, patches: list[bytes]) -> list[Published | Exception]:
    """Publishes in one thread each."""

    def one(data: bytes) -> Published | Exception:
        try:
            return log.publish(data)
        except (PatchError, OSError) as error:
            return error

    with ThreadPoolExecutor(len(patches)) as pool:
        return list(pool.map(one, patches))


@pytest.fixture
def log(tmp_path: Path) -> FolderLog:
    jelly.Log.create(tmp_path / "log")
    return FolderLog(tmp_path / "log")


def counted(monkeypatch: pytest.MonkeyPatch, name: str, place: Any = _publish) -> Counter[str]:
    """Counts the calls of a function."""
    seen: Counter[str] = Counter()
    real: Callable[..., Any] = getattr(place, name)

    def count(*args: Any, **more: Any) -> Any:
        seen[name] += 1
        return real(*args, **more)

    monkeypatch.setattr(place, name, count)
    return seen


def test_patches_that_wait_share_one_flush_of_the_folder(
    log: FolderLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    Held(log, monkeypatch, THREADS - 1)
    flushes = counted(monkeypatch, "sync_folder")
    done = published(log, [with_id(number) for number in range(THREADS)])
    versions = sorted(one.version for one in done if isinstance(one, Published))
    assert versions == list(range(1, THREADS + 1))
    assert flushes["sync_folder"] == 2  # that of the first one, and that of the others together
    report = log.verify()
    assert (report.ok, report.patches) == (True, THREADS)
    ids = {str(one.id) for one in done if isinstance(one, Published)}
    assert ids == {f"<urn:patch:{number}>" for number in range(THREADS)}
    # what the index says is what the files say
    lines = [(one.id, one.prev, one.headers) for one in log.versions()]
    (log.folder / "_index.jsonl").unlink()
    assert lines == [(one.id, one.prev, one.headers) for one in jelly.Log(log.folder).versions()]


def test_nothing_is_acknowledged_before_it_is_on_the_disk(
    log: FolderLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    Held(log, monkeypatch, THREADS - 1)
    flushed_files: set[int] = set()
    lasting: set[str] = set()
    flush = _publish._flushed

    def file(path: Path) -> OSError | None:
        error = flush(path)
        flushed_files.add(path.stat().st_ino)
        return error

    def folder(path: Path) -> None:
        names = [one for one in path.glob("patch-*") if one.stat().st_ino in flushed_files]
        sync_folder(path)
        lasting.update(one.name for one in names)

    monkeypatch.setattr(_publish, "_flushed", file)
    monkeypatch.setattr(_publish, "sync_folder", folder)

    def one(number: int) -> bool:
        done = log.publish(with_id(number))
        return done.path is not None and done.path.name in lasting

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(one, range(THREADS))) == [True] * THREADS
    assert len(lasting) == THREADS


def test_a_file_that_cannot_be_flushed_fails_alone(
    log: FolderLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(log, monkeypatch, 5)
    real = held.flushed

    def full(path: Path) -> OSError | None:
        return OSError(28, "no space") if b"urn:patch:3" in path.read_bytes() else real(path)

    held.flushed = full
    done = published(log, [with_id(number) for number in range(6)])
    failed = [number for number, one in enumerate(done) if isinstance(one, Exception)]
    assert failed == [3]
    assert isinstance(done[3], OSError)
    assert sorted(one.version for one in done if isinstance(one, Published)) == [1, 2, 3, 4, 5]
    assert log.verify().ok
    held.flushed = real
    assert log.publish(with_id(3)).version == 6


def test_a_refusal_for_a_head_that_never_came_is_none(
    log: FolderLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(log, monkeypatch, 1)
    real = held.flushed
    done: dict[str, Published | None] = {}

    def lead() -> None:
        done["first"] = log.publish(with_id(0))

    def fail() -> None:
        with pytest.raises(OSError, match="no space"):
            log.publish(with_id("lost"))
        done["lost"] = None

    def expect() -> None:
        done["expects"] = log.publish(with_id("expects"), expect=1)

    def full(path: Path) -> OSError | None:
        return OSError(28, "no space") if b"urn:patch:lost" in path.read_bytes() else real(path)

    held._waiting = 2
    held.flushed = full
    threads = [threading.Thread(target=one) for one in (lead, fail, expect)]
    for count, thread in enumerate(threads):
        thread.start()
        # with the last one in the queue, all are published at once
        while count < 2 and len(log.contents.waiting) < count + 1:
            threading.Event().wait(0.001)
    for thread in threads:
        thread.join()
    assert {name: one and one.version for name, one in done.items()} == {"first": 1, "lost": None, "expects": 2}  # fmt: skip


def test_one_id_twice_in_the_queue(log: FolderLog, monkeypatch: pytest.MonkeyPatch) -> None:
    Held(log, monkeypatch, 3)
    other = patch("other", "H id <urn:patch:1> .\n")
    done = published(log, [with_id(0), with_id(1), with_id(1), with_id(1)])
    assert sorted(one.replayed for one in done if isinstance(one, Published)) == [False, False, True, True]  # fmt: skip
    assert log.head.version == 2
    with pytest.raises(PatchError, match="same id"):
        log.publish(other)


def test_another_process_is_faster(log: FolderLog, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(log, monkeypatch, 3)
    real, others = held.flushed, [with_id("x"), with_id("y")]

    def late(path: Path) -> OSError | None:
        if others:
            data = others.pop()
            held.flushed = real
            jelly.Log(log.folder).publish(data)
            held.flushed = late
        return real(path)

    held.flushed = late
    done = published(log, [with_id(number) for number in range(4)])
    assert not [one for one in done if isinstance(one, Exception)]
    assert log.head.version == 6
    assert log.verify().ok
    assert not others


def test_a_patch_is_read_and_written_once(
    log: FolderLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamped = counted(monkeypatch, "stamp_patch", _internal)
    read = counted(monkeypatch, "summarize", _internal)
    for number in range(3):
        log.publish(with_id(number))
    assert (stamped["stamp_patch"], read["summarize"]) == (3, 0)
    with served(tmp_path) as address:
        far = jelly.Log(f"{address}/log")
        far.publish(with_id("far"))
    assert (stamped["stamp_patch"], read["summarize"]) == (4, 0)  # the server is another process


@pytest.mark.parametrize("ending", [".jellyp", ".rdfp", ".trp", ".jellyp.zst", ".rdfp.gz"])
def test_what_is_stored_is_what_writers_write(ending: str, tmp_path: Path) -> None:
    log = FolderLog(tmp_path / "log", ending=ending)
    head = "H id <urn:patch:1> .\nH prev <urn:patch:0> .\nH timestamp \"2020-01-01T00:00:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"  # fmt: skip
    log.publish(with_id(0))
    stored = log.publish(patch("s", head))
    plain = tmp_path / f"plain{ending}"
    with jelly.PatchWriter(plain) as writer:
        writer.write(jelly.read_patch(patch("s", head)))
    assert stored.path is not None
    assert stored.path.read_bytes() == plain.read_bytes()
    # written after another head than the one that was expected
    again = FolderLog(tmp_path / "again", ending=ending)
    found = again.prepared(patch("s", head.replace("H prev <urn:patch:0> .\n", "")), tmp_path, {}, "auto")  # fmt: skip
    again.publish(with_id(0))
    done = again.publish_prepared(found, None)
    assert done.prev == "<urn:patch:0>"
    assert again.verify().ok
    assert rows(done.path) == rows(stored.path)


def rows(path: Path | None) -> list[tuple[Any, ...]]:
    assert path is not None
    format: Any = "trp" if ".trp" in path.name else "auto"
    found = [(row.op, row.subject, row.name, row.value) for row in jelly.read_patch(path, format=format).rows()]  # fmt: skip
    return sorted(found, key=str)


def test_headers_inside_a_transaction_count(tmp_path: Path) -> None:
    log = FolderLog(tmp_path / "log")
    log.publish(with_id(0))
    late = (
        b"TX .\nH id <urn:patch:late> .\nH Previous <urn:patch:0> .\nA <a:s> <a:p> <a:o> .\nTC .\n"
    )
    done = log.publish(late, headers={"author": '"me"'})
    assert (done.id, done.prev) == ("<urn:patch:late>", "<urn:patch:0>")
    assert log.publish(late).replayed
    said = next(log.versions(1)).headers
    assert Counter(key.lower() for key, _ in said) == Counter(id=1, previous=1, author=1, timestamp=1)  # fmt: skip
    assert log.verify().ok


def test_the_head_is_known_without_reading_the_last_patch(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log")
    for number in range(3):
        log.publish(with_id(number))
    last = tmp_path / "log" / "patch-0003.jellyp"
    stat = last.stat()
    last.write_bytes(b"\xff" * stat.st_size)
    with pytest.raises(JellyError):  # another time than the index knows: it is read
        assert jelly.Log(tmp_path / "log").head
    os.utime(last, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert jelly.Log(tmp_path / "log").head == (3, "<urn:patch:2>")
    (tmp_path / "log" / "_index.jsonl").unlink()
    with pytest.raises(JellyError):
        assert jelly.Log(tmp_path / "log").head


@pytest.mark.parametrize("work", ["log", "beside"])
@pytest.mark.parametrize("threads", [1, 8])
def test_what_a_process_publishes_is_no_reason_to_look_at_all_patches_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str, threads: int
) -> None:
    """Each look checks the whole chain, so a log of many versions would pay for all of them at each publish."""
    log = FolderLog(tmp_path / "log")
    log.work = tmp_path / work
    log.work.mkdir()
    log.publish(patch("first"))  # makes log.json
    log.publish(patch("second"))
    looks, look = 0, Contents._look

    def counted(contents: Contents) -> Any:
        nonlocal looks
        looks += 1
        return look(contents)

    monkeypatch.setattr(Contents, "_look", counted)

    def publish(who: int) -> None:
        for number in range(10):
            log.publish(patch(f"{who}-{number}"))
            assert log.head.version > 1

    with ThreadPoolExecutor(threads) as pool:
        assert list(pool.map(publish, range(threads))) == [None] * threads
    assert log.head.version == 2 + 10 * threads
    assert looks == 0
