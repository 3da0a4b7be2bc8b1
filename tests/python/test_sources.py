"""Where bytes come from."""

import array
import bz2
import gzip
import io
import lzma
import mmap
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

import pytest

import jelly
import jellybytes as jb
from source_kinds import DATA, Short, check, count, pieces

READS: list[Callable[..., object]] = [jelly.read_rdf, jelly.read_patch, jelly.inspect]


SOURCES: dict[str, Callable[[], object]] = {
    "bytes": lambda: DATA,
    "bytearray": lambda: bytearray(DATA),
    "memoryview": lambda: memoryview(DATA),
    "array": lambda: array.array("B", DATA),
    "view of a bytearray": lambda: memoryview(bytearray(DATA)).toreadonly(),
    "BytesIO": lambda: io.BytesIO(DATA),
    "BufferedReader": lambda: io.BufferedReader(Short(DATA, 100)),
    "one byte a read": lambda: Short(DATA, 1),
    "short reads": lambda: Short(DATA, 1000),
    "list": lambda: pieces(DATA, 7),
    "bytearrays": lambda: (bytearray(piece) for piece in pieces(DATA, 997)),
    "memoryviews": lambda: (memoryview(piece) for piece in pieces(DATA, 4096)),
    "empty pieces": lambda: [b"", DATA, b""],
}


@pytest.mark.parametrize("name", SOURCES)
def test_kinds_of_sources(name: str) -> None:
    check(SOURCES[name]())


def test_paths(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "añ b.jelly"
    path.write_bytes(DATA)
    check(path)
    check(str(path))
    with path.open("rb") as file:
        check(file)
    with path.open("rb", buffering=0) as raw:
        check(raw)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        check(mapped)
    (row, *_) = jelly.read_rdf(path).rows()
    assert row.source == str(path)
    (row, *_) = jelly.read_rdf(path, source_name="other").rows()
    assert row.source == "other"


def test_file_uris(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a b%.jelly"
    path.write_bytes(DATA)
    check(path.as_uri())
    check(f"file://localhost{path}")
    (row, *_) = jelly.read_rdf(path.as_uri()).rows()
    assert row.source == str(path)


def test_uris_of_other_places_are_refused() -> None:
    for uri, reason in [
        ("s3://bucket/a.jelly", "open s3: URLs with another library"),
        ("https://example.org/a.jelly", "open https: URLs"),
        ("file://elsewhere/a.jelly", "on another host"),
    ]:
        for read in READS:
            with pytest.raises(ValueError, match=reason):
                read(uri)


def test_a_file_with_the_name_of_a_uri(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("s3:").mkdir()
    pathlib.Path("s3:/a.jelly").write_bytes(DATA)
    check("./s3:/a.jelly")
    with pytest.raises(
        jelly.errors.ArgumentError, match=r"^argument\.remote: s3://a\.jelly: only local"
    ):
        check("s3://a.jelly")


def test_files_in_text_mode_are_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.jelly"
    path.write_bytes(DATA)
    for encoding in ("utf-8", "latin-1"):
        with path.open(encoding=encoding) as file, pytest.raises(TypeError, match='"rb"'):
            jelly.read_rdf(file)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="text mode"):
        jelly.read_patch(io.StringIO("TX ."))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"]
)
def test_bytes_after_decompression_are_limited(pack: Callable[[bytes], bytes]) -> None:
    lines = b"".join(b"<urn:a> <urn:b> <urn:%d> .\n" % n for n in range(1000))
    most = jelly.Limits(decompressed_bytes=len(lines))
    assert count(jelly.read_rdf(pack(lines), limits=most)) == 1000
    assert count(jelly.read_rdf(lines + lines, limits=most)) == 2000, "only what was compressed"
    less = jelly.Limits(decompressed_bytes=len(lines) - 1)
    with pytest.raises(jelly.errors.LimitError, match="decompressed_bytes") as caught:
        count(jelly.read_rdf(pack(lines), limits=less))
    assert caught.value.kind == "limit.decompressed_bytes"


def test_object_with_a_path() -> None:
    class Named:
        def __init__(self, path: str) -> None:
            self.path = path

        def __fspath__(self) -> str:
            return self.path

    with tempfile.NamedTemporaryFile() as file:
        file.write(DATA)
        file.flush()
        check(Named(file.name))


def test_pipe_with_a_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    code = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    writer = subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE)
    assert writer.stdin is not None
    with writer.stdin as stdin:
        stdin.write(DATA)
    check(path)
    assert writer.wait() == 0


