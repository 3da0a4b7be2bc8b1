"""Columns of others whose offsets, text or nulls are wrong are refused, never read."""

import io
import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import jelly

TEXT = "<a:ä><a:b>".encode()
GOOD = [0, 6, 11]
ROWS = len(GOOD) - 1
BAD = {
    "falling": (TEXT, [0, 12, 11], "decrease"),
    "far and back": (TEXT, [0, 1 << 20, 11], "decrease"),
    "negative": (TEXT, [-6, -6, -1], "or are negative"),
    "negative at first": (TEXT, [-6, 6, 11], "or are negative"),
    "not UTF-8": (b"<a:\xff\xff><a:b>"[:11], GOOD, "UTF-8"),
    "cut at its end": (b"<a:b><a:b\xc3", [0, 5, 10], "UTF-8"),
    "inside of a character": (TEXT, [0, 4, 11], "inside a character"),
    "from inside of a character": (TEXT, [4, 6, 11], "UTF-8"),
}


class Strings:
    """Strings whose offsets are set when pyarrow has looked at them, which refuses some."""

    def __init__(self, text: bytes, offsets: list[int], large: bool = False) -> None:
        self.layout = f"<{len(offsets)}{'q' if large else 'i'}"
        self.memory, self.offsets = bytearray(struct.calcsize(self.layout)), offsets
        kind = pa.LargeStringArray if large else pa.StringArray
        buffers = pa.py_buffer(self.memory), pa.py_buffer(text)
        self.array = kind.from_buffers(len(offsets) - 1, *buffers)

    def write(self, shape: Callable[[pa.Array], pa.Array] = lambda values: values) -> int:
        batch = batch_of(shape(self.array))
        struct.pack_into(self.layout, self.memory, 0, *self.offsets)
        return write(batch)


def batch_of(subjects: pa.Array) -> pa.RecordBatch:
    others = pa.array(["<a:p>"] * len(subjects))
    names = ["subject", "predicate", "object"]
    return pa.RecordBatch.from_arrays([subjects, others, others], names)


def write(batch: pa.RecordBatch) -> int:
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
    assert Strings(TEXT, GOOD, large).write(shape) == ROWS
    text, offsets, message = BAD[name]
    bad = Strings(text, offsets, large)
    with pytest.raises(ValueError, match=message if shape is not of_dictionary else "."):
        bad.write(shape)


def test_text_that_no_row_has_is_not_looked_at() -> None:
    def all_but_the_first(values: pa.Array) -> pa.Array:
        return values[1:]

    mixed = b"\xff\xff" + TEXT, [0, 2, 8, 13]
    assert Strings(*mixed).write(all_but_the_first) == ROWS
    with pytest.raises(ValueError, match="UTF-8"):
        Strings(*mixed).write()
    assert Strings(b"", [0]).write() == 0


def test_views() -> None:
    def views(text: bytes) -> pa.RecordBatch:
        view = struct.pack("<i12s", len(text), text)
        return batch_of(pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(view)]))

    assert write(views(b"<a:b>")) == 1
    with pytest.raises(ValueError, match="UTF-8"):
        write(views(b"<a:\xff>"))


def test_keys_that_no_entry_has() -> None:
    keys = pa.array([0, 5], pa.int8())
    values = pa.array(["<a:b>", "<a:c>"])
    with pytest.raises(ValueError, match="5"):
        write(batch_of(pa.DictionaryArray.from_arrays(keys, values, safe=False)))


def test_rows_that_are_null() -> None:
    terms = pa.array(["<a:b>", None])
    names = ["subject", "predicate", "object"]
    rows = pa.StructArray.from_arrays([terms] * 3, names, mask=pa.array([False, True]))
    with (
        jelly.RdfWriter(io.BytesIO()) as writer,
        pytest.raises(ValueError, match="1 rows are null"),
    ):
        writer.write(rows)
