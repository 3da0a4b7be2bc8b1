"""Types: what mypy reads is what there is. `make lint` checks this file with mypy."""

from __future__ import annotations

import io
from typing import Any, assert_type, get_origin

import pytest

import jelly
import jellybytes as jb

RDF = jb.small_rdf(2)
PATCH = jb.small_patch(2, 1)


def test_rows_of_text() -> None:
    for row in jelly.read_rdf(RDF, strict=True).rows():
        assert_type(row, jelly.RdfRow)
        assert_type(row.subject, str)
        assert (type(row), type(row.subject)) == (jelly.RdfRow, str)
    for change in jelly.read_patch(PATCH, rows="committed").rows():
        assert_type(change, jelly.PatchRow)
        assert_type(change.subject, str | None)
        assert (type(change), type(change.subject)) == (jelly.PatchRow, str)


def test_rows_of_terms_in_parts() -> None:
    for row in jelly.read_rdf(RDF, terms="struct").rows():
        assert_type(row, jelly.RdfTermRow)
        assert_type(row.graph, jelly.Term)
        assert (type(row), type(row.graph)) == (jelly.RdfTermRow, jelly.Term)
        assert row.graph.kind == "default"
    reader = jelly.read_patch(PATCH, terms="struct", rows="committed")
    for patch in reader.patches():
        for change in patch.rows():
            assert_type(change, jelly.PatchTermRow)
            assert_type(change.object, jelly.Term | None)
            assert (type(change), type(change.object)) == (jelly.PatchTermRow, jelly.Term)
    assert jelly.PatchTermRow._fields == jelly.PatchRow._fields
    assert jelly.RdfTermRow._fields == jelly.RdfRow._fields


def test_rows_of_some_columns() -> None:
    for row in jelly.read_patch(PATCH, columns=["op"], terms="struct").rows():
        assert_type(row, Any)
        assert type(row).__name__ == "PatchRow"
        assert row._fields == ("op",)


def test_readers_in_annotations() -> None:
    def objects(reader: jelly.RdfReader) -> list[str]:
        return [row.object for row in reader.rows()]

    def kinds(reader: jelly.RdfReader[jelly.RdfTermRow]) -> list[str]:
        return [row.object.kind for row in reader.rows()]

    assert objects(jelly.read_rdf(RDF)) == ['"0"', '"1"']
    assert kinds(jelly.read_rdf(RDF, terms="struct")) == ["literal"] * 2
    with pytest.raises(AttributeError):
        kinds(jelly.read_rdf(RDF))  # type: ignore[arg-type]
    assert get_origin(jelly.RdfReader[jelly.RdfTermRow]) is jelly.RdfReader


def test_wrong_options_of_decoders() -> None:
    jelly.batch_decoder("patch", rows="committed", columns=["op"])
    with pytest.raises(TypeError, match=r"'colums'; did you mean 'columns'"):
        jelly.batch_decoder("patch", colums=["op"])  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="rows"):
        jelly.batch_decoder("rdf", rows="committed")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="rows is"):
        jelly.batch_decoder("patch", rows="commited")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="terms is"):
        jelly.read_rdf(RDF, terms="parts")  # type: ignore[call-overload]


def test_wrong_options_of_encoders() -> None:
    jelly.batch_encoder("rdf", namespaces={"e": "http://e/"}, frame_rows=9)
    with pytest.raises(TypeError, match=r"'frame_row'; did you mean 'frame_rows'"):
        jelly.batch_encoder("patch", frame_row=9)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"'namespaces'$"):
        jelly.batch_encoder("patch", namespaces={})  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"must be a jelly\.PatchOptions"):
        jelly.batch_encoder("patch", options=jelly.RdfOptions())  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="has no option delimited"):
        jelly.batch_encoder("patch", delimited=True)  # type: ignore[call-overload]


def test_wrong_options_of_conversions() -> None:
    jelly.convert(RDF, io.BytesIO(), to="jelly", physical_type="QUADS", namespaces=False)
    with pytest.raises(TypeError, match=r"'stream_typ'; did you mean 'stream_type'"):
        jelly.convert(PATCH, io.BytesIO(), stream_typ="FLAT")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'colour'$"):
        jelly.convert(PATCH, io.BytesIO(), colour="red")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="stream_type is"):
        jelly.convert(PATCH, io.BytesIO(), stream_type="flat")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="to is"):
        jelly.convert(PATCH, io.BytesIO(), to="json")  # type: ignore[arg-type]


def test_wrong_options_of_writers() -> None:
    jelly.PatchWriter(io.BytesIO(), abbreviate=True, format="rdfp")
    with pytest.raises(TypeError, match="frame_row"):
        jelly.RdfWriter(io.BytesIO(), frame_row=9)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="namespaces"):
        jelly.PatchWriter(io.BytesIO(), namespaces={})  # type: ignore[call-arg]
