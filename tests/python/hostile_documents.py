"""Documents that grow in the parser, by format, with the limit that has to stop them; run to read one under a limit on memory."""

import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import jelly.errors

MIB = 1 << 20
RDF = b'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"'
TERM, LOOKUP, NESTING, EXPANSION = "term_bytes", "lookup_bytes", "nesting", "expansion"


def xml(body: bytes, doctype: bytes = b"", attributes: bytes = b"") -> bytes:
    return (
        b'<?xml version="1.0"?>'
        + doctype
        + b"<rdf:RDF "
        + RDF
        + b" "
        + attributes
        + b">"
        + body
        + b"</rdf:RDF>"
    )


def node(inside: bytes, attributes: bytes = b"") -> bytes:
    return (
        b'<rdf:Description rdf:about="http://e/a" '
        + attributes
        + b">"
        + inside
        + b"</rdf:Description>"
    )


def laughs(levels: int) -> bytes:
    steps = b"".join(
        b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(levels)
    )
    return b'<!DOCTYPE r [<!ENTITY a "' + b"x" * 100 + b'">' + steps + b"]>"


def entity(size: int, start: bytes = b"") -> bytes:
    return b'<!DOCTYPE r [<!ENTITY a "' + start + b"x" * size + b'">]>'


def many(form: bytes, count: int) -> bytes:
    return b"".join(form % i for i in range(count))


LONG = b"http://e/" + b"x" * MIB
RDFXML = {
    "entities in entities": (lambda: xml(node(b"<e:b>&i;</e:b>"), laughs(8)), TERM),
    "one large entity in a text": (
        lambda: xml(node(b"<e:b>" + b"&a;" * 20_000 + b"</e:b>"), entity(MIB)),
        TERM,
    ),
    "one large entity in many texts": (
        lambda: xml(node(b"<e:b>&a;</e:b>" * 20_000), entity(MIB)),
        EXPANSION,
    ),
    "one large entity in subjects": (
        lambda: xml(b'<rdf:Description rdf:about="&a;"/>' * 200_000, entity(MIB, b"e:")),
        EXPANSION,
    ),
    "one large entity in attributes": (
        lambda: xml(node(b"", many(b'e:p%d="&a;" ', 2000)), entity(MIB)),
        LOOKUP,
    ),
    "an entity in a namespace": (
        lambda: xml(node(b"<x:a/>" * 20_000), entity(MIB, b"http://e/"), b'xmlns:x="&a;"'),
        EXPANSION,
    ),
    "a namespace in many attributes": (
        lambda: xml(node(b"", many(b'x:p%d="" ', 4000)), b"", b'xmlns:x="' + LONG + b'"'),
        LOOKUP,
    ),
    "a namespace in many elements": (
        lambda: xml(node(b"<x:a/>" * 20_000), b"", b'xmlns:x="' + LONG + b'"'),
        EXPANSION,
    ),
    "a namespace in a literal": (
        lambda: xml(
            node(b'<e:l rdf:parseType="Literal">' + b"<e:a/>" * 20_000 + b"</e:l>"),
            b"",
            b'xmlns:x="' + LONG + b'"',
        ),
        TERM,
    ),
    "a base and many ids": (
        lambda: xml(
            many(b'<rdf:Description rdf:ID="a%d"/>', 20_000), b"", b'xml:base="' + LONG + b'"'
        ),
        LOOKUP,
    ),
    "a base and many subjects": (
        lambda: xml(many(b'<e:T rdf:about="a%d"/>', 20_000), b"", b'xml:base="' + LONG + b'"'),
        EXPANSION,
    ),
    "a base in a collection": (
        lambda: xml(
            node(
                b'<e:c rdf:parseType="Collection">' + b'<e:T rdf:about="a"/>' * 20_000 + b"</e:c>"
            ),
            b"",
            b'xml:base="' + LONG + b'"',
        ),
        LOOKUP,
    ),
    "many ids": (
        lambda: xml(
            many(b'<rdf:Description rdf:ID="a%d"/>', 1_000_000), b"", b'xml:base="http://e/"'
        ),
        LOOKUP,
    ),
    "a large collection": (
        lambda: xml(node(b'<e:c rdf:parseType="Collection">' + b"<e:T/>" * 2_000_000 + b"</e:c>")),
        LOOKUP,
    ),
    "a large literal": (
        lambda: xml(node(b'<e:c rdf:parseType="Literal">' + b"<e:T/>" * 20_000_000 + b"</e:c>")),
        TERM,
    ),
    "statements kept for a triple": (
        lambda: xml(
            node(b'<e:c rdf:parseType="Triple">' + node(b"<e:a/>" * 2_000_000) + b"</e:c>")
        ),
        TERM,
    ),
    "a part of a name of RDF": (
        lambda: xml(
            node(b'<e:l x:Type="Literal">' + b"<e:a/>" * 9 + b"</e:l>"),
            b"",
            b'xmlns:x="http://www.w3.org/1999/02/22-rdf-syntax-ns#parse"',
        ),
        "text.syntax",
    ),
    "many attributes": (lambda: xml(node(b"", many(b'e:p%d="" ', 200_000))), LOOKUP),
    "many namespaces": (
        lambda: xml(b"<e:T/>" * 100_000, b"", many(b'xmlns:p%d="e:" ', 50_000)),
        LOOKUP,
    ),
    "many elements in each other": (lambda: xml(b"<e:a><e:b>" * 200_000), NESTING),
    "texts at many depths": (
        lambda: xml(b"".join(b"<e:a><e:b>" + b" " * MIB for _ in range(90))),
        LOOKUP,
    ),
    "a long text": (lambda: xml(node(b"<e:b>" + b"x" * (17 * MIB) + b"</e:b>")), TERM),
    "a long attribute": (lambda: xml(node(b"", b'e:b="' + b"x" * (17 * MIB) + b'"')), TERM),
    "a long comment": (lambda: xml(b"<!--" + b"x" * (17 * MIB) + b"-->"), TERM),
    "a long name": (lambda: xml(b"<e:" + b"x" * (17 * MIB) + b"/>"), TERM),
    "no end of a tag": (lambda: xml(b"")[:-1] + b"x" * (40 * MIB), TERM),
}

