"""Keys of quads, and the buckets of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("subject", "predicate", "object", "graph")
BITS = 16
"""Number of bits of the place number, which determines the bucket of a subject."""


def schema() -> pa.Schema:
    """Returns the columns of a replica."""
    import pyarrow as pa

    return pa.schema([(name, pa.string()) for name in COLUMNS])


def keys(rows: Any, secret: bytes) -> pa.Array:
    """Returns the 128-bit key of each quad."""
    import pyarrow as pa

    import jelly

    made = pa.array(jelly.quad_keys(rows, secret))
    return made if made.type == pa.binary(16) else made.cast(pa.binary(16))


def places(rows: pa.RecordBatch, secret: bytes) -> pa.Array:
    """Returns the place number of each quad, which determines its bucket: 16 bits of the keyed hash of its subject.

    Quads with the same subject are in the same bucket, because changes often affect several of them.
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
    """Returns the place numbers of a bucket: from, up to. They are the numbers that begin with its digits."""
    rest = BITS - len(code)
    first = int(code or "0", 2) << rest
    return first, first + (1 << rest)


def cover(codes: Iterable[str]) -> list[str]:
    """Returns all buckets in order: the given ones, and empty ones that fill the gaps."""
    inner = {code[:digits] for code in codes for digits in range(len(code))}

    def below(code: str) -> Iterator[str]:
        if code in inner:
            yield from below(f"{code}0")
            yield from below(f"{code}1")
        else:
            yield code

    return list(below(""))


def children(code: str, bits: int) -> list[str]:
    """Returns the buckets with this number of digits into which a bucket is split."""
    more = bits - len(code)
    return [f"{code}{number:0{more}b}" for number in range(1 << more)] if more else [code]
