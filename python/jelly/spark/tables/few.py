"""Net changes that the driver collects: few enough to send to each worker, which filters its rows by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from jelly.spark.tables.terms import QUAD

if TYPE_CHECKING:
    import pyarrow as pa

    from jelly.spark.tables.keys import Keys
    from jelly.spark.tables.log import Log

MOST_CHANGES = 1_000_000
"""Maximum number of changes that the driver collects; with more, base and changes are shuffled."""
MOST_BYTES = 256 << 20
"""Maximum number of bytes of the terms of these changes."""


class Few(NamedTuple):
    """The net changes of a log."""

    keys: bytes
    """Keys of all changed quads, 16 bytes each."""
    added: pa.Table
    """The added quads that exist after the changes, in the columns of a quad."""

    @classmethod
    def of(cls, log: Log, versions: range, keys: Keys) -> Few:
        """Collects the net changes of some versions; one Spark job.

        Raises:
            JellyError: A row of the log is rejected.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = log.collected(versions, keys)
        by_time = [("_commit_version", "ascending"), ("seq", "ascending")]
        order = pc.sort_indices(rows.select(["_commit_version", "seq"]), sort_keys=by_time)
        places = pa.table({"key": rows["_key"].take(order), "row": order})
        last = places.group_by("key", use_threads=False).aggregate([("row", "last")])
        found = last["key"].combine_chunks().cast(pa.binary(16))
        adds = last["row_last"].filter(rows["adds"].take(last["row_last"]))
        return cls(_bytes(found), rows.select(list(QUAD)).take(adds))


def is_few(log: Log, versions: range) -> bool:
    """Returns whether the driver may collect the changes of some versions."""
    return log.changes(versions) <= MOST_CHANGES and log.bytes(versions) <= MOST_BYTES


def _bytes(keys: pa.FixedSizeBinaryArray) -> bytes:
    buffer = keys.buffers()[1]
    if buffer is None:
        return b""
    start = 16 * keys.offset
    return bytes(memoryview(buffer)[start : start + 16 * len(keys)])
