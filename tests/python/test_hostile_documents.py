"""Documents that grow in a library's parser end with an error that names the limit, within a bound on memory."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hostile_documents
import jelly

HERE = Path(hostile_documents.__file__)


@pytest.mark.parametrize("form", hostile_documents.DOCUMENTS)
def test_limits_end_what_grows(form: str) -> None:
    run = subprocess.run(
        [sys.executable, str(HERE), form], capture_output=True, text=True, timeout=900, check=False
    )
    found = dict(line.rsplit(": ", 1) for line in run.stdout.splitlines())
    wanted = {
        name: kind if "." in kind else f"limit.{kind}"
        for name, (_, kind) in hostile_documents.DOCUMENTS[form].items()
    }
    assert len(wanted) > 3
    assert found == wanted, run.stderr[-2000:]
    assert run.returncode == 0


def rows(document: bytes, form: Any) -> set[tuple[str, ...]]:
    return {
        (r.subject, r.predicate, r.object, r.graph)
        for r in jelly.read_rdf(document, format=form, blank_nodes="keep").rows()
    }


def test_what_people_write_is_read() -> None:
    protege = (
        b'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [\n'
        + b"".join(
            b'    <!ENTITY n%d "http://www.example.org/ontologies/%d#" >\n' % (i, i)
            for i in range(40)
        )
        + b'    <!ENTITY rdf "http://www.w3.org/1999/02/22-rdf-syntax-ns#" >\n]>\n<!-- <a> & "text" -->\n'
        + b'<rdf:RDF xmlns="&n1;" xml:base="http://www.example.org/n1" xmlns:rdf="&rdf;" '
        + b" ".join(
            b'xmlns:n%d="http://www.example.org/ontologies/%d#"' % (i, i) for i in range(40)
        )
        + b">"
        + b'<n1:C rdf:about="&n2;x"><n3:p rdf:datatype="&n4;t">a &lt; b</n3:p><n3:q><![CDATA[<&>]]></n3:q></n1:C>'
        * 2000
        + b"</rdf:RDF>"
    )
    base = "http://www.example.org/ontologies/"
    assert rows(protege, "rdfxml") == {
        (f"<{base}2#x>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{base}1#C>", ""),
        (f"<{base}2#x>", f"<{base}3#p>", f'"a < b"^^<{base}4#t>', ""),
        (f"<{base}2#x>", f"<{base}3#q>", '"<&>"', ""),
    }
    lists = b"@prefix : <http://e/> .\n:a :b " + b"( :x " * 500 + b")" * 500 + b" ."
    assert len(rows(lists, "ttl")) == 1999
    chain = b"<e:p rdf:parseType='Resource'>" * 500 + b"</e:p>" * 500
    assert len(rows(hostile_documents.xml(hostile_documents.node(chain)), "rdfxml")) == 500
    quotes = [
        b'"<<( [[("',
        b"'\\'(<<('",
        b"'''<<('' \\''' [[('''",
        b'""',
        b'"""("" """',
        b"<a:((((>",
        b"e:\\(\\(",
        b"# [[[ <<(\n <a:a>",
    ]
    texts = b"@prefix e: <http://e/> .\n<a:a> <a:b> " + b",".join(quotes * 3000) + b"."
    assert len(rows(texts, "ttl")) == len(quotes)
    geometry = (
        b'<a:a> <a:b> [ <a:c> [ <a:d> "'
        + b"x" * (5 << 20)
        + b'" ] ] .\n<a:a> <a:b> '
        + b"[ <a:c> " * 20
        + b'"x" '
        + b"]" * 20
        + b" ."
    )
    assert len(rows(geometry, "ttl")) == 3 + 21


TAGGED = {
    "ttl": b'@prefix e: <http://e/> .\ne:s e:p "a"@en-US , \'b\' @EN, """c"""@De-Latn-de-1996 , "d" # x\n @fr-CA, "e"@en, "f"@ZZ-verylongsubtag, "g"@EN--ltr .',
    "trig": b'<http://e/g> { <http://e/s> <http://e/p> "a"@en-US, <<( <http://e/s> <http://e/p> "b"@EN-gb )>> {| <http://e/q> "c"@EN |} }',
    "rdfxml": hostile_documents.xml(
        b'<rdf:Description rdf:about="http://e/s" xml:lang="en-US"><e:p>a</e:p><e:p xml:lang=\'EN\'>b</e:p>'
        b'<e:q rdf:parseType="Literal" xml:lang="FR"><e:i xml:lang="DE-at"/></e:q>'
        b'<e:r rdf:parseType="Collection"><rdf:Description rdf:about="http://e/o" e:p="c" xml:lang="De-CH"/></e:r></rdf:Description>'
    ),
    "jsonld": b'{"@context":{"@vocab":"http://e/","@language":"en-US","lang":"@language","m":{"@container":"@language"},"f":{"@language":"fr-CA"}},'
    b'"@graph":[{"@id":"http://e/s","p":["a",{"@value":"b","@language":"EN"},{"@value":"c","lang":"De"}],"m":{"pt-BR":"d","en":"e"},"f":"f"},'
    b'{"@id":"http://e/t","j":{"@type":"@json","@value":{"@language":"EN"}}}]}',
}
TAGS = {
    "ttl": {
        '"a"@en-US',
        '"b"@EN',
        '"c"@De-Latn-de-1996',
        '"d"@fr-CA',
        '"e"@en',
        '"f"@ZZ-verylongsubtag',
        '"g"@EN--ltr',
    },
    "trig": {'"a"@en-US', '<<( <http://e/s> <http://e/p> "b"@EN-gb )>>', '"c"@EN'},
    "rdfxml": {'"a"@en-US', '"b"@EN', '"c"@De-CH'},
    "jsonld": {'"a"@en-US', '"b"@EN', '"c"@De', '"d"@pt-BR', '"e"@en', '"f"@fr-CA'},
}


@pytest.mark.parametrize("form", TAGGED)
def test_tags_keep_their_case(form: str) -> None:
    found = {row[2] for row in rows(TAGGED[form], form)}
    assert found >= TAGS[form]
    if form == "rdfxml":
        assert any('xml:lang="DE-at"' in term.replace("\\", "") for term in found)
    if form == "jsonld":
        assert any('{"@language":"EN"}' in term.replace("\\", "") for term in found)


def test_errors_stand_where_they_are_in_the_document() -> None:
    turtle = '<a:s> <a:p>\n "é"@en-US, "y"@EN , ) .'.encode()
    with pytest.raises(jelly.errors.TextError) as wrong:
        rows(turtle, "ttl")
    assert (wrong.value.offset, wrong.value.line, wrong.value.column) == (turtle.index(b")"), 2, 22)
    nodes = [b'{"http://e/p":{"@value":"%d","@language":"EN-us"}}' % i for i in range(60_000)]
    document = b"[\n" + b",\n".join(nodes) + b' ,{"a" 1}]'
    reader = jelly.read_rdf(document, format="jsonld", blank_nodes="keep").rows()
    seen: list[str] = []
    with pytest.raises(jelly.errors.TextError) as wrong:
        seen.extend(row.object for row in reader)
    assert all(term.endswith("@EN-us") for term in seen)
    assert len(seen) > 30_000
    assert (wrong.value.line, wrong.value.offset) == (60_001, document.index(b" 1}") + 1)


class Trickle:
    """A file that gives a byte or two at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self, size: int = -1) -> bytes:
        size = 1 + self.at % 2 if size else 0
        piece = self.data[self.at : self.at + size]
        self.at += size
        return piece

    def readable(self) -> bool:
        return True


