"""Statements with blank nodes that do not fit in memory at once: the same answers as of those that do."""

from __future__ import annotations

import io
import random
import re
from typing import Any

import pytest

import blank_edits
import jelly
from jelly.errors import LimitError

# about 20 parts, each in at most four times as much
FEW = jelly.Limits(blank_bytes=40_000)


def graph(*, has_edits: bool) -> list[str]:
    """Trees, lists, twins, cycles and symmetric graphs, a thousand components; a few of them with edits."""
    rows = []
    for n in range(400):
        value = "changed" if has_edits and n % 100 == 7 else n
        rows.append(
            f'<urn:s{n}> <urn:has> _:t{n} . _:t{n} <urn:part> _:u{n} . _:u{n} <urn:v> "{value}"'
        )
        rows.append(f'_:w{n} <urn:twin> _:x{n} . _:x{n} <urn:v> "same"')
    for n in range(0, 300, 3):
        rows.append(" . ".join(f"_:c{n + k} <urn:next> _:c{n + (k + 1) % 3}" for k in range(3)))
        rows.append(f'_:c{n} <urn:v> "{n % 10}"')
    for n, edges in enumerate([blank_edits.rook(), blank_edits.shrikhande(), blank_edits.rook()]):
        rows += [f"_:r{n}-{a} <urn:e> _:r{n}-{b}" for a, b in edges]
    if has_edits:
        rows = [row for row in rows if "_:w5 " not in row and "_:c9 <urn:v>" not in row]
        rows += [
            '_:new <urn:v> "new"',
            '_:w11 <urn:note> "a twin"',
            '_:r1-3 <urn:note> "symmetric"',
        ]
    return [f"{line} .\n" for row in rows for line in row.split(" . ")]


def patch(old: bytes, new: bytes, **options: Any) -> tuple[jelly.Compared, bytes]:
    out = io.BytesIO()
    done = jelly.diff(old, new, out, to="rdfp", old_format="nq", new_format="nq", **options)
    return done, out.getvalue()


@pytest.mark.parametrize("names_last", [True, False])
def test_parts_do_not_change_the_patch(names_last: bool) -> None:
    def data(has_edits: bool, seed: int) -> bytes:
        lines = graph(has_edits=has_edits)
        random.Random(seed).shuffle(lines)
        text = "".join(lines)
        if not names_last:
            numbers: dict[str, str] = {}
            text = re.sub(
                r"_:[\w-]+",
                lambda label: numbers.setdefault(label[0], f"_:anon-{len(numbers)}"),
                text,
            )
        return text.encode()

    old, new = data(False, 1), data(True, 2)
    done, whole = patch(old, new, blank_nodes="match")
    assert (done.unsettled_nodes, done.deleted) == (0, 7)
    assert (b"H blank-digest" in whole) is not names_last
    assert patch(old, new, blank_nodes="match", limits=FEW) == (done, whole)
    result, labels = io.BytesIO(), []
    jelly.apply(old, whole, result, to="nq", base_format="nq", patch_format="rdfp")
    assert jelly.same(result.getvalue(), new, old_format="nq", new_format="nq", limits=FEW)
    assert not jelly.same(old, new, old_format="nq", new_format="nq", limits=FEW)
    for limits in (FEW, None):
        out = io.BytesIO()
        jelly.convert(old, out, format="nq", to="nq", blank_nodes="content", limits=limits)
        labels.append(out.getvalue())
    assert labels[0] == labels[1]
    # a budget that does not suffice is used up in the same order
    tight = [jelly.Limits(blank_work=1, blank_bytes=bytes) for bytes in (40_000, 1 << 28)]
    one, other = (patch(old, new, blank_nodes="match", limits=limits) for limits in tight)
    assert one == other


def test_a_component_that_is_too_large_is_refused() -> None:
    chain = "".join(f"_:n{n} <urn:p> _:n{n + 1} .\n" for n in range(2000)).encode()
    with pytest.raises(LimitError, match=r"limit\.blank_bytes.*four times"):
        patch(chain, chain + b'_:n5 <urn:v> "x" .\n', blank_nodes="match", limits=FEW)
