"""``jelly.stats`` counts what the rows of a reader hold."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import JellyError

DEMO = Path(__file__).parents[2] / "examples/brick-versions.jellyp.gz"
STRING = "http://www.w3.org/2001/XMLSchema#string"


def counted(path: Path, is_patch: bool) -> dict[str, dict[Any, int]]:
    """The counts, by way of rows with terms in parts."""
    read: Any = jelly.read_patch if is_patch else jelly.read_rdf
    rows = list(read(path, terms="struct").rows())
    texts = [row for row in read(path).rows() if row.subject is not None]
    changes = [row for row in rows if row.subject is not None]
    literals = [row.object for row in changes if row.object.kind == "literal"]
    return {
        "ops": Counter(row.op for row in rows) if is_patch else {},
        "subjects": Counter(row.subject.kind for row in changes),
        "objects": Counter(row.object.kind for row in changes),
        "datatypes": Counter(term.datatype or STRING for term in literals if term.language is None),
        "languages": Counter(
            term.language.lower() for term in literals if term.language is not None
        ),
        "predicates": Counter(row.predicate for row in texts),
        "graphs": Counter(row.graph for row in texts),
    }


@pytest.mark.parametrize("form", ["jellyp", "rdfp", "trp", "jelly", "nq"])
def test_counts_are_those_of_the_rows(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"data.{form}"
    is_patch = form not in {"jelly", "nq"}
    if is_patch:
        jelly.between(DEMO, 5, 6, path)
    else:
        jelly.as_of(b"", DEMO, 2, path)
    wanted = counted(path, is_patch)
    found = jelly.stats(path, top=10**6)._asdict()
    assert {name: found[name] for name in wanted} == wanted
    assert found["different_predicates"] == len(wanted["predicates"]) > 20
    assert found["different_graphs"] == len(wanted["graphs"]) > 0
    few = jelly.stats(path, top=3)
    assert few.predicates == dict(Counter(wanted["predicates"]).most_common(3))
    assert few.rows == found["rows"] > 3000


def test_terms_of_every_kind() -> None:
    data = (
        '_:b <a:p> "x"@EN .\n_:b <a:p> "x"@en--ltr <a:g> .\n<a:s> <a:q> "5"^^<a:t> <a:g> .\n<a:s> <a:q> "5" _:g .\n'
        "<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> <a:g> .\n<a:s> <a:p> _:b <a:g> .\n<a:s> <a:p\\u00e9> <a:o> <a:g> .\n"
    )
    found = jelly.stats(data.encode())
    assert found.subjects == {"iri": 5, "bnode": 2}
    assert found.objects == {"literal": 4, "triple": 1, "bnode": 1, "iri": 1}
    assert found.languages == {"en": 1, "en--ltr": 1}
    assert found.datatypes == {"a:t": 1, STRING: 1}
    assert found.predicates == {"<a:p>": 4, "<a:q>": 2, "<a:pé>": 1}
    assert found.graphs == {"<a:g>": 5, "": 1, "_:g": 1}


def test_progress_and_errors() -> None:
    reports: list[tuple[int, int]] = []
    found = jelly.stats(DEMO, progress=lambda rows, size: reports.append((rows, size)))
    assert found.rows == 114_990
    assert len(reports) > 0
    assert reports == sorted(reports)
    assert reports[-1][0] <= found.rows

    def stop(rows: int, size: int) -> None:
        raise InterruptedError(f"{rows} {size}")

    with pytest.raises(InterruptedError):
        jelly.stats(DEMO, progress=stop)
    with pytest.raises(JellyError, match=r"text\.") as error:
        jelly.stats(b"<a:s> <a:p> <a:o> .\n<a:s> <a:p> .\n")
    assert error.value.line == 2
    with pytest.raises(ValueError, match="top"):
        jelly.stats(b"", top=-1)
