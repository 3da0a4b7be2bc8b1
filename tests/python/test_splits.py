"""``splits``, and parts of text by ``start`` and ``end``."""

import bz2
import dataclasses
import gzip
import io
import lzma
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest

import jelly

LINES = "".join(
    f'<urn:s{n}> <urn:p> "a . b {n}" .\n'
    if n % 3
    else f"# {n}\n<urn:s{n}> <urn:p> _:b <urn:g> .\r\n"
    for n in range(300)
)
PATCHES = "".join(
    f"H id <urn:{n}> .\nTX .\nA <urn:s{n}> <urn:p> '''two\nlines''' .\n"
    f"D <urn:s{n}> <urn:p> <urn:o> .\n{'TA' if n % 5 == 0 else 'TC'} .\n"
    for n in range(120)
)
DOORS = {"rdf": (jelly.read_rdf, LINES, "a.nq"), "patch": (jelly.read_patch, PATCHES, "a.rdfp")}


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Path]:
    read, text, name = DOORS[request.param]
    path = tmp_path / name
    path.write_text(text, newline="")
    return read, path


def joined(read: Any, source: Any, splits: list[jelly.Split], **options: Any) -> list[Any]:
    rows: list[Any] = []
    for split in pickle.loads(pickle.dumps(splits)):
        part = list(read(source, split=split, **options).rows())
        if split.rows is not None and "rows" not in options:
            assert len(part) == split.rows
        rows += part
    return rows


def test_the_splits_of_a_path_are_the_file(door: tuple[Any, Path]) -> None:
    read, path = door
    whole = list(read(path).rows())
    splits = jelly.splits(path, split_bytes=1000)
    assert len(splits) > 5
    assert [split.end for split in splits[:-1]] == [split.start for split in splits[1:]]
    assert (splits[0].start, splits[-1].end) == (0, path.stat().st_size)
    assert joined(read, path, splits) == whole


@pytest.mark.parametrize("length", [40_003, 60_001, 100_003, 200_029, 316_008, 420_017])
def test_parts_may_end_with_a_long_row(length: int, tmp_path: Path) -> None:
    quad = f'<urn:s> <urn:p> "{"x" * length}" .\n'
    count = (3 << 20) // length
    documents: list[tuple[Any, str, str]] = [
        (jelly.read_rdf, "long.nq", quad * count),
        (jelly.read_patch, "long.rdfp", "TX .\n" + f"A {quad}" * count + "TC .\n"),
    ]
    for read, name, text in documents:
        path = tmp_path / name
        path.write_text(text)
        whole = list(read(path).rows())
        assert len(whole) >= count
        for split_bytes in (1 << 20, 700_001):
            splits = jelly.splits(path, split_bytes=split_bytes)
            assert len(splits) > 2
            assert joined(read, path, splits) == whole


def test_a_file_object_is_read_anywhere(door: tuple[Any, Path]) -> None:
    read, path = door
    whole = list(read(path.read_bytes()).rows())
    for source in (io.BytesIO(path.read_bytes()), path.open("rb"), path.open("rb", buffering=0)):
        with source:
            splits = jelly.splits(source, split_bytes=1000)
            assert len(splits) > 5
            assert joined(read, source, splits) == whole
            assert not source.closed


def test_a_pipe_has_no_parts(door: tuple[Any, Path]) -> None:
    read, path = door

    class Once(io.BytesIO):
        def seekable(self) -> bool:
            return False

    data = path.read_bytes()
    for source in (Once(data), [data]):
        with pytest.raises(ValueError, match="only files and bytes in memory can be split"):
            jelly.splits(source)
        with pytest.raises(
            ValueError, match="only files and bytes in memory can be read in splits"
        ):
            read(source, split=jelly.splits(path, split_bytes=1000)[1])
    with pytest.raises(ValueError, match="split_bytes is 0"):
        jelly.splits(path, split_bytes=0)


def test_committed_rows_of_whole_patches(tmp_path: Path) -> None:
    path = tmp_path / "a.rdfp"
    path.write_text(PATCHES)
    whole = list(jelly.read_patch(path, rows="committed").rows())
    assert len(whole) == 2 * 96
    splits = jelly.splits(path, split_bytes=500, whole_patches=True)
    assert len(splits) > 10
    assert joined(jelly.read_patch, path, splits, rows="committed") == whole
    cut = jelly.splits(path, split_bytes=500)
    with pytest.raises(ValueError, match="whole_patches"):
        jelly.read_patch(path, split=cut[1], rows="committed")


@pytest.mark.parametrize("restart", [0, 3000])
def test_jelly_is_split_at_its_restart_points(tmp_path: Path, restart: int) -> None:
    source, path = tmp_path / "a.rdfp", tmp_path / "a.jellyp"
    source.write_text(PATCHES)
    jelly.convert(source, path, restart_bytes=restart, frame_rows=8)
    if not restart:
        assert len(jelly.splits(path, split_bytes=1500)) == 1
        jelly.index(path, every=1000)
    whole = list(jelly.read_patch(path).rows())
    splits = jelly.splits(path, split_bytes=1500)
    assert len(splits) > 1
    assert splits[0].format == "jelly-patch"
    assert joined(jelly.read_patch, path, splits) == whole
    with path.open("rb") as file:
        splits = jelly.splits(file, split_bytes=1500)
        assert (len(splits) > 1) == bool(restart)  # a sidecar is of a path
        assert joined(jelly.read_patch, file, splits, source_name=str(path)) == whole
    splits = jelly.splits(path, split_bytes=1500, whole_patches=True)
    committed = list(jelly.read_patch(path, rows="committed").rows())
    assert joined(jelly.read_patch, path, splits, rows="committed") == committed


