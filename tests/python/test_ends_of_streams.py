"""Where streams end and others begin: files put end to end, the last frame, headers that begin a patch."""

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly

ADD = {
    "op": "A",
    "subject": "<http://e.org/a>",
    "predicate": "<urn:p>",
    "object": "<urn:o>",
    "graph": "",
}
ID = {"op": "H", "name": "id", "value": "<urn:1>"}


def statements(dest: Any, host: str, **options: Any) -> None:
    with jelly.RdfWriter(dest, **options) as writer:
        writer.write([(f"<http://{host}/{name}>", "<urn:p>", "<urn:o>") for name in "ab"])


def patch(dest: Any, host: str, **options: Any) -> None:
    with jelly.PatchWriter(dest, **options) as writer:
        writer.write([{**ADD, "subject": f"<http://{host}/{name}>"} for name in "ab"])


@pytest.mark.parametrize("write", [statements, patch])
@pytest.mark.parametrize("first", [0, 1, None])
@pytest.mark.parametrize("second", [0, 1, None])
def test_files_end_to_end(
    write: Any, first: int | None, second: int | None, tmp_path: Path
) -> None:
    hosts = ["e.org", "f.org", "g.org"]
    paths = [tmp_path / host for host in hosts]
    options: dict[str, Any] = {"format": "jelly"}
    if write is patch:
        options = {"format": "jelly-patch", "options": jelly.PatchOptions(stream_type="FLAT")}
    for path, host, restart in zip(paths, hosts, [first, second, first], strict=True):
        write(path, host, restart_bytes=restart, **options)
    joined = b"".join(path.read_bytes() for path in paths)
    read: Any = jelly.read_rdf if write is statements else jelly.read_patch
    rows = [row for row in read(joined).rows() if getattr(row, "op", "A") == "A"]
    assert [row.subject for row in rows] == [
        f"<http://{host}/{name}>" for host in hosts for name in "ab"
    ]
    if write is patch:
        assert [row.patch for row in rows] == [0, 0, 1, 1, 2, 2]


def test_streams_without_a_name_end_to_end() -> None:
    out = io.BytesIO()
    for host in ("e.org", "f.org"):
        statements(out, host)
    found = [row.subject for row in jelly.read_rdf(out.getvalue()).rows()]
    assert found == [f"<http://{host}/{name}>" for host in ("e.org", "f.org") for name in "ab"]
    again = io.BytesIO()
    jelly.convert(out.getvalue(), again, to="jelly")
    assert [row.subject for row in jelly.read_rdf(again.getvalue()).rows()] == found


@pytest.mark.parametrize("op", ["TA", "TX", "H", "A", "PA"])
def test_the_last_frame_is_a_part_too(op: str) -> None:
    row = {**ADD, "name": "id", "value": "<urn:1>", "op": op}
    out = io.BytesIO()
    with jelly.PatchWriter(out, restart_bytes=1, frame_rows=1) as writer:
        writer.write([row])
    data = out.getvalue()
    splits = jelly.splits(data, split_bytes=1)
    assert len(splits) > 1
    parts = [row for split in splits for row in jelly.read_patch(data, split=split).rows()]
    assert parts == list(jelly.read_patch(data).rows())
    assert [row.op for row in parts] == [op, "Z"]


def converted(data: bytes, to: Any) -> tuple[list[tuple[int, str]], str | None]:
    """Patch and op of each row, or the kind of the error."""
    out = io.BytesIO()
    try:
        jelly.convert(data, out, to=to)
    except jelly.errors.EncodeError as error:
        return [], error.kind
    return [(row.patch, row.op) for row in jelly.read_patch(out.getvalue(), format=to).rows()], None


def test_a_late_header_is_refused_by_text_and_thrift_alike() -> None:
    flat = jelly.PatchOptions(stream_type="FLAT")
    written = refused = 0
    for seed in range(200):
        random.seed(seed)
        rows: list[dict[str, str]] = random.choices(
            [ADD, ID, {"op": "TX"}, {"op": "TC"}, {"op": "TA"}], k=random.randint(1, 6)
        )
        log = io.BytesIO()
        with jelly.PatchWriter(log, flat) as writer:
            writer.write(rows)
        expected = [(row.patch, row.op) for row in jelly.read_patch(log.getvalue()).rows()]
        kinds = set()
        for to in ("rdfp", "trp"):
            found, kind = converted(log.getvalue(), to)
            kinds.add(kind)
            assert found == (expected if kind is None else [])
        assert len(kinds) == 1
        refused += kinds == {"encode.header"}
        written += None in kinds
    assert written + refused == 200
    assert min(written, refused) > 20


def test_namespaces_of_version_1_are_kept() -> None:
    old = io.BytesIO()
    with jelly.RdfWriter(old, namespaces={"e": "http://e/"}) as writer:
        writer.write([("<http://e/a>", "<http://e/b>", "<http://e/c>")])
    data = old.getvalue()
    assert data.count(b"\x78\x02") == 1
    data = data.replace(b"\x78\x02", b"\x78\x01")
    reader = jelly.read_rdf(data)
    assert len(list(reader.rows())) == 1
    assert reader.options is not None
    assert (reader.options.version, reader.namespaces) == (1, {"e": "http://e/"})
    for given, version, kept in ((None, 2, True), (True, 2, True), (False, 1, False)):
        out = io.BytesIO()
        jelly.convert(data, out, to="jelly", namespaces=given)
        again = jelly.read_rdf(out.getvalue())
        assert len(list(again.rows())) == 1
        assert again.options is not None
        assert (again.options.version, again.namespaces) == (
            version,
            {"e": "http://e/"} if kept else {},
        )
    # as it comes without namespaces, it stays version 1
    plain = io.BytesIO()
    statements(plain, "e.org")
    out = io.BytesIO()
    jelly.convert(plain.getvalue(), out, to="jelly")
    options = jelly.read_rdf(out.getvalue()).options
    assert options is not None
    assert options.version == 1


@pytest.mark.parametrize("stream_type", ["FRAME", "FLAT", "PUNCTUATED"])
def test_a_stream_without_patches_can_be_read(stream_type: Any, tmp_path: Path) -> None:
    data = b"<a:s> <a:p> <a:o> .\n"
    doors: list[Callable[[Path], object]] = [
        lambda dest: jelly.diff(data, data, dest, stream_type=stream_type),
        lambda dest: jelly.convert(b"", dest, format="rdfp", options=jelly.PatchOptions(stream_type=stream_type)),
    ]  # fmt: skip
    for number, door in enumerate(doors):
        dest = tmp_path / f"{number}.jellyp"
        door(dest)
        assert list(jelly.read_patch(dest).patches()) == []
        done = jelly.apply(data, dest, io.BytesIO(), base_format="nq")
        assert (done.version, done.statements) == (0, 1)
