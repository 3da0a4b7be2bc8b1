"""What counts in a folder: commits, leftovers, files of others; here and on an object store."""

from __future__ import annotations

import os
import time
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow.fs as pafs

from jelly.spark.files import manifest
from jelly.spark.files.commits import Batch, Written
from jelly.spark.files.manifest import announce, is_committed, publish
from jelly.spark.files.vacuum import vacuum
from jelly.storage import Place, resolve
from object_store import ObjectStore


class Folder:
    """A folder, with what tasks do to it."""

    def __init__(self, path: str, storage: dict[str, str]) -> None:
        self.place: Place = resolve(path, storage)
        self.storage = storage
        self._jobs = (f"job-{number}" for number in count())

    def put(self, name: str, content: bytes = b"x") -> Written:
        path = self.place.under(name).path
        if self.place.can_rename:
            self.place.fs.create_dir(path.rpartition("/")[0])
        with self.place.fs.open_output_stream(path) as file:
            file.write(content)
        return Written(name, len(content))

    def began(self, *attempts: str) -> tuple[str, list[Written]]:
        """A job whose tasks wrote files."""
        job = next(self._jobs)
        announce(self.place, job)
        return job, [self.put(f"part-{job}-{name}") for name in attempts]

    def append(self, *names: str) -> list[str]:
        job, files = self.began(*names)
        publish(self.place, job, files)
        return [file.name for file in files]

    def overwrite(self, *names: str) -> list[str]:
        job, files = self.began(*names)
        publish(self.place, job, files, overwrite=True)
        return [file.name for file in files]

    def listing(self) -> list[pafs.FileInfo]:
        selector = pafs.FileSelector(self.place.path, recursive=True, allow_not_found=True)
        found: list[pafs.FileInfo] = self.place.fs.get_file_info(selector)
        return found

    def stored(self) -> list[str]:
        return self.names([info for info in self.listing() if info.is_file])

    def visible(self, found: list[pafs.FileInfo] | None = None) -> list[str]:
        listing = self.listing() if found is None else found
        return self.names(manifest.visible(self.place.fs, self.place.path, listing))

    def names(self, infos: list[pafs.FileInfo]) -> list[str]:
        return sorted(info.path[len(self.place.path) + 1 :] for info in infos)

    def markers(self) -> list[str]:
        return [name for name in self.stored() if name.endswith((".commit", ".commits"))]

    def vacuum(self, hours: float = 0) -> list[str]:
        return vacuum(self.place.uri, hours=hours, storage=self.storage)


