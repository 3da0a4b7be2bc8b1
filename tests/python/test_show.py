"""Changes for people: what is shown, in which form, and that nothing of the data gets out of its place."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Literal

import pytest

import jelly

HEAD = """@prefix : <https://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""


def shown(old: str, new: str, **options: object) -> jelly.Shown:
    """What differs between two documents of Turtle."""
    both = [(HEAD + text).encode() for text in (old, new)]
    return jelly.show_diff(*both, old_format="ttl", new_format="ttl", **options)  # type: ignore[arg-type]


def blocks(old: str, new: str, **options: object) -> list[str]:
    """The lines behind the counts."""
    text = shown(old, new, **options).text
    assert text is not None
    return text.split("\n\n", 1)[1].splitlines()


CASES = {
    "one value for one value": (
        ':a a :C ; rdfs:label "A"@en ; :p :b .',
        ':a a :C ; rdfs:label "A"@en ; :p :c .',
        ['~ :a  "A"@en  (:C)', "  ~ :p  :b  →  :c"],
    ),
    "long values on two lines": (
        f':a :p "{"x" * 60}" .',
        f':a :p "{"y" * 60}" .',
        ["~ :a", f'  - :p  "{"x" * 60}"', f'  + :p  "{"y" * 60}"'],
    ),
    "numbers and datatypes": (
        ":a :p 1, 1.5 .",
        ':a :p true, "x"^^:t, 1.5 .',
        ["~ :a", "  - :p  1", '  + :p  "x"^^:t', "  + :p  true"],
    ),
    "new and gone": (
        ":a a :C . :b a :C ; :p :a .",
        ":a a :C . :c a :D ; :q [ :r 1 ; a :N ] .",
        ["- :b  (:C)", "  - a  :C", "  - :p  :a", "+ :c  (:D)", "  + a  :D", "  + :q  [ a :N ; :r 1 ]"],
    ),
    "inside of a blank node": (
        ":a sh:property [ sh:path :p ; sh:class :C ; sh:maxCount 1 ], [ sh:path :q ; sh:class :C ] .",
        ":a sh:property [ sh:path :p ; sh:class :D ; sh:maxCount 1 ], [ sh:path :q ; sh:class :C ] .",
        ["~ :a", "    sh:property  [ sh:path :p … ]", "    ~ sh:class  :C  →  :D"],
    ),
    "a list gets an item": (
        ":a :p ( :x :y ) .",
        ":a :p ( :w :x :y ) .",
        ["~ :a", "    :p  ( … 3 items, were 2 )", "    + :w"],
    ),
    "an item moves": (
        ":a :p ( :v :w :x :y ) .",
        ":a :p ( :w :x :y :v ) .",
        ["~ :a", "    :p  ( … 4 items )", "    ↕ :v"],
    ),
    "an item is another one": (
        ":a :p ( :v :w :x ) .",
        ":a :p ( :v :z :x ) .",
        ["~ :a", "    :p  ( … 3 items )", "    ~ :w  →  :z"],
    ),
    "inside of an item": (
        ":a :p ( [ sh:path :p ; :n 1 ; :m 1 ] [ sh:path :q ; :n 1 ] ) .",
        ":a :p ( [ sh:path :p ; :n 2 ; :m 1 ] [ sh:path :q ; :n 1 ] ) .",
        ["~ :a", "    :p  ( … 2 items )", "      [ sh:path :p … ]", "      ~ :n  1  →  2"],
    ),
    "a list grows from nothing": (
        ":a :p () .",
        ":a :p ( :x ) .",
        ["~ :a", "    :p  ( … 1 item, were 0 )", "    + :x"],
    ),
    "a node that nothing leads to": (
        '[] a owl:Axiom ; owl:annotatedSource :a ; owl:annotatedProperty :p ; owl:annotatedTarget :b ; :c "x" .',
        '[] a owl:Axiom ; owl:annotatedSource :a ; owl:annotatedProperty :p ; owl:annotatedTarget :b ; :c "y" .',
        [
            "~ [ owl:annotatedProperty :p ; owl:annotatedSource :a … ]  (owl:Axiom)",
            '  ~ :c  "x"  →  "y"',
        ],
    ),
    "a node of two subjects": (
        ":a :p _:x . :b :p _:x . _:x :n 1 ; :m 1 .",
        ":a :p _:x . :b :p _:x . _:x :n 2 ; :m 1 .",
        ["~ :a", "    :p  [ … ]", "    ~ :n  1  →  2", "~ :b", "    :p  see :a"],
    ),
    "a prefix": (
        "@prefix x: <urn:x#> . x:a :p 1 .",
        "@prefix x: <urn:y#> . <urn:x#a> :p 1 .",
        ["~ prefix x:  <urn:x#>  →  <urn:y#>", ""],
    ),
    "a rename": (
        ':a a :C ; rdfs:label "A" ; :p 1 ; :q 2 .',
        ':b a :C ; rdfs:label "A" ; :p 1 ; :q 3 .',
        [
            "renamed? (1)", "  :a  →  :b   60% the same", "",
            '- :a  "A"  (:C)', "  - a  :C", "  - :p  1", "  - :q  2", '  - rdfs:label  "A"',
            '+ :b  "A"  (:C)', "  + a  :C", "  + :p  1", "  + :q  3", '  + rdfs:label  "A"',
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_text(name: str) -> None:
    old, new, expected = CASES[name]
    assert blocks(old, new) == expected


def test_nothing_changed() -> None:
    done = shown(":a :p [ :q 1 ] .", ":a :p [ :q 1 ] .")
    assert (done.added, done.deleted, sum(done.subjects)) == (0, 0, 0)
    assert str(done).endswith(
        "0 subjects new, 0 gone, 0 changed; 1 blank node kept, 0 gone, 0 new\n\n"
    )


def test_graphs() -> None:
    old = b"<a:s> <a:p> <a:x> <a:g> .\n<a:t> <a:p> <a:x> .\n"
    new = b"<a:s> <a:p> <a:y> <a:g> .\n<a:t> <a:p> <a:x> <a:g> .\n<a:t> <a:q> <a:x> .\n"
    text = str(jelly.show_diff(old, new, old_format="nq", new_format="nq"))
    assert text.split("\n\n", 1)[1].splitlines() == [
        "~ <a:s>  in <a:g>", "  ~ <a:p>  <a:x>  →  <a:y>",
        "~ <a:t>", "  - <a:p>  <a:x>", "  + <a:p>  <a:x>  in <a:g>", "  + <a:q>  <a:x>",
    ]  # fmt: skip


def numbered(subjects: int) -> bytes:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    return b"".join(
        f'<urn:s{n}> <urn:p> "{n}" .\n'.encode()
        + (f'<urn:s{n}> {label} "l{n}" .\n'.encode() if n % 10 == 0 else b"")
        for n in range(subjects)
    )


@pytest.mark.parametrize(
    ("form", "most", "length"),
    [("text", 100, lambda text: text.count("\n")), ("markdown", 9_000, len)],
)
def test_what_does_not_fit_is_counted(form: str, most: int, length: Callable[[str], int]) -> None:
    done = jelly.show_diff(b"", numbered(500), old_format="nt", new_format="nt", form=form, max_lines=most)  # type: ignore[arg-type] # fmt: skip
    text = done.text or ""
    assert length(text) <= most
    shown_subjects = sum(f"urn:s{n}>" in text for n in range(500))
    assert shown_subjects > 30
    assert done.left_out.new == 500 - shown_subjects
    assert (
        f"… {done.left_out.new} more subjects: 0 changed, 0 gone, {done.left_out.new} new" in text
    )
    for n in range(0, 500, 10):  # what has a label means most
        assert f"<urn:s{n}>" in text


def test_filters_and_summary() -> None:
    old = ":a a :C ; :p 1 . :b a :D ; :p 1 . :c a :C ; :q [ :r 1 ; :s 1 ] ."
    new = ":a a :C ; :p 2 . :b a :D ; :p 2 . :c a :C ; :q [ :r 2 ; :s 1 ] ."
    a, b = ["~ :a  (:C)", "  ~ :p  1  →  2"], ["~ :b  (:D)", "  ~ :p  1  →  2"]
    c = ["~ :c  (:C)", "    :q  [ … ]", "    ~ :r  1  →  2"]
    assert blocks(old, new) == [*a, *b, *c]
    assert blocks(old, new, subjects=[":b"]) == b
    assert blocks(old, new, subjects=["https://example.org/b", ":a"]) == [*a, *b]
    assert blocks(old, new, classes=[":C"]) == [*a, *c]
    assert blocks(old, new, predicates=[":r"]) == c
    nothing = ["No change matches the filters."]
    assert blocks(old, new, classes=[":D"], predicates=[":r"]) == nothing
    assert blocks(old, new, summary_only=True) == []
    assert str(shown(old, new, summary_only=True)).count("changed") >= 2


def test_a_name_that_can_select_nothing_is_refused() -> None:
    """An undeclared prefix selected nothing, as if nothing had changed."""
    old, new = ":a a :C ; :p 1 .", ":a a :C ; :p 2 ."
    for option in ("subjects", "classes", "predicates"):
        what = {"subjects": "subject", "classes": "class", "predicates": "predicate"}[option]
        for name, said in [
            ("C", f"the {what} C is neither an IRI nor a prefixed name: .* ex:C"),
            (
                "none:C",
                f"the {what} none:C has a prefix that is not declared .*declared: :.*<none:C>",
            ),
        ]:
            with pytest.raises(ValueError, match=said):
                shown(old, new, **{option: [name]})
    nothing = ["No change matches the filters."]
    assert blocks(old, new, classes=["<none:C>"]) == nothing
    assert blocks(old, new, predicates=["a"]) == nothing


def test_a_class_that_changed_itself_is_pointed_to() -> None:
    """``classes`` selects instances; an ontology has the class, and nothing was shown, as if nothing had changed."""
    old, new = (f':Pump a :Class ; rdfs:label "{label}" . :x :p 1 .' for label in ("Pump", "pump"))
    line = "No subject of the class :Pump changed. The class itself changed: --subject :Pump shows how."
    for form in ("text", "markdown", "html"):
        done = shown(old, new, classes=[":Pump"], form=form)
        assert line in str(done.text if form == "text" else done), form
    assert "pump" in "".join(blocks(old, new, subjects=[":Pump"]))


def test_each_prefix_of_a_namespace_names_its_terms() -> None:
    space = "<https://example.org/>"
    old, new = (f"@prefix x: {space} . @prefix y: {space} . x:a a x:C ; x:p {n} ." for n in (1, 2))
    found = [blocks(old, new, classes=[name]) for name in ("x:C", "y:C", ":C")]
    assert found[0]
    assert found == [found[0]] * 3


def test_labels() -> None:
    old = ':a rdfs:label "A"@en, "B"@de, "C" ; :name "N" ; :p 1 .'
    new = ':a rdfs:label "A"@en, "B"@de, "C" ; :name "N" ; :p 2 .'
    assert blocks(old, new)[0] == '~ :a  "C"'
    assert blocks(old, new, lang="de")[0] == '~ :a  "B"@de'
    assert blocks(old, new, label_properties=["https://example.org/name"])[0] == '~ :a  "N"'


def test_json() -> None:
    old = ":a a :C ; sh:property [ sh:path :p ; :n 1 ] ; :l ( 1 2 ) ."
    new = ":a a :C ; sh:property [ sh:path :p ; :n 2 ] ; :l ( 1 2 3 ) ; :v [ :w ( :x [ :y 1 ] ) ] ."
    found = json.loads(shown(old, new, form="json").text or "")
    assert found["schema"] == 1
    assert found["summary"]["subjects"] == {"new": 0, "gone": 0, "changed": 1}
    (subject,) = found["subjects"]
    assert subject["iri"] == "<https://example.org/a>"
    assert subject["change"] == "changed"
    one = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert {"path": ["<http://www.w3.org/ns/shacl#property>", "<https://example.org/n>"], "op": "replace", "old": one, "new": one.replace("1", "2", 1)} in subject["changes"]  # fmt: skip
    assert {"path": ["<https://example.org/l>"], "op": "add", "old": None, "new": one.replace("1", "3", 1)} in subject["changes"]  # fmt: skip
    nested = {"<https://example.org/w>": [["<https://example.org/x>", {"<https://example.org/y>": [one]}]]}  # fmt: skip
    assert {"path": ["<https://example.org/v>"], "op": "add", "old": None, "new": nested} in subject["changes"]  # fmt: skip


def test_every_row_of_a_subject_is_shown() -> None:
    """Of 40 pairs without blank nodes: JSON has each row once."""
    rows = 0
    for seed in range(40):
        pick = random.Random(seed)
        quads = [f"<a:s{pick.randrange(9)}> <a:p{pick.randrange(4)}> <a:o{pick.randrange(9)}>" for _ in range(60)]  # fmt: skip
        old, new = ({*pick.sample(quads, 40)} for _ in "ab")
        texts = ["".join(f"{quad} .\n" for quad in sorted(side)).encode() for side in (old, new)]
        done = jelly.show_diff(texts[0], texts[1], old_format="nt", new_format="nt", form="json")
        said: dict[str, set[str]] = {"old": set(), "new": set()}
        for subject in json.loads(done.text or "")["subjects"]:
            for change in subject["changes"]:
                for side in ("old", "new"):
                    if change[side] is not None:
                        said[side].add(f"{subject['iri']} {change['path'][0]} {change[side]}")
        assert said == {"old": old - new, "new": new - old}
        assert (done.deleted, done.added) == (len(old - new), len(new - old))
        rows += done.deleted + done.added
    assert rows > 500


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_prefixes_move_no_cursor(form: Literal["text", "markdown", "html"]) -> None:
    rows = b'PA "\\u001B[31mx" <urn:e:> .\nA <urn:e:s> <urn:e:p> "1"^^<urn:e:d> .\n'
    text = jelly.show(rows, patch_format="rdfp", form=form).text or ""
    assert "\\u001B" in text
    assert "\x1b" not in text


def test_patches_with_and_without_their_base() -> None:
    base = b"<a:s> <a:p> _:x .\n_:x <a:q> <a:old> .\n_:x <a:r> <a:z> .\n"
    patch = b"TX .\nD _:x <a:q> <a:old> .\nA _:x <a:q> <a:new> .\nA <a:s> <a:p> <a:o> .\nD <a:s> <a:p> <a:none> .\nTC .\n"
    alone = str(jelly.show(patch)).split("\n\n", 1)[1].splitlines()
    assert alone == ["~ <a:s>", "  ~ <a:p>  <a:none>  →  <a:o>", "~ [ … ]", "  ~ <a:q>  <a:old>  →  <a:new>"]  # fmt: skip
    done = jelly.show(patch, base=base, base_format="nt")
    assert (done.added, done.deleted) == (2, 1), "what is not there cannot be deleted"
    assert str(done).split("\n\n", 1)[1].splitlines() == [
        "~ <a:s>", "    <a:p>  [ … ]", "    ~ <a:q>  <a:old>  →  <a:new>", "  + <a:p>  <a:o>",
    ]  # fmt: skip