PREFIX = b"@prefix x: <" + LONG + b"> .\n"
BASE = b"@base <" + LONG + b"/> .\n"
TURTLE = {
    "a long prefix in rows": (lambda: PREFIX + b"x:a x:b x:c .\n" * 20_000, EXPANSION),
    "a long base in rows": (lambda: BASE + b"<a> <b> <c> .\n" * 20_000, EXPANSION),
    "a long base in prefixes": (lambda: BASE + many(b"@prefix a%d: <x> .\n", 20_000), LOOKUP),
    "a long base in one prefix": (lambda: BASE + b"@prefix a: <x> .\n" * 200_000, EXPANSION),
    "bases": (lambda: BASE + b"@base <x> .\n" * 200_000, EXPANSION),
    "many prefixes": (lambda: many(b"@prefix a%d: <a:> .\n", 1_500_000), LOOKUP),
    "a long prefix at many depths": (lambda: PREFIX + b"x:a x:b " + b"[ x:b " * 1500, LOOKUP),
    "a long prefix in quoted triples": (
        lambda: PREFIX + b"x:a x:b " + b"<<( x:a x:b " * 60,
        LOOKUP,
    ),
    "literals at many depths": (
        lambda: b"<a:a> <a:b> " + (b'"' + b"x" * MIB + b'" {| <a:b> ') * 90,
        LOOKUP,
    ),
    "quoted triples in literals' stead": (
        lambda: (
            b"<a:a> <a:b> "
            + (b"<<( <a:a> <a:b> " * 30 + b'"' + b"x" * MIB + b'"' + b" )>>" * 30 + b" {| <a:b> ")
            * 90
        ),
        LOOKUP,
    ),
    "property lists": (lambda: b"<a:a> <a:b> " + b"[ <a:b> " * 200_000, NESTING),
    "lists": (lambda: b"<a:a> <a:b> " + b"(" * 200_000, NESTING),
    "reified triples": (lambda: b"<a:a> <a:b> " + b"<< <a:a> <a:b> " * 200_000, NESTING),
    "triple terms": (lambda: b"<a:a> <a:b> " + b"<<( <a:a> <a:b> " * 200_000, NESTING),
    "annotations": (lambda: b"<a:a> <a:b> <a:c> " + b"{| <a:b> <a:c> " * 200_000, NESTING),
    "a long literal": (lambda: b'<a:a> <a:b> "' + b"x" * (17 * MIB) + b'" .', TERM),
    "a long comment": (lambda: b"# " + b"x" * (17 * MIB) + b"\n<a:a> <a:b> <a:c> .", TERM),
    "a long iri": (lambda: b"<a:a> <a:b> <a:" + b"x" * (17 * MIB) + b"> .", TERM),
    "a long name": (lambda: b"<a:a> <a:b> a:" + b"x" * (17 * MIB) + b" .", TERM),
    "no end of a tag": (lambda: b'<a:a> <a:b> "x"@' + b"x" * (40 * MIB), TERM),
    "many nodes": (lambda: b"<a:a> <a:b> [] .\n" * 2_000_000, LOOKUP),
    "many spellings of tags": (lambda: many(b'<a:a> <a:b> "x"@en-%d .\n', 1_000_000), LOOKUP),
}


