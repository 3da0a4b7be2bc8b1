"""Blank nodes that were IRIs for a while, and labels of RDFC-1.0."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import jelly
from blank_pairs import canonical, pair, text
from jelly.cli.group import jelly as commands
from jelly.errors import EncodeError, JellyError, LimitError

START = "https://e.org/.well-known/genid/"


def converted(data: bytes, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.convert(data, out, **({"format": "nq", "to": "nq"} | options))
    return out.getvalue()


def test_generated_graphs_come_back_from_iris() -> None:
    nodes = 0
    for seed in range(60):
        chance = random.Random(seed)
        data = text(pair(chance, 0).old, chance).replace(b"_:anon-", b"_:n")
        named = converted(data, skolemize=START)
        assert b"_:" not in named
        assert converted(named, deskolemize=START) == data
        nodes += named.count(START.encode())
        # of nodes without labels, content labels were made
        positions = data.replace(b"_:n", b"_:anon-")
        back = converted(converted(positions, skolemize=True), deskolemize=True)
        assert canonical(back) == canonical(positions)
    assert nodes > 300


def test_other_iris_stay() -> None:
    kept = f'<{START[:-1]}> <a:p> "{START}x"^^<{START}t> .\n'.encode()
    data = f"<{START}x> <a:p> <<( <a:s> <a:p> <{START}y> )>> <{START}g> .\n".encode()
    assert converted(kept + data, deskolemize=START) == (
        kept + b"_:x <a:p> <<( <a:s> <a:p> _:y )>> _:g .\n"
    )


@pytest.mark.parametrize(
    "data",
    [
        f"<{START}x> <a:p> _:x .\n",
        f"_:x <a:p> <a:o> .\n<a:s> <a:p> <{START}x> .\n",
        f"<{START}a/b> <a:p> <a:o> .\n",
        f"<{START}> <a:p> <a:o> .\n",
        f"<a:s> <{START}p> <a:o> .\n",
    ],
)
def test_what_would_be_another_graph_is_refused(data: str, tmp_path: Path) -> None:
    dest = tmp_path / "out.nq"
    with pytest.raises(EncodeError) as caught:
        jelly.convert(data.encode(), dest, format="nq", deskolemize=START)
    assert caught.value.kind == "encode.skolem"
    assert caught.value.line == data.count("\n")
    assert not dest.exists()


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"skolemize": True}, "skolemize is not possible with deskolemize"),
        ({"blank_nodes": "content"}, "not possible with deskolemize"),
        ({"blank_nodes": "rdfc10"}, "not possible with deskolemize"),
        ({"blank_nodes": "scoped"}, "not possible with deskolemize"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            converted(b"_:a <a:p> <a:o> .\n", deskolemize=True, **options)
    with pytest.raises(ValueError, match="so they cannot become IRIs"):
        converted(b"_:a <a:p> <a:o> .\n", skolemize=True, blank_nodes="scoped")
    for options in ({"deskolemize": True}, {"blank_nodes": "rdfc10"}, {"blank_nodes": "scoped"}):
        with pytest.raises(ValueError, match="is for statements"):
            converted(b"A <a:s> <a:p> <a:o> .\n", format="rdfp", to="rdfp", **options)
    pytest.importorskip("pyarrow")
    for options in ({"deskolemize": True}, {"blank_nodes": "rdfc10"}, {"blank_nodes": "scoped"}):
        with pytest.raises(ValueError, match="cannot be used with Parquet"):
            jelly.convert(b"_:a <a:p> <a:o> .\n", tmp_path / "a.parquet", format="nq", **options)
    with pytest.raises(ValueError, match="expected the start of an absolute IRI"):
        converted(b"", deskolemize="x y")


def test_in_a_shell(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_bytes(b"_:a <a:p> _:b .\n")
    for steps in (["--skolemize"], ["--deskolemize"]), (["--skolemize", START], ["--deskolemize", START]):  # fmt: skip
        for source, dest, step in (("a.nt", "b.nt", steps[0]), ("b.nt", "c.nt", steps[1])):
            done = CliRunner().invoke(commands, ["convert", str(tmp_path / source), str(tmp_path / dest), *step])  # fmt: skip
            assert done.exit_code == 0, done.output
        assert b"genid/a" in (tmp_path / "b.nt").read_bytes()
        assert (tmp_path / "c.nt").read_bytes() == (tmp_path / "a.nt").read_bytes()
    done = CliRunner().invoke(commands, ["convert", str(tmp_path / "a.nt"), "-", "--to", "nt", "--blank-nodes", "rdfc10"])  # fmt: skip
    assert done.stdout == "_:c14n1 <a:p> _:c14n0 .\n"


def test_labels_of_rdfc10_are_those_of_another_implementation() -> None:
    settled = 0
    for seed in range(120):
        chance = random.Random(seed)
        data = b"".join(
            line for line in text(pair(chance, 0).old, chance).splitlines(keepends=True) if b"<<(" not in line
        )  # fmt: skip
        try:
            found = converted(data, blank_nodes="rdfc10")
        except LimitError:
            continue
        wanted = "".join(f"{line} .\n" for line in canonical(data))
        assert sorted(found.decode().splitlines()) == sorted(wanted.splitlines())
        settled += b"_:c14n" in found
    assert settled > 60


def rook(n: int) -> bytes:
    cells = [(a, b) for a in range(n) for b in range(n)]
    return b"".join(
        f"_:r{a}{b} <a:p> _:r{c}{d} .\n".encode()
        for a, b in cells
        for c, d in cells
        if (a == c) != (b == d)
    )


HUBS = "".join(f"_:h{hub} <a:p> _:t{hub}{leaf} .\n" for hub in "ab" for leaf in range(14)).encode()
CHAIN = b"".join(f"_:c{n} <a:p> _:c{n + 1} .\n".encode() for n in range(100_000))


@pytest.mark.parametrize("data", [rook(4), HUBS, CHAIN])
def test_work_without_a_bound_is_refused(data: bytes) -> None:
    with pytest.raises(LimitError, match=r"limits\.blank_work") as caught:
        converted(data, blank_nodes="rdfc10")
    assert caught.value.kind == "limit.blank_work"


def test_rdfc10_refuses_what_it_has_no_rules_for() -> None:
    with pytest.raises(JellyError) as caught:
        converted(b"<a:s> <a:p> <<( _:a <a:p> <a:o> )>> .\n", blank_nodes="rdfc10")
    assert caught.value.kind == "encode.generalized"
    assert converted(b"<a:s> <a:p> <a:o> .\n", blank_nodes="rdfc10") == b"<a:s> <a:p> <a:o> .\n"


@pytest.mark.parametrize("kind", ["ttl", "nt", "FLAT_QUADS", "DATASETS", "GRAPHS"])
@pytest.mark.parametrize("physical", ["QUADS", "GRAPHS"])
def test_scoped_labels_are_those_of_readers(kind: str, physical: str, tmp_path: Path) -> None:
    """Outputs of several sources can be put together, and the nodes of frames that are elements stay apart."""

    def rows(source: Path, blank_nodes: Any) -> list[tuple[str, ...]]:
        found = jelly.read_rdf(source, blank_nodes=blank_nodes).rows()
        return [(row.subject, row.predicate, row.object, row.graph) for row in found]

    source = tmp_path / f"a.{kind.lower()}"
    if kind == "ttl":
        source.write_text('[] <urn:p> _:x , [ <urn:q> <<( _:x <urn:p> "1" )>> ] .')
    elif kind == "nt":
        source.write_text('_:x <urn:p> _:y .\n_:x <urn:p> <<( _:x <urn:p> "1" )>> .\n')
    else:
        source = tmp_path / "a.jelly"
        quads = b'_:a <urn:p> "1" _:g .\n_:a <urn:p> _:b _:g .\n_:b <urn:p> "2" <urn:g> .\n'
        # twice: two frames, which have the same labels
        data = converted(quads, to="jelly", physical_type=physical, logical_type=kind)
        source.write_bytes(data + data)
        assert {row.frame for row in jelly.read_rdf(source, framing="concatenated").rows()} == {
            0,
            1,
        }
    wanted = rows(source, "scoped")
    nodes = {term for row in wanted for term in row if term.startswith("_:")}
    assert len(nodes) == {"ttl": 3, "nt": 2, "FLAT_QUADS": 3, "DATASETS": 6, "GRAPHS": 6}[kind]
    for name in ("b.nq", "b.jelly"):
        jelly.convert(source, tmp_path / name, blank_nodes="scoped")
        assert rows(tmp_path / name, "keep") == wanted, name
    other = source.rename(source.with_stem("other"))
    assert not nodes & {term for row in rows(other, "scoped") for term in row}
