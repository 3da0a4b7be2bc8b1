"""pyjelly reads what we write, and we read what it writes."""

import gzip
import io
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from shared_data import shared

generic = pytest.importorskip(
    "pyjelly.integrations.generic.parse", reason="pyjelly is not installed"
)

FILES = ["bsbm-50k", "iotg-50k", "mixed-50k", "weather-100k", "wordnet-100k"]


def text(term: Any) -> str:
    from pyjelly.integrations.generic import generic_sink as kinds

    if isinstance(term, kinds.IRI):
        return f"<{term._iri}>"
    if isinstance(term, kinds.BlankNode):
        return f"_:{term._identifier}"
    if isinstance(term, kinds.Literal):
        lex = term._lex
        for char, escape in (
            ("\\", "\\\\"),
            ('"', '\\"'),
            ("\n", "\\n"),
            ("\r", "\\r"),
            ("\t", "\\t"),
        ):
            lex = lex.replace(char, escape)
        if term._langtag:
            return f'"{lex}"@{term._langtag}'
        return f'"{lex}"^^<{term._datatype}>' if term._datatype else f'"{lex}"'
    return ""


def theirs(data: bytes) -> list[list[str]]:
    return [[text(term) for term in row] for row in generic.parse_jelly_flat(io.BytesIO(data))]


@pytest.mark.parametrize("name", FILES)
def test_pyjelly_reads_ours(name: str) -> None:
    source = shared(f"corpus/{name}.jelly.gz")
    table = pa.table(jelly.read_rdf(source, columns=["subject", "predicate", "object", "graph"]))
    table = table.slice(0, 20_000)
    quads = any(table["graph"].to_pylist())
    columns = table.columns if quads else table.columns[:3]
    expected = [list(row) for row in zip(*(column.to_pylist() for column in columns), strict=True)]
    kinds: list[dict[str, Any]] = [{}, {"restart_bytes": 20_000}, {"frame_rows": 1}]
    for options in kinds:
        out = io.BytesIO()
        physical = "QUADS" if quads else "TRIPLES"
        with jelly.RdfWriter(out, jelly.RdfOptions(physical_type=physical), **options) as writer:
            writer.write(table)
        assert theirs(out.getvalue()) == expected, options
    assert len(expected) == 20_000


def test_we_read_theirs(tmp_path: Path) -> None:
    """The corpus files were written by pyjelly; here with tables that are far too small."""
    from pyjelly import jelly as proto
    from pyjelly.integrations.generic import serialize
    from pyjelly.options import LookupPreset, StreamParameters

    data = gzip.decompress(shared("corpus/iotg-50k.jelly.gz").read_bytes())
    rows = list(islice(generic.parse_jelly_flat(io.BytesIO(data)), 3000))
    path = tmp_path / "theirs.jelly"
    options = serialize.SerializerOptions(
        frame_size=11,
        logical_type=proto.LOGICAL_STREAM_TYPE_FLAT_QUADS,
        params=StreamParameters(generalized_statements=True, rdf_star=True),
        lookup_preset=LookupPreset(max_names=8, max_prefixes=8, max_datatypes=8),
    )
    with path.open("wb") as out:
        serialize.flat_stream_to_file(iter(rows), out, options=options)
    read = jelly.read_rdf(path).rows()
    expected = [[text(term) for term in row] for row in rows]
    assert [[row.subject, row.predicate, row.object, row.graph] for row in read] == expected
    assert len(expected) == 3000