@pytest.fixture(params=["local", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    if request.param == "local":
        (tmp_path / "to").mkdir()
        return Folder(str(tmp_path / "to"), {})
    store: ObjectStore = request.getfixturevalue("store")
    return Folder(f"{store.bucket()}/to", store.storage)


def test_folder_of_others_is_as_it_is(folder: Folder) -> None:
    assert folder.visible() == []
    folder.put("a.nt")
    folder.put("sub/part-0-0-0.nt")
    assert folder.visible() == ["a.nt", "sub/part-0-0-0.nt"]


def test_only_committed_attempts_count(folder: Folder) -> None:
    folder.put("a.nt")
    job, (first, _) = folder.began("0-aa", "0-bb")
    assert folder.visible() == ["a.nt"]
    publish(folder.place, job, [first])
    assert folder.visible() == ["a.nt", first.name]
    folder.put(f"part-{job}-1-late")
    assert folder.visible() == ["a.nt", first.name]


def test_commits_add_up(folder: Folder) -> None:
    names = [name for number in range(3) for name in folder.append(f"{number}-x")]
    assert folder.visible() == names
    assert [info.size for info in folder.listing() if info.base_name in names] == [1, 1, 1]


def test_overwrite_hides_and_deletes_all_before(folder: Folder) -> None:
    folder.put("a.nt")
    folder.put("sub/b.nt")
    folder.put("_SUCCESS")
    folder.append("0-x")
    folder.overwrite("0-y")
    names = folder.overwrite("0-z", "1-z")
    assert folder.visible() == ["_SUCCESS", *names]
    assert len(folder.markers()) == 1
    assert [name for name in folder.stored() if not name.startswith("_jelly")] == [
        "_SUCCESS",
        *names,
    ]
    folder.put("part-job-0-1-late")  # of a job that was overwritten
    assert folder.visible() == ["_SUCCESS", *names]
    later = folder.append("0-w")
    folder.put("a.nt", b"others write again")
    assert folder.visible() == sorted(["_SUCCESS", "a.nt", *names, *later])


def test_reader_sees_old_or_new_whatever_it_listed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are listed, then the commits; a writer comes in between, and does not get far."""
    folder.put("a.nt")
    old = folder.append("0-x", "1-x")
    before = folder.listing()
    job, files = folder.began("0-y", "1-y")
    between = folder.listing()
    monkeypatch.setattr(manifest, "delete", lambda *_: None)
    for listing in (before, between):
        assert folder.visible(listing) == ["a.nt", *old]
    publish(folder.place, job, files, overwrite=True)
    for listing in (before, between, folder.listing()):
        assert folder.visible(listing) == [file.name for file in files]


def test_reader_starts_again_when_commits_are_put_together(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [*folder.append("0-x"), *folder.append("0-y")]
    contents = manifest._contents
    opened: list[list[str]] = []

    def slow(fs: pafs.FileSystem, paths: list[str]) -> list[bytes]:
        if not opened:
            opened.append(paths)
            state = manifest.State.load(fs, folder.place.path)
            manifest._put_together(folder.place, state)
        return contents(fs, paths)

    monkeypatch.setattr(manifest, "_contents", slow)
    assert folder.visible() == names
    assert len(folder.markers()) == 1


def test_many_commits_are_put_together(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "_LOOSE", 3)
    names = []
    for number in range(9):
        names += folder.append(f"{number:02d}-x")
        assert len(folder.markers()) <= 4
        assert folder.visible() == names
    assert folder.overwrite("0-z") == folder.visible()


def test_commits_of_two_drivers_at_once(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both looked before either wrote: appends are kept, of overwrites the later one."""
    load = manifest.State.load
    old = folder.append("0-old")
    seen = load(folder.place.fs, folder.place.path)
    jobs = [folder.began(f"0-{name}") for name in "abcd"]
    monkeypatch.setattr(manifest.State, "load", lambda *_: seen)
    for job, files in jobs[:2]:
        publish(folder.place, job, files)
    monkeypatch.setattr(manifest.State, "load", load)
    assert folder.visible() == sorted([*old, *(files[0].name for _, files in jobs[:2])])
    clock = iter([seen.last + 10**12, seen.last + 10**12 - 1])
    monkeypatch.setattr(time, "time_ns", lambda: next(clock))
    monkeypatch.setattr(manifest.State, "load", lambda *_: seen)
    for job, files in jobs[2:]:
        publish(folder.place, job, files, overwrite=True)
    monkeypatch.undo()
    assert folder.visible() == [jobs[2][1][0].name]


def test_clock_that_goes_back_does_not_reorder_commits(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.append("0-x")
    monkeypatch.setattr(time, "time_ns", lambda: 5)
    monkeypatch.setattr(manifest, "delete", lambda *_: None)
    assert folder.overwrite("0-y") == folder.visible()
    name = folder.append("0-z")
    assert set(name) < set(folder.visible())


def test_batch_of_a_stream_counts_once(folder: Folder) -> None:
    job = manifest.stream_job("0-1-2")
    batch = Batch("0-1-2", 4)
    announce(folder.place, job)
    assert not is_committed(folder.place, job, batch)
    first = folder.put(f"part-{job}-4-0-aa")
    publish(folder.place, job, [first], batch=batch)
    assert is_committed(folder.place, job, batch)
    assert not is_committed(folder.place, job, Batch("0-1-2", 5))
    assert not is_committed(folder.place, job, Batch("other", 4))
    # A driver that was thought dead commits the same batch.
    again = folder.put(f"part-{job}-4-0-bb")
    publish(folder.place, job, [again], batch=batch)
    assert folder.visible() == [first.name]
    folder.overwrite("0-x")
    assert is_committed(folder.place, job, batch)
    assert not is_committed(folder.place, job, Batch("0-1-2", 5))


def test_vacuum_deletes_leftovers_and_nothing_else(folder: Folder) -> None:
    folder.put("a.nt")
    names = folder.append("0-x")
    dead, (leftover,) = folder.began("0-dead")
    folder.put(f"_jelly/{dead}/part-{dead}-0-1")
    assert folder.vacuum(hours=1) == []
    assert folder.vacuum() == [
        f"_jelly/{dead}.begun",
        f"_jelly/{dead}/part-{dead}-0-1",
        leftover.name,
    ]
    assert folder.vacuum() == []
    assert folder.visible() == ["a.nt", *names]


def test_folder_in_a_folder_has_its_own_commits(folder: Folder) -> None:
    inner = Folder(folder.place.under("in").uri, folder.storage)
    names = [f"in/{name}" for name in inner.append("0-x")]
    inner.began("0-dead")
    assert folder.visible() == names
    job, files = folder.began("0-y")
    publish(folder.place, job, files, overwrite=True)
    assert folder.visible() == [files[0].name]


def test_later_versions_are_refused(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path), {})
    folder.append("0-x")
    marker = tmp_path / folder.markers()[0]
    marker.write_bytes(marker.read_bytes().replace(b'"version": 1', b'"version": 2'))
    with pytest.raises(ValueError, match="written by a later version of jelly-patch"):
        folder.visible()


def test_commit_that_is_half_written_has_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(str(tmp_path), {})
    job, files = folder.began("0-x")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        publish(folder.place, job, files)
    assert folder.markers() == []
    assert folder.visible() == []
