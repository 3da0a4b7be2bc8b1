"""Single edits of graphs with blank nodes, each with the most rows that a patch of it may have."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
Edges = list[tuple[int, int]]


class Edit(NamedTuple):
    name: str
    old: str
    new: str
    deleted: int
    added: int
    # other implementations need minutes for it
    is_hard: bool = False


def nested(depth: int, value: str) -> str:
    text = f':v "{value}"'
    for level in range(depth):
        text = f':p{level} [ {text} ; :q {level} ; :r "r{level}" ]'
    return text


def listed(items: Iterable[str]) -> str:
    return f"( {' '.join(items)} )"


def restriction(on: str, filler: str) -> str:
    return f"[ a owl:Restriction ; owl:onProperty :{on} ; owl:someValuesFrom :{filler} ]"


def edges(pairs: Edges, more: str = "") -> str:
    return "\n".join(f"_:n{a} :e _:n{b} ." for a, b in pairs) + more


def both_ways(pairs: Edges) -> Edges:
    return pairs + [(b, a) for a, b in pairs]


def rook() -> Edges:
    """The graph of a rook on a board of 4x4: strongly regular, as the Shrikhande graph is, with the same numbers."""
    rows = [(4 * i + j, 4 * i + k) for i in range(4) for j in range(4) for k in range(j + 1, 4)]
    columns = [(4 * i + j, 4 * k + j) for j in range(4) for i in range(4) for k in range(i + 1, 4)]
    return both_ways(rows + columns)


def shrikhande() -> Edges:
    steps = ((0, 1), (1, 0), (1, 1))
    places = [(i, j) for i in range(4) for j in range(4)]
    return both_ways(
        [(4 * i + j, 4 * ((i + a) % 4) + (j + b) % 4) for i, j in places for a, b in steps]
    )


def cycle(length: int, start: int = 0) -> Edges:
    return [(start + at, start + (at + 1) % length) for at in range(length)]


MANY = "\n".join(
    f":c{k} rdfs:subClassOf {restriction(f'p{k % 5}', f'd{k}')}, {restriction('q', f'd{k % 3}')} ."
    for k in range(60)
)


def edits() -> Iterator[Edit]:
    yield from _trees()
    yield from _lists()
    yield from _twins()
    yield from _cycles()
    yield from _other_places()


def _trees() -> Iterator[Edit]:
    for depth in (1, 8):
        old, new = (f"{MANY} :s {nested(depth, value)} ." for value in "ab")
        yield Edit(f"literal at depth {depth}", old, new, 1, 1)
    added = f" rdfs:subClassOf {restriction('new', 'd1')} ."
    yield Edit("restriction added", MANY, f"{MANY} :c7{added}", 0, 4)
    yield Edit("restriction removed", f"{MANY} :c7{added}", MANY, 4, 0)
    yield Edit(
        "restriction moved to another class", f"{MANY} :c7{added}", f"{MANY} :c8{added}", 1, 1
    )
    of_seven = f":c7 rdfs:subClassOf {restriction('p2', 'd7')}"
    assert of_seven in MANY
    new = MANY.replace(of_seven, of_seven.replace("d7", "zz"))
    yield Edit("filler of one of two restrictions changed", MANY, new, 1, 1)
    yield Edit("tree of depth 6 removed", f"{MANY} :s {nested(6, 'a')} .", MANY, 19, 0)

    def axiom(text: str) -> str:
        source = "[] a owl:Axiom ; owl:annotatedSource :c1 ; owl:annotatedProperty"
        return (
            f'{MANY} :c1 :def "{text}" . {source} :def ; owl:annotatedTarget "{text}" ; :xref "x" . '
            f'{source} :syn ; owl:annotatedTarget "s" ; :xref "x" .'
        )

    yield Edit("annotated axiom, text changed in both", axiom("old"), axiom("new"), 2, 2)
    noise = random.Random(3)
    values = [noise.randrange(50) for _ in range(2000)]

    def observations(changed: int | None) -> str:
        return "".join(
            f":o{k} :result [ :value {-1 if k == changed else value} ; :unit :u{k % 3} ; :time {k} ] .\n"
            for k, value in enumerate(values)
        )

    yield Edit("2,000 observations, one value", observations(None), observations(77), 1, 1)
    first = ':o_ :result [ :value 3 ; :unit :u1 ; :time "x" ] .'
    yield Edit("2,000 observations, a new one in front", observations(None), first + observations(None), 0, 4)  # fmt: skip


def _lists() -> Iterator[Edit]:
    iris = [f":i{k}" for k in range(100)]
    classes = [restriction(f"p{k % 7}", f"c{k}") for k in range(100)]

    def union(items: Iterable[str]) -> str:
        return f":s owl:unionOf {listed(items)} ."

    for what, items, item, more in (
        ("IRIs", iris, ":new", 0),
        ("restrictions", classes, restriction("p9", "new"), 3),
    ):
        name = f"list of 100 {what}"
        old = union(items)
        middle = [*items[:50], item, *items[50:]]
        yield Edit(f"{name}, insertion in the midst", old, union(middle), 1, 3 + more)
        yield Edit(f"{name}, insertion in front", old, union([item, *items]), 1, 3 + more)
        yield Edit(f"{name}, insertion at the end", old, union([*items, item]), 1, 3 + more)
        yield Edit(f"{name}, removal", old, union(items[:50] + items[51:]), 3 + more, 1)
    new = [*iris[:50], ":new", *iris[51:]]
    yield Edit("list of 100 IRIs, replacement", union(iris), union(new), 1, 1)
    new = [*classes[:50], restriction("p1", "new"), *classes[51:]]
    yield Edit("list of 100 restrictions, one filler changed", union(classes), union(new), 1, 1)
    new = [*iris[:20], ":x", *iris[20:50], ":y", *iris[50:80], ":z", *iris[80:]]
    yield Edit("list of 100 IRIs, three insertions", union(iris), union(new), 3, 9)
    yield Edit("list of 100 IRIs, one item to the end", union(iris), union(iris[1:] + iris[:1]), 3, 3)  # fmt: skip

    def in_list(at: int | None) -> str:
        tens = (iris[k : k + 10] + ([":new"] if k == at else []) for k in range(0, 100, 10))
        return f":s sh:or {listed(map(listed, tens))} ."

    yield Edit("list in a list, insertion", in_list(None), in_list(50), 1, 3)

    def deep(items: list[str]) -> str:
        union = f"[ a owl:Class ; owl:unionOf {listed(items)} ]"
        head = "a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom"
        return f"{MANY} :s rdfs:subClassOf [ {head} {union} ] ."

    yield Edit("list in a class in a restriction, insertion", deep(iris), deep([*iris[:50], ":new", *iris[50:]]), 1, 3)  # fmt: skip
    old = f":s :l {listed(iris)}, {listed(iris[:-1])} ."
    new_text = f":s :l {listed([*iris, ':new'])}, {listed(iris[:-1])} ."
    yield Edit("two lists with the same items, one grows", old, new_text, 1, 3)
    old, new_text = (f":s :l {listed([':a'] * count)} ." for count in (40, 41))
    yield Edit("list of 40 equal items, one more", old, new_text, 1, 3)


def _twins() -> Iterator[Edit]:
    def twins(*nodes: str) -> str:
        return f":s :p {', '.join(nodes)} ."

    one = "[ :a 1 ]"
    noted = twins(one, one, '[ :a 1 ; :note "x" ]', one, one)
    yield Edit("5 twins, one gets a note", twins(*[one] * 5), noted, 0, 1)
    yield Edit("5 twins become 6", twins(*[one] * 5), twins(*[one] * 6), 0, 2)

    def leaves(last: int) -> str:
        return f":s :p [ {' ; '.join([':q [ :v 1 ]'] * 199 + [f':q [ :v {last} ]'])} ] ."

    yield Edit("200 equal leaves below a node, one changed", leaves(1), leaves(2), 1, 1)


def _cycles() -> Iterator[Edit]:
    yield Edit("cycle of 20, one gets a literal", edges(cycle(20)), edges(cycle(20), ' _:n3 :v "x" .'), 0, 1)  # fmt: skip

    def valued(seven: int) -> str:
        return edges(cycle(20)) + "".join(f"_:n{k} :v {seven if k == 7 else k} ." for k in range(20))  # fmt: skip

    yield Edit("cycle of 20 with literals, one changed", valued(7), valued(77), 1, 1)
    turned = edges([*cycle(20)[1:], (1, 0)])
    yield Edit("cycle of 20, one edge turned", edges(cycle(20)), turned, 1, 1)
    yield Edit("two cycles of 6 and one of 12", edges(cycle(6) + cycle(6, 6)), edges(cycle(12)), 2, 2)  # fmt: skip
    old, new = edges(rook()), edges(rook(), ' _:n3 :v "x" .')
    yield Edit("4x4 rook, one gets a literal", old, new, 0, 1, is_hard=True)
    shuffled = sorted(shrikhande(), key=lambda edge: (edge[1] * 7 % 16, edge[0]))
    yield Edit("Shrikhande against itself", edges(shrikhande()), edges(shuffled), 0, 0, is_hard=True)  # fmt: skip
    yield Edit("4x4 rook against Shrikhande", old, edges(shrikhande()), 52, 52, is_hard=True)
    complete = [(a, b) for a in range(30) for b in range(30) if a != b]
    yield Edit("complete graph of 30 against itself", edges(complete), edges(complete[::-1]), 0, 0, is_hard=True)  # fmt: skip


def _other_places() -> Iterator[Edit]:
    shared = f"{MANY} :a :p _:x . :b :p _:x . _:x :v 1 ; :w 2 ."
    yield Edit("two parents, literal changed", shared, shared.replace(":v 1", ":v 3"), 1, 1)
    yield Edit("two parents, one leaves", shared, shared.replace(":a :p _:x .", ""), 1, 0)
    yield Edit(
        "shared node becomes two",
        ":a :p _:x . :b :p _:x . _:x :v 1 ; :w 2 .",
        ":a :p _:x . :b :p _:y . _:x :v 1 ; :w 2 . _:y :v 1 ; :w 2 .",
        1,
        3,
    )

    def graphs(value: int) -> str:
        return "".join(
            f"_:g{k} :by :w ; :n {k} . _:g{k} {{ :s{k} :p [ :v {value if k == 5 else k} ; :u _:x{k} ] . "
            f'_:x{k} :t "t" . }}\n'
            for k in range(20)
        )

    yield Edit("graphs with blank names, literal in one", graphs(1), graphs(2), 1, 1)

    def terms(value: int) -> str:
        return "".join(
            f"_:r{k} rdf:reifies <<( _:s{k} :p _:o{k} )>> ; :conf {value if k == 4 else k} . "
            f"_:s{k} :n {k} . _:o{k} :n {k} .\n"
            for k in range(10)
        )

    yield Edit("triple terms with blank nodes, literal", terms(1), terms(2), 1, 1)