def jsonld(context: bytes, node: bytes, count: int) -> bytes:
    return b'{"@context":' + context + b',"@graph":[' + b",".join([node] * count) + b"]}"


def quoted(text: bytes) -> bytes:
    return b'"' + text + b'"'


TERMS = b",".join(b'"t%d":{"@id":"t%d"}' % (i, i) for i in range(20_000))
CHAIN = b",".join(b'"t%d":"t%d:x"' % (i, i + 1) for i in range(100_000))
GROWING = b",".join(b'"t%d":"t%d:%s"' % (i + 1, i, b"x" * 20_000) for i in range(30))
VOCAB = b'{"@vocab":' + quoted(LONG) + b"}"
ONE = b'{"@vocab":"http://e/"}'
PROPERTIES = b",".join(b'"p%d":1' % i for i in range(20_000))
JSONLD = {
    "a long vocabulary": (lambda: jsonld(VOCAB, b'{"a":{"b":1}}', 20_000), EXPANSION),
    "a long base": (
        lambda: jsonld(
            b'{"@base":' + quoted(LONG + b"/") + b"}", b'{"@id":"a","a:b":{"@id":"c"}}', 20_000
        ),
        EXPANSION,
    ),
    "a long prefix": (
        lambda: jsonld(b'{"p":' + quoted(LONG + b"/") + b"}", b'{"p:a":{"p:b":1}}', 20_000),
        EXPANSION,
    ),
    "a long term": (
        lambda: jsonld(b'{"a":{"@id":' + quoted(LONG) + b"}}", b'{"a":1}', 20_000),
        EXPANSION,
    ),
    "a long vocabulary and many terms": (
        lambda: jsonld(b'{"@vocab":' + quoted(LONG) + b"," + TERMS + b"}", b'{"t1":1}', 9),
        LOOKUP,
    ),
    "a long vocabulary in one node": (lambda: jsonld(VOCAB, b"{" + PROPERTIES + b"}", 1), LOOKUP),
    "a long vocabulary behind": (
        lambda: b'{"@graph":[' + b",".join([b'{"a":1}'] * 20_000) + b'],"@context":' + VOCAB + b"}",
        LOOKUP,
    ),
    "a long default language": (
        lambda: jsonld(
            b'{"@vocab":"http://e/","@language":' + quoted(b"en-" + b"x" * MIB) + b"}",
            b'{"a":"b"}',
            20_000,
        ),
        EXPANSION,
    ),
    "a long subject": (
        lambda: jsonld(ONE, b'{"@id":' + quoted(LONG) + b"," + PROPERTIES + b"}", 1),
        LOOKUP,
    ),
    "a long subject by another name": (
        lambda: jsonld(
            b'{"@vocab":"http://e/","id":"@id"}',
            b'{"id":' + quoted(LONG) + b"," + PROPERTIES + b"}",
            1,
        ),
        LOOKUP,
    ),
    "a long graph": (
        lambda: (
            b'{"@context":'
            + ONE
            + b',"@id":'
            + quoted(LONG)
            + b',"@graph":['
            + b",".join([b'{"a":1}'] * 20_000)
            + b"]}"
        ),
        EXPANSION,
    ),
    "contexts in an array": (
        lambda: jsonld(
            b"["
            + b",".join([VOCAB] * 16)
            + b","
            + b",".join([b'{"@vocab":"%s"}' % (b"x" * MIB)] * 16)
            + b"]",
            b'{"a":1}',
            99,
        ),
        LOOKUP,
    ),
    "contexts in each node": (
        lambda: jsonld(
            b"{" + TERMS.replace(b'":{"@id":"', b'":{"@id":"a:') + b"}",
            b'{"@context":{"x":"a:x"},"x":1}',
            20_000,
        ),
        EXPANSION,
    ),
    "a scoped context": (
        lambda: jsonld(
            b'{"s":{"@id":"a:s","@context":{'
            + TERMS.replace(b'":{"@id":"', b'":{"@id":"a:')
            + b"}}}",
            b'{"s":{"t1":1}}',
            200_000,
        ),
        EXPANSION,
    ),
    "a chain of terms": (lambda: jsonld(b"{" + CHAIN + b"}", b'{"t1":1}', 9), NESTING),
    "terms that grow": (
        lambda: jsonld(b'{"t0":"http://e/",' + GROWING + b"}", b'{"t30":1}', 200_000),
        EXPANSION,
    ),
    "objects": (lambda: jsonld(ONE, b'{"a":' * 200_000, 1), NESTING),
    "arrays": (lambda: jsonld(ONE, b'{"a":' + b"[" * 200_000, 1), NESTING),
    "lists": (lambda: jsonld(ONE, b'{"a":' + b'{"@list":[' * 200_000, 1), NESTING),
    "many values in one node": (
        lambda: jsonld(ONE, b'{"a":[' + b",".join([b"1"] * 5_000_000) + b"]}", 1),
        LOOKUP,
    ),
    "a JSON literal": (
        lambda: jsonld(
            ONE, b'{"a":{"@type":"@json","@value":[' + b",".join([b"1"] * 5_000_000) + b"]}}", 1
        ),
        LOOKUP,
    ),
    "many nodes in one": (
        lambda: jsonld(ONE, b'{"a":' + jsonld(ONE, b'{"a":1}', 2_000_000) + b"}", 1),
        LOOKUP,
    ),
    "a long string": (lambda: jsonld(ONE, b'{"a":' + quoted(b"x" * (17 * MIB)) + b"}", 1), TERM),
    "a long key": (lambda: jsonld(ONE, b"{" + quoted(b"x" * (17 * MIB)) + b":1}", 1), TERM),
    "a long number": (lambda: jsonld(ONE, b'{"a":' + b"1" * (17 * MIB) + b"}", 1), TERM),
    "no end of a string": (lambda: b'{"a":"' + b"x" * (40 * MIB), TERM),
    "many blank nodes": (lambda: jsonld(ONE, b'{"a":{}}', 2_000_000), LOOKUP),
}
DOCUMENTS: dict[str, dict[str, tuple[Callable[[], bytes], str]]] = {
    "rdfxml": RDFXML,
    "ttl": TURTLE,
    "trig": {
        name: TURTLE[name]
        for name in ("lists", "triple terms", "a long literal", "a long prefix at many depths")
    },
    "jsonld": JSONLD,
}


# A quarter of the limits ends most documents in a quarter of the time; these then end at another limit.
QUARTER = jelly.Limits(lookup_bytes=16 * MIB, term_bytes=4 * MIB)
WHOLE = {
    "a base and many subjects",
    "a long base",
    "contexts in each node",
    "a scoped context",
    "a chain of terms",
}


def read(form: Any, name: str) -> str:
    """Reads one document to its error, whose kind it returns."""
    document = DOCUMENTS[form][name][0]()
    limits = None if name in WHOLE or "JELLY_SOAK" in os.environ else QUARTER
    try:
        for _ in jelly.read_rdf(document, format=form, limits=limits):
            pass
    except jelly.errors.JellyError as error:
        return error.kind if len(str(error)) < 2000 else "a long message"
    return "read"


if __name__ == "__main__":
    import pyarrow  # noqa: F401  what it takes is not the reader's

    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    for name in DOCUMENTS[sys.argv[1]]:
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            # a minute for each document
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 60, -1))
            print(name, read(sys.argv[1], name), sep=": ", flush=True)
