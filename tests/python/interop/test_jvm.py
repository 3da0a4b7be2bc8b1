"""Jelly-JVM and Jena read what we write, and we read what they write."""

import gzip
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from shared_data import shared

ROWS = 50_000 if "JELLY_SOAK" in os.environ else 10_000
RDF = ["bsbm-50k.nt", "iotg-50k.nq", "mixed-50k.nt"]
LOGS = ["brick-versions", "schemaorg-releases", "weather-cdc-2000tx"]
LANGUAGE = re.compile(r'(?<=")@[A-Za-z0-9-]+')
Jvm = Callable[..., None]


def folded(text: str | None) -> str | None:
    """Jena puts language tags in the case that it likes."""
    return text and LANGUAGE.sub(lambda tag: tag[0].lower(), text)


def lines(path: Path) -> list[str | None]:
    return [folded(line) for line in path.read_text("utf-8").removesuffix("\n").split("\n")]


def unpacked(name: str, folder: Path) -> Path:
    rows = gzip.decompress(shared(f"corpus/{name}.gz").read_bytes()).splitlines(keepends=True)
    plain = folder / name
    plain.write_bytes(b"".join(rows[:ROWS]))
    return plain


def terms(path: Path) -> list[tuple[str | None, ...]]:
    table = pa.table(jelly.read_rdf(path, columns=["subject", "predicate", "object", "graph"]))
    return list(zip(*(map(folded, column.to_pylist()) for column in table.columns), strict=True))


def changes(path: Path) -> list[tuple[str | None, ...]]:
    """All rows but the ends of patches, which the formats mark in their own ways."""
    names = ["op", "subject", "predicate", "object", "graph", "name", "value"]
    table = pa.table(jelly.read_patch(path, columns=names))
    columns = (map(folded, column.to_pylist()) for column in table.columns)
    return [row for row in zip(*columns, strict=True) if row[0] != "Z"]


# the transcoder copies sync points to places where they mean nothing
@pytest.mark.filterwarnings("ignore::jelly.errors.JellyWarning")
@pytest.mark.parametrize("name", RDF)
def test_jelly_rdf_both_ways(name: str, jvm: Jvm, tmp_path: Path) -> None:
    text = unpacked(name, tmp_path)
    expected = terms(text)
    assert len(expected) >= ROWS
    quads = text.suffix == ".nq"
    ours: dict[str, dict[str, Any]] = {
        "plain": {},
        "small": {"max_name_table_size": 8, "max_prefix_table_size": 0, "frame_rows": 7},
        "tiny": {
            "max_name_table_size": 8,
            "max_prefix_table_size": 4,
            "max_datatype_table_size": 2,
        },
        "marked": {"restart_bytes": 20_000},
        "namespaced": {"namespaces": {"e": "http://example.org/", "": "urn:x"}},
        **({"graphs": {"physical_type": "GRAPHS"}} if quads else {}),
    }
    for kind, options in ours.items():
        jelly.convert(text, tmp_path / f"{kind}.jelly", **options)
    jvm(
        *(("rdf", "from-jelly", tmp_path / f"{kind}.jelly", tmp_path / f"{kind}.back{text.suffix}") for kind in ours),
        *(("rdf", "transcode", tmp_path / f"{kind}.jelly", tmp_path / f"{kind}.again.jelly") for kind in ours),
        ("rdf", "to-jelly", text, tmp_path / "theirs.jelly"),
        ("rdf", "to-jelly", text, tmp_path / "small.theirs.jelly", "--names", 8, "--prefixes", 0),
    )  # fmt: skip
    for kind in ours:
        back = tmp_path / f"{kind}.back{text.suffix}"
        assert terms(back) == expected, kind
        assert terms(tmp_path / f"{kind}.again.jelly") == expected, kind
    assert terms(tmp_path / "theirs.jelly") == expected
    assert terms(tmp_path / "small.theirs.jelly") == expected


@pytest.mark.parametrize("name", LOGS)
def test_rdf_patch_text_and_thrift_both_ways(name: str, jvm: Jvm, tmp_path: Path) -> None:
    source = shared(f"corpus/{name}.jellyp.gz")
    expected = changes(source)
    assert len(expected) > 30_000
    text, thrift = tmp_path / "ours.rdfp", tmp_path / "ours.trp"
    bare = tmp_path / "bare.rdfp"
    jelly.convert(source, text)
    jelly.convert(source, bare, abbreviate=True)
    jelly.convert(source, thrift)
    jvm(
        ("patch", "to-thrift", text, tmp_path / "theirs.trp"),
        ("patch", "to-thrift", bare, tmp_path / "theirs.bare.trp"),
        ("patch", "from-thrift", thrift, tmp_path / "theirs.rdfp"),
    )
    for theirs in ("theirs.trp", "theirs.bare.trp", "theirs.rdfp"):
        assert changes(tmp_path / theirs) == expected, theirs
