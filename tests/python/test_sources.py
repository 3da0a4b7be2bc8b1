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
from typing import Any

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb

DATA = jb.small_rdf(2000, 20)
READS: list[Callable[..., object]] = [jelly.read_rdf, jelly.read_patch, jelly.inspect]


def check(source: object, **options: object) -> None:
    rows = list(jelly.read_rdf(source, **options).rows())  # type: ignore[call-overload]
    assert [row.object for row in rows] == [f'"{n}"' for n in range(2000)]


def count(reader: Any) -> int:
    return sum(1 for _ in reader.rows())


class Short(io.RawIOBase):
    """Gives a few bytes at a time, as sockets do."""

    def __init__(self, data: bytes, most: int) -> None:
        self.rest, self.most = data, most

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        assert size > 0
        piece, self.rest = self.rest[: self.most], self.rest[self.most :]
        return piece

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


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


@pytest.mark.parametrize("name", ["bzip2", "xz"])
def test_bzip2_and_xz_are_read(name: str, tmp_path: pathlib.Path) -> None:
    packs: dict[str, Callable[[bytes], bytes]] = {"bzip2": bz2.compress, "xz": lzma.compress}
    pack = packs[name]
    lines = b"".join(b"<urn:a> <urn:b> <urn:%d> .\n" % n for n in range(100_000))
    half = len(lines) // 2 + 7
    packed = pack(lines)
    for data in (packed, pack(lines[:half]) + pack(lines[half:])):
        assert count(jelly.read_rdf(data)) == 100_000
    path = tmp_path / {"bzip2": "a.nt.bz2", "xz": "a.nt.xz"}[name]
    path.write_bytes(packed)
    assert jelly.inspect(pack(DATA)).compression == name
    patch = jb.small_patch(50, 50)
    assert count(jelly.read_patch(pack(patch))) == count(jelly.read_patch(patch)) > 0
    for cut in (4, 20, len(packed) // 2, len(packed) - 1):
        with pytest.raises(jelly.errors.JellyError) as cut_short:
            count(jelly.read_rdf(packed[:cut], format="nt"))
        assert cut_short.value.kind == "truncated.compressed"
    wrong = bytearray(packed)
    wrong[12] ^= 0x55
    for data in (bytes(wrong), packed + 40 * b"x"):
        with pytest.raises(jelly.errors.JellyError) as damaged:
            count(jelly.read_rdf(data, format="nt"))
        assert damaged.value.kind == "wire.compressed"
    bomb = pack(b"\n" * (1 << 28))
    with pytest.raises(jelly.errors.LimitError, match="compressed byte"):
        count(jelly.read_rdf(bomb, format="nt"))
    with pytest.raises(ValueError, match=f"{path.suffix[1:]} is not written"):
        jelly.convert(path, tmp_path / f"b.nq.{path.suffix[1:]}")


def test_the_dictionary_of_xz_is_limited() -> None:
    level = [{"id": lzma.FILTER_LZMA2, "preset": 9}]
    packed = lzma.compress(b"<urn:a> <urn:b> <urn:c> .\n", filters=level)
    assert count(jelly.read_rdf(packed)) == 1
    small = jelly.Limits(zstd_window=1 << 20)
    with pytest.raises(jelly.errors.LimitError, match="larger dictionary"):
        count(jelly.read_rdf(packed, limits=small))


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


def zstd(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return packed


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_compression_by_content(compress: Callable[[bytes], bytes], tmp_path: pathlib.Path) -> None:
    half = len(DATA) // 2
    members = compress(DATA[:half]) + compress(b"") + compress(DATA[half:])
    path = tmp_path / "no-extension"
    for data in (compress(DATA), members):
        path.write_bytes(data)
        check(data)
        check(path)
        check(pieces(data, 13))
        check(Short(data, 1))
    name = "gzip" if compress is gzip.compress else "zstd"
    check(members, compression=name)
    assert jelly.inspect(members).compression == name
    with pytest.raises(jelly.errors.DecodeError):
        list(jelly.read_rdf(DATA, compression=name))
    with pytest.raises(jelly.errors.DecodeError):
        list(jelly.read_rdf(members, compression="none"))


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_cut_compression_gives_its_rows_and_then_the_error(
    compress: Callable[[bytes], bytes],
) -> None:
    # what does not compress comes out in pieces
    data = jb.delimited(*[jb.frame(*FIRST, noise(0)), *(jb.frame(noise(n)) for n in range(1, 40))])
    packed = compress(data)
    assert len(packed) > 300_000
    reader = jelly.read_rdf(packed[: len(packed) // 2])
    seen: list[object] = []
    with pytest.raises(jelly.errors.TruncatedError) as caught:
        seen.extend(reader.rows())
    assert caught.value.kind == "truncated.compressed"
    assert len(seen) >= 10
    assert len(list(jelly.read_rdf(packed).rows())) == 40


FIRST = [jb.rdf_options(), jb.rdf_entry("name", "urn:a")]


def noise(n: int) -> jb.Fields:
    terms = {"s_iri": jb.iri(1), "p_iri": jb.iri(1)} if n == 0 else {}
    text = "".join(chr(0x4E00 + (n * 7919 + i * i * 31 + i * n) % 20000) for i in range(5000))
    return jb.triple(**terms, o_literal=jb.literal(text))


def test_two_files_in_one_are_two_streams() -> None:
    both = gzip.compress(DATA) + gzip.compress(DATA)
    assert len(list(jelly.read_rdf(both, framing="concatenated").rows())) == 4000


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
    with pytest.raises(TypeError, match="must give bytes, not"):
        list(jelly.read_rdf(source).rows())  # type: ignore[call-overload]


@pytest.mark.parametrize("source", [None, 7, 1.5, object], ids=repr)
def test_things_that_are_no_sources(source: object) -> None:
    with pytest.raises(TypeError, match="a source is a path"):
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


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"PAR1abcd", "Parquet"),
        (b"PK\x03\x04abcd", "zip"),
    ],
)
def test_other_formats_are_named(data: bytes, name: str) -> None:
    readers: dict[str, Any] = {"jelly": jelly.read_rdf, "jelly-patch": jelly.read_patch}
    for own, read in readers.items():
        if own == "jelly-patch" or name in {"Parquet", "zip"}:
            with pytest.raises(jelly.errors.WireError, match=name) as caught:
                read(data)
            assert caught.value.kind == "wire.format"
        with pytest.raises(jelly.errors.DecodeError):  # nobody looks if the format is told
            list(read(data, format=own))


@pytest.mark.parametrize("data", [b"TX .\nA <a> <b> <c> .\n", b"# hi\nH id <x> .\n"])
def test_patches_are_no_statements(data: bytes) -> None:
    assert len(list(jelly.read_patch(data).rows())) > 1
    with pytest.raises(jelly.errors.OptionsError, match="RDF Patch text"):
        jelly.read_rdf(data)


@pytest.mark.parametrize("data", [b"<a:a> <b:b> <c:c> .\n", b"@prefix a: <b:b> .", b"{}"])
def test_statements_are_no_patches(data: bytes) -> None:
    assert len(list(jelly.read_rdf(data).rows())) <= 1
    with pytest.raises(jelly.errors.WireError, match="not patches"):
        jelly.read_patch(data)


def test_text_is_read_by_content_then_by_name(tmp_path: pathlib.Path) -> None:
    patch = b"# hi\nH id <x> .\nA <a> <b> 5 .\n"
    assert [row.op for row in jelly.read_patch(patch).rows()] == ["H", "A", "Z"]
    with pytest.raises(jelly.errors.OptionsError, match="RDF Patch text"):
        jelly.read_rdf(patch)
    with pytest.raises(jelly.errors.TextError, match="line 2, column 6") as caught:
        list(jelly.read_patch(patch, format="rdfp", strict=True).rows())
    assert (caught.value.kind, caught.value.line, caught.value.column) == ("text.iri", 2, 6)
    for name, text in {
        "x.nq": b"<a> <b> <c> <g> .",
        "x.nt": b"# nothing else\n<urn:a> <urn:b> _:c .",
        "x.ttl": b"<urn:a> <urn:b> 1, 2 .",
        "x.trig": b"<urn:g> { <urn:a> <urn:b> true }",
        "x.jsonld": b'{"@id": "urn:a", "urn:b": 1}',
    }.items():
        path = tmp_path / name
        path.write_bytes(text)
        assert len(list(jelly.read_rdf(path).rows())) == 1 + (name == "x.ttl"), name
    v1 = b"@prefix a: <urn:> . A a:s a:p a:o . A R R a:x ."
    assert [row.object for row in jelly.read_patch(v1, format="rdfp-v1").rows()][:2] == [
        "<urn:o>",
        "<urn:x>",
    ]


def test_the_other_jelly_is_named() -> None:
    with pytest.raises(jelly.errors.OptionsError, match="this is Jelly-Patch, not Jelly-RDF"):
        jelly.read_rdf(jb.small_patch())
    with pytest.raises(jelly.errors.OptionsError, match="this is Jelly-RDF, not Jelly-Patch"):
        jelly.read_patch(iter([DATA]), source_name="x")


def test_what_follows_gzip_is_told_from_a_cut() -> None:
    data = gzip.compress(jb.small_rdf(10))
    two = gzip.compress(b"") + data
    for padded in (data + bytes(1), data + bytes(200_000), two + bytes(512)):
        assert len(list(jelly.read_rdf(padded).rows())) == 10
        assert len(list(jelly.read_rdf(iter([padded[:70], padded[70:]])).rows())) == 10
    for garbage in (b"x", bytes(3) + b"garbage that is long enough", bytes(70_000) + b"y"):
        with pytest.raises(jelly.errors.WireError) as caught:
            list(jelly.read_rdf(data + garbage).rows())
        assert caught.value.kind == "wire.compressed"
    for cut in (data[:-1], data + b"\x1f", data + data[:12]):
        with pytest.raises(jelly.errors.TruncatedError):
            list(jelly.read_rdf(cut).rows())
