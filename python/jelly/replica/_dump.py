"""Writes the dataset of a replica to a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jelly import _internal
from jelly._convert import Tally
from jelly._tables import table_format, table_writer
from jelly.replica._keys import schema
from jelly.types import Destination

if TYPE_CHECKING:
    import pyarrow as pa


def dump(
    batches: Iterator[pa.RecordBatch],
    prefixes: Mapping[tuple[str, str], str],
    dest: Destination,
    to: str,
    to_compression: str,
    options: dict[str, Any],
) -> Tally:
    """Writes quads; see :meth:`jelly.Replica.dump`.

    Prefixes that the output cannot hold are counted: those of named graphs, or all.

    Args:
        batches: The quads.
        prefixes: IRIs by graph and name; those of the default graph are written.
        dest: As for :meth:`jelly.Replica.dump`.
        to: As for :meth:`jelly.Replica.dump`.
        to_compression: As for :meth:`jelly.Replica.dump`.
        options: Options for writing.
    """
    kind = table_format(dest, to)
    if kind is not None:
        rows = size = 0
        level = options.pop("compression_level", None)
        with table_writer(dest, kind, schema(), to_compression, level) as take:
            for batch in batches:
                take(batch)
                rows, size = rows + batch.num_rows, size + batch.nbytes
        return Tally(rows, size, size, len(prefixes))
    namespaces = options.get("namespaces")
    is_given = isinstance(namespaces, Mapping)
    left_out = 0 if is_given or namespaces is False else len(prefixes)
    if not is_given and (namespaces or (namespaces is None and _has_prefixes(dest, to))):
        found = {name: iri for (graph, name), iri in prefixes.items() if not graph}
        options["namespaces"] = found
        left_out -= len(found)
    options |= {"to": to, "to_compression": to_compression}
    done = Tally(*_internal.convert(batches, dest, {}, options, None, "rdf"))
    return done._replace(prefixes_left_out=left_out)


def _has_prefixes(dest: Destination, to: str) -> bool:
    """Returns whether the format of an output has prefixes."""
    if to != "auto":
        return to not in ("nt", "nq", "text")
    name = os.fsdecode(dest) if isinstance(dest, str | os.PathLike) else ""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix not in (".gz", ".zst")]
    return not suffixes or suffixes[-1] not in (".nt", ".nq")
