"""Parquet and Arrow files, which pyarrow reads and writes, on either side of a conversion."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from jelly._option_table import options_of
from jelly._whole_file import local_path, whole_file

if TYPE_CHECKING:
    import pyarrow as pa

    from jelly.types import Destination, Source

TableFormat = Literal["parquet", "arrow"]
_SUFFIXES: dict[str, TableFormat] = {".parquet": "parquet", ".arrow": "arrow"}


def table_format(place: object, given: str) -> TableFormat | None:
    """The format of a table: the given one, else that of the extension; None of anything else."""
    if given in _SUFFIXES.values():
        return cast("TableFormat", given)
    if given != "auto" or not isinstance(place, str | os.PathLike):
        return None
    return _SUFFIXES.get(Path(os.fsdecode(place)).suffix.lower())


def refuse_options(options: Mapping[str, object], side: str, kind: TableFormat) -> None:
    """Rejects options that say nothing of a table.

    Raises:
        ValueError: One was given.
    """
    known = options_of("convert", "converted")
    title = {"parquet": "a Parquet file", "arrow": "an Arrow file"}[kind]
    for name, value in options.items():
        default = 0 if name == "restart_bytes" else known[name].default
        if value is not None and value != default:
            raise ValueError(f"{name} cannot be used in this conversion: the {side} is {title}")


def open_table(source: Source, kind: TableFormat) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema and the batches of a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = _place(source)
    if kind == "parquet":
        file = pq.ParquetFile(place)
        return file.schema_arrow, file.iter_batches()
    reader = pa.ipc.open_file(place)
    return reader.schema, (reader.get_batch(n) for n in range(reader.num_record_batches))


def _place(source: Source) -> Any:
    import pyarrow as pa

    if isinstance(source, bytes | bytearray | memoryview):
        return pa.BufferReader(source)
    if isinstance(source, str | os.PathLike):
        path = os.fsdecode(source)
        return pa.BufferReader(sys.stdin.buffer.read()) if path == "-" else str(local_path(path))
    if hasattr(source, "read"):
        return source if hasattr(source, "seek") else pa.BufferReader(source.read(-1))
    return pa.BufferReader(b"".join(source))


@contextmanager
def table_writer(
    dest: Destination, kind: TableFormat, schema: pa.Schema, compression: str, level: int | None
) -> Iterator[Callable[[pa.RecordBatch], object]]:
    """Gives what writes a batch to a file, which appears whole or not at all.

    Raises:
        ValueError: There is no such compression of this format.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    # a file is not compressed as a whole, so its name says nothing
    known = {"auto": "zstd" if kind == "parquet" else "none", "none": "none", "zstd": "zstd"}
    if kind == "parquet":
        known["gzip"] = "gzip"
    if compression not in known:
        words = ", ".join(f'"{word}"' for word in known)
        raise ValueError(f'to_compression is "{compression}"; for {kind} it can be {words}')
    codec = known[compression]
    if codec == "none" and level is not None:
        raise ValueError("compression_level is given, but there is no compression")
    with whole_file(dest) as place:
        if kind == "parquet":
            writer: Any = pq.ParquetWriter(
                place, schema, compression=codec, compression_level=level
            )
        else:
            chosen = None if codec == "none" else pa.Codec(codec, compression_level=level)
            writer = pa.ipc.new_file(
                place, schema, options=pa.ipc.IpcWriteOptions(compression=chosen)
            )
        with writer:
            yield writer.write_batch
