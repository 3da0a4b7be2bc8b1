"""``jelly.stats``: counts the rows of a source."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, NamedTuple, Unpack

from jelly import _internal
from jelly._html import facts, table
from jelly._option_table import refuse_unknown, takes
from jelly._option_types import StatsOptions
from jelly.types import Source


class Statistics(NamedTuple):
    """Counts of the rows of a source.

    Attributes:
        kind: Whether the source has statements or patches.
        rows: Number of statements, or of rows of patches.
        bytes: Bytes of the source, without compression.
        seconds: The time that reading and counting took.
        ops: Rows of patches by operation, such as ``A`` and ``TX``; the number of ``Z`` is the number of patches.
        subjects: Subjects by kind: ``iri``, ``bnode``, ``literal``, ``triple``. Each row counts.
        objects: Objects by kind.
        datatypes: Literals among the objects, by the IRI of their datatype.
        languages: Literals with a language tag among the objects, by the tag in lower case.
        predicates: The most frequent predicates.
        graphs: The most frequent graphs; ``""`` is the default graph.
        different_predicates: Number of predicates; None if there are more than a million, or more than 64 MiB of
            them.
        different_graphs: Number of graphs; None if there are more than a million, or more than 64 MiB of them.
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

    def _repr_html_(self) -> str:
        kind = "patches" if self.kind == "patch" else "statements"
        named = [
            table(name, [name[:-1], "Rows"], [(term or "default graph", f"{n:,}") for term, n in found.items()])
            for name, found in self._asdict().items()
            if isinstance(found, dict) and name != "namespaces" and found
        ]  # fmt: skip
        return facts(f"Rows of {kind}", self) + "".join(named)

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
                text.append(f"{name}: {'too many to count' if different is None else f'{different:,}'}")  # fmt: skip
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
    """Counts the rows of a source, in one pass and in bounded memory.

    :func:`inspect` describes the stream, its frames and options; ``stats`` counts its rows, in any format.

    Args:
        source: Path (``-`` is standard input), bytes, binary file object or iterable of bytes.
        top: How many predicates, graphs, datatypes and languages to list.
        progress: Called from time to time with the rows and bytes so far; an exception stops the work.
        **options: See ``docs/options.md``.

    Returns:
        The counts.

    Raises:
        JellyError: The source has an error.
        OSError: Reading failed.
        ValueError: An option is wrong.
    """
    refuse_unknown("stats", options, "stats")
    if top < 0:
        raise ValueError(f"top is {top}; it must be at least 0")
    began = time.perf_counter()
    report = None if progress is None else lambda rows, size, _: progress(rows, size)
    found = _internal.statistics(source, dict(options), top, report)
    return Statistics(**found, seconds=time.perf_counter() - began)
