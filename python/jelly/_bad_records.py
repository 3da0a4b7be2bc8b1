"""Streams that could not be decoded: stored in a separate table, so that a job continues without them."""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Mapping
from typing import Any

from jelly.errors import JellyError

_LOG = logging.getLogger("jelly.spark")
# A file is written once so much waits.
_MOST_RECORDS = 10_000
_MOST_BYTES = 8 << 20


class BadRecords:
    """Rows of bad streams, which appear as Parquet files in a folder: ``source``, ``kind``, ``error``, ``value``.

    The name of a file depends on its rows alone: a task that is repeated writes the same file again.

    Args:
        folder: Where the files go, here or in remote storage; None: nowhere, bad streams are only reported.
        storage: How remote storage is reached: options in lower case, without ``storage.``.
    """

    def __init__(self, folder: str | None, storage: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._storage = dict(storage or {})
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def add(self, source: str | None, error: JellyError, value: bytes | None = None) -> None:
        """Takes a stream; ``value`` are its bytes, unless ``source`` is the path of a file that has them."""
        _LOG.warning("ignored %s: %s", source or "a value", error)
        if self._folder is None:
            return
        row = {"source": source, "kind": error.kind, "error": str(error), "value": value}
        self._rows.append(row)
        self._bytes += len(value or b"") + len(row["error"] or "")
        if len(self._rows) >= _MOST_RECORDS or self._bytes >= _MOST_BYTES:
            self.flush()

    def flush(self) -> None:
        """Writes what waits.

        Raises:
            OSError: It cannot be written.
        """
        if not self._rows or self._folder is None:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        from jelly.storage import naming, put, resolve

        names = {"source": pa.string(), "kind": pa.string(), "error": pa.string(), "value": pa.binary()}  # fmt: skip
        table = pa.Table.from_pylist(self._rows, pa.schema(list(names.items())))
        digest = hashlib.blake2b(repr(self._rows).encode(), digest_size=16).hexdigest()
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="zstd")
        place = resolve(self._folder, self._storage)
        with naming(self._folder):
            put(place, f"bad-{digest}.parquet", sink.getvalue())
        self._rows, self._bytes = [], 0