def test_standard_input() -> None:
    code = "import jelly; print(sum(1 for _ in jelly.read_rdf('-').rows()))"
    for data in (DATA, gzip.compress(DATA)):
        run = subprocess.run(
            [sys.executable, "-c", code], input=data, check=True, capture_output=True
        )
        assert run.stdout == b"2000\n"


def test_a_live_pipe_gives_rows_as_they_come() -> None:
    """The child answers each frame before the next is written."""
    code = (
        "import jelly\n"
        "for row in jelly.read_rdf('-', batch_rows=1).rows(): print(row.object, flush=True)"
    )
    first, second = jb.small_rdf(1), jb.delimited(jb.frame(jb.triple(o_literal=jb.literal("x"))))
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    with child.stdin as stdin, child.stdout as stdout:
        for piece, answer in ((first, b'"0"\n'), (second, b'"x"\n')):
            stdin.write(piece)
            stdin.flush()
            assert stdout.readline() == answer
    assert child.wait() == 0


class TroubleError(Exception):
    pass


def failing(after: int) -> Iterator[bytes]:
    yield DATA[:after]
    raise TroubleError("mine")


def test_exception_of_the_source_comes_through_after_its_rows() -> None:
    rows = jelly.read_rdf(failing(len(DATA) // 2)).rows()
    seen: list[jelly.RdfRow] = []
    with pytest.raises(TroubleError, match=r"^mine$"):
        seen.extend(rows)
    assert 900 < len(seen) < 1100
    assert list(rows) == []


def test_exception_of_the_source_at_once() -> None:
    with pytest.raises(TroubleError):
        jelly.read_rdf(failing(0))


@pytest.mark.parametrize("raised", [OSError("gone"), KeyboardInterrupt()])
def test_exception_before_the_first_piece(raised: BaseException) -> None:
    """That of ``__iter__``; and a feed of an attribute that says where it begins."""

    class Gone:
        def __iter__(self) -> Iterator[bytes]:
            raise raised

    class Unknown:
        @property
        def comes_after(self) -> int:
            raise raised

        def __iter__(self) -> Iterator[bytes]:
            return iter([b""])

    for read in READS:
        with pytest.raises(type(raised)) as caught:
            read(Gone())
        assert caught.value is raised
    with pytest.raises(type(raised)) as caught:
        jelly.squash(Unknown(), io.BytesIO())
    assert caught.value is raised


def test_interrupt_of_the_source_does_not_wait_for_rows() -> None:
    def source() -> Iterator[bytes]:
        yield DATA
        raise KeyboardInterrupt

    reader = jelly.read_rdf(source())
    with pytest.raises(KeyboardInterrupt):
        next(reader)
    assert reader.closed


class Text:
    """A file object that does not say that it gives text."""

    def read(self, _: int) -> str:
        return "text"


@pytest.mark.parametrize(
    "source",
    [Text(), ["text"], [1], [None], [DATA, "text"]],
    ids=["text file", "text", "numbers", "None", "text later"],
)
def test_sources_that_do_not_give_bytes(source: object) -> None:
    with pytest.raises(TypeError, match="must return bytes, not"):
        list(jelly.read_rdf(source).rows())  # type: ignore[call-overload]


@pytest.mark.parametrize("source", [None, 7, 1.5, object], ids=repr)
def test_things_that_are_no_sources(source: object) -> None:
    with pytest.raises(TypeError, match="source must be a path"):
        jelly.read_rdf(source)  # type: ignore[call-overload]


def test_bytes_are_not_copied() -> None:
    data = bytes(DATA)
    before = sys.getrefcount(data)
    reader = jelly.read_rdf(data)
    assert sys.getrefcount(data) == before + 1
    del reader
    assert sys.getrefcount(data) == before


def test_memory_that_changes_is_copied() -> None:
    data = bytearray(DATA)
    reader = jelly.read_rdf(data)
    data.clear()  # is not locked
    assert len(list(reader.rows())) == 2000
