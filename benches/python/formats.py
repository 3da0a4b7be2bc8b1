"""Writing Jelly, and reading text and Thrift: against the yardstick and other libraries."""

import importlib
import io
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Literal

import pyarrow as pa

import jelly
import jvm
import ours
import pyjelly_peer
import truth
import yardstick
from jelly.types import SupportsWrite
from jvm_harness import harness
from measure import Effort, Line, WrongAnswerError, against_best, pairwise, rate
from places import SkippedError, corpus, twin

Task = Callable[[], int]

# What Jena's benchmark calls a format, and our goal.
JENA = {"rdfp": ("rdfp-parse", 7.0), "trp": ("thrift-parse", 3.0)}
# Like for like: a column of numbers, and no text of terms.
COUNTED = ["seq"]


class Nowhere:
    """Takes all bytes and keeps none, as the writers of others are measured."""

    def write(self, data: bytes, /) -> int:
        return len(data)


def to_jelly(path: Path) -> tuple[Task, int]:
    """How to write a file's columns as Jelly, and its rows, once what is written reads as the file."""
    data, columns = path.read_bytes(), ours.columns_of(path)
    batches = pa.table(jelly.read_rdf(data, columns=columns)).to_batches()
    options = jelly.read_rdf(data).options

    def write(out: SupportsWrite) -> int:
        with jelly.RdfWriter(out, options) as writer:
            return sum(writer.write(batch) for batch in batches)

    proof = io.BytesIO()
    rows = write(proof)
    written = truth.answer(ours.statements(proof.getvalue(), columns))
    truth.require("Arrow to Jelly", truth.of_rdf(path), written)
    return lambda: write(Nowhere()), rows


def write_yardstick(effort: Effort) -> Iterator[Line]:
    encoder = yardstick.build("jellyenc")
    return (against_yardstick(encoder, path, effort) for path in corpus(".jelly"))


def against_yardstick(encoder: Path, path: Path, effort: Effort) -> Line:
    task, rows = to_jelly(path)
    return pairwise(
        path.name,
        lambda: rate(task, rows, effort.runs),
        lambda: encoded(encoder, path, rows, effort.runs),
        pairs=effort.pairs,
        goal=0.8,
    )


def encoded(encoder: Path, path: Path, rows: int, runs: int) -> float:
    """Million rows a CPU second, the median of its runs; it reads what it wrote and compares."""
    run = subprocess.run([encoder, path, str(runs)], check=True, capture_output=True, text=True)
    fields = run.stdout.strip().split("\t")
    if int(fields[2]) != rows or not fields[-1].endswith("ok"):
        raise WrongAnswerError(f"the yardstick: {run.stdout}")
    return float(fields[5].removesuffix(" Mst/s (median cpu)"))


def write_pyjelly(effort: Effort) -> Iterator[Line]:
    return (against_pyjelly(path, effort) for path in corpus(".jelly"))


def against_pyjelly(path: Path, effort: Effort) -> Line:
    task, rows = to_jelly(path)
    statements = list(pyjelly_peer.parsed(path.read_bytes()))
    serialize = pyjelly_peer.pyjelly("integrations.generic.serialize")

    def theirs() -> int:
        out = io.BytesIO()
        serialize.flat_stream_to_file(iter(statements), out)
        return len(statements) if out.getvalue() else 0

    return pairwise(
        path.name,
        lambda: rate(task, rows, effort.runs),
        lambda: rate(theirs, rows, 1),
        pairs=min(effort.pairs, 3),
        goal=30.0,
    )


def write_jvm(effort: Effort) -> Iterator[Line]:
    harness()
    return (against_jvm(path, effort) for path in corpus(".jelly"))


def against_jvm(path: Path, effort: Effort) -> Line:
    task, rows = to_jelly(path)
    return against_best(
        path.name,
        lambda: rate(task, rows, effort.runs),
        lambda: jvm.measured("rdf-write", path, rows),
        pairs=effort.forks,
        goal=1.8,
    )


def oxigraph() -> ModuleType:
    try:
        return importlib.import_module("pyoxigraph")
    except ImportError:
        raise SkippedError("pyoxigraph is not installed; `make bench` does it") from None


def oxigraph_version() -> str:
    return f"pyoxigraph {oxigraph().__version__}"


def read_oxigraph(effort: Effort) -> Iterator[Line]:
    oxigraph()
    return (against_oxigraph(path, effort) for path in corpus(".jelly"))


def against_oxigraph(path: Path, effort: Effort) -> Line:
    text = twin(path, ".nt", ".nq")
    data, expected, columns = text.read_bytes(), truth.of_rdf(path), ours.columns_of(path)
    table = pa.table(jelly.read_rdf(data, format="nq", columns=columns))
    truth.require("N-Quads to Arrow", expected, truth.answer(ours.texts(table)))

    def task() -> int:
        return sum(batch.num_rows for batch in jelly.read_rdf(data, format="nq", columns=columns))

    def theirs() -> int:
        return sum(1 for _ in oxigraph().parse(data, format=oxigraph().RdfFormat.N_QUADS))

    return pairwise(
        text.name,
        lambda: rate(task, expected.rows, effort.runs),
        lambda: rate(theirs, expected.rows, 1),
        pairs=min(effort.pairs, 5),
        goal=8.0,
    )


def read_text(effort: Effort) -> Iterator[Line]:
    return patches("rdfp", ours.CHANGE, effort)


def count_text(effort: Effort) -> Iterator[Line]:
    return patches("rdfp", COUNTED, effort)


def read_thrift(effort: Effort) -> Iterator[Line]:
    return patches("trp", ours.CHANGE, effort)


def count_thrift(effort: Effort) -> Iterator[Line]:
    return patches("trp", COUNTED, effort)


def patches(to: Literal["rdfp", "trp"], columns: list[str], effort: Effort) -> Iterator[Line]:
    harness()
    return (against_jena(path, to, columns, effort) for path in corpus(".jellyp"))


def against_jena(
    path: Path, to: Literal["rdfp", "trp"], columns: list[str], effort: Effort
) -> Line:
    """Jena's readers make their terms and count the rows; they build nothing of them."""
    kind, goal = JENA[to]
    log, out = path.read_bytes(), io.BytesIO()
    jelly.convert(log, out, to=to)
    data = out.getvalue()
    expected = truth.answer(ours.changes(log))
    truth.require(to, expected, truth.answer(ours.changes(data, format=to)))
    decode = ours.patch_to_arrow(data, columns, format=to)
    rows, written = decode(), ours.written_rows(data, format=to)
    return against_best(
        f"{path.stem}.{to}",
        lambda: rate(decode, rows, effort.runs),
        lambda: jvm.measured(kind, twin(path, ".rdfp"), written),
        pairs=effort.forks,
        goal=goal,
    )