def test_zstd_with_a_seek_table(tmp_path: Path) -> None:
    source, path = tmp_path / "a.nq", tmp_path / "a.jelly.zst"
    source.write_text(LINES, newline="")
    jelly.convert(source, path, restart_bytes=2000, frame_rows=16)
    splits = jelly.splits(path, split_bytes=2000)
    assert len(splits) > 1
    assert {split.compression for split in splits} == {"zstd"}
    assert joined(jelly.read_rdf, path, splits) == [
        row._replace(source=str(path), frame=other.frame)
        for row, other in zip(
            jelly.read_rdf(source).rows(), jelly.read_rdf(path).rows(), strict=True
        )
    ]


def test_text_in_zstd_with_a_seek_table(door: tuple[Any, Path]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    read, path = door
    data, codec = path.read_bytes(), pyarrow.Codec("zstd")
    pieces = [data[at : at + 2001] for at in range(0, len(data), 2001)]
    frames = [codec.compress(piece, asbytes=True) for piece in pieces]
    sizes = zip(frames, pieces, strict=True)
    table = b"".join(struct.pack("<II", len(frame), len(piece)) for frame, piece in sizes)
    table += struct.pack("<IBI", len(frames), 0, 0x8F92EAB1)
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(b"".join([*frames, struct.pack("<II", 0x184D2A5E, len(table)), table]))
    whole = list(read(packed).rows())
    splits = jelly.splits(packed, split_bytes=1000)
    assert len(splits) > 5
    assert joined(read, packed, splits) == whole


PACKED: dict[str, tuple[Any, str]] = {
    "gzip": (gzip.compress, "gz"),
    "bzip2": (bz2.compress, "bz2"),
    "xz": (lzma.compress, "xz"),
}


@pytest.mark.parametrize("compression", PACKED)
def test_what_is_compressed_without_a_table_is_one_part(
    door: tuple[Any, Path], compression: Any
) -> None:
    read, plain = door
    pack, ending = PACKED[compression]
    path = plain.with_name(f"{plain.name}.{ending}")
    path.write_bytes(pack(plain.read_bytes()))
    whole = list(read(path).rows())
    assert len(whole) >= 300
    for options in ({}, {"compression": compression}):
        [split] = jelly.splits(path, split_bytes=1000, **options)
        assert (split.start, split.end, split.rows) == (0, None, None)
        assert split.compression == compression
        assert joined(read, path, [split], **options) == whole
        assert list(read(path, **options).rows()) == whole
    with pytest.raises(jelly.errors.JellyError):
        list(read(plain, compression=compression).rows())


def test_what_cannot_be_split_is_one_part() -> None:
    turtle = b"@prefix a: <urn:a> .\n" + b"a:s a:p a:o .\n" * 50
    [split] = jelly.splits(turtle, split_bytes=100, source_name="x.ttl")
    assert split.format == "ttl"
    assert len(joined(jelly.read_rdf, turtle, [split])) == 50


def test_errors_have_the_lines_of_the_file() -> None:
    lines = LINES.encode().splitlines(keepends=True)
    lines[321] = b"<urn:a> <urn:b> oops .\n"
    data = b"".join(lines)
    with pytest.raises(jelly.errors.TextError) as whole:
        list(jelly.read_rdf(data, format="nq").rows())
    assert whole.value.line == 322
    failed = []
    for split in jelly.splits(data, split_bytes=1000, format="nq"):
        try:
            list(jelly.read_rdf(data, split=split).rows())
        except jelly.errors.TextError as error:
            failed.append(error)
    assert [str(error) for error in failed] == [str(whole.value)]


def test_permissive_reads_on_in_the_next_part() -> None:
    lines = LINES.encode().splitlines(keepends=True)
    lines[101] = b"oops\n"
    data = b"".join(lines)
    read: dict[str, Any] = {"mode": "permissive", "format": "nq"}
    rows = joined(jelly.read_rdf, data, [], **read)
    for split in jelly.splits(data, split_bytes=1000, format="nq"):
        rows += list(jelly.read_rdf(data, split=split, **read).rows())
    corrupt = [row for row in rows if row.corrupt_record is not None]
    assert len(corrupt) == 1
    assert 200 < len(rows) < 300
    good = {row.subject: row.seq for row in jelly.read_rdf(LINES.encode(), format="nq").rows()}
    assert all(good[row.subject] == row.seq for row in rows if row.corrupt_record is None)


def test_a_split_of_another_file_is_refused(door: tuple[Any, Path]) -> None:
    read, path = door
    splits = jelly.splits(path, split_bytes=1000)
    data = path.read_bytes()
    for other in (data + b"\n", data.replace(b"urn:s", b"urn:x")):
        path.write_bytes(other)
        with pytest.raises(OSError, match="the file changed since it was split"):
            read(path, split=splits[2])
    path.write_bytes(data)
    damaged = dataclasses.replace(splits[2], state=splits[2].state[1:])
    with pytest.raises(ValueError, match="damaged"):
        read(path, split=damaged)


def test_errors_of_arguments_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data.nq"
    path.write_bytes(b"<a:s> <a:p> <a:o> .\n" * 100)
    part = jelly.splits(path, split_bytes=1000)[1]
    with pytest.raises(ValueError, match="this split belongs to a file in the format nq") as caught:
        jelly.read_rdf(path, format="ttl", split=part)
    assert str(caught.value).endswith(f"({path})")
