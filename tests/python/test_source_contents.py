"""What sources hold: compression and format are detected by the first bytes."""

import bz2
import gzip
import lzma
import pathlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb
from source_kinds import DATA, Short, check, count, pieces

FIRST = [jb.rdf_options(), jb.rdf_entry("name", "urn:a")]


@pytest.mark.parametrize("name", ["bzip2", "xz"])
def test_bzip2_and_xz_are_read(name: str, tmp_path: pathlib.Path) -> None:
    def fast(data: bytes) -> bytes:
        return bz2.compress(data, 1) if name == "bzip2" else lzma.compress(data, preset=0)

    pack = bz2.compress if name == "bzip2" else lzma.compress
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
    bomb = fast(b"\n" * (80 << 20))  # up to 64 MiB of output are never too many
    with pytest.raises(jelly.errors.LimitError, match="compressed byte"):
        count(jelly.read_rdf(bomb, format="nt"))
    with pytest.raises(ValueError, match=f"{path.suffix[1:]} files cannot be written"):
        jelly.convert(path, tmp_path / f"b.nq.{path.suffix[1:]}")


def test_the_dictionary_of_xz_is_limited() -> None:
    level = [{"id": lzma.FILTER_LZMA2, "preset": 9}]
    packed = lzma.compress(b"<urn:a> <urn:b> <urn:c> .\n", filters=level)
    assert count(jelly.read_rdf(packed)) == 1
    small = jelly.Limits(zstd_window=1 << 20)
    with pytest.raises(jelly.errors.LimitError, match="larger dictionary"):
        count(jelly.read_rdf(packed, limits=small))


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


def noise(n: int) -> jb.Fields:
    terms = {"s_iri": jb.iri(1), "p_iri": jb.iri(1)} if n == 0 else {}
    text = "".join(chr(0x4E00 + (n * 7919 + i * i * 31 + i * n) % 20000) for i in range(5000))
    return jb.triple(**terms, o_literal=jb.literal(text))


def test_two_files_in_one_are_two_streams() -> None:
    both = gzip.compress(DATA) + gzip.compress(DATA)
    assert len(list(jelly.read_rdf(both, framing="concatenated").rows())) == 4000


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
