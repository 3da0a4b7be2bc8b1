"""Against pyjelly's generic parser: rows to Arrow, and to Python objects. Also writes quads."""

import importlib
import importlib.metadata
import io
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ours
import truth
from measure import Effort, Line, pairwise, rate
from ntriples import TERM, escape, unescape
from places import SkippedError, corpus, write_whole

TO_ARROW_GOAL = 25.0
TO_ROWS_GOAL = 5.0


def compare_arrow(effort: Effort) -> Iterator[Line]:
    for path in corpus(".jelly"):
        prove(path)
        task, rows = ours.proven_to_arrow(path)
        yield against(path, task, rows, TO_ARROW_GOAL, effort)


def compare_rows(effort: Effort) -> Iterator[Line]:
    for path in corpus(".jelly"):
        prove(path)
        data, expected = path.read_bytes(), truth.of_rdf(path)
        truth.require(".rows()", expected, truth.answer(ours.row_texts(data)))
        yield against(path, ours.to_rows(data), expected.rows, TO_ROWS_GOAL, effort)


@cache
def prove(path: Path) -> None:
    """Pyjelly reads what the file holds."""
    found = truth.answer(filter(None, map(text, row)) for row in parsed(path.read_bytes()))
    truth.require("pyjelly", truth.of_rdf(path), found)


def parsed(data: bytes) -> Iterator[tuple[Any, ...]]:
    statements: Iterator[tuple[Any, ...]]
    statements = pyjelly("integrations.generic.parse").parse_jelly_flat(io.BytesIO(data))
    return statements


def against(path: Path, task: Callable[[], int], rows: int, goal: float, effort: Effort) -> Line:
    data = path.read_bytes()
    return pairwise(
        path.name,
        lambda: rate(task, rows, effort.runs),
        lambda: rate(lambda: sum(1 for _ in parsed(data)), rows, 1),
        pairs=min(effort.pairs, 5),
        goal=goal,
    )


def write_quads(lines: Iterable[str], target: Path, frame_rows: int) -> None:
    """One quad for each line of N-Triples or N-Quads text without its full stop, in that order."""
    options = pyjelly("options")
    serialize = pyjelly("integrations.generic.serialize")
    out = io.BytesIO()
    serialize.flat_stream_to_file(
        map(quad, lines),
        out,
        options=serialize.SerializerOptions(
            frame_size=frame_rows,
            logical_type=pyjelly("jelly").LOGICAL_STREAM_TYPE_FLAT_QUADS,
            params=options.StreamParameters(generalized_statements=True, rdf_star=True),
        ),
    )
    write_whole(target, out.getvalue())


def quad(line: str) -> Any:
    terms = pyjelly("integrations.generic.generic_sink")
    parts: list[Any] = []
    for match in TERM.finditer(line):
        if match["iri"] is not None:
            parts.append(terms.IRI(match["iri"]))
        elif match["label"] is not None:
            parts.append(terms.BlankNode(match["label"]))
        else:
            parts.append(terms.Literal(unescape(match["lex"]), match["lang"], match["datatype"]))
    if len(parts) == 3:
        parts.append(terms.DefaultGraph)
    return terms.Quad(*parts)


def text(term: Any) -> str:
    """N-Triples text of a term, whose str() escapes nothing; empty for the default graph."""
    terms = pyjelly("integrations.generic.generic_sink")
    if isinstance(term, terms.Literal):
        return str(terms.Literal(escape(term._lex), term._langtag, term._datatype))
    return "" if term is terms.DefaultGraph else str(term)


@cache
def pyjelly(module: str) -> ModuleType:
    try:
        return importlib.import_module(f"pyjelly.{module}")
    except ImportError:
        raise SkippedError("pyjelly is not installed; `make bench` does it") from None


def version() -> str:
    kind = "compiled" if str(pyjelly("parse.decode").__file__).endswith(".so") else "interpreted"
    return f"pyjelly {importlib.metadata.version('pyjelly')}, {kind}"
