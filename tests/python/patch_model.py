"""What patches mean, with sets and nothing else; and random logs of few terms."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from typing import NamedTuple

Quad = tuple[str, str, str, str]
_TAG = re.compile(r'(?<=")@[A-Za-z0-9-]+$')


class Row(NamedTuple):
    op: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.op, *(term for term in self.terms if term), "."])


Patch = list[Row]


def folded(quad: Quad) -> Quad:
    """Language tags in lower case."""
    s, p, o, g = (_TAG.sub(lambda tag: tag[0].lower(), term) for term in quad)
    return s, p, o, g


def committed(patch: Patch) -> list[Row]:
    rows: list[Row] = []
    open_rows: list[Row] | None = None
    for row in patch:
        match row.op, open_rows:
            case "TX", None:
                open_rows = []
            case (("TC" | "TA"), list()):
                rows += open_rows if row.op == "TC" else []
                open_rows = None
            case (("A" | "D"), None):
                rows.append(row)
            case (("A" | "D"), list()):
                open_rows.append(row)
            case "H", _:
                pass
            case _:
                raise ValueError(f"stray {row.op}")
    if open_rows is not None:
        raise ValueError("unfinished")
    return rows


def applied(base: set[Quad], log: list[Patch]) -> set[Quad]:
    state = {folded(quad) for quad in base}
    for patch in log:
        for row in committed(patch):
            change = state.add if row.op == "A" else state.discard
            change(folded(row.terms))  # type: ignore[arg-type]
    return state


def spelled_as_added(quads: Iterable[Quad], log: list[Patch]) -> int:
    """Checks that what the log adds in the end is spelled as it was added last; returns how many quads that are."""
    added: dict[Quad, Quad] = {}
    for patch in log:
        for row in committed(patch):
            added.pop(folded(row.terms), None)  # type: ignore[arg-type]
            if row.op == "A":
                added[folded(row.terms)] = row.terms  # type: ignore[arg-type,assignment]
    found = [quad for quad in quads if folded(quad) in added]
    assert {*found} == {*added.values()}
    return len(added)


def text(log: list[Patch]) -> bytes:
    return "".join(f"{row}\n" for patch in log for row in [*patch, Row("Z")]).encode()


def nquads(quads: list[Quad]) -> bytes:
    return "".join(" ".join([*filter(None, quad), ".\n"]) for quad in quads).encode()


_OBJECTS = ['"x"@en', '"x"@EN', '"x"', '"5"^^<a:t>', "_:b", '<<( <a:s> <a:p> "q" )>>', "<a:o>"]


def random_quad(rng: random.Random) -> Quad:
    return (
        rng.choice(["<a:s>", "_:b", "<a:S>"]),
        rng.choice(["<a:p>", "<a:q>"]),
        rng.choice(_OBJECTS),
        rng.choice(["", "", "<a:g>", "_:b"]),
    )


def random_log(rng: random.Random) -> list[Patch]:
    """Patches with committed and aborted transactions and rows outside of any, with ids or without."""
    log: list[Patch] = []
    has_ids = rng.random() < 0.5
    for number in range(rng.randrange(5)):
        patch: Patch = []
        if has_ids:
            patch += [Row("H", ("id", f"<u:{number + 1}>")), Row("H", ("prev", f"<u:{number}>"))]
        for _ in range(rng.randrange(4)):
            rows = [Row(rng.choice("AAD"), random_quad(rng)) for _ in range(rng.randrange(10))]
            end = rng.choice(["TC", "TC", "TA", ""])
            patch += [Row("TX"), *rows, Row(end)] if end else rows
        log.append(patch)
    return log
