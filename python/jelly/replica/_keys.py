"""Keys of quads, and the buckets that rows lie in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("subject", "predicate", "object", "graph")
BITS = 16
"""Bits of the number by which a subject finds its bucket."""


def schema() -> pa.Schema:
    """The columns of a replica."""
    import pyarrow as pa

    return pa.schema([(name, pa.string()) for name in COLUMNS])


def keys(rows: Any, secret: bytes) -> pa.Array:
    """The 128-bit key of each quad."""
    import pyarrow as pa

    import jelly

    made = pa.array(jelly.quad_keys(rows, secret))
    return made if made.type == pa.binary(16) else made.cast(pa.binary(16))


def places(rows: pa.RecordBatch, secret: bytes) -> pa.Array:
    """The number by which the subject of each quad finds its bucket: 16 bits of its keyed hash.

    Quads of a subject lie together, because changes mostly do.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    count = rows.num_rows
    same = pa.repeat(pa.scalar("<s:>", pa.string()), count)
    alone = pa.record_batch([rows.column("subject"), same, same, same], schema=schema())
    hashed = keys(alone, secret)
    words = pa.Array.from_buffers(
        pa.uint64(), 2 * count, [None, hashed.buffers()[1]], offset=2 * hashed.offset
    )
    first = pc.list_element(pa.FixedSizeListArray.from_arrays(words, 2), 0)
    return pc.bit_wise_and(first, pa.scalar(0xFFFF, pa.uint64())).cast(pa.uint16())


def span(code: str) -> tuple[int, int]:
    """The numbers of a bucket: from, up to. A bucket has the numbers that begin with its digits."""
    rest = BITS - len(code)
    first = int(code or "0", 2) << rest
    return first, first + (1 << rest)


def cover(codes: Iterable[str]) -> list[str]:
    """All buckets in order: those given, and empty ones for what they leave out."""
    inner = {code[:digits] for code in codes for digits in range(len(code))}

    def below(code: str) -> Iterator[str]:
        if code in inner:
            yield from below(f"{code}0")
            yield from below(f"{code}1")
        else:
            yield code

    return list(below(""))


def children(code: str, bits: int) -> list[str]:
    """The buckets with so many digits that a bucket falls into."""
    more = bits - len(code)
    return [f"{code}{number:0{more}b}" for number in range(1 << more)] if more else [code]
