"""Graphs made to cost: each ends with the right rows, or with `limit.blank_work`, by steps that are counted."""

from __future__ import annotations

import io
import random
from typing import NamedTuple

import pytest

import blank_edits
import jelly
from jelly.errors import LimitError

Edges = blank_edits.Edges
ROOK, SHRIKHANDE = blank_edits.rook(), blank_edits.shrikhande()
REST = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest"


class Costly(NamedTuple):
    """A graph, one like it that is not the same, and the steps beside those that each statement has, which suffice."""

    graph: Edges
    other: Edges
    enough: int = 1
    predicate: str = "urn:e"
    # without these steps nobody knows
    is_refused: bool = False


def joined(*graphs: Edges) -> Edges:
    """Graphs of 16 nodes, each node of one with all nodes of the others."""
    pairs = [(16 * n + a, 16 * n + b) for n, graph in enumerate(graphs) for a, b in graph]
    nodes = range(16 * len(graphs))
    return pairs + [(a, b) for a in nodes for b in nodes if a // 16 != b // 16]


def cycles(count: int, length: int) -> Edges:
    return [edge for n in range(count) for edge in blank_edits.cycle(length, n * length)]


def complete(nodes: int) -> Edges:
    return [(a, b) for a in range(nodes) for b in range(nodes)]


def chain(nodes: int) -> Edges:
    return [(n, n + 1) for n in range(nodes)]


COSTLY = {
    "rook and Shrikhande": Costly(
        joined(ROOK, ROOK), joined(ROOK, SHRIKHANDE), 50_000, is_refused=True
    ),
    "three of them": Costly(
        joined(ROOK, ROOK, ROOK), joined(ROOK, ROOK, SHRIKHANDE), 400_000, is_refused=True
    ),
    "complete": Costly(complete(50), complete(50)[1:], 400_000),
    "twins": Costly([(0, n) for n in range(1, 3000)], [(0, n) for n in range(1, 3001)]),
    "cycles": Costly(cycles(400, 3), cycles(200, 6)),
    "long cycle": Costly(cycles(1, 1200), cycles(2, 600)),
    "long list": Costly(chain(5_000), chain(5_001), predicate=REST),
}


def text(edges: Edges, predicate: str, seed: int) -> bytes:
    """Lines in any order, with labels that say nothing."""
    chance = random.Random(seed)
    nodes = sorted({node for edge in edges for node in edge})
    names = dict(zip(nodes, chance.sample(range(len(nodes)), len(nodes)), strict=True))
    lines = [f"_:s{seed}n{names[a]} <{predicate}> _:s{seed}n{names[b]} .\n" for a, b in edges]
    chance.shuffle(lines)
    return "".join(lines).encode()


def is_same(old: bytes, new: bytes, work: int) -> bool:
    limits = jelly.Limits(blank_work=work)
    return jelly.same(old, new, old_format="nq", new_format="nq", limits=limits)


def ends(old: bytes, new: bytes, work: int) -> bool | str:
    try:
        return is_same(old, new, work)
    except LimitError as error:
        return error.kind


@pytest.mark.parametrize("name", COSTLY)
def test_each_is_right_with_these_steps_and_refused_with_fewer(name: str) -> None:
    graph, other, enough, predicate, is_refused = COSTLY[name]
    old, again, new = (
        text(edges, predicate, seed) for seed, edges in enumerate((graph, graph, other))
    )
    assert (ends(old, again, enough), ends(old, new, enough)) == (True, False)
    if is_refused:
        assert (ends(old, again, 1), ends(old, new, 1)) == ("limit.blank_work",) * 2


@pytest.mark.parametrize("name", COSTLY)
def test_patches_are_right_and_say_what_the_steps_did_not_settle(name: str) -> None:
    graph, _, enough, predicate, _ = COSTLY[name]
    old = text(graph, predicate, 1)
    new = text(graph, predicate, 2) + b'_:s2n7 <urn:v> "new" .\n'
    result = io.BytesIO()
    unsettled, patch = compared(old, new, enough)
    assert unsettled == 0
    jelly.apply(old, patch, result, to="nq", base_format="nq", patch_format="rdfp")
    assert is_same(result.getvalue(), new, enough)
    if enough > 1:
        assert compared(old, new, 1)[0] > 0


def compared(old: bytes, new: bytes, work: int) -> tuple[int, bytes]:
    patch = io.BytesIO()
    done = jelly.diff(
        old, new, patch, to="rdfp", old_format="nq", new_format="nq",
        blank_nodes="match", limits=jelly.Limits(blank_work=work),
    )  # fmt: skip
    return done.unsettled_nodes, patch.getvalue()