@pytest.mark.parametrize("form", TAGGED)
@pytest.mark.parametrize("end", [b"", b" <<<", b"]"])
def test_rows_do_not_depend_on_the_pieces(form: Any, end: bytes) -> None:
    def outcome(source: Any) -> tuple[list[str], str | None]:
        found: list[str] = []
        try:
            found.extend(map(str, jelly.read_rdf(source, format=form, blank_nodes="keep").rows()))
        except jelly.errors.JellyError as error:
            return found, str(error)
        return found, None

    document = TAGGED[form] + end
    whole = outcome(document)
    assert outcome(Trickle(document)) == whole
    assert whole[0]


def jsonld(context: str, nodes: str) -> bytes:
    return f'{{{context}"@graph":[{nodes}]}}'.encode()


def test_json_ld_comes_in_pieces() -> None:
    count = 60_000
    nodes = [f'{{"@id":"_:b{i % 7}","p":{{"@id":"http://e/{i}"}}}}' for i in range(count)]
    context = '"@context":{"p":"http://e/p"},'
    named = '"@id":"http://e/g",'
    for head, graph in (
        (context, ""),
        (context + named, "<http://e/g>"),
        (named + context, "<http://e/g>"),
    ):
        found = rows(jsonld(head, ",".join(nodes)), "jsonld")
        assert len(found) == count
        assert {row[3] for row in found} == {graph}
        assert {row[0] for row in found} == {f"_:b{i}" for i in range(7)}
    assert (
        len(
            rows(
                ("[" + ",".join(n.replace('"p"', '"http://e/p"') for n in nodes) + "]").encode(),
                "jsonld",
            )
        )
        == count
    )
    # what comes behind the nodes may change what they mean
    behind = jsonld("", ",".join(nodes))[:-1] + b"," + context[:-1].encode() + b"}"
    with pytest.raises(jelly.errors.LimitError, match="lookup_bytes"):
        rows(behind, "jsonld")
    small = jsonld("", ",".join(nodes[:9]))[:-1] + b"," + context[:-1].encode() + b"}"
    assert len(rows(small, "jsonld")) == 9
    for broken in (",".join(nodes) + ",", ",".join(nodes) + ",,", " ".join(nodes[:9])):
        with pytest.raises(jelly.errors.TextError):
            rows(jsonld(context, broken), "jsonld")
