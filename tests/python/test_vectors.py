"""Files that Jelly-JVM wrote hold the rows that Jelly-JVM reads from them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import jelly

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def cases(kind: str) -> list[Any]:
    found = json.loads((VECTORS / kind / "manifest.json").read_text())
    return [pytest.param(case, id=case["name"]) for case in found]


def text(*terms: str | None) -> str:
    """Terms as the files of rows have them: labels as they are, those too that no text can hold."""
    return re.sub(r"<(_:[^>]*)>", r"\1", " ".join(term or "DEFAULT" for term in terms))


def lines(kind: str, case: dict[str, str]) -> list[tuple[str, str]]:
    """The operation and the rest of each line; only a line feed ends a line."""
    rows = (VECTORS / kind / case["rows"]).read_bytes().decode()
    parts = (line.partition(" ") for line in rows.split("\n") if line)
    return [(op, rest) for op, _, rest in parts]


@pytest.mark.parametrize("case", cases("patch"))
def test_patches(case: dict[str, str]) -> None:
    data = (VECTORS / "patch" / case["jellyp"]).read_bytes()
    # Jelly-JVM reports no end for the last patch and for those before the options
    expected = [(op, rest) for op, rest in lines("patch", case) if op not in ("Z", "OPTIONS")]
    triples = "statement=TRIPLES" in (VECTORS / "patch" / case["rows"]).read_text()
    found = []
    for row in jelly.read_patch(data, lenient_flags=True).rows():
        graph = [] if triples else [row.graph]
        if row.op in ("A", "D"):
            found.append((row.op, text(row.subject, row.predicate, row.object, *graph)))
        elif row.op == "H":
            found.append((row.op, text(f'"{row.name}"', row.value)))
        elif row.op in ("PA", "PD"):
            found.append((row.op, text(f'"{row.name}"', row.value or "NULL", *graph)))
        elif row.op != "Z":
            found.append((row.op, ""))
    assert found == expected


@pytest.mark.parametrize("case", cases("rdf"))
def test_statements(case: dict[str, str]) -> None:
    reader = jelly.read_rdf((VECTORS / "rdf" / case["jelly"]).read_bytes(), lenient_flags=True)
    rows = reader.rows()
    found = [text(row.subject, row.predicate, row.object, row.graph) for row in rows]
    graph = "DEFAULT"
    expected: list[str] = []
    names: dict[str, str] = {}
    for op, rest in lines("rdf", case):
        if op == "NS":
            name, iri = rest.split(" ")
            names[name.strip('"')] = iri.strip("<>")
        elif op == "GS":
            graph = rest
        elif op in ("T", "Q"):
            expected.append(rest if op == "Q" else f"{rest} {graph}")
    assert found == expected
    assert reader.namespaces == names
