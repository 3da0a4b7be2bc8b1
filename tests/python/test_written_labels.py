"""A label that a document wrote stays that label; statements that RDF cannot hold are errors, not missing rows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import JellyError

HEX = "abcdef0123456789abcdef0123456789"
# labels as the library makes them, shorter and longer ones, and one that begins with a digit
LABELS = (HEX, HEX[:24], HEX[:16], HEX + "0", "b" * 64, "f0", "anon-0")
NUMBERS = (HEX[10:] + HEX[:10], "0" * 32)

TURTLE = {
    "subject": "_:{0} <urn:p> <urn:o> .",
    "object": "<urn:s> <urn:p> _:{0}.",
    "after a number": "<urn:s> <urn:p> 5._:{0} <urn:p> 5 .",
    "after a string": '<urn:s> <urn:p> "a"@en._:{0} <urn:p> 5 .',
    "after an IRI": "<urn:s> <urn:p> <urn:o>._:{0} <urn:p> 5 .",
    "list": "<urn:s> <urn:p> (_:{0} 5) .",
    "comma": "<urn:s> <urn:p> 5,_:{0},6 .",
    "brackets": "[ <urn:p> _:{0}] <urn:q> 5 .",
    "quoted": "<urn:s> <urn:p> <<( _:{0} <urn:p> 5 )>> .",
    "second line": '<urn:s> <urn:p> "x"@en-GB ;\n <urn:q> _:{0} .',
}
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
XML = {
    "node": f'<rdf:RDF {RDF} xmlns:u="urn:"><rdf:Description rdf:nodeID="{{0}}" u:p="o"/></rdf:RDF>',
    "property": f'<rdf:RDF {RDF} xmlns:u="urn:"><u:T><u:p xml:lang="en-GB" r:nodeID=\'{{0}}\'/></u:T></rdf:RDF>',
    "entity": f'<!DOCTYPE rdf:RDF [<!ENTITY e "{{0}}">]><rdf:RDF {RDF} xmlns:u="urn:">'
    '<rdf:Description rdf:nodeID="&e;" u:p="o" xml:lang="EN"/></rdf:RDF>',
    "resource": f'<rdf:RDF {RDF} xmlns:u="urn:"><u:T><u:p rdf:parseType="Resource">'
    '<u:q rdf:nodeID="{0}"/></u:p></u:T></rdf:RDF>',
    "collection": f'<rdf:RDF {RDF} xmlns:u="urn:"><u:T><u:p rdf:parseType="Collection">'
    '<rdf:Description rdf:nodeID="{0}"/></u:p></u:T></rdf:RDF>',
}
JSON = {
    "node": '{{"@id": "_:{0}", "urn:p": 5}}',
    "value": '{{"urn:p": {{"@id": "_:{0}"}}}}',
    "typed": '{{"@context": {{"p": {{"@id": "urn:p", "@type": "@id"}}}}, "p": ["_:{0}", "_:{0}"]}}',
    "class": '{{"@type": "_:{0}"}}',
    "escaped": '{{"@id": "\\u005F\\u003a{0}", "urn:p": 5}}',
    "graph": '[{{"@id": "_:{0}", "@graph": [{{"@id": "urn:s", "urn:p": 5}}]}}]',
    "map": '{{"@context": {{"p": {{"@id": "urn:p", "@container": "@id"}}}}, "p": {{"_:{0}": {{"urn:q": 5}}}}}}',
    "vocabulary": '{{"@context": {{"@vocab": "_:"}}, "@type": "{0}"}}',
    "prefix": '{{"@context": {{"q": "_:"}}, "@id": "q:{0}", "urn:p": 5}}',
}
DOCUMENTS: list[tuple[Any, str]] = [
    *((ending, text) for ending in ("ttl", "trig") for text in TURTLE.values()),
    ("trig", "_:{0} {{ <urn:s> <urn:p> 5 }}"),
    *(("rdfxml", text) for text in XML.values()),
    *(("jsonld", text) for text in JSON.values()),
]


def nq(text: str, ending: Any) -> str:
    out = io.BytesIO()
    jelly.convert(text.encode(), out, format=ending, to="nq")
    return out.getvalue().decode()


@pytest.mark.parametrize(("ending", "text"), DOCUMENTS)
def test_labels_of_hexadecimal_digits_stay(ending: str, text: str) -> None:
    for label in LABELS + (() if ending == "rdfxml" else NUMBERS):
        rows = nq(text.format(label), ending)
        # what looks like a position is escaped
        wanted = "_:anon-anon-0" if label == "anon-0" else f"_:{label}"
        assert f"{wanted} " in rows, (label, rows)


@pytest.mark.parametrize("ending", ["ttl", "trig", "rdfxml", "jsonld"])
def test_nodes_without_a_label_are_positions_beside_them(ending: str) -> None:
    text = {
        "ttl": f"_:{HEX} <urn:p> [] , [ <urn:q> _:{HEX} ] .",
        "trig": f"_:{HEX} <urn:p> [] , [ <urn:q> _:{HEX} ] .",
        "rdfxml": XML["resource"].format(HEX),
        "jsonld": f'{{"@id": "_:{HEX}", "urn:p": [{{"urn:q": {{"@id": "_:{HEX}"}}}}, {{"urn:q": 5}}]}}',
    }[ending]
    rows = nq(text, ending)
    for label in (HEX, "anon-0", "anon-1"):
        assert f"_:{label} " in rows


def test_a_patch_meets_a_written_label(tmp_path: Path) -> None:
    (tmp_path / "d.ttl").write_text(f"_:{HEX} <urn:p> 5 . <urn:s> <urn:p> 6 .")
    patch = f'D _:{HEX} <urn:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'.encode()
    jelly.apply(tmp_path / "d.ttl", patch, tmp_path / "out.nq")
    assert (tmp_path / "out.nq").read_text().count("\n") == 1


def test_literals_that_look_like_labels_stay() -> None:
    rdf_json = '{"@context": {"j": {"@id": "urn:j", "@type": "@json"}}, "j": {"_:b": ["_:a", "\\\\\\"_:c"]}}'
    assert '"{\\"_:b\\":[\\"_:a\\",' in nq(rdf_json, "jsonld")
    for text in (f"_:{HEX}", "_:", "_:-)", "_:w", f"a _:{HEX}"):
        assert f'"{text}"' in nq(f'{{"urn:p": "{text}"}}', "jsonld")
        assert f'"{text}"' in nq(f'<urn:s> <urn:p> "{text}", """{text}""" .', "ttl")
    literal = f'<rdf:RDF {RDF} xmlns:u="urn:"><u:T><u:p rdf:parseType="Literal"><a rdf:nodeID="{HEX}"/></u:p></u:T></rdf:RDF>'
    assert f'rdf:nodeID=\\"{HEX}\\"' in nq(literal, "rdfxml")


def test_errors_keep_their_place_behind_a_label() -> None:
    with pytest.raises(JellyError) as caught:
        nq(f"_:{HEX} <urn:p> 5 .\n_:{HEX} <urn:p> !", "ttl")
    assert (caught.value.line, caught.value.column) == (2, 44)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"@id": "a", "urn:p": 5}', "text.iri"),
        ('{"@id": "#a", "urn:p": 5}', "text.iri"),
        ('{"@id": "urn:a", "urn:p": {"@id": "b"}}', "text.iri"),
        ('{"@id": "urn:a", "@type": "b"}', "text.iri"),
        ('{"@id": "g", "@graph": [{"@id": "urn:a", "urn:p": 5}]}', "text.iri"),
        ('{"@context": {"@base": "x/"}, "@id": "a", "urn:p": 5}', "text.iri"),
        ('{"@context": {"@vocab": "b#"}, "@id": "urn:a", "p": 5}', "text.iri"),
        ('{"@id": "urn:a b", "urn:p": 5}', "text.iri"),
        ('{"@id": "urn:a", "urn:p": {"@value": "5", "@type": "b"}}', "text.iri"),
        ('{"@id": "_:a b", "urn:p": 5}', "text.label"),
        ('{"@id": "_:", "urn:p": 5}', "text.label"),
        ('{"@id": "urn:a", "urn:p": {"@value": "x", "@language": "e n"}}', "text.language"),
    ],
)
def test_json_ld_that_rdf_cannot_hold_is_an_error(text: str, kind: str) -> None:
    with pytest.raises(JellyError) as caught:
        nq(text, "jsonld")
    assert caught.value.kind == kind


def test_json_ld_with_a_base_has_its_rows() -> None:
    for base, name in (("http://e/x/", "http://e/x/a"), ("http://e/y", "http://e/a")):
        assert f"<{name}> " in nq(
            f'{{"@context": {{"@base": "{base}"}}, "@id": "a", "urn:p": 5}}', "jsonld"
        )
