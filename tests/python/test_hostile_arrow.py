"""Columns of others whose offsets, text or nulls are wrong are refused, never read."""

import io
import struct
from typing import Any

import pyarrow as pa
import pytest

import jelly

TEXT = "<a:ä><a:b>".encode()
GOOD = [0, 6, 11]
ROWS = len(GOOD) - 1
BAD = {
    "falling": (TEXT, [0, 12, 11], "fall"),
    "far and back": (TEXT, [0, 1 << 20, 11], "fall"),
    "negative": (TEXT, [-6, -6, -1], "(?i)negative"),
    "negative at first": (TEXT, [-6, 6, 11], "(?i)negative"),
    "not UTF-8": (b"<a:\xff\xff><a:b>"[:11], GOOD, "UTF-8"),
    "cut at its end": (b"<a:b><a:b\xc3", [0, 5, 10], "UTF-8"),
    "inside of a character": (TEXT, [0, 4, 11], "inside of a character"),
    "from inside of a character": (TEXT, [4, 6, 11], "UTF-8"),
}


def strings(text: bytes, offsets: list[int], large: bool = False) -> pa.Array:
    """An array that nobody checked."""
    kind = pa.LargeStringArray if large else pa.StringArray
    packed = struct.pack(f"<{len(offsets)}{'q' if large else 'i'}", *offsets)
    return kind.from_buffers(len(offsets) - 1, pa.py_buffer(packed), pa.py_buffer(text))


def write(subjects: pa.Array) -> int:
    others = pa.array(["<a:p>"] * len(subjects))
    batch = pa.RecordBatch.from_arrays(
        [subjects, others, others], ["subject", "predicate", "object"]
    )
    with jelly.RdfWriter(io.BytesIO()) as writer:
        return writer.write(batch)


def of_struct(values: pa.Array) -> pa.Array:
    kinds = pa.array(["iri"] * len(values))
    return pa.StructArray.from_arrays([kinds, values], ["kind", "value"])


def of_dictionary(values: pa.Array) -> pa.Array:
    keys = pa.array(range(len(values)), pa.int8())
    return pa.DictionaryArray.from_arrays(keys, values, safe=False)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("shape", [lambda values: values, of_struct, of_dictionary])
@pytest.mark.parametrize("name", BAD)
def test_strings(name: str, shape: Any, large: bool) -> None:
    assert write(shape(strings(TEXT, GOOD, large))) == ROWS
    text, offsets, message = BAD[name]
    reason = message if shape is not of_dictionary else "."
    with pytest.raises(ValueError, match=reason):
        write(shape(strings(text, offsets, large)))


def test_text_that_no_row_has_is_not_looked_at() -> None:
    whole = strings(b"\xff\xff" + TEXT, [0, 2, 8, 13])
    assert write(whole[1:]) == ROWS
    with pytest.raises(ValueError, match="UTF-8"):
        write(whole)
    assert write(strings(b"", [0])) == 0


def test_views() -> None:
    def views(bytes_: bytes) -> pa.Array:
        view = struct.pack("<i12s", len(bytes_), bytes_)
        return pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(view)])

    assert write(views(b"<a:b>")) == 1
    with pytest.raises(ValueError, match="UTF-8"):
        write(views(b"<a:\xff>"))


def test_keys_that_no_entry_has() -> None:
    keys = pa.array([0, 5], pa.int8())
    with pytest.raises(ValueError, match="5"):
        write(pa.DictionaryArray.from_arrays(keys, strings(TEXT, GOOD), safe=False))
