"""Rows of a patch log against quads: our own decoder on the same statements in the same order."""

from collections.abc import Iterator
from pathlib import Path

import ours
import pyjelly_peer
import truth
from measure import Effort, Line, pairwise, rate
from places import BUILD, corpus

GOAL = 0.8
FRAME_ROWS = 512  # as in the logs


def compare(effort: Effort) -> Iterator[Line]:
    for path in corpus(".jellyp"):
        yield one(path, effort)


def one(path: Path, effort: Effort) -> Line:
    changes = truth.changes(path)
    log = path.read_bytes()
    expected = truth.answer([line] for line in changes)
    truth.require("patch rows", expected, truth.answer(ours.changes(log)))

    statements = [line[2:] for line in changes]
    quads = as_quads(path.stem, statements).read_bytes()
    expected = truth.answer([line] for line in statements)
    truth.require("quads", expected, truth.answer(ours.statements(quads, ours.QUAD)))

    decode_log, decode_quads = ours.patch_to_arrow(log), ours.to_arrow(quads, ours.QUAD)
    rows = decode_log()
    return pairwise(
        path.name,
        lambda: rate(decode_log, rows, effort.runs),
        lambda: rate(decode_quads, expected.rows, effort.runs),
        pairs=effort.pairs,
        goal=GOAL,
        note=f"{rows} rows, {expected.rows} of them changes",
    )


def as_quads(name: str, statements: list[str]) -> Path:
    target = BUILD / "corpus" / f"{name}.quads.jelly"
    if not target.exists():
        pyjelly_peer.write_quads(statements, target, FRAME_ROWS)
    return target
