"""What is written as Turtle or TriG is read back as the same rows."""

import io
import random
from typing import Any

import pytest

import jelly

CHARACTERS = "abzAZ09%#?/:._-~!$&'()*+,;=@[]é日\U0001f600\\"
LABELS = [
    "a",
    "b0",
    "a.b",
    "_x",
    "0",
    "é",
    "a-b",
]  # not `anon-`, which stands for nodes without a label
TAGS = [
    "en",
    "en-US",
    "EN",
    "de-Latn-DE-1996",
    "x-Private",
    "abcdefghijk",
    "q",
    "en-a-bbbbbbbbbbb-1",
    "en--ltr",
    "EN-gb--rtl",
    "prefix",
    "Base",
]
PREFIXES = {
    "e": "http://e/",
    "h": "http://e/#",
    "": "http://e/a%",
    "u": "urn:",
    "n": "http://host",
    "p": "http://e/a?",
    "d": "urn:x.",
    "é": "http://e/b",
    "p.q": "http://e/c/",
    "a-b_1": "http://f/",
}


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04X}" if c == "\\" or c < "!" else c for c in text)


def iri(r: random.Random) -> str:
    start = r.choice([*PREFIXES.values(), "http://e/a#b#", "http://[", "a:", "http://e:99999999/"])
    return "<" + start + escaped("".join(r.choices(CHARACTERS, k=r.randrange(6)))) + ">"


def literal(r: random.Random) -> str:
    text = "".join(
        r.choices(
            [
                "a",
                "é",
                '\\"',
                "\\\\",
                "\\n",
                "\\r",
                "'",
                "\\u0000",
                "\\t",
                "\U0001f600",
                "@en",
                "<a:b>",
                "\\uFFFE",
            ],
            k=r.randrange(8),
        )
    )
    known = ["integer", "decimal", "double", "boolean", "string"]
    datatype = r.choice([iri(r), *(f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in known)])
    if r.random() < 0.2:
        text = r.choice(["1", "-1", "+1.", "1.5", ".5", "1e5", "true", "TRUE", "01", "1.0E0", ""])
    return f'"{text}"' + r.choice(["", "@" + r.choice(TAGS), "^^" + datatype])


def term(r: random.Random, depth: int = 0) -> str:
    if depth < 3 and r.random() < 0.1:
        return f"<<( {node(r)} {iri(r)} {term(r, depth + 1)} )>>"
    return r.choice([iri, literal, node])(r)


def node(r: random.Random) -> str:
    return "_:" + r.choice(LABELS) if r.random() < 0.4 else iri(r)


def read(data: bytes, form: Any) -> list[tuple[str, ...]]:
    return [
        (r.subject, r.predicate, r.object, r.graph)
        for r in jelly.read_rdf(data, format=form, blank_nodes="keep").rows()
    ]


def written(data: bytes, to: Any) -> bytes:
    out = io.BytesIO()
    jelly.convert(data, out, format="nq", to=to)
    return out.getvalue()


@pytest.mark.parametrize("to", ["trig", "ttl"])
def test_what_n_quads_takes(to: str) -> None:
    r = random.Random(7)
    taken = 0
    for _ in range(2000):
        graph = r.choice(["", node(r)]) if to == "trig" else ""
        line = f"{node(r)} {iri(r)} {term(r)} {graph} .\n".encode()
        try:
            wanted = read(line, "nq")
        except jelly.errors.TextError:
            continue
        taken += 1
        assert read(written(line, to), to) == wanted, line
    assert taken > 1500


def test_prefixes_do_not_change_names() -> None:
    r = random.Random(8)
    namespaces = b"".join(
        b"@prefix %s: <%s> .\n" % (name.encode(), iri.encode())
        for name, iri in PREFIXES.items()
        if "%" not in iri
    )
    lines = [f"{node(r)} {iri(r)} {term(r)} .\n".encode() for _ in range(1000)]
    taken = [line for line in lines if reads(line)]
    assert len(taken) > 700
    wanted = [row for line in taken for row in read(line, "nq")]
    source = written(b"".join(taken), "ttl")
    out = io.BytesIO()
    jelly.convert(namespaces + source, out, format="ttl", to="ttl")
    assert b"e:" in out.getvalue()
    assert read(out.getvalue(), "ttl") == wanted


