"""Jelly rows of 128 bytes and more, which decoders read in another way, between short rows that repeat terms of them."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest

import jelly

LONG = "x" * 140
SUBJECTS = ["<urn:a>", f"<urn:{LONG}>", "_:n1", "_:n2"]
PREDICATES = ["<urn:p>", "<urn:q>", f"<urn:{LONG}>"]
OBJECTS = ['"s"', f'"{LONG}"', "<urn:a>", "_:n1", '"x"@en', f'"{LONG}"@en', '"1"^^<urn:t>']
GRAPHS = ["", " <urn:g>", " _:n2", f" <urn:{LONG}>"]


def quads(pick: random.Random) -> list[str]:
    """Lines, each of which repeats some terms of the one before it."""
    terms, lines = ["", "", "", ""], []
    for _ in range(pick.choice([3, 8, 30])):
        every = [SUBJECTS, PREDICATES, OBJECTS, GRAPHS]
        terms = [old if old and pick.random() < 0.5 else pick.choice(new) for old, new in zip(terms, every, strict=True)]  # fmt: skip
        lines.append(f"{' '.join(terms[:3])}{terms[3]} .\n")
    return list(dict.fromkeys(lines))


def jelly_of(lines: list[str], pick: random.Random) -> bytes:
    out = io.BytesIO()
    rows, kind = pick.choice([3, 256]), pick.choice(["QUADS", "GRAPHS"])
    jelly.convert(
        "".join(lines).encode(), out, format="nq", to="jelly", frame_rows=rows, physical_type=kind  # type: ignore[arg-type]
    )  # fmt: skip
    return out.getvalue()


def changes(old: bytes, new: bytes, **options: Any) -> list[bytes]:
    out = io.BytesIO()
    jelly.diff(old, new, out, to="rdfp", **options)
    return sorted(row for row in out.getvalue().splitlines() if row[:2] in (b"A ", b"D "))


@pytest.mark.parametrize("way", ["labels", "match", "content"])
def test_a_diff_of_jelly_is_that_of_its_statements(way: Any) -> None:
    """Before, short rows behind a long one with a blank node had terms of an older row, in ``match`` and ``content``."""
    found = 0
    for seed in range(80):
        pick = random.Random(seed)
        lines = quads(pick)
        others = [line for line in lines if pick.random() < 0.8] or lines
        texts = ["".join(rows).encode() for rows in (lines, others)]
        binary = [jelly_of(rows, pick) for rows in (lines, others)]
        as_text = changes(*texts, blank_nodes=way, old_format="nq", new_format="nq")
        found += len(as_text)
        assert changes(*binary, blank_nodes=way) == as_text, seed
        for text, same in zip(texts, binary, strict=True):
            assert changes(text, same, blank_nodes=way, old_format="nq") == [], seed
            assert changes(same, text, blank_nodes=way, new_format="nq") == [], seed
    assert found > 100


def test_a_backup_of_the_same_dump_has_no_changes(tmp_path: Path) -> None:
    """Before, its second version had rows that the dump does not have, and no third one could follow."""
    for seed in range(20):
        dump, home = tmp_path / f"{seed}.nq", tmp_path / str(seed)
        dump.write_text("".join(quads(random.Random(seed))))
        for _ in range(3):
            done = jelly.backup(dump, home, blank_nodes="match")
        assert done.version == 0, (seed, done)
