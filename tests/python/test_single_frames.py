"""Frames without a length: one of them is a message, and two are never taken for one."""

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import jelly

FRAME = jelly.PatchOptions(stream_type="FRAME")
GRAPHS = jelly.RdfOptions(physical_type="GRAPHS", logical_type="GRAPHS")
DATASETS = jelly.RdfOptions(physical_type="QUADS", logical_type="DATASETS")
TRIPLE = ("<urn:s>", "<urn:p>", "_:b", "<urn:g>")


def patch(number: int) -> list[dict[str, str]]:
    return [
        {"op": "H", "name": "id", "value": f"<urn:{number}>"},
        {"op": "A", "subject": "<urn:s>", "predicate": "<urn:p>", "object": f"<urn:{number}>", "graph": ""},
        {"op": "Z"},
    ]  # fmt: skip


EMPTY: list[dict[str, str]] = [{"op": "Z"}]


def delimited(values: list[bytes]) -> bytes:
    out = bytearray()
    for value in values:
        length = len(value)
        while length >= 0x80:
            out.append(length & 0x7F | 0x80)
            length >>= 7
        out += bytes([length]) + value
    return bytes(out)


def ops(data: bytes) -> list[tuple[int, str]]:
    return [(row.patch, row.op) for row in jelly.read_patch(data, framing="delimited").rows()]


def encoded(values: list[bytes]) -> str:
    return "".join(op for _, op in ops(delimited(values)))


def by_writes(w: Any, rows: list[list[dict[str, str]]]) -> None:
    for one in rows:
        w.write(one)


def by_end_patch(w: Any, rows: list[list[dict[str, str]]]) -> None:
    for one in rows:
        w.write(one[:-1])
        w.end_patch()


def by_end_frame(w: Any, rows: list[list[dict[str, str]]]) -> None:
    for one in rows:
        w.write(one[:-1])
        w.end_frame()


def by_one_write(w: Any, rows: list[list[dict[str, str]]]) -> None:
    w.write([row for one in rows for row in one])


def by_columns(w: Any, rows: list[list[dict[str, str]]]) -> None:
    for number, one in enumerate(rows):
        w.write([{**row, "patch": number} for row in one[:-1] or one])


WAYS: list[Callable[..., None]] = [by_writes, by_end_patch, by_end_frame, by_one_write, by_columns]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    "rows",
    [[patch(1), patch(2)], [EMPTY, patch(1), EMPTY], [EMPTY, EMPTY]],
    ids=["AA", "ZAZ", "ZZ"],
)
def test_a_second_patch_is_refused(
    way: Callable[..., None], rows: list[list[dict[str, str]]]
) -> None:
    out = io.BytesIO()
    with (
        pytest.raises(jelly.errors.EncodeError) as raised,
        jelly.PatchWriter(out, FRAME, delimited=False) as writer,
    ):
        way(writer, rows)
    assert raised.value.kind == "encode.frame"
    assert "flush" in str(raised.value)


@pytest.mark.parametrize("options", [GRAPHS, DATASETS], ids=["GRAPHS", "DATASETS"])
@pytest.mark.parametrize("metadata", [None, {"k": b"v"}])
def test_a_second_element_is_refused(
    options: jelly.RdfOptions, metadata: dict[str, bytes] | None
) -> None:
    out = io.BytesIO()
    writer = jelly.RdfWriter(out, options, delimited=False)
    writer.write([TRIPLE])
    writer.end_frame(metadata)
    writer.write([TRIPLE])
    with pytest.raises(jelly.errors.EncodeError) as raised:
        writer.end_frame(metadata)
    assert raised.value.kind == "encode.frame"


def test_frames_of_a_column_are_refused_too() -> None:
    columns = {"frame": [0, 1], **{k: [v] * 2 for k, v in zip(("subject", "predicate", "object", "graph"), TRIPLE, strict=True)}}  # fmt: skip
    table = pa.table(columns)
    writer = jelly.RdfWriter(io.BytesIO(), DATASETS, delimited=False)
    writer.write(table.slice(0, 1))
    writer.write(table.slice(1))
    with pytest.raises(jelly.errors.EncodeError, match=r"encode\.frame"):
        writer.close()


