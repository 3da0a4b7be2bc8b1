"""What a source holds, and whether it is right."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import jelly
import jellybytes as jb
from jelly.errors import JellyError
from shared_data import shared


def test_inspection_counts_everything() -> None:
    rows = [jb.rdf_options(jb.QUADS, 2, stream_name="n"), jb.rdf_entry("name", "urn:a")]
    rows += [jb.rdf_entry("prefix", "http://"), {6: {1: "ns", 2: jb.iri(1)}}]
    rows.append(jb.quad(s_iri=jb.iri(1), p_iri=jb.iri(1), o_bnode="b", g_default={}))
    rows.append(jb.quad(o_bnode=""))
    first = jb.frame(*rows, metadata={"a": b"1"})
    data = jb.delimited(first, b"", jb.frame(jb.quad(), metadata={"a": b"", "b": b""}))
    found = jelly.inspect(gzip.compress(data))
    assert (found.format, found.compression, found.framing) == ("jelly", "gzip", "delimited")
    assert found.rows == {"options": 1, "quad": 3, "namespace": 1, "name": 1, "prefix": 1}
    assert (found.frames, found.bytes) == (3, len(data))
    assert found.largest_frame == len(first)
    assert found.largest_row == max(len(jb.message(row)) for row in rows)
    assert (found.namespaces, found.metadata_keys) == ({"ns": "urn:a"}, ["a", "b"])
    assert isinstance(found.options, jelly.RdfOptions)
    assert found.options.stream_name == "n"
    assert (found.error, found.patches) == (None, 0)
    assert json.loads(json.dumps(found.as_dict()))["options"]["physical_type"] == "QUADS"
    text = str(found)
    assert "Jelly-RDF, delimited, compression gzip" in text
    assert "quad 3" in text


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_inspection_does_not_depend_on_pieces(size: int) -> None:
    for data in (jb.small_rdf(50, 5), jb.small_patch(3, 5, jb.FRAME)):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert jelly.inspect(pieces) == jelly.inspect(data)


def test_inspection_of_patches() -> None:
    rows = [
        jb.patch_options(),
        jb.BEGIN,
        jb.COMMIT,
        jb.BEGIN,
        jb.ABORT,
        jb.BEGIN,
        jb.BEGIN,
        jb.MARK,
    ]
    rows += [jb.COMMIT, jb.header("id", literal=jb.literal("x"))]
    found = jelly.inspect(jb.delimited(jb.frame(*rows)))
    assert found.transactions == {"committed": 1, "aborted": 1, "unfinished": 2, "stray": 1}
    assert found.patches == 2
    assert [(item.kind, item.count, item.seq) for item in found.advice] == [
        ("patch.unfinished", 2, 4),
        ("patch.stray", 1, 7),
        ("patch.unterminated", 1, 9),
        ("patch.late_header", 1, 8),
    ]
    assert found.rows["transaction_start"] == 4
    assert "committed 1, aborted 1, unfinished 2, stray 1" in str(found)


def advice(data: bytes) -> list[str]:
    report = jelly.validate(data)
    assert report.ok, report
    return [item.message for item in report.warnings]


def good(*more: jb.Fields, **options: int) -> bytes:
    """A stream that uses all it declares, unless options declare more."""
    rows = [jb.rdf_options(datatypes=0, **options), jb.rdf_entry("prefix", "http://e/")]
    rows += [jb.rdf_entry("name", "a")]
    rows.append(jb.triple(s_iri=jb.iri(1, 1), p_iri=jb.iri(1, 1), o_iri=jb.iri(1, 1)))
    return jb.delimited(jb.frame(*rows, *more))


def test_a_good_stream_has_no_warnings() -> None:
    assert advice(good()) == []
    assert advice(b"") == []
    assert str(jelly.validate(good())) == "valid"


def test_unused_declarations_are_warned_of() -> None:
    assert advice(good(generalized=1)) == ["generalized_statements is declared and not used"]
    assert advice(good(star=1)) == ["rdf_star is declared and not used"]
    assert advice(jb.small_rdf()) == ["a datatype table is declared and not used"]
    quoted = jb.statement(s_bnode="x", p_iri=jb.iri(1, 1), o_bnode="y")
    assert advice(good(jb.triple(o_triple=quoted), star=1)) == []
    literal = jb.triple(s_literal=jb.literal("x"))
    assert advice(good(literal, generalized=1)) == []


def test_shapes_are_warned_of() -> None:
    rows = [jb.rdf_options(logical=2, datatypes=0)]
    assert advice(jb.delimited(jb.frame(*rows))) == [
        "logical type FLAT_QUADS does not fit physical type TRIPLES"
    ]
    assert "one frame without its length" in advice(jb.frame(jb.rdf_options(datatypes=0)))[0]
    large = jb.triple(o_literal=jb.literal("x" * 1_000_000))
    assert "should stay below 1 MB" in advice(good(large))[0]


def test_graphs_in_triples_are_warned_of() -> None:
    rows = [jb.patch_options(jb.FLAT, jb.TRIPLES, datatypes=0, prefixes=0)]
    rows += [jb.patch_entry("name", "urn:a")]
    rows.append(jb.add(s_iri=jb.iri(1), p_iri=jb.iri(1), o_bnode="b", g_bnode="g"))
    report = jelly.validate(jb.delimited(b"", jb.frame(*rows)))
    assert [(item.kind, item.count, item.frame) for item in report.warnings] == [
        ("patch.graph", 1, 1)
    ]
    assert "patch.graph: a graph in a stream of TRIPLES (frame 1)" in str(report)


def test_an_invalid_stream() -> None:
    data = jb.small_rdf(10)
    report = jelly.validate(data[:-1], source_name="x")
    assert not report
    assert not report.ok
    (error,) = report.errors
    assert isinstance(error, jelly.errors.TruncatedError)
    assert (error.source, error.frame, error.row) == ("x", 0, 13)
    assert report.inspection.rows["triple"] == 9
    assert str(report).startswith("not valid\nerror: truncated.frame: ")
    values = json.loads(json.dumps(report.as_dict()))
    assert (values["ok"], values["errors"][0]["kind"]) == (False, "truncated.frame")
    assert "error" not in values["inspection"]


def test_features_that_are_not_declared_are_errors_to_validate_only() -> None:
    data = good(jb.triple(s_literal=jb.literal("x")))
    assert jelly.inspect(data).error is None
    (error,) = jelly.validate(data).errors
    assert error.kind == "options.undeclared"


def test_every_cut_is_found() -> None:
    data = jb.small_patch(2, 3)
    ends = {0, len(jb.small_patch(1, 3))}  # between frames, nothing shows
    valid = {end for end in range(len(data)) if jelly.validate(data[:end])}
    assert valid == ends


def test_files_put_end_to_end_are_warned_of() -> None:
    one, two = jb.small_rdf(3), jb.small_rdf(5)
    report = jelly.validate(one + two + two)
    assert report.ok
    found = [item for item in report.warnings if item.kind == "options.repeated"]
    assert [(item.count, item.frame) for item in found] == [(2, 1)]
    assert 'framing="concatenated"' in found[0].message
    for right in (one, b""):
        assert "options.repeated" not in str(jelly.validate(right))
    assert "options.repeated" not in str(jelly.validate(one + two, framing="concatenated"))


def test_errors_after_repeated_options_say_what_may_help() -> None:
    def stream(name: str) -> bytes:
        rows = [jb.rdf_options(), jb.rdf_entry("name", name)]
        return jb.delimited(
            jb.frame(*rows, jb.triple(s_iri=jb.iri(1), p_iri=jb.iri(1), o_bnode="b"))
        )

    more = jb.delimited(jb.frame(jb.triple(o_iri=jb.iri(3))))
    for data, kind in [
        (stream("urn:a") + stream("urn:b") + more, "table.undefined"),
        (
            stream("urn:a") + jb.delimited(jb.frame(jb.rdf_options(generalized=1))),
            "options.changed",
        ),
    ]:
        with pytest.raises(
            jelly.errors.DecodeError, match=r'frame 1: .*framing="concatenated"'
        ) as caught:
            list(jelly.read_rdf(data))
        assert caught.value.kind == kind
    with pytest.raises(jelly.errors.TableError) as caught:
        list(jelly.read_rdf(stream("urn:a") + more))
    assert "concatenated" not in str(caught.value)
    assert str(jelly.validate(stream("urn:a") + stream("urn:b") + more)).count("concatenated") == 2


def test_other_formats() -> None:
    with pytest.raises(jelly.errors.WireError, match=r"N-Triples.*not Jelly-RDF or Jelly-Patch"):
        jelly.inspect(b"<a> <b> <c> .\n")
    with pytest.raises(jelly.errors.WireError, match="set it"):
        jelly.inspect(b"\x03abc")
    report = jelly.validate(b"<a> <b> <c> .\n")
    assert [error.kind for error in report.errors] == ["wire.format"]
    assert jelly.inspect(b"").format is None
    assert jelly.inspect(b"", format="jelly-patch").format == "jelly-patch"
    with pytest.raises(ValueError, match="format is"):
        jelly.inspect(b"", format="x")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["x.jelly", "x.jellyp", "x.jelly.gz"])
def test_an_empty_file_that_readers_reject(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"")
    report = jelly.validate(path)
    assert [error.kind for error in report.errors] == ["truncated.stream"]
    read: Any = jelly.read_patch if "jellyp" in name else jelly.read_rdf
    with pytest.raises(JellyError) as caught:
        read(path)
    assert str(caught.value) == str(report.errors[0])
    path.rename(tmp_path / "x")
    assert jelly.validate(tmp_path / "x").ok


def test_unreadable_sources(tmp_path: Path) -> None:
    for look in (jelly.inspect, jelly.validate):
        with pytest.raises(FileNotFoundError):
            look(tmp_path / "missing")


@pytest.mark.parametrize(
    ("file", "rows"),
    [("bsbm-50k.jelly.gz", {"triple": 50_000}), ("weather-cdc-2000tx.jellyp.gz", {"header": 3999})],
)
def test_corpus(file: str, rows: dict[str, int]) -> None:
    report = jelly.validate(shared(f"corpus/{file}"))
    assert report.ok
    assert rows.items() <= report.inspection.rows.items()


def test_metadata_keys_are_bounded_in_bytes() -> None:
    keys = [f"{n}{'k' * 100_000}" for n in range(20)]
    frames = [
        jb.frame(*([jb.rdf_options()] if n == 0 else []), metadata={key: b""})
        for n, key in enumerate(keys)
    ]
    found = jelly.inspect(jb.delimited(*frames, jb.frame(metadata={"small": b""})))
    assert found.metadata_keys == [*keys[:10], "small"]


@pytest.mark.parametrize("row", [4, 5])
def test_a_graph_of_a_prefix_can_be_generalized(row: int) -> None:
    """A literal as graph of a prefix that is added (4) or deleted (5)."""
    rows = [
        jb.patch_options(generalized=1, prefixes=0, datatypes=0),
        jb.patch_entry("name", "urn:x"),
    ]
    rows.append(jb.add(s_iri=jb.iri(1), p_iri=jb.iri(1), o_iri=jb.iri(1), g_default={}))
    declared = jelly.validate(jb.delimited(jb.frame(*rows, jb.MARK)))
    assert "generalized_statements is declared" in str(declared)
    rows.append({row: {1: "p", 2: jb.iri(1), 6: jb.literal("g")}})
    used = jelly.validate(jb.delimited(jb.frame(*rows, jb.MARK)))
    assert "generalized_statements is declared" not in str(used)


def test_streams_end_to_end_are_judged_one_by_one() -> None:
    def stream(literal: bool, **options: int) -> bytes:
        rows = [jb.rdf_options(prefixes=0, datatypes=0, **options), jb.rdf_entry("name", "urn:x")]
        subject: dict[str, object] = {"s_iri": jb.iri(1)}
        if literal:
            subject = {"s_literal": jb.literal("l")}
        return jb.delimited(jb.frame(*rows, jb.triple(**subject, p_iri=jb.iri(1), o_iri=jb.iri(1))))

    uses, wastes, neither = stream(True, generalized=1), stream(False, generalized=1), stream(False)
    for data, wasted in (
        (uses + neither, False),
        (neither + uses, False),
        (wastes + neither, True),
        (wastes + uses, True),
        (uses + wastes, True),
    ):
        found = str(jelly.validate(data, framing="concatenated"))
        assert ("generalized_statements is declared and not used" in found) == wasted
