"""Changes for people: rows of blank nodes, lists and several graphs; real ontologies and generated pairs."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import jelly
from shared_data import shared

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
LISTED = f"""<urn:s> <urn:p> _:l <urn:g1> .
_:l <{RDF}first> "x" <urn:g1> .
_:l <{RDF}rest> <{RDF}nil> <urn:g1> .
"""


@pytest.mark.parametrize(
    ("base", "rows", "changes"),
    [
        (
            "",
            'A _:a <urn:q> "1" .\nA <urn:s> <urn:p> <<( _:a <urn:r> _:b )>> .',
            [
                (["<urn:p>"], "add", None, "<<( _:a <urn:r> _:b )>>"),
                (["<urn:p>", "<urn:q>"], "add", None, '"1"'),
            ],
        ),
        (
            '_:a <urn:q> "1" .\n',
            'D _:a <urn:q> "1" .\nA _:b <urn:t> <<( _:a <urn:r> _:c )>> .\nA <urn:s> <urn:p> _:b .',
            [
                (["<urn:p>"], "add", None, {"<urn:t>": ["<<( _:a <urn:r> _:c )>>"]}),
                (["<urn:p>", "<urn:q>"], "delete", '"1"', None),
            ],
        ),
        (
            '_:a <urn:q> "1" .\n_:a <urn:r> "2" .\n',
            'D _:a <urn:q> "1" .\nA <urn:s> <urn:p> _:a .',
            [
                (["<urn:p>"], "add", None, {"<urn:r>": ['"2"']}),
                (["<urn:p>", "<urn:q>"], "delete", '"1"', None),
            ],
        ),
        (
            "<urn:s> <urn:p> _:a .\n",
            'D <urn:s> <urn:p> _:a .\nA _:a <urn:q> "1" .',
            [
                (["<urn:p>"], "delete", {}, None),
                (["<urn:p>", "<urn:q>"], "add", None, '"1"'),
            ],
        ),
        (
            LISTED,
            f"A _:l <{RDF}type> <{RDF}List> <urn:g1> .",
            [(["<urn:p>", f"<{RDF}type>"], "add", None, f"<{RDF}List>")],
        ),
        (
            LISTED,
            f'D _:l <{RDF}first> "x" <urn:g1> .\nA _:l <{RDF}first> "x" <urn:g2> .',
            [
                (["<urn:p>", f"<{RDF}first>"], "delete", '"x"', None),
                (["<urn:p>", f"<{RDF}first>"], "add", None, '"x"'),
            ],
        ),
    ],
    ids=[
        "in an added triple",
        "in a triple of a node",
        "of an added node",
        "of a deleted node",
        "class of a list",
        "graph of a list",
    ],
)
def test_rows_of_blank_nodes_that_values_do_not_show(
    base: str, rows: str, changes: list[tuple[object, ...]]
) -> None:
    done = jelly.show(
        (rows + "\n").encode(),
        base=base.encode(),
        base_format="nq",
        patch_format="rdfp",
        form="json",
    )
    [subject] = json.loads(done.text or "")["subjects"]
    found = [(one["path"], one["op"], one["old"], one["new"]) for one in subject["changes"]]
    key = str
    assert sorted(found, key=key) == sorted(changes, key=key)


def test_classes_of_several_graphs() -> None:
    base = f"<urn:s> <{RDF}type> <urn:C> <urn:g1> .\n<urn:s> <{RDF}type> <urn:C> <urn:g2> .\n"
    for rows, classes in [
        (f"D <urn:s> <{RDF}type> <urn:C> <urn:g2> .\n", ["<urn:C>"]),
        (f"A <urn:s> <{RDF}type> <urn:C> .\n" + f"D <urn:s> <{RDF}type> <urn:C> <urn:g1> .\n", ["<urn:C>"]),
        ("".join(f"D <urn:s> <{RDF}type> <urn:C> <urn:g{n}> .\n" for n in (1, 2)) + 'A <urn:s> <urn:p> "1" .\n', []),
    ]:  # fmt: skip
        done = jelly.show(
            rows.encode(), base=base.encode(), base_format="nq", patch_format="rdfp", form="json"
        )
        [subject] = json.loads(done.text or "")["subjects"]
        assert subject["classes"] == classes


@pytest.fixture(scope="module")
def brick(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """A version of Brick in a format."""
    log, folder = shared("corpus/brick-versions.jellyp.gz"), tmp_path_factory.mktemp("brick")
    versions = {"1.4": 5, "1.5": 6}

    def get(version: str, ending: str) -> Path:
        path = folder / f"brick-{version}.{ending}"
        if not path.exists():
            whole = path.with_suffix(".nq")
            jelly.as_of(b"", log, versions[version], whole, base_format="nq")
            if whole != path:
                jelly.convert(whole, path)
        return path

    return get


def test_brick(brick: Callable[[str, str], Path]) -> None:
    """The readable diff of this pair has the counts and lines of the design, in Turtle and in N-Quads."""
    old, new = brick("1.4", "ttl"), brick("1.5", "ttl")
    patch = jelly.diff(old, new, "/dev/null")
    done = jelly.show_diff(old, new, max_lines=100_000)
    text = done.text or ""
    assert (done.added, done.deleted) == (patch.added, patch.deleted)
    assert done.subjects == (271, 17, 91)
    assert sum(done.left_out) == 0
    for line in [
        "  owl:Class                         28     1     139",
        "  sh:NodeShape                       2     8      62",
        "  skos:definition                  133    48",
        '~ brick:Air_Grains_Sensor  "Air Grains Sensor"@en  (owl:Class, sh:NodeShape)',
        "  ~ brick:hasQuantity  brick:GrainsOfMoisture  →  quantitykind:SpecificHumidity",
        "      sh:in  ( … 45 items, were 49 )",
        "      - unit:TON_Register",
        "  + sh:or  ( [ sh:class brick:Location ] [ sh:class rec:Architecture ] )",
        "  <https://brickschema.org/schema/1.4/Brick>  →  <https://brickschema.org/schema/1.5/Brick>   56% the same",
    ]:
        assert " ".join(line.split()) in [" ".join(one.split()) for one in text.splitlines()], line
    assert "rdf:first" not in text.split("renamed?")[1]
    assert "_:" not in text
    assert "anon-" not in text
    other = jelly.show_diff(
        brick("1.4", "nq"), brick("1.5", "nq"), blank_nodes="match", max_lines=100_000
    )
    assert sorted((other.text or "").splitlines()[1:]) == sorted(text.splitlines()[1:])


def test_generated_pairs() -> None:
    """Trees, lists, cycles, twins, shared nodes, blank graphs: what changed is shown, with counts that hold."""
    blank_pairs = pytest.importorskip("blank_pairs")
    rows = 0
    for seed in range(150):
        chance = random.Random(seed)
        pair = blank_pairs.pair(chance, 6)
        both = [blank_pairs.text(side, chance) for side in (pair.old, pair.new)]
        patch = jelly.diff(both[0], both[1], io.BytesIO(), old_format="nq", new_format="nq")
        text = jelly.show_diff(both[0], both[1], old_format="nq", new_format="nq")
        found = jelly.show_diff(both[0], both[1], old_format="nq", new_format="nq", form="json")
        subjects = json.loads(str(found))["subjects"]
        assert (found.added, found.deleted) == (patch.added, patch.deleted), seed
        assert sum(found.subjects) == len(subjects), seed
        assert all(subject["changes"] for subject in subjects), seed
        assert bool(subjects) == bool(patch.added or patch.deleted), seed
        assert "_:" not in str(text), seed
        rows += patch.added + patch.deleted
    assert rows > 300
