"""Encoders write the same bytes as ever, of the corpus and of random rows; ``UPDATE=1`` records them anew.

A change of these bytes is a change for everyone who compares, signs or deduplicates files.
"""

import hashlib
import io
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import JellyError
from shared_data import shared

RECORDED = Path(__file__).parents[1] / "cases" / "encoded_bytes.json"
XSD = "http://www.w3.org/2001/XMLSchema#"
TERMS = ("subject", "predicate", "object", "graph")
CORPUS = (
    "brick-1.5.jelly",
    "bsbm-50k.jelly",
    "iotg-50k.jelly",
    "lubm-50k.jelly",
    "mixed-50k.jelly",
    "vocab-open.jelly",
    "weather-100k.jelly",
    "wordnet-100k.jelly",
    "brick-versions.jellyp",
    "schemaorg-releases.jellyp",
    "weather-cdc-2000tx.jellyp",
)


class Terms:
    """Canonical terms and other spellings of them, few enough to come again."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = rng.choice([4, 30, 400])
        # so that most rows are right in most streams
        self.odd = rng.choice([0.0, 0.02, 0.2])

    def pick(self, choices: list[str]) -> str:
        return choices[int(self.rng.random() * len(choices))]

    def number(self, end: int) -> int:
        return int(self.rng.random() * end)

    def iri(self) -> str:
        name = self.number(self.names)
        start = self.pick(
            [
                "http://example.org/",
                "http://example.org/a#",
                "http://example.org/a/",
                "http://example.org/a#b/",
                "http://example.org/a/" + "long/" * (1 + name % 13),
                "urn:a#",
                "urn:abcd#",
                "urn:uuid:",
                "",
                "http://example.org/\u00e9/",
            ]
        )
        return f"{start}{self.pick(['n', 'b/c', 'x#', '', 'name-of-some-length-' * 3])}{name}"

    def term(self, place: int) -> str:
        if self.rng.random() < self.odd:
            iris = [
                f"<http://example.org/\\u006E{self.number(3)}>",
                "<http://example.org/b\\u0020c>",
            ]
            if place in (1, 3):
                return self.pick(iris)
            return self.pick(
                [
                    *iris,
                    f'"a"^^<{XSD}string>',
                    '"a\nb"',
                    '"a\\nb"',
                    '"\\u0061"',
                    "<<( <urn:a> <urn:b> <<( <urn:a> <http://example.org/n1> _:c )>> )>>",
                    '<<( <urn:a> <urn:b> "c"^^<urn:d> )>>',
                ]
            )
        kind = self.number(10)
        if place == 1 or kind < 4 or (place == 3 and kind < 7):
            return f"<{self.iri()}>"
        if kind < 6 or place != 2:
            return f"_:b{self.number(self.names)}"
        text = self.pick(["", "a", f"text {self.number(20)}", "\u00e4" * 70])
        tail = self.pick(["", "@en", "@de-at", f"^^<{XSD}integer>", f"^^<urn:d{self.number(6)}>"])
        return f'"{text}"{tail}'


def statements(terms: Terms, count: int, graphs: bool) -> Iterator[list[str | None]]:
    row: list[str | None] = [terms.term(place) for place in range(4)]
    for _ in range(count):
        for place in range(4):
            if terms.rng.random() < (0.3, 0.5, 0.9, 0.1)[place]:
                row[place] = terms.term(place)
        if not graphs:
            row[3] = None
        elif terms.rng.random() < 0.1:
            row[3] = "" if terms.rng.random() < 0.5 else None
        yield list(row)


def table(columns: dict[str, list[Any]], kind: str) -> pa.Table:
    types = {"utf8": pa.string(), "large": pa.large_string(), "view": pa.string_view()}
    arrays = {}
    for name, values in columns.items():
        if name == "patch":
            arrays[name] = pa.array(values, pa.int64())
        elif kind == "dictionary":
            arrays[name] = pa.array(values, pa.string()).dictionary_encode()
        else:
            arrays[name] = pa.array(values, types[kind])
    return pa.table(arrays)


def rdf_rows(rng: random.Random) -> tuple[pa.Table, jelly.RdfOptions]:
    physical = rng.choice(["TRIPLES", "QUADS", "GRAPHS"])
    rows = list(statements(Terms(rng), 400, physical != "TRIPLES"))
    columns = {name: [row[place] for row in rows] for place, name in enumerate(TERMS)}
    options = jelly.RdfOptions(physical_type=physical, **sizes(rng))
    return table(columns, rng.choice(["utf8", "large", "view", "dictionary"])), options


def patch_rows(rng: random.Random) -> tuple[pa.Table, jelly.PatchOptions]:
    kind = rng.choice(["TRIPLES", "QUADS"])
    terms = Terms(rng)
    columns: dict[str, list[Any]] = {name: [] for name in ("op", *TERMS, "name", "value")}
    for row in statements(terms, 400, kind == "QUADS"):
        choice = terms.number(40)
        op = ("A", "D")[choice % 2] if choice > 5 else ("TX", "TC", "H", "PA", "PD", "Z")[choice]
        is_prefix = op in ("PA", "PD")
        places = (0, 1, 2, 3) if op in ("A", "D") else (3,) if is_prefix else ()
        columns["op"].append(op)
        for place, name in enumerate(TERMS):
            columns[name].append(row[place] if place in places else None)
        columns["name"].append("ex" if is_prefix or op == "H" else None)
        value = f"<{terms.iri()}>" if is_prefix or op == "H" else None
        columns["value"].append(value)
    stream = rng.choice(["PUNCTUATED", "FRAME"])
    options = jelly.PatchOptions(statement_type=kind, stream_type=stream, **sizes(rng))
    return table(columns, rng.choice(["utf8", "large", "view", "dictionary"])), options


def sizes(rng: random.Random) -> dict[str, Any]:
    return {
        "max_name_table_size": rng.choice([8, 16, 200, 4000]),
        "max_prefix_table_size": rng.choice([0, 4, 8, 150]),
        "max_datatype_table_size": rng.choice([2, 4, 32]),
        "generalized_statements": rng.random() < 0.9,
        "rdf_star": rng.random() < 0.9,
    }


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def written(rows: pa.Table, options: Any, rng: random.Random) -> str:
    """The digest of what a writer makes of rows, or where it refuses them."""
    out = io.BytesIO()
    more: dict[str, Any] = {"frame_rows": rng.choice([1, 7, 256])}
    if rng.random() < 0.4:
        more["restart_bytes"] = 2000
    is_patch = isinstance(options, jelly.PatchOptions)
    writer = jelly.PatchWriter if is_patch else jelly.RdfWriter
    try:
        with writer(out, options, **more) as sink:
            for batch in rows.to_batches(max_chunksize=rng.choice([1, 3, 50, 1000])):
                sink.write(batch)
    except JellyError as error:
        return f"{error.kind}: row {error.row}"
    return digest(out.getvalue())


def again(data: bytes, is_patch: bool) -> str:
    """The digest of what a conversion, without columns, writes of a stream."""
    out = io.BytesIO()
    jelly.convert(data, out, to="jelly-patch" if is_patch else "jelly", frame_rows=100)
    return digest(out.getvalue())


def random_digests() -> dict[str, str]:
    found = {}
    for seed in range(120):
        rng = random.Random(seed)
        found[f"rdf {seed}"] = written(*rdf_rows(rng), rng)
        found[f"patch {seed}"] = written(*patch_rows(rng), rng)
    return found


def corpus_digests() -> dict[str, str]:
    found = {}
    for name in CORPUS:
        path = shared(f"corpus/{name}.gz")
        is_patch = name.endswith("jellyp")
        rows = pa.table((jelly.read_patch if is_patch else jelly.read_rdf)(path))
        out = io.BytesIO()
        quads = jelly.RdfOptions(physical_type="QUADS")
        with jelly.PatchWriter(out) if is_patch else jelly.RdfWriter(out, quads) as sink:
            sink.write(rows)
        found[name] = digest(out.getvalue())
        found[f"{name} again"] = again(out.getvalue(), is_patch)
    return found


@pytest.mark.parametrize("digests", [random_digests, corpus_digests])
def test_bytes_are_those_of_before(digests: Any) -> None:
    found = digests()
    recorded = json.loads(RECORDED.read_text())
    if os.environ.get("UPDATE"):
        recorded |= found
        RECORDED.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    assert found == {name: recorded.get(name) for name in found}


def test_random_rows_reach_what_is_odd() -> None:
    recorded = json.loads(RECORDED.read_text())
    failed = [value for name, value in recorded.items() if ": " in value]
    assert 20 < len(failed) < len(recorded) / 2
