"""RDF/XML that its library reads wrong is mended or refused, never given as another literal."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import jelly
from jelly.errors import TextError

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
LITERAL = '<e:p rdf:parseType="Literal">{}</e:p>'


def document(content: str, doctype: str = "", attributes: str = "") -> bytes:
    return (
        f'{doctype}<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="http://e/">'
        f'<rdf:Description rdf:about="http://e/s" {attributes}>{content}</rdf:Description></rdf:RDF>'
    ).encode()


def value(data: bytes) -> str:
    with jelly.read_rdf(data, format="rdfxml") as reader:
        (row,) = reader.rows()
    text = str(row.object)
    return text[1 : text.rindex('"')].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


@pytest.mark.parametrize(
    "content",
    [
        '<div xmlns="http://www.w3.org/1999/xhtml"><p title="xmlns=&quot;x&quot;">a &lt; b</p></div>',
        '<a xmlns="http://x/"><b xmlns="http://x/">&amp;lt;</b></a><c/>',
        '<q:a xmlns:q="http://q/" xmlns:e="http://other/" e:x="1"><e:b/></q:a>t<q:a xmlns:q="http://q2/"/>',
        "<a\n  xmlns='http://x/'\n  b = 'c'/>",
        "<e:a/>=>&lt;<e:b xmlns:e='http://e2/' x='>'/>",
        '<b xmlns=""/><![CDATA[<x xmlns="1" xmlns="2">&#1;]]>',
    ],
)
def test_a_namespace_is_declared_once(content: str) -> None:
    found = value(document(LITERAL.format(content)))
    got = ET.canonicalize(f"<r>{found}</r>")
    wanted = ET.canonicalize(f'<r xmlns:rdf="{RDF}" xmlns:e="http://e/">{content}</r>')
    assert got == wanted


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("a<!-- c --> ", "a "),
        (" <!-- c -->a", " a"),
        ("\n<!-- c -->\n<!-- d --><?e?>", "\n\n"),
        ("a<?pi b?>\r\n", "a\n"),
        ("a<!-- b -->c<!-- d -->e", "ace"),
        ("<![CDATA[a]]> ", "a "),
        ("\n<![CDATA[a < b && c > d]]>\n", "\na < b && c > d\n"),
        ("a<![CDATA[ ]]>", "a "),
        ("<![CDATA[&lt;]]>&lt;<![CDATA[]]]]><![CDATA[>]]>", "&lt;<]]>"),
        ("a&amp; <!-- & --> &x;", "a&  two"),
        ("<![CDATA[" + "z" * 70_000 + "]]>\n", "z" * 70_000 + "\n"),
    ],
)
def test_text_is_one_piece(content: str, wanted: str) -> None:
    """Before, pieces that are white space were lost, and others rejected."""
    for more in ("", ' rdf:datatype="http://e/t"', ' xml:lang="en"'):
        data = document(f"<e:p{more}>{content}</e:p>", '<!DOCTYPE r [<!ENTITY x "two">]>')
        assert value(data) == wanted


def test_an_empty_language_is_none() -> None:
    content = '<e:p xml:lang="">a</e:p><e:p xml:lang="de">b</e:p><e:p>c</e:p>'
    with jelly.read_rdf(document(content, attributes='xml:lang="en"'), format="rdfxml") as reader:
        assert [row.object for row in reader.rows()] == ['"a"', '"b"@de', '"c"@en']


@pytest.mark.parametrize("kind", ["foo", "literal", "Statement", "daml:collection"])
def test_other_types_of_content_are_literals(kind: str) -> None:
    """RDF/XML, section 7.2.20. Before, such a statement was lost without an error."""
    for prefix in ("rdf", "r"):
        content = f'<e:p {prefix}:parseType="{kind}" xmlns:{prefix}="{RDF}">t<e:x/></e:p>'
        found = value(document(content))
        literal = value(document(content.replace(f'"{kind}"', '"Literal"')))
        assert found == literal
        assert found.startswith("t<e:x")
    # an attribute of another namespace is a property
    content = f'<e:p><rdf:Description e:parseType="{kind}"/></e:p>'
    with jelly.read_rdf(document(content), format="rdfxml") as reader:
        assert f'"{kind}"' in {row.object for row in reader.rows()}


REFUSED = {
    "a number for & in an entity": (document("<e:p>&x;</e:p>", '<!DOCTYPE r [<!ENTITY x "&#38;lt;b">]>'), "would be read twice"),
    "a number for < in an entity": (document("", '<!DOCTYPE r [<!ENTITY x "&#x3c;b/>">]>', 'e:p="&x;"'), "would be read twice"),
    "a control character": (document("<e:p>a\x01b</e:p>"), r"U\+0001 is not a character"),
    "a control character in an attribute": (document("", attributes='e:p="\x1f"'), r"U\+001F is not a character"),
    "a reference to one": (document("<e:p>a&#xB;b</e:p>"), r"U\+000B is not a character"),
    "one in an entity": (document("<e:p>&x;</e:p>", '<!DOCTYPE r [<!ENTITY x "&#2;">]>'), r"U\+0002 is not a character"),
    "U+FFFE": (document("<e:p>\ufffe</e:p>"), r"U\+FFFE is not a character"),
    "one in a section": (document(LITERAL.format("<![CDATA[\x02]]>")), r"U\+0002 is not a character"),
    "a comment in a literal": (document(LITERAL.format("a<!-- b -->c")), "a comment or a processing instruction within"),
    "an instruction in a literal": (document(LITERAL.format("<b>a<?b c?></b>")), "a comment or a processing instruction within"),
    "quotes in a literal": (document(LITERAL.format("<a q='\" x=\"'/>")), "an attribute value in single quotes"),
    "an entity in an attribute of a literal": (document(LITERAL.format('<a q="&x;"/>'), '<!DOCTYPE r [<!ENTITY x "y">]>'), "an entity of the document in an attribute"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "said"), REFUSED.values(), ids=REFUSED)
def test_what_would_be_another_literal(data: bytes, said: str) -> None:
    with pytest.raises(TextError, match=said) as caught:
        value(data)
    assert caught.value.kind == "text.syntax"


def test_what_stays() -> None:
    entities = '<!DOCTYPE r [<!ENTITY x "&amp;lt;b"><!ENTITY y "&lt;&#233;&#xA;">]>'
    assert value(document("<e:p>&x;&y;&#9;\t&#38;lt;</e:p>", entities)) == "&lt;b<é\n\\t\\t&lt;"
    assert value(document("<!-- a --><?b c?><e:p>d</e:p><!-- e -->")) == "d"
    assert value(document(LITERAL.format("b")) + b"<!-- a -->") == "b"
