"""The dataset that a new replica begins with."""

from __future__ import annotations

import os
from typing import Any

from jelly import _internal
from jelly._patching import Report, Step
from jelly._readers import read_rdf
from jelly._whole_file import local_path
from jelly.replica._keys import COLUMNS
from jelly.replica._spill import ADD, Spill
from jelly.types import Source


def load_base(
    base: Source, spill: Spill, options: dict[str, Any], progress: Report | None
) -> dict[tuple[str, str], str]:
    """Reads the quads of a dataset into a spill; returns the prefixes of the dataset."""
    import pyarrow as pa

    if isinstance(base, str | os.PathLike) and base != "-":
        _internal.refuse_other_base(local_path(base))
    rows = 0
    format = options.pop("base_format", "auto")
    with read_rdf(
        base, format=format, columns=list(COLUMNS), blank_nodes="lasting", **options
    ) as reader:
        for made in reader:
            batch = pa.record_batch(made)
            spill.add(batch, ADD)
            rows += batch.num_rows
            if progress is not None:
                progress(Step("reading the base", rows, reader.position.offset))
        return {("", name): iri for name, iri in reader.namespaces.items()}
