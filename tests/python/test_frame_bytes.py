"""``frame_bytes``: frames that fit into messages, in every door that writes Jelly."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly._frames import frames_in
from jelly.errors import LimitError

MOST = 2000
LINES = b"".join(
    b'<http://e/s%d> <http://e/p> "%d and more text" <http://e/g%d> .\n' % (n, n, n // 50)
    for n in range(900)
)
PATCH = b"TX .\n" + b"".join(b"A " + line for line in LINES.splitlines(keepends=True)) + b"TC .\n"


def rows(data: bytes, is_patch: bool) -> list[Any]:
    reader: Any = jelly.read_patch(data) if is_patch else jelly.read_rdf(data)
    return [
        row[3:] for row in reader.rows() if not is_patch or row.op != "Z"
    ]  # the end may be implied


def check(data: bytes, source: bytes = LINES) -> None:
    is_patch = source is PATCH
    lengths = [len(frame) for frame in frames_in(data)]
    assert len(lengths) > 20
    assert max(lengths) <= MOST
    assert rows(data, is_patch) == rows(source, is_patch)


@pytest.mark.parametrize("physical", ["TRIPLES", "QUADS", "GRAPHS"])
def test_frames_of_statements_fit(physical: Any) -> None:
    source = (
        LINES
        if physical != "TRIPLES"
        else b"".join(line.rsplit(b" <", 1)[0] + b" .\n" for line in LINES.splitlines())
    )
    out = io.BytesIO()
    jelly.convert(
        source, out, to="jelly", physical_type=physical, frame_rows=100_000, frame_bytes=MOST
    )
    check(out.getvalue(), source)


@pytest.mark.parametrize("kind", ["FLAT", "PUNCTUATED"])
def test_frames_of_patches_fit(kind: Any) -> None:
    out = io.BytesIO()
    jelly.convert(
        PATCH, out, to="jelly-patch", stream_type=kind, frame_rows=100_000, frame_bytes=MOST
    )
    check(out.getvalue(), PATCH)


def test_fewer_rows_end_a_frame_earlier() -> None:
    out = io.BytesIO()
    jelly.convert(LINES, out, to="jelly", frame_rows=3, frame_bytes=MOST)
    assert len(list(frames_in(out.getvalue()))) >= 300


def datasets(folder: Path) -> Iterator[tuple[str, Any]]:
    empty = folder / "empty.nq"
    empty.write_bytes(b"")
    yield (
        "writer",
        lambda out: write(
            out, jelly.RdfWriter(out, format="jelly", frame_rows=100_000, frame_bytes=MOST)
        ),
    )
    yield (
        "apply",
        lambda out: jelly.apply(
            empty, PATCH, out, to="jelly", frame_rows=100_000, frame_bytes=MOST
        ),
    )


def write(out: Any, writer: Any) -> None:
    del out
    with writer:
        for batch in jelly.read_rdf(LINES):
            writer.write(batch)


@pytest.mark.parametrize("door", ["writer", "apply"])
def test_it_holds_in_other_doors(door: str, tmp_path: Path) -> None:
    out = io.BytesIO()
    dict(datasets(tmp_path))[door](out)
    lengths = [len(frame) for frame in frames_in(out.getvalue())]
    assert len(lengths) > 20
    assert max(lengths) <= MOST
    assert jelly.same(LINES, out.getvalue(), old_format="nq", new_format="jelly")


def test_the_command_has_it(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_bytes(LINES)
    command = [sys.executable, "-m", "jelly", "convert", "a.nq", "a.jelly", "--frame-rows", "100000", "--frame-bytes", str(MOST)]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    check((tmp_path / "a.jelly").read_bytes())


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (LINES, {"to": "jelly", "logical_type": "DATASETS"}),
        (PATCH, {"to": "jelly-patch", "stream_type": "FRAME"}),
        (b'<a:s> <a:p> "%s" .\n' % (b"x" * MOST), {"to": "jelly"}),
    ],
)
def test_a_frame_that_cannot_be_cut_is_refused(source: bytes, options: Any) -> None:
    with pytest.raises(LimitError, match="frame") as refused:
        jelly.convert(source, io.BytesIO(), frame_bytes=MOST, **options)
    assert refused.value.kind == "limit.frame_bytes"
