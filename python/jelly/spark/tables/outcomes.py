"""What became of the patches of a log: headers and transactions, gathered by Spark's workers in one pass over the rows."""

from __future__ import annotations

import functools
import operator
import pickle
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly import _internal
from jelly._times import of_term
from jelly.errors import EncodeError, JellyError
from jelly.spark.tables.terms import QUAD
from jelly.spark.tables.unchanged import Stamp, changed, stamp_of
from jelly.spark.whole import is_whole, not_whole, without_begin

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_OPS = ("H", "PA", "PD", "A", "D", "TX", "TC", "TA", "Z")
_CONTENT = r"(^|^<<.* )_:[bu][a-z2-7]{26}(-[0-9]+)?( |$)"
_CELL = 10_000  # patches that go to the driver together


class Outcome(NamedTuple):
    """A patch, and what became of its transactions."""

    source: str | None
    patch: int
    headers: list[tuple[str, str]]
    """Keys in lower case, and values."""
    unfinished: list[int]
    """Transactions that are neither committed nor aborted."""
    aborted: list[int]
    is_stray: bool
    """A transaction ends that did not begin."""
    counts: bool
    """Something is committed, or stands outside of transactions."""
    net: int
    """``A`` rows less ``D`` rows."""
    changes: int
    """``A`` and ``D`` rows, those that do not count included."""
    stamp: Stamp
    """Of the file that it is in."""
    bytes: int
    """Of the terms of these, about."""
    names_nodes: bool
    """Rows that count have blank nodes."""

    @property
    def dropped(self) -> list[int]:
        """Transactions that do not count."""
        return [*self.aborted, *self.unfinished]

    @property
    def timestamp(self) -> datetime | None:
        """What its header ``timestamp`` says."""
        term = dict(self.headers).get("timestamp")
        return None if term is None else of_term(term)


def outcomes_of(df: DataFrame) -> tuple[list[Outcome], bool]:
    """The patches of a log, in any order, and whether rows that change quads have labels of the content; one job.

    Raises:
        EncodeError: There is no such op.
        PatchError: A file changed meanwhile.
        ValueError: Rows are missing.
    """
    from pyspark.sql import functions as F  # noqa: N812

    is_header, is_change = F.col("op") == "H", F.col("op").isin("A", "D", "PA", "PD")
    numbers = [F.col(name).cast("bigint").alias(name) for name in ("patch", "txn", "seq")]
    texts = [F.when(is_header, F.col(name)).alias(name) for name in ("name", "value")]
    size = F.when(is_change, _size()).alias("bytes")
    naming = (is_change & _names_node()).alias("names_node")
    content = (F.col("op").isin("A", "D") & _names_node() & _has_content()).alias("content")
    rows = df.select("source", *numbers, "op", *texts, size, naming, content)
    cells = rows.mapInArrow(_PatchOutcomes(), "parts binary").toArrow()
    gathered = _internal.GatheredPatches()
    stamps: dict[str | None, Stamp] = {}
    by_content = False
    for cell in cells["parts"]:
        found = pickle.loads(cell.as_py())
        if isinstance(found, JellyError):
            raise found
        parts, seen, is_content = found
        by_content |= is_content
        gathered.merge(parts)
        for source, stamp in seen.items():
            if stamps.setdefault(source, stamp) != stamp:
                raise changed(source)
    patches = gathered.outcomes()
    outcomes = [_outcome(patch, stamps[patch[0][0]]) for patch in patches]
    _require_begins(patches)
    return outcomes, by_content


class _PatchOutcomes:
    """Gathers what the rows of a partition say; plans show the name of this class."""

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        gathered, is_content = _internal.GatheredPatches(), False
        found: list[Any] = []
        try:
            for batch in batches:
                gathered.push(batch)
                is_content = is_content or pc.any(batch["content"]).as_py() is True
        except JellyError as error:
            found.append(error)
        else:
            parts = gathered.parts()
            stamps = {source: stamp_of(source) for source in {part[0][0] for part in parts}}
            for first in range(0, len(parts), _CELL):
                some = parts[first : first + _CELL]
                seen = {part[0][0]: stamps[part[0][0]] for part in some}
                found.append((some, seen, is_content))
        for one in found:
            yield pa.record_batch({"parts": pa.array([pickle.dumps(one)], pa.binary())})


def _names_node() -> Column:
    """Whether a row has a blank node, or a string in a quoted triple that looks like one."""
    return _in_any(
        lambda term: term.startswith("_:") | (term.startswith("<<(") & term.contains(" _:"))
    )


def _has_content() -> Column:
    """Whether a row has a label of the content, as a term or within one."""
    return _in_any(lambda term: term.rlike(_CONTENT))


def _in_any(test: Callable[[Column], Column]) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    found = (test(F.coalesce(F.col(name), F.lit(""))) for name in QUAD)
    return functools.reduce(operator.or_, found)


def _size() -> Column:
    """Bytes of the terms of a row."""
    from pyspark.sql import functions as F  # noqa: N812

    sizes = [F.coalesce(F.octet_length(name), F.lit(0)) for name in QUAD]
    return functools.reduce(operator.add, sizes).cast("bigint")


def _outcome(patch: _internal._Gathered, stamp: Stamp) -> Outcome:
    (source, number), headers, (unfinished, aborted), findings, counts, size, texts = patch
    began, own, within, names_nodes = findings
    rows, adds, deletes, begun, committed, ends, stray, loose = counts
    end, strange, places = texts
    whole = is_whole(ends, rows, *(places or (None, None))) and end is not None and end[1] == "Z"
    if not whole or (within and not begun):
        raise not_whole(source, number)
    if strange is not None:
        message = f"encode.row: patch {number} of the source {source!r}: {strange} is no op: {', '.join(_OPS)}"
        raise EncodeError(message, kind="encode.row", source=source, field="op")
    if not (began and own):
        raise ValueError(
            f"patch {number} of the source {source!r}: the column 'txn' does not fit the rows TX, TC and TA; each "
            "transaction has a number of its own in its patch, which all its rows have"
        )
    known = [(key, value or "") for key, value in headers]
    return Outcome(
        source, number, known, unfinished, aborted, bool(stray), bool(committed or loose),
        adds - deletes, adds + deletes, stamp, size, names_nodes,
    )  # fmt: skip


def _require_begins(patches: Iterable[_internal._Gathered]) -> None:
    by_source: dict[str | None, list[tuple[int, int, int]]] = {}
    for (source, number), *_, (_, _, seqs) in patches:
        if seqs is not None:
            by_source.setdefault(source, []).append((number, *seqs))
    for source, places in by_source.items():
        if (patch := without_begin(places)) is not None:
            raise not_whole(source, patch)
