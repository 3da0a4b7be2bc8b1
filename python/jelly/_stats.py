"""``jelly.stats``: what rows of a source hold."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Literal, NamedTuple, Unpack

from jelly import _internal
from jelly._internal import PatchReader
from jelly._option_table import refuse_unknown, takes
from jelly._option_types import StatsOptions
from jelly.types import Source

_CHUNK = 65536
# Different values of a column that are counted; more take memory.
_MOST = 1 << 20


class Statistics(NamedTuple):
    """What rows of a source hold.

    Attributes:
        kind: Whether it holds statements or patches.
        rows: Rows: statements, or rows of patches.
        bytes: Bytes of the source, without compression.
        seconds: The time that reading and counting took.
        ops: Rows of patches by operation, such as ``A`` and ``TX``; the ``Z`` ends count patches.
        subjects: Subjects by kind: ``iri``, ``bnode``, ``literal``, ``triple``. Each row counts.
        objects: Objects by kind.
        datatypes: Objects that are literals by the IRI of their datatype.
        languages: Objects that are literals with a language tag by that, in lower case.
        predicates: The most frequent predicates.
        graphs: The most frequent graphs; ``""`` is the default graph.
        different_predicates: How many predicates there are; None: more than a million.
        different_graphs: How many graphs there are; None: more than a million.
        namespaces: Prefixes that are declared, and their IRIs.
    """

    kind: Literal["rdf", "patch"]
    rows: int
    bytes: int
    seconds: float
    ops: dict[str, int]
    subjects: dict[str, int]
    objects: dict[str, int]
    datatypes: dict[str, int]
    languages: dict[str, int]
    predicates: dict[str, int]
    graphs: dict[str, int]
    different_predicates: int | None
    different_graphs: int | None
    namespaces: dict[str, str]

    def __str__(self) -> str:
        rate = f"{self.rows / self.seconds / 1e6:,.2f} million rows/s" if self.seconds else ""
        size = f", {self.bytes / self.rows:,.1f} a row" if self.rows else ""
        text = [
            f"kind:       {'patches' if self.kind == 'patch' else 'statements'}",
            f"rows:       {self.rows:,}",
            f"size:       {self.bytes:,} bytes{size}",
            f"read in:    {self.seconds:.2f} s, {rate}",
        ]
        for name in ("ops", "subjects", "objects", "datatypes", "languages"):
            counts = ", ".join(f"{key} {n:,}" for key, n in getattr(self, name).items())
            text += [f"{name + ':':12}{counts}"] if counts else []
        for name, different in (
            ("predicates", self.different_predicates),
            ("graphs", self.different_graphs),
        ):
            if counts := getattr(self, name):
                text.append(f"{name}: {f'more than {_MOST:,}' if different is None else f'{different:,}'}")  # fmt: skip
                text += [f"  {n:>14,}  {term or '(default graph)'}" for term, n in counts.items()]
        if self.namespaces:
            text.append(f"namespaces: {len(self.namespaces):,}")
            text += [f"  {label + ':':14}  <{iri}>" for label, iri in self.namespaces.items()]
        return "\n".join(text)


@takes("stats")
def stats(
    source: Source,
    *,
    top: int = 10,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[StatsOptions],
) -> Statistics:
    """Counts what rows of a source hold, in one pass and in bounded memory.

    :func:`inspect` describes the stream, its frames and options; this counts its rows, in any format.

    Args:
        source: Path (``-`` is standard input), bytes, binary file object or iterable of bytes.
        top: How many predicates, graphs, datatypes and languages to name.
        progress: Called with rows and bytes so far, now and then; an exception stops.
        **options: See ``docs/options.md``.

    Returns:
        The counts.

    Raises:
        JellyError: The source is bad.
        OSError: Reading failed.
        ValueError: An option is wrong.
    """
    refuse_unknown("stats", options, "stats")
    began, rows = time.perf_counter(), 0
    ops, subjects, predicates, objects, graphs = (_Counts() for _ in range(5))
    with _internal.read_any(source, dict(options)) as reader:
        kind: Literal["rdf", "patch"] = "patch" if isinstance(reader, PatchReader) else "rdf"
        names = reader.schema.names
        at = {name: names.index(name) for name in ("subject", "predicate", "object", "graph")}
        op = names.index("op") if kind == "patch" else None
        iterator = iter(reader.rows())
        while chunk := list(islice(iterator, _CHUNK)):
            rows += len(chunk)
            columns: list[tuple[Any, ...]] = list(zip(*chunk, strict=True))
            if op is not None:
                ops.add(columns[op])
            subjects.add(map(_kind, filter(None, columns[at["subject"]])))
            predicates.add(filter(None, columns[at["predicate"]]))
            objects.add(map(_kind_of_object, filter(None, columns[at["object"]])))
            graphs.add(
                graph
                for graph, subject in zip(columns[at["graph"]], columns[at["subject"]], strict=True)
                if subject is not None
            )
            if progress is not None:
                progress(rows, reader.position.offset or 0)
        size, namespaces = reader.position.offset or 0, dict(reader.namespaces)
    literals = {key: n for key, n in objects.counts.items() if key not in _KINDS}
    languages, datatypes = _Counts(), _Counts()
    for key, n in literals.items():
        if key.startswith("@"):
            languages.counts[key[1:].lower()] += n
        else:
            datatypes.counts[key[3:-1] or "http://www.w3.org/2001/XMLSchema#string"] += n
    kinds = Counter({key: n for key, n in objects.counts.items() if key in _KINDS})
    if literals:
        kinds["literal"] = sum(literals.values())
    return Statistics(
        kind, rows, size, time.perf_counter() - began, ops.top(None), subjects.top(None),
        dict(kinds.most_common()), datatypes.top(top), languages.top(top),
        predicates.top(top), graphs.top(top), predicates.different, graphs.different, namespaces,
    )  # fmt: skip


_KINDS = ("iri", "bnode", "triple")


def _kind(term: str) -> str:
    if term.startswith('"'):
        return "literal"
    if term.startswith("<<("):
        return "triple"
    return "bnode" if term.startswith(("_:", "<_:")) else "iri"


def _kind_of_object(term: str) -> str:
    """The kind, or what comes after the text of a literal."""
    return term[term.rindex('"') + 1 :] if term.startswith('"') else _kind(term)


class _Counts:
    """Counts of values; beyond a million of them the rare ones are forgotten."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.different: int | None = 0

    def add(self, values: Iterable[str]) -> None:
        self.counts.update(values)
        if self.different is not None:
            self.different = len(self.counts)
        if len(self.counts) > _MOST:
            self.different = None
            self.counts = Counter(dict(self.counts.most_common(_MOST // 2)))

    def top(self, most: int | None) -> dict[str, int]:
        return dict(self.counts.most_common(most))