def reads(line: bytes) -> bool:
    try:
        return bool(read(line, "nq"))
    except jelly.errors.TextError:
        return False


def test_an_iri_without_a_scheme_is_refused() -> None:
    for line in (b"<a> <a:b> <a:c> .", b"<a:a> </b> <a:c> .", b'<a:a> <a:b> "x"^^<#c> .'):
        assert read(line, "nq")
        with pytest.raises(jelly.errors.EncodeError, match="has no scheme") as refused:
            written(line, "ttl")
        assert refused.value.kind == "encode.term"
        with pytest.raises(jelly.errors.TextError):
            read(line, "ttl")


def test_what_turtle_has_not_is_refused() -> None:
    for body in (
        b'"a\nb"',
        b"<http://e/ b>",
        b"<http://e/{b}>",
        b"e:a\\zb",
        b"e:a%2",
        b'"x"@1',
        b"<rel>",
        b'"\\uD800"',
    ):
        with pytest.raises(jelly.errors.TextError):
            read(b"@prefix e: <http://e/> .\n<a:a> <a:b> " + body + b" .", "ttl")


@pytest.mark.parametrize("to", ["trig", "ttl"])
def test_prefixes_are_declared_or_counted(to: Any) -> None:
    names = ["é", "p.q", "a-b_1", "", *(f"n{number}" for number in range(400))]
    wanted = {name: f"http://e/{number}/" for number, name in enumerate(names)}
    bad = ["p.", "1", "a b"]
    patch = "".join(f'PA "{name}" <{iri}> .\n' for name, iri in wanted.items())
    patch += "".join(f'PA "{name}" <http://e/> .\n' for name in bad) + 'PA "r" <relative> .\n'
    out = io.BytesIO()
    base = b"<http://e/0/x> <http://e/400/x> <http://e/1/> .\n"
    done = jelly.apply(base, patch.encode(), out, base_format="nq", to=to)
    assert (done.prefixes, done.prefixes_left_out) == (len(names) + 4, 4)
    reader = jelly.read_rdf(out.getvalue(), format=to)
    assert [row.predicate for row in reader.rows()] == ["<http://e/400/x>"]
    assert reader.namespaces == wanted


def late(count: int) -> bytes:
    """Quads with prefixes between them: some come again, some change what they stand for, some have no path."""
    rows = ["@prefix a: <http://a/> .\n@prefix h: <http://h> .\na:s a:p a:o .\n"]
    for n in range(count):
        rows.append(f"@prefix p{n % 300}: <http://p{n}/x#> .\n@prefix a: <http://a/> .\n")
        rows += [f"a:g{n % 3} {{ p{n % 300}:s a:p p{n % 300}:o, <http://h> . _:b a:p _:b }}\n"] * 2
    return "".join(rows).encode()


@pytest.mark.parametrize("count", [1, 3, 40, 700])
def test_prefixes_between_statements_are_kept(count: int) -> None:
    def quads(data: bytes, format: Any) -> list[bytes]:
        out = io.BytesIO()
        jelly.convert(data, out, format=format, to="nq")
        return out.getvalue().splitlines()

    def prefixes(data: bytes) -> dict[str, str]:
        with jelly.read_rdf(data, format="trig") as reader:
            assert sum(1 for _ in reader.rows()) == 1 + 6 * count
            return dict(reader.namespaces)

    data = late(count)
    stream = io.BytesIO()
    jelly.convert(data, stream, format="trig", to="jelly")
    sources: list[tuple[bytes, Any]] = [(data, "trig"), (stream.getvalue(), "jelly")]
    for source, format in sources:
        out = io.BytesIO()
        jelly.convert(source, out, format=format, to="trig")
        assert quads(out.getvalue(), "trig") == quads(data, "trig")
        assert prefixes(out.getvalue()) == prefixes(data)
        assert len(prefixes(data)) == 2 + min(count, 300)
        assert len(out.getvalue()) < 4 * len(data) + 40_000
