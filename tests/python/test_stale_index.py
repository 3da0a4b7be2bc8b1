"""An index is of the bytes it was made of: any change is seen, and a copy is not taken for one."""

import io
import os
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import jelly
from jelly.errors import JellyWarning

# Both ends of the file, 64 KiB each, are far from the change.
ROWS = 20_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of others, so to speak, with its sidecar, and of yesterday."""
    out = io.BytesIO()
    with jelly.RdfWriter(out, restart_bytes=0) as writer:
        writer.write((f"<urn:s{n:06}>", "<urn:p>", f'"{n}"') for n in range(ROWS))
    path = tmp_path / "others.jelly"
    path.write_bytes(out.getvalue())
    yesterday = time.time_ns() - 86_400 * 10**9
    os.utime(path, ns=(yesterday, yesterday))
    jelly.index(path, every=50_000)
    return path


def in_place(path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = data.index(b"urn:s010000")
    data[at + 4 : at + 5] = b"x"
    with path.open("r+b") as file:
        file.write(data)


def replaced(path: Path) -> None:
    other = path.with_name("other")
    shutil.copy2(path, other)
    in_place(other)
    other.replace(path)


def same_time(change: Callable[[Path], None]) -> Callable[[Path], None]:
    def changed(path: Path) -> None:
        found = path.stat()
        change(path)
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))

    return changed


CHANGES = {
    "in place": in_place,
    "replaced": replaced,
    "in place, same time": same_time(in_place),
    "replaced, same time": same_time(replaced),
}


def subjects(path: Path, split: jelly.Split | None = None) -> Iterator[str]:
    return (row.subject for row in jelly.read_rdf(path, split=split).rows())


def in_parts(path: Path) -> list[str]:
    splits = jelly.splits(path, split_bytes=50_000)
    return [one for split in splits for one in subjects(path, split=split)]


def test_the_sidecar_is_used(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(jelly.splits(path, split_bytes=50_000)) > 3
        assert in_parts(path) == list(subjects(path))


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen(path: Path, name: str) -> None:
    old = jelly.splits(path, split_bytes=50_000)
    assert len(old) > 3
    size = path.stat().st_size
    CHANGES[name](path)
    assert path.stat().st_size == size
    for split in old:
        with pytest.raises(OSError, match="changed since it was split"):
            list(subjects(path, split=split))
    with pytest.warns(JellyWarning, match="its sidecar does not belong to these bytes"):
        assert in_parts(path) == list(subjects(path))


@pytest.mark.parametrize("keep", [True, False], ids=["its time", "another time"])
def test_a_copy_is_the_same(path: Path, tmp_path: Path, keep: bool) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    copy = shutil.copy2 if keep else shutil.copy
    sidecar = Path(jelly.index(path, every=50_000)[0])
    copied = Path(copy(path, folder))
    copy(sidecar, folder)
    old = jelly.splits(path, split_bytes=50_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = jelly.splits(copied, split_bytes=50_000)
        assert len(found) == len(old) > 3
        assert in_parts(copied) == list(subjects(path))
        # the parts of one are those of the other
        assert [one for split in old for one in subjects(copied, split=split)] == list(
            subjects(path)
        )


def test_a_file_that_grew_uses_it_for_its_old_part(path: Path) -> None:
    before = len(jelly.splits(path, split_bytes=50_000))
    out = io.BytesIO()
    with jelly.RdfWriter(out) as writer:
        writer.write([("<urn:new>", "<urn:p>", '"x"')])
    with path.open("ab") as file:
        file.write(out.getvalue())
    assert len(jelly.splits(path, split_bytes=50_000)) >= before > 3
    assert in_parts(path) == list(subjects(path))
    in_place(path)
    with pytest.warns(JellyWarning, match="its sidecar does not belong to these bytes"):
        assert in_parts(path) == list(subjects(path))


@pytest.mark.parametrize("extension", ["nt", "jelly"])
def test_a_file_that_was_modified_has_no_old_splits(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"a.{extension}"
    restart_bytes = 25_000 if extension == "jelly" else None
    with jelly.RdfWriter(path, restart_bytes=restart_bytes) as writer:
        writer.write((f"<urn:s{n:06}>", "<urn:p>", f'"{n}"') for n in range(ROWS))
    old = jelly.splits(path, split_bytes=50_000)
    assert len(old) > 3
    time_ns = path.stat().st_mtime_ns
    in_place(path)
    os.utime(path, ns=(time_ns, time_ns + 10**9))
    for split in old:
        with pytest.raises(OSError, match="changed since it was split"):
            list(subjects(path, split=split))
