"""Readers and replicas give nodes without a label names that depend on the graph alone."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import PatchError

OLD = '@prefix e: <http://e/> . e:pump e:has [ e:name "power" ] , [ e:name "flow" ] .'
# the same graph, and another one
AGAIN = '@prefix e: <http://e/> . e:pump e:has [ e:name "flow" ] , [ e:name "power" ] .'
NEW = '@prefix e: <http://e/> . e:pump e:has [ e:name "flow" ] , [ e:name "power", "kW" ] .'
STORE = b"_:x <urn:p> _:y .\n"


def rows(source: Any, **options: Any) -> set[tuple[Any, ...]]:
    table = pa.table(jelly.read_rdf(source, **options))
    terms = (table.column(name).to_pylist() for name in ("subject", "predicate", "object", "graph"))
    return {*zip(*terms, strict=True)}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in {"old": OLD, "again": AGAIN, "new": NEW}.items():
        (tmp_path / f"{name}.ttl").write_text(text)
    jelly.convert(tmp_path / "old.ttl", tmp_path / "positions.nq")
    jelly.convert(tmp_path / "old.ttl", tmp_path / "content.nq", blank_nodes="content")
    (tmp_path / "store.nt").write_bytes(STORE)
    return tmp_path


@pytest.mark.parametrize("blank_nodes", ["content", "lasting"])
def test_labels_are_those_of_convert(files: Path, blank_nodes: Any) -> None:
    wanted = rows(files / "content.nq", blank_nodes="keep")
    assert len(wanted) == 4
    for name in ("old.ttl", "again.ttl", "positions.nq"):
        assert rows(files / name, blank_nodes=blank_nodes) == wanted, name
    with (files / "old.ttl").open("rb") as file:
        assert rows(file, format="ttl", blank_nodes=blank_nodes) == wanted
    assert rows([OLD.encode()], format="ttl", blank_nodes=blank_nodes) == wanted
    found = jelly.read_rdf(files / "old.ttl", blank_nodes=blank_nodes, terms="struct")
    subjects = pa.table(found).column("subject").to_pylist()
    assert {f"_:{term['value']}" for term in subjects if term["kind"] == "bnode"} == {
        subject for subject, *_ in wanted if subject.startswith("_:")
    }


def test_lasting_keeps_the_labels_of_a_store(files: Path) -> None:
    kept = rows(files / "store.nt", blank_nodes="lasting")
    assert kept == {("_:x", "<urn:p>", "_:y", "")}
    assert rows(files / "store.nt", blank_nodes="content") != kept


def test_iris_of_nodes_without_a_label_are_those_of_the_graph(files: Path) -> None:
    def skolemized(name: str) -> set[tuple[Any, ...]]:
        jelly.convert(files / name, files / "out.nq", skolemize="http://e/genid/")
        return rows(files / "out.nq")

    wanted = skolemized("content.nq")
    assert sum("http://e/genid/b" in subject for subject, *_ in wanted) == 2
    for name in ("old.ttl", "again.ttl", "positions.nq"):
        assert skolemized(name) == wanted, name
    assert skolemized("store.nt") == {("<http://e/genid/x>", "<urn:p>", "<http://e/genid/y>", "")}


@pytest.mark.parametrize("blank_nodes", ["content", "lasting"])
def test_a_part_of_a_source_has_no_such_labels(blank_nodes: Any) -> None:
    data = STORE * 100
    split = jelly.splits(data, split_bytes=100)[1]
    with pytest.raises(ValueError, match="only with whole sources"):
        jelly.read_rdf(data, split=split, blank_nodes=blank_nodes)
    with pytest.raises(ValueError, match='only with mode="failfast"'):
        jelly.read_rdf(data, mode="permissive", blank_nodes=blank_nodes)
    with pytest.raises(ValueError, match='blank_nodes is "'):
        jelly.read_patch(b"", blank_nodes=blank_nodes)


def test_a_replica_of_turtle_follows_patches_of_its_labels(files: Path) -> None:
    replica = jelly.Replica.create(files / "table", files / "old.ttl")
    replica.dump(files / "dump.nq")
    assert rows(files / "dump.nq", blank_nodes="keep") == rows(
        files / "content.nq", blank_nodes="keep"
    )
    # a patch that speaks of the file is refused, one of the replica is not
    jelly.diff(files / "old.ttl", files / "new.ttl", files / "file.rdfp", prefixes=False)
    with pytest.raises(PatchError, match=r"patch\.base"):
        replica.follow(files / "file.rdfp")
    done = jelly.diff(
        files / "dump.nq",
        files / "new.ttl",
        files / "dump.rdfp",
        prefixes=False,
        blank_nodes="match",
    )
    assert (done.added, done.deleted) == (1, 0)
    replica.follow(files / "dump.rdfp")
    replica.dump(files / "now.nq")
    assert jelly.same(files / "now.nq", files / "new.ttl")
    # labels of a store stay
    jelly.Replica.create(files / "store", files / "store.nt").dump(files / "store.nq")
    assert (files / "store.nq").read_bytes() == STORE


@pytest.mark.parametrize(
    "door", ["apply", "as_of", "verify_log", "stage", "invert", "show", "shell"]
)
def test_patches_with_content_labels_need_a_base_that_has_them(files: Path, door: str) -> None:
    """On the file that they were made of they met nothing, and the result had the old nodes beside the new ones."""
    patch, labelled = files / "p.rdfp", files / "labelled.ttl"
    jelly.diff(files / "old.ttl", files / "new.ttl", patch, blank_nodes="content")
    jelly.convert(files / "old.ttl", labelled, blank_nodes="content")
    assert "[" not in labelled.read_text()

    def run(base: Path) -> None:
        if door == "shell":
            command = [sys.executable, "-m", "jelly", "apply", str(base), str(patch), "-o", "-"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise PatchError(done.stderr, kind=done.stderr.split(": ")[1])
        elif door == "as_of":
            jelly.as_of(base, patch, 1, io.BytesIO())
        elif door == "apply":
            jelly.apply(base, patch, io.BytesIO())
        elif door == "stage":
            jelly.stage(base, patch)
        elif door == "verify_log":
            jelly.verify_log(patch, base=base)
        elif door == "invert":
            jelly.invert(patch, io.BytesIO(), base=base)
        else:
            jelly.show(patch, io.BytesIO(), base=base)

    with pytest.raises(PatchError, match="convert --blank-nodes content") as found:
        run(files / "old.ttl")
    assert found.value.kind == "patch.labels"
    run(labelled)
    done = jelly.apply(labelled, patch, files / "applied.nq")
    assert done.added
    assert done.deleted
    assert not done.without_effect
    assert jelly.same(files / "applied.nq", files / "new.ttl")