def test_each_frame_that_is_flushed_is_a_message() -> None:
    for rows in ([patch(n) for n in range(5)], [EMPTY, patch(1), EMPTY, EMPTY, patch(2)]):
        out = io.BytesIO()
        writer = jelly.PatchWriter(out, FRAME, delimited=False)
        messages = []
        for one in rows:
            writer.write(one)
            writer.flush()
            messages.append(out.getvalue())
            out.seek(0)
            out.truncate()
        assert encoded(messages) == "".join(row["op"] for one in rows for row in one)


def test_a_file_on_disk_has_no_messages(tmp_path: Any) -> None:
    writer = jelly.PatchWriter(tmp_path / "a.jellyp", FRAME, delimited=False)
    writer.write(patch(1))
    writer.flush()
    with pytest.raises(jelly.errors.EncodeError, match=r"encode\.frame"):
        writer.write(patch(2))


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize("rows", [1, 4, 10_000])
@pytest.mark.parametrize(
    "patches",
    [[patch(1), patch(2)], [EMPTY, patch(1), EMPTY], [patch(n) for n in range(9)]],
    ids=len,
)
def test_batch_encoder_gives_one_value_a_patch(
    size: int, rows: int, patches: list[list[dict[str, str]]]
) -> None:
    out = io.BytesIO()
    with jelly.PatchWriter(out) as writer:
        by_writes(writer, patches)
    table = pa.table(jelly.read_patch(out.getvalue()))
    encoder = jelly.batch_encoder("patch", unit="frame", rows=rows, options=FRAME)
    values = _values(encoder, table, size)
    assert len(values) == len(patches)
    expected = [(n, row["op"]) for n, one in enumerate(patches) for row in one]
    assert ops(delimited(values)) == expected
    without = table.filter(pa.compute.not_equal(table["op"], "Z"))
    kept = [one[:-1] for one in patches if len(one) > 1]
    values = _values(encoder, without, size)
    assert len(values) == len(kept)
    assert [op for _, op in ops(delimited(values)) if op != "Z"] == [
        row["op"] for one in kept for row in one
    ]


@pytest.mark.parametrize("unit", ["frame", "stream"])
@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("rows", [1, 4, 7, 10_000])
def test_batch_encoder_cuts_no_element(unit: Any, size: int, rows: int) -> None:
    frames = [0] * 5 + [1] * 2 + [3] * 9 + [4]
    terms = {k: [v] * len(frames) for k, v in zip(("subject", "predicate", "object", "graph"), TRIPLE, strict=True)}  # fmt: skip
    table = pa.table({"frame": frames, "source": ["a"] * 16 + ["b"], **terms})
    encoder = jelly.batch_encoder("rdf", unit=unit, rows=rows, options=DATASETS)
    values = _values(encoder, table, size)
    streams = values if unit == "stream" else [delimited(values)]
    lengths = []
    for stream in streams:
        found = [row.frame for row in jelly.read_rdf(stream, framing="delimited").rows()]
        lengths += [found.count(frame) for frame in sorted(set(found))]
    assert lengths == [5, 2, 9, 1]
    if unit == "frame":
        assert len(values) == 4


def test_conversions_that_take_long() -> None:
    many = io.BytesIO()
    with jelly.RdfWriter(many, DATASETS) as writer:
        for _ in range(2):
            writer.write([TRIPLE] * 10_000)
            writer.end_frame()
    with pytest.raises(jelly.errors.EncodeError, match=r"encode\.frame"):
        jelly.convert(many.getvalue(), io.BytesIO(), to="jelly", delimited=False)
    log = io.BytesIO()
    with jelly.PatchWriter(log) as writer:
        writer.write((patch(1)[:-1] * 5_000 + EMPTY) * 2)
    with pytest.raises(jelly.errors.EncodeError, match=r"encode\.frame"):
        jelly.convert(log.getvalue(), io.BytesIO(), options=FRAME, delimited=False)


def _values(encoder: jelly.BatchEncoder, table: pa.Table, size: int) -> list[bytes]:
    batches = encoder(iter(table.to_batches(max_chunksize=size)))
    return [value for batch in batches for value in batch.column(0).to_pylist()]
