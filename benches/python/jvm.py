"""Against warm Jelly-JVM. Each pair starts a new one: no two compile alike."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import ours
import truth
from jvm_harness import harness, run
from measure import Effort, Line, WrongAnswerError, against_best, rate
from places import SkippedError, corpus

HEAP = "-Xms4g -Xmx4g -XX:+UseSerialGC"
WARM_ROWS = 20_000_000  # some seconds
RUNS = 15
GOAL = 1.5


def compare_rdf(effort: Effort) -> Iterator[Line]:
    harness()
    for path in corpus(".jelly"):
        yield one_rdf(path, *ours.proven_to_arrow(path), effort)


def compare_count(effort: Effort) -> Iterator[Line]:
    """Like for like: Jelly-JVM's benchmark resolves each term and builds nothing of them."""
    harness()
    for path in corpus(".jelly"):
        _, rows = ours.proven_to_arrow(path)
        yield one_rdf(path, ours.to_arrow(path.read_bytes(), ["seq"]), rows, effort)


def one_rdf(path: Path, decode: Callable[[], int], rows: int, effort: Effort) -> Line:
    truth.require("Jelly-JVM", truth.of_rdf(path), decoded(path))
    return against_best(
        path.name,
        lambda: rate(decode, rows, effort.runs),
        lambda: measured("rdf-parse", path, rows),
        pairs=effort.forks,
        goal=GOAL,
    )


def compare_patch(effort: Effort) -> Iterator[Line]:
    harness()
    if "without Jelly-Patch" in version():
        raise SkippedError(
            "this Jelly-JVM was built without Jelly-Patch: the registry does not have its module"
        )
    for path in corpus(".jellyp"):
        yield one_patch(path, effort)


def one_patch(path: Path, effort: Effort) -> Line:
    data = path.read_bytes()
    decode = ours.patch_to_arrow(data)
    rows = decode()
    written = ours.written_rows(data)  # Jelly-JVM does not report a boundary that is only implied
    return against_best(
        path.name,
        lambda: rate(decode, rows, effort.runs),
        lambda: measured("patch-parse", path, written),
        pairs=effort.forks,
        goal=None,
    )


@cache
def version() -> str:
    return peer("version").strip()


def peer(*command: str | Path) -> str:
    done = run(*command, java=HEAP)
    if done.returncode:
        raise WrongAnswerError(f"Jelly-JVM: {done.stderr.strip()}")
    return done.stdout


def decoded(path: Path) -> truth.Answer:
    text = harness() / "decoded" / f"{path.name}.nq"
    text.parent.mkdir(exist_ok=True)
    peer("rdf", "from-jelly", path, text)
    return truth.of_text(text)


def measured(kind: str, path: Path, rows: int) -> float:
    """Million rows per CPU second of the working thread, without collector and compiler."""
    warmup = WARM_ROWS // rows
    report = json.loads(peer("bench", kind, path, "--warmup", str(warmup), "--runs", str(RUNS)))
    if report["rows"] != rows:
        raise WrongAnswerError(f"Jelly-JVM saw {report['rows']} rows of {path.name}, not {rows}")
    return float(report["mrows_per_cpu_s"])
