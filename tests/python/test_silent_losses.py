"""What was lost, joined or misread at the edges without a word: each is kept now, or refused."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import JellyError, JellyWarning, TextError
from jelly.replica import Replica

DOCUMENT = b'@prefix ex: <http://e/> .\nex:a ex:p "1" .\n'
LATE = b'<http://e/0> <http://e/p> "0" .\n' * 600 + DOCUMENT
PATCHES = [b"", b'A <http://e/b> <http://e/p> "2" .\n', b'PA "q" <http://q/> .\n', b'PD "ex" .\n']


@contextmanager
def zoned(zone: str) -> Iterator[None]:
    """With this zone as that of the machine."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


def prefixes(data: bytes) -> dict[str, str]:
    with jelly.read_rdf(data, format="jelly") as reader:
        assert sum(1 for _ in reader.rows()) > 0
        return dict(reader.namespaces)


def test_prefixes_that_the_output_cannot_hold_are_counted(tmp_path: Path) -> None:
    source, patch = tmp_path / "a.ttl", tmp_path / "p.rdfp"
    source.write_bytes(DOCUMENT + b"@prefix z: <http://z/> .\nz:a z:p 1 .\n")
    patch.write_bytes(b'PA "q" <http://q/> .\n')
    holds = {"nt": False, "nq": False, "parquet": False, "ttl": True, "jelly": True, "rdfp": True}
    for to, is_held in holds.items():
        dest = tmp_path / f"out.{to}"
        assert jelly.convert(source, dest).prefixes_left_out == (0 if is_held else 2), to
        if to in ("nt", "nq", "ttl", "jelly"):
            assert jelly.apply(source, patch, dest).prefixes_left_out == (0 if is_held else 3), to
    # a name that Turtle has not
    jelly_file = tmp_path / "odd.jelly"
    with jelly.RdfWriter(jelly_file, namespaces={"1 x": "http://x/", "y": "http://y/"}) as writer:
        writer.write([("<a:a>", "<a:p>", "<a:o>")])
    assert jelly.convert(jelly_file, tmp_path / "odd.ttl").prefixes_left_out == 1
    replica = Replica.create(tmp_path / "replica", source)
    assert replica.dump(tmp_path / "dump.nq").prefixes_left_out == 2
    assert replica.dump(tmp_path / "dump.jelly").prefixes_left_out == 0
    found = subprocess.run(
        [sys.executable, "-m", "jelly", "apply", source, patch, "-o", tmp_path / "said.nq"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "; 3 prefixes left out, which this format cannot hold" in found.stderr


@pytest.mark.parametrize("document", [DOCUMENT, LATE], ids=["first", "late"])
@pytest.mark.parametrize("format", ["turtle", "trig"])
def test_prefixes_of_turtle_are_kept_in_jelly(document: bytes, format: Any, tmp_path: Path) -> None:
    doors: dict[str, Callable[[bytes, Any], object]] = {
        "apply": lambda patch, out: jelly.apply(document, patch, out, base_format=format, patch_format="rdfp", to="jelly"),
        "as_of": lambda patch, out: jelly.as_of(document, patch, 1 if patch else 0, out, base_format=format, patch_format="rdfp", to="jelly"),
    }  # fmt: skip
    expected = [{"ex": "http://e/"}] * 2 + [{"ex": "http://e/", "q": "http://q/"}, {}]
    for name, door in doors.items():
        for patch, wanted in zip(PATCHES, expected, strict=True):
            out = io.BytesIO()
            door(patch, out)
            assert prefixes(out.getvalue()) == wanted, (name, patch)
    out = io.BytesIO()
    jelly.convert(document, out, format=format, to="jelly")
    assert prefixes(out.getvalue()) == {"ex": "http://e/"}
    out = io.BytesIO()
    jelly.convert(document, out, format=format, to="jelly", namespaces=False)
    assert prefixes(out.getvalue()) == {}
    log = jelly.Log.create(tmp_path / "log", document, base_format=format)
    out = io.BytesIO()
    log.dataset(out, to="jelly")
    assert prefixes(out.getvalue()) == {"ex": "http://e/"}


NO_BASE = [
    '{"@context":{"@base":null},"@id":"http://a/s","http://a/p":{"@id":"rel"}}',
    '{"@context":{"@base":null},"@id":"rel","http://a/p":"1"}',
    '{"@context":{"@base": null ,"p":{"@id":"http://a/p","@type":"@id"}},"@id":"http://a/s","p":["http://ok/","rel"]}',
    '{"@context":{"@base":null},"@id":"http://a/s","@type":"rel"}',
    '{"@context":{"@base":null},"@id":"rel","@graph":{"@id":"http://a/s","http://a/p":"1"}}',
    '{"@context":{"@base":"http://b/"},"@id":"ok","http://a/p":{"@id":"rel","@context":{"@base":null},"http://a/q":"2"}}',
    '{"@context":[{"@base":"http://b/"},{"@base":null}],"@id":"rel","http://a/p":"1"}',
    '{"@context":{"\\\\u0040base":null},"@id":"rel","http://a/p":"1"}',
]


@pytest.mark.parametrize("document", NO_BASE)
def test_relative_iris_without_a_base_are_refused(document: str) -> None:
    with jelly.read_rdf(document.encode(), format="jsonld") as reader, pytest.raises(TextError, match=r"the IRI \"rel\" has no scheme.*row \d") as caught:  # fmt: skip
        list(reader.rows())
    assert caught.value.kind == "text.iri"


XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description {}</rdf:Description></rdf:RDF>'
RELATIVE = [
    ("ttl", "<http://a/s> <http://a/p> <rel> .", "byte 26, line 1, column 27", "@base <"),
    ("ttl", '@prefix : <rel> .\n:s <http://a/p> "1" .', "byte 10, line 1, column 11", "@base <"),
    ("ttl", '<http://a/s> <http://a/p> "1"^^<rel> .', "byte 31, line 1, column 32", "@base <"),
    ("ttl", "@base <rel> .", "byte 6, line 1, column 7", "@base <"),
    ("trig", '<rel> { <http://a/s> <http://a/p> "1" }', "byte 0, line 1, column 1", "@base <"),
    ("rdfxml", XML.format('rdf:about="rel"><e:p>1</e:p>'), "row 0", "xml:base"),
    ("rdfxml", XML.format('rdf:about="http://a/s"><e:p>1</e:p><e:p rdf:resource="rel"/>'), "row 1", "xml:base"),
    ("rdfxml", XML.format('rdf:about="http://a/s"><e:p rdf:datatype="rel">1</e:p>'), "row 0", "xml:base"),
    ("rdfxml", XML.format('xml:base="rel" rdf:about="s"><e:p>1</e:p>'), "row 0", "xml:base"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "document", "place", "advice"), RELATIVE)
def test_the_error_names_the_relative_iri(
    format: Any, document: str, place: str, advice: str
) -> None:
    with jelly.read_rdf(document.encode(), format=format) as reader, pytest.raises(TextError) as caught:  # fmt: skip
        list(reader.rows())
    assert caught.value.kind == "text.iri"
    for part in ('the IRI "rel" has no scheme', place, advice):
        assert part in str(caught.value)


TERMS = {
    '{"@context":{"p":"rel"},"@id":"a:s","p":"1"}': None,
    '{"@context":{"p":{"@id":"rel"}},"@id":"a:s","p":"1"}': None,
    '{"@context":{"p":{"@reverse":"rel"}},"@id":"a:s","p":{"@id":"a:o"}}': None,
    '{"@context":{"p":"rel","rel":"http://a/p"},"@id":"a:s","p":"1"}': "<http://a/p>",
    '{"@context":[{"rel":"http://a/p"},{"p":"rel"}],"@id":"a:s","p":"1"}': "<http://a/p>",
    '{"@context":{"p":"rel","@vocab":"http://a/"},"@id":"a:s","p":"1"}': "<http://a/rel>",
    '{"@context":{"p":{"@id":"a:p","@type":"@id"},"i":"@id","t":"@type"},"i":"a:s","p":"a:o"}': "<a:p>",
    '{"@context":{"@language":"en","p":{"@id":"a:p","@container":["@set"]}},"@id":"a:s","p":["x"]}': "<a:p>",
    '{"@context":{"p":{"@id":"a:p","@context":{"q":"r","r":"a:r"}}},"@id":"a:s","p":{"q":"x"}}': "<a:p>",
}


@pytest.mark.parametrize("document", TERMS)
def test_terms_that_stand_for_no_iri_are_refused(document: str) -> None:
    """The library dropped their statements, with exit code 0; JSON-LD 1.1 has this as an error."""
    with jelly.read_rdf(document.encode(), format="jsonld") as reader:
        if TERMS[document]:
            assert next(reader.rows()).predicate == TERMS[document]
            return
        with pytest.raises(TextError, match=r'the term "p" of a context stands for "rel"') as caught:  # fmt: skip
            list(reader.rows())
    assert caught.value.kind == "text.iri"


def test_escapes_hide_no_relative_iri() -> None:
    for iri, is_whole in [
        (r"\u0072el", False),
        (r"rel\U0000003a", True),
        (r"\u0068ttp://a/o", True),
    ]:
        data = f"<http://a/s> <http://a/p> <{iri}> .".encode()
        with jelly.read_rdf(data, format="ttl") as reader, suppress(TextError):
            assert [row.object for row in reader.rows()] != []
            assert is_whole
            continue
        assert not is_whole, iri
    out, data = io.BytesIO(), rb"<http://a/s> <http://a/p> <re\u0020l> ."
    with pytest.raises(JellyError, match="has no scheme, and Turtle and TriG would resolve"):
        jelly.convert(data, out, format="nt", to="ttl")


def test_documents_without_a_base_are_read() -> None:
    documents = {
        '{"@context":{"@base":null},"@id":"http://a/s","http://a/p":[{"@id":"http://a/o"},"x",null]}': 2,
        '{"@context":{"@base":null,"p":null},"@id":"http://a/s","http://a/p":"x","p":"y"}': 1,
        '{"@context":{"@base":"http://b/"},"@id":"s","http://a/p":{"@id":"o"}}': 1,
    }
    for document, count in documents.items():
        with jelly.read_rdf(document.encode(), format="jsonld") as reader:
            assert len(list(reader.rows())) == count, document


GENID = "https://example.org/genid/"


@pytest.mark.parametrize("place", ["subject", "object", "graph", "nested"])
@pytest.mark.parametrize("first", [True, False])
def test_iris_that_begin_as_those_of_blank_nodes(place: str, first: bool) -> None:
    own = f"<{GENID}b>"
    terms = {name: f"<a:{name}>" for name in ("subject", "object", "graph")} | {place: own}
    if place == "nested":
        terms["object"] = f"<<( <a:s> <a:p> {own} )>>"
    row = f"{terms['subject']} <a:p> {terms['object']} {terms['graph']} .\n"
    node = '_:b <a:p> "node" .\n'
    data = (row + node if first else node + row).encode()
    with pytest.raises(JellyError, match="begins like the IRIs of blank nodes") as caught:
        jelly.convert(data, io.BytesIO(), format="nq", to="nq", skolemize=GENID)
    assert caught.value.kind == "encode.skolem"
    for old, new in ((b"", data), (data, b"")):
        with pytest.raises(JellyError) as caught:
            jelly.diff(old, new, io.BytesIO(), old_format="nq", new_format="nq", to="rdfp", blank_nodes="labels", skolemize=GENID)  # fmt: skip
        assert caught.value.kind == "encode.skolem"
    out = io.BytesIO()
    jelly.convert(data, out, format="nq", to="nq", skolemize="https://example.org/other/")
    assert b"<https://example.org/other/b>" in out.getvalue()
    # nothing is joined where one side has no nodes any more
    named = io.BytesIO()
    jelly.convert(node.encode(), named, format="nq", to="nq", skolemize=GENID)
    done = jelly.diff(named.getvalue(), node.encode(), io.BytesIO(), old_format="nq", new_format="nq", to="rdfp", blank_nodes="labels", skolemize=GENID)  # fmt: skip
    assert (done.added, done.deleted) == (0, 0)
    jelly.convert(named.getvalue() + row.encode(), io.BytesIO(), format="nq", to="nq", skolemize=GENID)  # fmt: skip


@pytest.mark.parametrize("format", ["nt", "nq"])
def test_version_of_n_triples_1_2(format: Any, tmp_path: Path) -> None:
    row = '<a:s> <a:p> <<( <a:s> <a:p> "x"@en--ltr )>> .\n'
    for version in ('VERSION "1.2"', 'VERSION\t"1.2-basic" # why', '  VERSION"1.1"'):
        text = f"{version}\n{row}# {version}\n{version}\r\n{row}{version}".encode()
        with jelly.read_rdf(text, format=format) as reader:
            assert [found.seq for found in reader.rows()] == [0, 1], version
        for size in (1, 7):
            pieces = (text[at : at + size] for at in range(0, len(text), size))
            with jelly.read_rdf(pieces, format=format) as reader:
                assert len(list(reader.rows())) == 2
    path = tmp_path / f"a.{format}"
    path.write_text(('VERSION "1.2"\n' + row) * 400)
    seqs = []
    for split in jelly.splits(path, split_bytes=2000):
        with jelly.read_rdf(path, split=split) as reader:
            seqs += [found.seq for found in reader.rows()]
    assert seqs == list(range(400))
    for wrong in (
        "VERSION 1.2",
        'VERSIONS "1.2"',
        'VERSION "1.2" .',
        "VERSION",
        'VERSION "1.2" ' + row,
    ):
        with (
            jelly.read_rdf(f"{wrong}\n{row}".encode(), format=format) as reader,
            pytest.raises(TextError),
        ):
            list(reader.rows())


def test_truth_is_no_version(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log")
    log.publish(b'A <a:s> <a:p> "1" .\n')
    replica = Replica.create(tmp_path / "replica")
    replica.follow(log, each_version=True)
    jelly.backup(b"", tmp_path / "kept", dump_format="nq")
    doors: list[Callable[[Any], object]] = [
        lambda version: jelly.as_of(b"", log, version, io.BytesIO(), base_format="nq", to="nq"),
        lambda version: jelly.between(log, 0, version, io.BytesIO()),
        lambda version: jelly.between(log, version, 1, io.BytesIO()),
        lambda version: log.publish(b'A <a:s> <a:p> "2" .\n', expect=version),
        lambda version: log.fetch(version, io.BytesIO()),
        lambda version: log.dataset(io.BytesIO(), version, to="nq"),
        lambda version: list(log.versions(version)),
        lambda version: log.read(version),
        lambda version: replica.follow(log, upto=version),
        lambda version: jelly.restore(tmp_path / "kept", io.BytesIO(), version=version, to="nq"),
        lambda version: replica.read(version),
        lambda version: replica.dump(io.BytesIO(), version, to="nq"),
    ]
    for number, door in enumerate(doors):
        for version in (True, False):
            with pytest.raises(TypeError, match="bool"):
                door(version)
            assert log.head.version == 1, number
    for door in doors[:3]:
        with pytest.raises(TypeError, match=r"(as_of|between)\(\) needs a version, not None"):
            door(None)
    doors[0](1)


def test_days_at_the_ends_of_the_calendar(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    jelly.backup(b'<a:s> <a:p> "1" .\n', folder, at=datetime(2026, 1, 1, tzinfo=UTC), dump_format="nq")  # fmt: skip
    for day in ("9999-12-31Z", "9999-12-31+12:00", "9999-12-31T13:00+02:00"):
        assert jelly.restore(folder, io.BytesIO(), at=day, to="nq").version == 0
    for day in (
        "9999-12-31-05:00",
        "9999-12-31T23:59-12:00",
        "0001-01-01T00:00+12:00",
        "0001-01-01+12:00",
    ):
        with pytest.raises(ValueError, match=r"outside the years 1 to 9999 in UTC"):
            jelly.restore(folder, io.BytesIO(), at=day, to="nq")
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        with zoned(zone), pytest.raises(ValueError, match=r"years 1 to 9999|2026"):
            jelly.restore(folder, io.BytesIO(), at="9999-12-31" if "Asia" not in zone else "0001-01-01", to="nq")  # fmt: skip


def test_replicas_follow_uris_of_files(tmp_path: Path) -> None:
    log = jelly.Log(tmp_path / "a log")
    log.publish(b'A <a:s> <a:p> "1" .\n')
    replica = Replica.create(tmp_path / "replica")
    assert replica.follow(log.folder.as_uri()).patches == 1
    log.publish(b'A <a:s> <a:p> "2" .\n')
    assert replica.follow(log.files[1].as_uri()).patches == 1
    with pytest.raises(FileNotFoundError):
        replica.follow((tmp_path / "nowhere").as_uri())


def test_history_says_the_order_that_names_decided(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "today.rdfp").write_text("A <a:s> <a:p> <a:o> .\n")
    (folder / "correction.rdfp").write_text("D <a:s> <a:p> <a:o> .\n")
    for find in (jelly.history, jelly.history_by):
        with pytest.warns(
            JellyWarning, match=r"in the order .*correction\.rdfp, .*today\.rdfp; only"
        ):
            assert [period[4:6] for period in find(folder)] == [(2, None)]
    shell = subprocess.run(
        [sys.executable, "-m", "jelly", "history", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "correction.rdfp" in shell.stderr
    assert shell.stderr.startswith("warning: the patches are applied in")
    assert shell.stdout.startswith("2\t\t<a:s>")
    log = jelly.Log(tmp_path / "numbered")
    log.publish(b"A <a:s> <a:p> <a:o> .\n")
    log.publish(b"D <a:s> <a:p> <a:o> .\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(jelly.history(log))) == 1
        assert len(list(jelly.history([folder / "today.rdfp", folder / "correction.rdfp"]))) == 1


def test_whole_numbers_of_json_ld_stay_integers() -> None:
    """JSON-LD 1.1 API, Object to RDF Conversion: a double from 1e21 on. Before, one came from 1e20 on."""
    for number, wanted in [
        ("1e19", '"10000000000000000000"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        ("-5", '"-5"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        ("1e21", '"1.0E21"^^<http://www.w3.org/2001/XMLSchema#double>'),
    ]:
        data = f'{{"@id": "urn:a", "urn:p": {number}}}'.encode()
        with jelly.read_rdf(data, format="jsonld") as reader:
            assert [row.object for row in reader.rows()] == [wanted]
    for number in (
        "100000000000000000000",
        "-1e20",
        "999999999999999900000",
        "12345678901234567890.1E1",
    ):
        data = f'{{"@id": "urn:a", "urn:p": {number}}}'.encode()
        with pytest.raises(TextError, match="is an integer, but would be read as a double"):
            list(jelly.read_rdf(data, format="jsonld").rows())


def test_line_ends_of_rdf_xml() -> None:
    head = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:">'
    inner = [
        (b"<e:p>1\r\n2\r3&#13;\n</e:p>", ['"1\\n2\\n3\\r\\n"']),
        (b"<e:p><![CDATA[\r\n<&\r]]></e:p>", ['"\\n<&\\n"']),
        (b'<e:p\r\n xml:lang="EN"\r>\r\n</e:p>', ['"\\n"@EN']),
        (b'<e:p e:q="a\tb\r\nc\nd\re&#9;&#10;"/>', ['"a b c d e\\t\\n"']),
    ]
    for text, wanted in inner:
        data = (
            head
            + b'\r\n<rdf:Description rdf:about="urn:a">'
            + text
            + b"</rdf:Description></rdf:RDF>\r\n"
        )
        for pieces in ([data], [data[at : at + 1] for at in range(len(data))]):
            rows = [row.object for row in jelly.read_rdf(iter(pieces), format="rdfxml").rows()]
            assert [term for term in rows if term.startswith('"')] == wanted
