"""Blank nodes without labels: those of several files are other nodes, those of one file are the same."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyoxigraph as ox
import pytest

import jelly
from blank_texts import DELETE, FORMATS, NAMED, OLD, in_transaction


def in_one_frame(*sources: Any, **options: Any) -> int:
    """Distinct statements of several sources in one table."""
    tables = [pa.table(jelly.read_rdf(source, **options)) for source in sources]
    return len({tuple(row.values()) for table in tables for row in table.select(["subject", "predicate", "object", "graph"]).to_pylist()})  # fmt: skip


def in_one_store(*texts: tuple[str, Any]) -> int:
    """The same by another implementation, which makes new nodes for each file."""
    store = ox.Store()
    for text, format in texts:
        store.load(text.encode(), format=format)
    return len(store)


OX = {
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}


@pytest.mark.parametrize("ending", OX)
def test_a_table_of_two_files_keeps_their_nodes_apart(tmp_path: Path, ending: str) -> None:
    text = FORMATS[ending]
    one, other = tmp_path / f"one.{ending}", tmp_path / f"other.{ending}"
    one.write_text(text)
    other.write_text(text)
    wanted = in_one_store((text, OX[ending]), (text, OX[ending]))
    assert wanted > len(text.splitlines())
    assert in_one_frame(one, other) == wanted
    # files and iterables have no name: each reading is a source
    assert in_one_frame(io.BytesIO(text.encode()), [text.encode()], format=_name(ending)) == wanted
    # of bytes the content is the name
    data, more = text.encode(), text.encode() + b"\n"
    assert in_one_frame(data, more, format=_name(ending)) == wanted
    assert in_one_frame(data, data, format=_name(ending)) == in_one_store((text, OX[ending]))
    # so in columns of streams
    values = pa.table({"source": pa.array([None, None], pa.string()), "value": [data, more]})
    decoder = jelly.batch_decoder("rdf", format=_name(ending))
    (rows,) = [pa.Table.from_batches(list(decoder(iter(values.select(["value"]).to_batches()))))]
    found = {tuple(row.values()) for row in rows.select(["subject", "predicate", "object", "graph"]).to_pylist()}  # fmt: skip
    assert len(found) == wanted
    # one file alone may keep its labels
    labels = {row.object for row in jelly.read_rdf(one, blank_nodes="keep").rows()}
    assert "_:anon-0" in labels
    scoped = [row.object for row in jelly.read_rdf(one).rows()]
    assert scoped == [row.object for row in jelly.read_rdf(one, blank_nodes="scoped").rows()]
    assert not labels & {term for term in scoped if term.startswith("_:")}


@pytest.mark.parametrize("ending", ["nt", "nq", "jelly", "jelly.gz"])
def test_a_table_of_two_converted_files_keeps_their_nodes_apart(
    tmp_path: Path, ending: str
) -> None:
    """Conversions carry positions into formats that have labels."""
    text = OLD + "_:pump :part _:valve , [] , 'anon-0' , <<( :pump :has [] )>> ."
    files = []
    for name in ("one", "other"):
        (tmp_path / f"{name}.ttl").write_text(text)
        files.append(tmp_path / f"{name}.{ending}")
        jelly.convert(tmp_path / f"{name}.ttl", files[-1])
    read = [objects(jelly.read_rdf(file)) for file in files]
    kept = [objects(jelly.read_rdf(file, blank_nodes="keep")) for file in files]
    assert kept[0] == kept[1]
    assert {"_:anon-0", "_:valve", '"anon-0"'} <= kept[0]
    # labels that a document wrote stay, and so do strings
    assert read[0] & read[1] == {term for term in kept[0] if "_:anon-" not in term}
    assert not any("_:anon-" in term for term in read[0] | read[1])
    data = [file.read_bytes() for file in files]
    structs = [pa.table(jelly.read_rdf(file, terms="struct"))["object"].to_pylist() for file in files]  # fmt: skip
    assert {f"_:{term['value']}" for term in structs[0] if term["kind"] == "bnode"} < read[0]
    # of bytes the content is the name, each reading of a file object is a source
    assert objects(jelly.read_rdf(data[0])) == objects(jelly.read_rdf(data[0])) != read[0]
    assert objects(jelly.read_rdf(io.BytesIO(data[0]))) != objects(jelly.read_rdf(io.BytesIO(data[0])))  # fmt: skip
    # a label that has a scope keeps it: files that one table was written to are of one dataset
    again = tmp_path / f"again.{ending}"
    with jelly.RdfWriter(again) as writer:
        writer.write(pa.table(jelly.read_rdf(files[0])))
    assert objects(jelly.read_rdf(again)) == read[0]
    # the command converts files one by one, and keeps what it finds
    jelly.convert(files[0], tmp_path / "kept.nq")
    assert objects(jelly.read_rdf(tmp_path / "kept.nq", blank_nodes="keep")) == kept[0]


def test_parts_of_a_file_share_their_positions(tmp_path: Path) -> None:
    data = b"".join(b"_:anon-%d <urn:p> _:x .\n" % (n % 7) for n in range(1000))
    half = len(data) // 2
    for name in ("a.nt", "b.nt"):
        (tmp_path / name).write_bytes(data)
    for source in (tmp_path / "a.nt", data):
        whole = [row.subject for row in jelly.read_rdf(source).rows()]
        parts = jelly.splits(source, split_bytes=half)
        assert len(parts) == 2
        assert [row.subject for part in parts for row in jelly.read_rdf(source, split=part).rows()] == whole  # fmt: skip
        assert len(set(whole)) == 7
    # a part that nothing names is only refused where it has a position
    with pytest.raises(ValueError, match="source_name"):
        list(jelly.read_rdf(io.BytesIO(data), split=parts[1]).rows())
    labels = data.replace(b"anon-", b"node")
    part = jelly.splits(labels, split_bytes=half)[1]
    assert sum(1 for _ in jelly.read_rdf(io.BytesIO(labels), split=part).rows()) > 400


def objects(reader: Any) -> set[Any]:
    return {row.object for row in reader.rows()}


def _name(ending: str) -> Any:
    return {"rdf": "rdfxml"}.get(ending, ending)


def test_a_pipe_is_another_source_each_time() -> None:
    command = (
        "import jelly, sys\nfor row in jelly.read_rdf('-', format='ttl').rows(): print(row.object)"
    )
    seen = set()
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", command], input=OLD, capture_output=True, text=True, check=True)  # fmt: skip
        seen |= {line for line in done.stdout.splitlines() if line.startswith("_:")}
    assert len(seen) == 2 * 5


def test_labels_of_other_formats_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.nt"
    path.write_bytes(NAMED)
    assert next(iter(jelly.read_rdf(path).rows())).object == "_:power"
    assert (
        next(iter(jelly.read_patch(in_transaction(DELETE), columns=["subject"]).rows())) is not None
    )


def test_a_part_without_a_name_is_not_scoped() -> None:
    data = NAMED * 10
    whole = [row.object for row in jelly.read_rdf(data, blank_nodes="scoped").rows()]
    splits = jelly.splits(data, split_bytes=len(data) // 2, format="nt")
    assert len(splits) >= 2
    parts = [
        row.object
        for split in splits
        for row in jelly.read_rdf(data, blank_nodes="scoped", split=split).rows()
    ]
    assert parts == whole
    second: Any = {"split": splits[1]}
    with pytest.raises(ValueError, match="source_name"):
        jelly.read_rdf(io.BytesIO(data), blank_nodes="scoped", **second)
    named = jelly.read_rdf(io.BytesIO(data), blank_nodes="scoped", source_name="a", **second)
    assert sum(1 for _ in named.rows()) == 10
