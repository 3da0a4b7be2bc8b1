"""Generated pairs of graphs with blank nodes: trees, lists, cycles, twins, shared nodes, blank graph names, triple terms."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

import pyoxigraph as ox

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
Quads = set[tuple[str, str, str, str]]
_LABEL = re.compile(r"_:[\w-]+")


def _iri(name: object) -> str:
    return f"<urn:x:{name}>"


class _Graph:
    def __init__(self, chance: random.Random) -> None:
        self.quads: Quads = set()
        self.nodes: list[str] = []
        self._chance = chance

    def _node(self) -> str:
        self.nodes.append(f"_:x{len(self.nodes)}")
        return self.nodes[-1]

    def _say(self, *terms: str) -> None:
        subject, predicate, object, graph = (*terms, "")[:4]
        self.quads.add((subject, predicate, object, graph))

    def _item(self, depth: int) -> str:
        kind = self._chance.random()
        if kind < 0.5 or depth > 3:
            texts = [_iri(self._chance.randrange(6)), f'"{self._chance.randrange(5)}"']
            return self._chance.choice(texts)
        return self._tree(depth + 1) if kind < 0.8 else self._list(depth + 1)

    def _tree(self, depth: int) -> str:
        node = self._node()
        for _ in range(self._chance.randrange(1, 4)):
            self._say(node, _iri(f"p{self._chance.randrange(3)}"), self._item(depth))
        return node

    def _list(self, depth: int) -> str:
        head = f"<{RDF}nil>"
        for _ in range(self._chance.randrange(1, 6)):
            cell = self._node()
            self._say(cell, f"<{RDF}first>", self._item(depth))
            self._say(cell, f"<{RDF}rest>", head)
            head = cell
        return head

    def fill(self) -> None:
        chance = self._chance
        for _ in range(chance.randrange(1, 6)):
            self._say(_iri(f"s{chance.randrange(4)}"), _iri(f"q{chance.randrange(3)}"), self._item(0))  # fmt: skip
        if chance.random() < 0.3:
            cycle = [self._node() for _ in range(chance.randrange(2, 6))]
            for one, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
                self._say(one, _iri("e"), other)
        if chance.random() < 0.3:
            for _ in range(chance.randrange(2, 4)):
                twin = self._node()
                self._say(_iri("s0"), _iri("t"), twin)
                self._say(twin, _iri("p0"), '"1"')
        if self.nodes and chance.random() < 0.3:
            graph = self._node()
            self._say(chance.choice(self.nodes), _iri("p1"), _iri(1), graph)
            self._say(graph, _iri("by"), _iri(2))
        if self.nodes and chance.random() < 0.3:
            one, other = chance.choice(self.nodes), chance.choice(self.nodes)
            self._say(self._node(), f"<{RDF}reifies>", f"<<( {one} {_iri('p')} {other} )>>")
        if self.nodes and chance.random() < 0.4:
            self._say(_iri("sh"), _iri("q0"), chance.choice(self.nodes))


class Pair(NamedTuple):
    """Two graphs, and what makes one of the other."""

    old: Quads
    new: Quads
    nodes: list[str]
    rows: int


def edited(quads: Quads, nodes: list[str], count: int, chance: random.Random) -> Quads:
    """The graph after some random edits."""
    quads = set(quads)
    for _ in range(count):
        kind = chance.random()
        if kind < 0.4 and quads:
            quads.discard(chance.choice(sorted(quads)))
        elif kind < 0.8 and nodes:
            objects = [_iri(chance.randrange(6)), f'"{chance.randrange(9)}"', chance.choice(nodes)]
            predicate = _iri(f"p{chance.randrange(3)}")
            quads.add((chance.choice(nodes), predicate, chance.choice(objects), ""))
        else:
            node = f"_:y{chance.randrange(10**9)}"
            quads.add((_iri("s1"), _iri("q1"), node, ""))
            quads.add((node, _iri("p0"), f'"{chance.randrange(3)}"', ""))
    return quads


def pair(chance: random.Random, most: int) -> Pair:
    """A graph and the same after at most so many edits."""
    graph = _Graph(chance)
    graph.fill()
    new = edited(graph.quads, graph.nodes, chance.randrange(most + 1), chance)
    return Pair(graph.quads, new, graph.nodes, len(graph.quads ^ new))


def text(quads: Quads, chance: random.Random) -> bytes:
    """The graph as N-Quads, in any order, each node named by a position."""
    rows = [f"{' '.join(filter(None, quad))} ." for quad in sorted(quads)]
    chance.shuffle(rows)
    labels = sorted({label for row in rows for label in _LABEL.findall(row)})
    chance.shuffle(labels)
    names = {label: f"_:anon-{number}" for number, label in enumerate(labels)}
    return (
        "\n".join(_LABEL.sub(lambda found: names[found[0]], row) for row in rows).encode() + b"\n"
    )


def canonical(data: bytes, format: ox.RdfFormat = ox.RdfFormat.N_QUADS) -> list[str]:
    """RDFC-1.0 by another implementation."""
    dataset = ox.Dataset(ox.parse(data, format))
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(str(quad) for quad in dataset)
