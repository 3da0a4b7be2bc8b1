"""Many random logs as one: their quads differ by a graph and a subject of their own."""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple

import jelly
import patch_model as model
from patch_model import Patch, Quad, Row


class Bundle(NamedTuple):
    """One log, made of many."""

    base: list[Quad]
    log: list[Patch]
    sources: list[tuple[str | None, bytes]]
    """Text of patches by the names of files; a single one may have no name."""
    options: dict[str, Any]


def _own(number: int, terms: tuple[str, ...]) -> Quad:
    """A quad of one of the logs alone."""
    subject, *others = terms
    own = f"{subject}x{number}" if subject.startswith("_") else f"{subject[:-1]}/{number}>"
    return own, *others  # type: ignore[return-value]


def bundle(rng: random.Random, logs: int) -> Bundle:
    """A log of random logs, with ids or without, in one file or many, perhaps cut off at its end."""
    base: list[Quad] = []
    patches: list[Patch] = []
    has_ids, drops = rng.random() < 0.5, rng.random() < 0.5
    for number in range(logs):
        base += [_own(number, model.random_quad(rng)) for _ in range(rng.randrange(20))]
        for rows in model.random_log(rng):
            patch = [
                Row(row.op, _own(number, row.terms)) if row.op in "AD" else row for row in rows
            ]
            patches.append([row for row in patch if row.op != "H"])
    # what is cut off behind it must not make it vanish
    patches.append([Row("TX"), Row("A", _own(logs, model.random_quad(rng))), Row("TC")])
    if has_ids:
        for place, patch in enumerate(patches):
            patch[:0] = _headers(rng, place)
    written = [list(patch) for patch in patches]
    if drops:
        # between commits and at the end, nothing of which counts
        written[-1] += [Row("TX"), Row("A", model.random_quad(rng))]
        middle = written[rng.randrange(len(written))]
        middle += [Row("TX"), Row("D", base[0])]
    named = _files(rng, written, has_ids=has_ids)
    return Bundle(base, patches, named, {"unfinished": "drop"} if drops else {})


def _headers(rng: random.Random, place: int) -> list[Row]:
    forms = ["<uuid:{}>", "<urn:uuid:{}>", "<URN:UUID:{}>", '"{}"']

    def spelled(number: int) -> str:
        return rng.choice(forms).format(f"00000000-0000-4000-8000-{number:012x}")

    key = rng.choice(["prev", "previous", "PREV"])
    return [
        Row("H", (rng.choice(["id", "ID"]), spelled(place + 1))),
        Row("H", (key, "<overtaken>")),
        Row("H", (key, spelled(place))),
    ]


def _files(
    rng: random.Random, patches: list[Patch], *, has_ids: bool
) -> list[tuple[str | None, bytes]]:
    if rng.random() < 0.2:
        return [(None, model.text(patches))]
    cuts = sorted(rng.sample(range(1, len(patches)), min(5, len(patches) - 1)))
    pieces = [patches[a:b] for a, b in zip([0, *cuts], [*cuts, len(patches)], strict=True)]
    names = [f"/logs/log-{number}" for number in range(8, 8 + len(pieces))]
    if has_ids:
        rng.shuffle(names)  # the chain puts them right
    files = [(name, model.text(piece)) for name, piece in zip(names, pieces, strict=True)]
    rng.shuffle(files)
    return files  # type: ignore[return-value]


def rows(sources: list[tuple[str | None, bytes]]) -> Any:
    """The rows of files in one table of Arrow."""
    import pyarrow as pa

    tables = [
        pa.table(jelly.read_patch(text, format="rdfp", source_name=name)) for name, text in sources
    ]
    return pa.concat_tables(tables)


def ordered(sources: list[tuple[str | None, bytes]]) -> list[bytes]:
    """The texts of files without ids in the order of their names."""
    return [text for _, text in sorted(sources, key=lambda file: int(re.sub(r"\D", "", file[0] or "0")))]  # fmt: skip
