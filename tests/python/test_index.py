"""Parts of files: footers, sidecars, warnings."""

from itertools import accumulate
from pathlib import Path

import pytest

import jelly
from jelly.errors import JellyWarning, TruncatedError

ROWS = [(f"<http://a/{n % 300}>", "<http://a/p>", f'"{n}"', "") for n in range(5_000)]


def write(path: Path, restart_bytes: int) -> None:
    with jelly.RdfWriter(
        path, jelly.RdfOptions(physical_type="QUADS"), restart_bytes=restart_bytes
    ) as writer:
        writer.write(ROWS)


def read(path: Path, split: jelly.Split | None = None) -> list[jelly.RdfRow]:
    return list(jelly.read_rdf(path, split=split).rows())


def parts(path: Path) -> int:
    splits = jelly.splits(path, split_bytes=1)
    pieces = [read(path, split) for split in splits]
    assert [row for piece in pieces for row in piece] == read(path)
    rows = accumulate((len(piece) for piece in pieces[:-1]), initial=0)
    assert [piece[0].seq for piece in pieces] == list(rows)
    return len(pieces)


def test_the_parts_of_a_file_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    write(path, 5_000)
    assert parts(path) > 3


def test_the_parts_of_a_file_of_others(tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    write(path, 0)
    assert parts(path) == 1
    sidecar, count = jelly.index(path, every=5_000)
    assert Path(sidecar) == tmp_path / ".a.jelly.jellyindex"
    assert parts(path) == count > 3
    write(path, 0)
    assert parts(path) == count
    path.write_bytes(b"\n" + path.read_bytes())
    with pytest.warns(JellyWarning, match="changed"):
        assert len(jelly.splits(path, split_bytes=1)) == 1


def test_damage_is_an_error_or_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    write(path, 5_000)
    data = path.read_bytes()
    second = jelly.splits(path, split_bytes=1)[1].start
    path.write_bytes(data[:second])
    with pytest.raises(TruncatedError) as caught:
        read(path)
    assert caught.value.kind == "truncated.stream"
    path.write_bytes(data[:-1] + b"?")
    with pytest.warns(JellyWarning, match="footer is damaged"):
        assert len(read(path)) == len(ROWS)
