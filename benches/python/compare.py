"""Our speed next to that of peers, measured in turn in the same run. `make bench` runs it.

Each comparison first proves its answer. Rates are million rows per CPU second of one core; the
ratio is the median over the pairs, with the lowest and the highest. A peer that is not there is
skipped with the reason. Exit code 1 for a wrong answer; a goal that was missed is only marked,
because another machine, or a busy one, may have other ratios.
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice

import formats
import jvm
import patch_rows
import pyjelly_peer
import spark_hop
import spark_sources
import yardstick
from measure import QUICK, Effort, Line, WrongAnswerError
from places import SkippedError
from spark_hop import Measured
from table import show

QUICK_FILES = 2


@dataclass(frozen=True)
class Comparison:
    title: str
    lines: Callable[[Effort], Iterator[Line]]
    peer: Callable[[], str] | None = None


COMPARISONS = {
    "yardstick": Comparison(
        f"Jelly-RDF to Arrow Utf8, all checks on / yardstick jellywalk {yardstick.MODE}",
        yardstick.compare,
    ),
    "pyjelly": Comparison(
        "Jelly-RDF to Arrow Utf8 / pyjelly's generic parser",
        pyjelly_peer.compare_arrow,
        pyjelly_peer.version,
    ),
    "jvm": Comparison(
        "Jelly-RDF to Arrow Utf8 / warm Jelly-JVM, the best of its starts",
        jvm.compare_rdf,
        jvm.version,
    ),
    "jvm-count": Comparison(
        "Jelly-RDF decoded with all checks and counted / warm Jelly-JVM, which counts",
        jvm.compare_count,
        jvm.version,
    ),
    "patch": Comparison(
        "Jelly-Patch rows / our own rows of the same statements as quads", patch_rows.compare
    ),
    "rows": Comparison(
        ".rows(): Python tuples / pyjelly's generic parser",
        pyjelly_peer.compare_rows,
        pyjelly_peer.version,
    ),
    "patch-jvm": Comparison(
        "Jelly-Patch to Arrow Utf8 / warm Jelly-JVM", jvm.compare_patch, jvm.version
    ),
    "write": Comparison("Arrow to Jelly-RDF / yardstick jellyenc", formats.write_yardstick),
    "write-pyjelly": Comparison(
        "Arrow to Jelly-RDF / pyjelly's generic writer",
        formats.write_pyjelly,
        pyjelly_peer.version,
    ),
    "write-jvm": Comparison(
        "Arrow to Jelly-RDF / warm Jelly-JVM from terms", formats.write_jvm, jvm.version
    ),
    "nquads": Comparison(
        "N-Quads to Arrow / pyoxigraph, strict", formats.read_oxigraph, formats.oxigraph_version
    ),
    "rdfp": Comparison("RDF Patch text to Arrow / warm Jena", formats.read_text, jvm.version),
    "rdfp-count": Comparison(
        "RDF Patch text read with all checks and counted / warm Jena, which counts",
        formats.count_text,
        jvm.version,
    ),
    "trp": Comparison("RDF Patch Thrift to Arrow / warm Jena", formats.read_thrift, jvm.version),
    "trp-count": Comparison(
        "RDF Patch Thrift read with all checks and counted / warm Jena, which counts",
        formats.count_thrift,
        jvm.version,
    ),
}
SPARK = "spark"
SPARK_SOURCES = "spark-sources"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"few runs, {QUICK_FILES} files of each kind"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=[*COMPARISONS, SPARK, SPARK_SOURCES],
        help="may be repeated",
    )
    arguments = parser.parse_args()
    effort = QUICK if arguments.quick else Effort()

    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(
        f"jelly-patch {version('jelly-patch')}, Python {platform.python_version()},"
        f" {cores} cores, load {load:.1f} at the start; million rows per CPU second"
    )
    wrong = False
    for name in arguments.only or [*COMPARISONS, SPARK, SPARK_SOURCES]:
        try:
            if name == SPARK:
                show_hop(effort)
            elif name == SPARK_SOURCES:
                show_sources(effort)
            else:
                show_lines(COMPARISONS[name], effort)
        except SkippedError as reason:
            print(f"  skipped: {reason}", flush=True)
        except WrongAnswerError as fault:
            wrong = True
            print(f"  WRONG ANSWER: {fault}", flush=True)
    return int(wrong)


def show_lines(comparison: Comparison, effort: Effort) -> None:
    print(f"\n{comparison.title}", flush=True)
    if comparison.peer is not None:
        print(f"  {comparison.peer()}", flush=True)
    lines = list(islice(comparison.lines(effort), QUICK_FILES if effort.quick else None))
    head = ["file", "ours", "peer", "ratio", "low", "high", "goal", ""]
    show(head, [cells(line) for line in lines])


def cells(line: Line) -> list[str]:
    goal = "" if line.goal is None else f"{line.goal:g}"
    notes = [line.note] if line.met else ["BELOW ITS GOAL", line.note]
    numbers = [
        f"{number:.2f}" for number in (line.ours, line.peer, line.ratio, line.low, line.high)
    ]
    return [line.data, *numbers, goal, " ".join(filter(None, notes))]


def show_hop(effort: Effort) -> None:
    print(
        "\nDecoding through mapInArrow is bound by Spark's own hop: one task, noop sink", flush=True
    )
    measured = spark_hop.compare(effort)
    show_runs(measured)
    alone, ready, decoding = measured
    slower = decoding.middle(lambda r: r.wall) / ready.middle(lambda r: r.wall)
    share = alone.middle(lambda r: r.python) / decoding.middle(lambda r: r.jvm + r.python)
    print(
        f"  With decoding the hop takes {slower:.2f} times as long as without;"
        f" our decode is {share:.0%} of the CPU time that the whole takes."
    )


def show_sources(effort: Effort) -> None:
    print("\nFrom files into Spark (noop sink), and into Parquet: two tasks at a time", flush=True)
    show_runs(spark_sources.compare(effort))


def show_runs(measured: list[Measured]) -> None:
    rows = []
    for each in measured:
        wall, java, python = (
            each.middle(part) for part in (lambda r: r.wall, lambda r: r.jvm, lambda r: r.python)
        )
        million = each.rows / 1e6
        rows.append(
            [
                each.what,
                f"{million / wall:.2f}",
                *(f"{s / million:.3f}" for s in (wall, java, python)),
                "",
            ]
        )
    show(["way", "M rows/s", "s/M rows", "JVM CPU", "Python CPU", ""], rows)


if __name__ == "__main__":
    sys.exit(main())
