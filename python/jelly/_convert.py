"""``jelly.convert``: every format in, every format out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from jelly import _internal
from jelly._arrow import require_pyarrow
from jelly._patching import genid
from jelly._whole_file import whole_file
from jelly.types import Destination, Source

if TYPE_CHECKING:
    import pyarrow as pa

    from jelly.writers import PatchWriter, RdfWriter

_READ = (
    "format", "framing", "compression", "rows", "strict", "lenient_flags", "strict_graphs", "limits",
    "source_name", "skolemize",
)  # fmt: skip
_WRITE = (
    "options", "compression_level", "delimited", "frame_rows", "namespaces", "restart_bytes", "abbreviate", "limits",
    "stream_name", "physical_type", "logical_type", "statement_type", "stream_type",
    "generalized_statements", "rdf_star",
    "max_name_table_size", "max_prefix_table_size", "max_datatype_table_size",
)  # fmt: skip
_TABLES = {".parquet": "parquet", ".arrow": "arrow"}


class Tally(NamedTuple):
    """How far a conversion got."""

    rows: int
    """Rows that were read."""
    bytes_in: int
    """Bytes that were read, without compression."""
    bytes_out: int
    """Bytes that were written, without compression."""


def convert(
    source: Source,
    dest: Destination,
    *,
    to: str = "auto",
    to_compression: str = "auto",
    progress: Callable[[Tally], object] | None = None,
    **options: Any,
) -> Tally:
    """Reads a source in one format and writes it in another, streaming.

    The formats are those of ``read_rdf`` and ``read_patch``, Parquet and Arrow files (with the
    extra ``[arrow]``). Statements can become patches: one that adds them all in one transaction.
    A Jelly stream keeps the options of a Jelly source, but for those told here.

    Args:
        source: Path (``-`` is standard input), bytes, binary file object or iterable of bytes.
        dest: Path (``-`` is standard output) or binary file object. A path appears whole or not
            at all.
        to: Format of the output: ``jelly``, ``nt``, ``nq``, ``ttl``, ``trig``, ``jelly-patch``,
            ``rdfp``, ``trp``, ``parquet``, ``arrow``; ``text``: N-Quads or RDF Patch; ``auto``: by
            the extension of ``dest``, else Jelly.
        to_compression: ``none``, ``gzip``, ``zstd``, or ``auto``: by the extension of ``dest``.
        progress: Called with a :class:`Tally` about every MiB that was read; an exception stops.
        **options: Of reading: ``format``, ``framing``, ``compression``, ``rows``, ``strict``,
            ``lenient_flags``, ``strict_graphs``, ``limits``, ``source_name``, ``skolemize``
            (blank nodes of statements as IRIs, as for :func:`diff`). Of writing:
            ``options``, or single ones of its fields such as ``stream_type``;
            ``compression_level``, ``delimited``, ``frame_rows``, ``namespaces``,
            ``restart_bytes``, ``abbreviate``.

    Returns:
        What was done.

    Raises:
        JellyError: The source is bad, or cannot be written in this format; ``dest`` is as before.
        OSError: Reading or writing failed; ``dest`` is as before.
        ValueError: An option is wrong.
        ImportError: Parquet or Arrow files are asked for, and pyarrow is not installed.
    """
    for name in options:
        if name not in _READ and name not in _WRITE:
            raise TypeError(f"convert() got an unexpected keyword argument {name!r}")
    table_in = _table_format(source, options.get("format", "auto"))
    table_out = _table_format(dest, to)
    if table_in or table_out:
        require_pyarrow()
        if options.get("skolemize"):
            raise ValueError("skolemize does not go with Parquet and Arrow files")
    if table_in and table_out:
        import pyarrow as pa

        schema, batches = _batches(source, table_in)
        return _write_table(batches, pa.schema(schema), dest, table_out)
    if table_in:
        return _from_table(source, dest, table_in, to, to_compression, options)
    if table_out:
        return _to_table(source, dest, table_out, options)
    read = {name: options[name] for name in _READ if name in options}
    read["skolemize"] = genid(options.get("skolemize", False))
    write = {name: options[name] for name in _WRITE if name in options}
    if isinstance(write.get("namespaces"), dict):
        write["namespaces"] = list(write["namespaces"].items())
    write |= {"format": to, "compression": to_compression}
    report = None if progress is None else lambda *counts: progress(Tally(*counts))
    return Tally(*_internal.convert(source, dest, read, write, report))


def _table_format(place: object, told: str) -> Literal["parquet", "arrow"] | None:
    if told in ("parquet", "arrow"):
        return told  # type: ignore[return-value]
    if told != "auto" or not isinstance(place, str | os.PathLike):
        return None
    return _TABLES.get(Path(os.fsdecode(place)).suffix.lower())  # type: ignore[return-value]


def _from_table(
    source: Source, dest: Destination, kind: str, to: str, compression: str, options: dict[str, Any]
) -> Tally:
    from jelly.writers import PatchWriter, RdfWriter

    write = {name: value for name, value in options.items() if name in ("options", "frame_rows", "delimited", "restart_bytes", "compression_level", "limits")}  # fmt: skip
    schema, batches = _batches(source, kind)
    writer: PatchWriter | RdfWriter
    is_patch = "op" in schema.names
    if to == "text":
        to = "rdfp" if is_patch else "nq"
    cls: Any = PatchWriter if is_patch else RdfWriter
    rows = bytes_in = 0
    with cls(dest, format=to, compression=compression, **write) as writer:
        for batch in batches:
            rows += writer.write(batch)
            bytes_in += batch.nbytes
    return Tally(rows, bytes_in, 0)


def _batches(source: Source, kind: str) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    place: Any = source if hasattr(source, "read") else os.fsdecode(source)  # type: ignore[arg-type]
    if kind == "parquet":
        file = pq.ParquetFile(place)
        return file.schema_arrow, file.iter_batches()
    reader = pa.ipc.open_file(place)
    return reader.schema, (reader.get_batch(n) for n in range(reader.num_record_batches))


def _to_table(source: Source, dest: Destination, kind: str, options: dict[str, Any]) -> Tally:
    import pyarrow as pa

    read = {name: options[name] for name in _READ if name in options}
    reader = _internal.read_any(source, read)
    batches = (pa.record_batch(batch) for batch in reader)
    done = _write_table(batches, pa.schema(reader.schema), dest, kind)
    return done._replace(bytes_in=reader.position.offset)


def _write_table(
    batches: Iterator[pa.RecordBatch], schema: pa.Schema, dest: Destination, kind: str
) -> Tally:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 0
    with (
        whole_file(dest) as place,
        (
            pq.ParquetWriter(place, schema, compression="zstd")
            if kind == "parquet"
            else pa.ipc.new_file(place, schema)
        ) as writer,
    ):
        for batch in batches:
            rows += batch.num_rows
            writer.write_batch(batch)
    return Tally(rows, 0, 0)
