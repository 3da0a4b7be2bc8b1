"""Jelly files put end to end: nodes without a label of one stream are never nodes of another, whoever reads them."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyoxigraph as ox
import pytest

import jelly
import jellybytes as jb

TERMS = ["subject", "predicate", "object", "graph"]
TEXT = (
    "<urn:a> <urn:p> [ <urn:q> {} ] , _:x .\n[] <urn:p> <<( [] <urn:q> [] )>> .\n_:x <urn:p> [] .\n"
)


def stream(number: int, **options: Any) -> bytes:
    """A Jelly file that was made of Turtle; each has the positions of the others."""
    out = io.BytesIO()
    rows = pa.table(
        jelly.read_rdf(TEXT.format(number).encode(), format="ttl", blank_nodes="keep")
    ).select(TERMS)
    kinds = {0: {}, 1: {"physical_type": "GRAPHS"}, 2: {"physical_type": "QUADS"}}[number % 3]
    with jelly.RdfWriter(out, jelly.RdfOptions(rdf_star=True, **kinds), **options) as writer:  # type: ignore[arg-type]
        writer.write(rows)
    return out.getvalue()


def terms(source: Any, **options: Any) -> list[tuple[str, ...]]:
    return [tuple(row) for row in jelly.read_rdf(source, columns=TERMS, **options).rows()]


def expected(count: int) -> list[tuple[str, ...]]:
    """The rows of each file, with the number of its stream; a label that a file wrote is a name in all of them."""
    found = []
    for number in range(count):
        of = f"_:s{number:016x}_anon-" if number else "_:anon-"
        rows = terms(TEXT.format(number).encode(), format="ttl", blank_nodes="keep")
        found += [tuple(term.replace("_:anon-", of) for term in row) for row in rows]
    return found


def positions(rows: list[tuple[str, ...]]) -> set[str]:
    return {label for row in rows for term in row for label in re.findall(r"_:(\w*anon-\d+)", term)}


@pytest.mark.parametrize("restart_bytes", [0, 1])
def test_streams_share_no_position(tmp_path: Path, restart_bytes: int) -> None:
    path = tmp_path / "all.jelly"
    data = b"".join(stream(n, restart_bytes=restart_bytes, frame_rows=2) for n in range(3))
    path.write_bytes(data)
    wanted = expected(3)
    assert terms(data, blank_nodes="keep") == wanted
    pieces = (data[at : at + 1] for at in range(len(data)))
    assert terms(pieces, blank_nodes="keep") == wanted
    # the scope of the file stands before the numbers, and parts have the labels of the whole
    whole = terms(path)
    assert len(positions(whole)) == 3 * 5
    assert all(label.startswith("s") for label in positions(whole))
    if restart_bytes == 0:
        jelly.index(path, every=1)
    parts = jelly.splits(path, split_bytes=1)
    assert len(parts) > 4
    assert [row for part in parts for row in terms(path, split=part)] == whole
    # a reader that goes on from a snapshot knows its stream
    reader = jelly.read_rdf(data, columns=TERMS, blank_nodes="keep", batch_rows=5)
    first = pa.record_batch(next(iter(reader)))
    rest = terms(data[reader.position.offset :], resume=reader.snapshot(), blank_nodes="keep")
    assert len(rest) == len(wanted) - first.num_rows
    assert rest == wanted[first.num_rows :]


def test_every_door_keeps_the_nodes_of_streams_apart(tmp_path: Path) -> None:
    texts = [TEXT.format(n) for n in range(3)]
    store = ox.Store()
    for text in texts:
        # names of the file are shared, nodes without a label are not
        named = text.replace("_:x", "<urn:named>").encode()
        store.load(named, format=ox.RdfFormat.TURTLE)
    path, written = tmp_path / "all.jelly", tmp_path / "all.nq"
    path.write_bytes(b"".join(stream(n) for n in range(3)))
    jelly.convert(path, written)
    assert len(set(written.read_text().splitlines())) == len(store) == 13
    assert jelly.same(path, written)
    compared = jelly.diff(path, written, tmp_path / "none.rdfp")
    assert (compared.added, compared.deleted) == (0, 0)
    jelly.apply(path, b"TX .\nA <urn:a> <urn:p> <urn:o> .\nTC .\n", tmp_path / "applied.nq")
    assert len(set((tmp_path / "applied.nq").read_text().splitlines())) == 14
    # what was converted can be put end to end again
    again = tmp_path / "again.jelly"
    jelly.convert(path, again)
    again.write_bytes(again.read_bytes() * 2)
    assert len(positions(terms(again))) == 2 * 3 * 5


def test_streams_of_other_writers(tmp_path: Path) -> None:
    def frame(number: int) -> bytes:
        return jb.delimited(
            jb.frame(
                jb.rdf_options(),
                jb.rdf_entry("name", "p"),
                jb.triple(s_bnode="anon-0", p_iri=jb.iri(1), o_literal=jb.literal(str(number))),
                jb.triple(o_bnode="anon-1"),
            )
        )

    data = frame(0) + frame(1)
    # options that are repeated go on with the stream, as the specification says
    assert {row[0] for row in terms(data, blank_nodes="keep")} == {"_:anon-0"}
    found = terms(data, blank_nodes="keep", framing="concatenated")
    assert [row[0] for row in found] == 2 * ["_:anon-0"] + 2 * ["_:s0000000000000001_anon-0"]
    # in patches labels are names
    with jelly.PatchWriter(tmp_path / "a.jellyp") as writer:
        writer.write([{"op": "A", "subject": "_:anon-0", "predicate": "<urn:p>", "object": "_:anon-1", "graph": ""}])  # fmt: skip
    patch = (tmp_path / "a.jellyp").read_bytes() * 2
    assert {row.subject for row in jelly.read_patch(patch).rows() if row.op == "A"} == {"_:anon-0"}
