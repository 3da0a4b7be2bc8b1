"""Rows to Arrow against the yardstick: an unchecked walker that bounds what one core can do."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import ours
from measure import Effort, Line, WrongAnswerError, pairwise, rate
from places import BUILD, corpus, need, shared

MODE = "utf8+v"  # Utf8 columns, UTF-8 checked
BATCH_ROWS = 10_000  # of our batches, too; with larger ones it is 3 to 16 % faster
GOAL = 1.0


def compare(effort: Effort) -> Iterator[Line]:
    walker = build()
    for path in corpus(".jelly"):
        yield one(walker, path, effort)


def one(walker: Path, path: Path, effort: Effort) -> Line:
    decode, rows = ours.proven_to_arrow(path)
    return pairwise(
        path.name,
        lambda: rate(decode, rows, effort.runs),
        lambda: walk(walker, path, rows, effort.runs),
        pairs=effort.pairs,
        goal=GOAL,
    )


def build(name: str = "jellywalk") -> Path:
    """A yardstick of the shared data, compiled for this CPU."""
    need("rustc")
    source = shared(f"roofline/{name}.rs")
    program = BUILD / "yardstick" / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        program.parent.mkdir(parents=True, exist_ok=True)
        flags = ["--edition", "2021", "-C", "opt-level=3", "-C", "target-cpu=native"]
        subprocess.run(["rustc", *flags, "--cap-lints=allow", "-o", program, source], check=True)
    return program


def walk(walker: Path, path: Path, rows: int, runs: int) -> float:
    """Million rows a CPU second, the median of its runs."""
    report = subprocess.run(
        [walker, path, str(runs), str(BATCH_ROWS)], check=True, capture_output=True, text=True
    ).stdout
    fields = next(line.split("\t") for line in report.splitlines() if line.split("\t")[1] == MODE)
    if int(fields[2]) != rows:
        raise WrongAnswerError(f"the yardstick saw {fields[2]} rows of {path.name}, not {rows}")
    return float(fields[5].removesuffix(" Mst/s (median cpu)"))
