"""pyoxigraph reads the N-Quads that we write, and we read its."""

import io
from typing import Any

import pyarrow as pa
import pytest

import jelly
from shared_data import shared

oxigraph = pytest.importorskip("pyoxigraph", reason="pyoxigraph is not installed")

FILES = ["bsbm-50k", "iotg-50k", "vocab-open", "wordnet-100k"]


def quads(data: Any) -> list[str]:
    return [
        str(quad) for quad in oxigraph.parse(data, format=oxigraph.RdfFormat.N_QUADS, lenient=True)
    ]


@pytest.mark.parametrize("name", FILES)
def test_n_quads_both_ways(name: str) -> None:
    source = shared(f"corpus/{name}.jelly.gz")
    expected = pa.table(jelly.read_rdf(source)).select(["subject", "predicate", "object", "graph"])
    ours = io.BytesIO()
    jelly.convert(source, ours, to="nq")
    parsed = list(oxigraph.parse(ours.getvalue(), format=oxigraph.RdfFormat.N_QUADS))
    assert len(parsed) == expected.num_rows >= 50_000
    theirs = oxigraph.serialize(parsed, format=oxigraph.RdfFormat.N_QUADS)
    read = pa.table(jelly.read_rdf(theirs, format="nq")).select(expected.column_names)
    for column in expected.column_names:
        # it puts language tags in lower case
        ours_folded = [term.lower() for term in expected[column].to_pylist()]
        assert [term.lower() for term in read[column].to_pylist()] == ours_folded, column
