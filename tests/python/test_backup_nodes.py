"""Backups of datasets with blank nodes: a node keeps its label for as long as it is there."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jelly
from blank_pairs import canonical, edited, pair, text
from jelly.errors import PatchError

PUMP = """@prefix e: <http://e/> .
e:pump e:has [ e:name "power" ; e:unit e:kW ] , [ e:name "flow" ; e:unit e:l ] ;
    e:parts ( e:a [ e:name "seal" ] e:c ) .
"""
# the same graph
XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
<rdf:Description rdf:about="http://e/pump">
<e:parts rdf:parseType="Collection"><rdf:Description rdf:about="http://e/a"/>
<rdf:Description><e:name>seal</e:name></rdf:Description><rdf:Description rdf:about="http://e/c"/></e:parts>
<e:has rdf:parseType="Resource"><e:unit rdf:resource="http://e/l"/><e:name>flow</e:name></e:has>
<e:has rdf:parseType="Resource"><e:unit rdf:resource="http://e/kW"/><e:name>power</e:name></e:has>
</rdf:Description></rdf:RDF>"""
LATER = PUMP.replace('"flow"', '"flow rate"').replace("e:a [", "e:a e:b [")


def dump(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def state(kept: Path, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.restore(kept, out, to="nq", **options)
    return out.getvalue()


def nquads(source: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.convert(source, out, to="nq", **options)
    return out.getvalue()


def way(kept: Path) -> str | None:
    said = json.loads((kept / "base.json").read_text()).get("blank_nodes")
    assert said is None or isinstance(said, str)
    return said


@pytest.mark.parametrize("blank_nodes", ["auto", "match", "content"])
def test_the_same_graph_is_nothing_new(tmp_path: Path, blank_nodes: Any) -> None:
    kept = tmp_path / "kept"
    first = jelly.backup(dump(tmp_path, "a.ttl", PUMP), kept, blank_nodes=blank_nodes)
    assert (first.version, first.blank_nodes) == (0, way(kept))
    assert way(kept) == ("match" if blank_nodes == "auto" else blank_nodes)
    others: dict[str, str | bytes] = {
        "b.rdf": XML,
        "c.nq": text(quads_of(PUMP), random.Random(4)),
        "d.nq": state(kept),
    }
    for name, content in others.items():
        done = jelly.backup(dump(tmp_path, name, content), kept, prefixes=False)
        assert (done.version, done.written, done.added, done.deleted) == (0, False, 0, 0), name
        assert done.statements == first.statements
    assert canonical(state(kept)) == canonical(nquads(tmp_path / "a.ttl"))


def quads_of(turtle: str) -> Any:
    rows = nquads(turtle.encode(), format="ttl").decode().splitlines()
    return {(*row.removesuffix(" .").split(" ", 2), "") for row in rows}


def test_history_follows_a_node(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    jelly.backup(dump(tmp_path, "a.ttl", PUMP), kept)
    before = next(row for row in state(kept).splitlines() if b'"flow"' in row)
    node = before.split()[0].decode()
    done = jelly.backup(dump(tmp_path, "b.ttl", LATER), kept)
    # a literal: 1+1; a cell of a list: 1+3
    assert (done.added, done.deleted, done.blank_nodes) == (4, 2, "match")
    assert (done.kept_nodes, done.new_nodes, done.gone_nodes) == (6, 1, 0)
    assert canonical(state(kept)) == canonical(nquads(tmp_path / "b.ttl"))
    found = jelly.history(kept, subject=node, base=kept / "base.jelly.zst")
    periods = {(row.object, row.valid_from, row.valid_to) for row in found}
    assert periods == {
        ('"flow"', 0, 1),
        ('"flow rate"', 1, None),
        ("<http://e/l>", 0, None),
    }
    # the log has no header that speaks of a file, and no position
    log = b"".join(nq_patch(path) for path in jelly.Log(kept).files)
    assert b"anon-" not in log
    assert b"blank-nodes" not in log
    assert jelly.verify_log(kept, base=kept / "base.jelly.zst").ok


def nq_patch(path: Path) -> bytes:
    out = io.BytesIO()
    jelly.convert(path, out, to="rdfp")
    return out.getvalue()


@pytest.mark.parametrize("blank_nodes", ["match", "content"])
def test_generated_dumps_come_back(tmp_path: Path, blank_nodes: Any) -> None:
    """Each dump has other labels and another order; what is restored is the graph of the dump, by another library."""
    written = 0
    for seed in range(12):
        chance = random.Random(seed)
        kept, case = tmp_path / f"{seed}", pair(chance, 0)
        quads = case.old
        dumps: list[bytes] = []
        for step in range(6):
            content = text(quads, chance)
            done = jelly.backup(content, kept, dump_format="nq", blank_nodes=blank_nodes)
            is_new = not dumps or canonical(content) != canonical(dumps[-1])
            assert done.written == is_new, (seed, step)
            if is_new:
                dumps.append(content)
            if step != 2:
                quads = edited(quads, case.nodes, chance.randrange(1, 4), chance)
        for version, content in enumerate(dumps):
            assert canonical(state(kept, version=version)) == canonical(content), (seed, version)
        assert jelly.verify_log(kept, base=kept / "base.jelly.zst").ok
        written += len(dumps)
    assert written > 40


def test_a_folder_of_labels_can_go_over_to_matching(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    store = b'<urn:s> <urn:p> _:x .\n_:x <urn:v> "1" .\n_:x <urn:v> "2" .\n'
    jelly.backup(dump(tmp_path, "a.nq", store), kept)
    assert way(kept) == "labels"
    other = dump(tmp_path, "b.ttl", '<urn:s> <urn:p> [ <urn:v> "1", "2", "3" ] .')
    # which has no labels: the error names the way
    with pytest.raises(PatchError, match=r"patch\.labels.*--blank-nodes match"):
        jelly.backup(other, kept)
    assert way(kept) == "labels"
    done = jelly.backup(other, kept, blank_nodes="match")
    assert (done.version, done.added, done.deleted, done.kept_nodes) == (1, 1, 0, 1)
    assert way(kept) == "match"
    assert b'_:x <urn:v> "3"' in state(kept)
    # from then on
    assert jelly.backup(other, kept).blank_nodes == "match"
    for back in ("labels", "content"):
        with pytest.raises(PatchError, match=r"patch\.labels: this backup compares .*'match'"):
            jelly.backup(other, kept, blank_nodes=back)
    # also where the dump has nothing new
    jelly.backup(tmp_path / "a.nq", tmp_path / "again")
    jelly.backup(tmp_path / "a.nq", tmp_path / "again", blank_nodes="match")
    assert way(tmp_path / "again") == "match"


def test_a_folder_that_does_not_say_compares_labels(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    jelly.backup(b"<urn:s> <urn:p> _:x .\n", kept, dump_format="nq")
    said = json.loads((kept / "base.json").read_text())
    del said["blank_nodes"]
    (kept / "base.json").write_text(json.dumps(said))
    done = jelly.backup(b"<urn:s> <urn:p> _:y .\n", kept, dump_format="nq")
    assert (done.added, done.deleted, done.blank_nodes) == (1, 1, "labels")
    said["blank_nodes"] = "position"
    (kept / "base.json").write_text(json.dumps(said))
    with pytest.raises(
        PatchError, match=r"patch\.damaged: blank_nodes in base\.json is 'position'"
    ):
        jelly.backup(b"", kept, dump_format="nq")
    with pytest.raises(ValueError, match="blank_nodes is 'other'; it can be 'auto', 'match'"):
        jelly.backup(b"", kept, blank_nodes="other")  # type: ignore[arg-type]


def test_positions_that_went_through_another_format_are_matched(tmp_path: Path) -> None:
    lines = nquads(PUMP.encode(), format="ttl")
    assert b"_:anon-0" in lines
    done = jelly.backup(dump(tmp_path, "a.nq", lines), tmp_path / "kept")
    assert done.blank_nodes == "match"
    assert b"anon-" not in state(tmp_path / "kept")
    assert not jelly.backup(
        dump(tmp_path, "b.ttl", PUMP), tmp_path / "kept", prefixes=False
    ).written


def test_a_log_of_a_file_without_labels_begins_with_content_labels(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log", dump(tmp_path, "a.ttl", PUMP))
    log.dataset(tmp_path / "now.nq")
    assert b"anon-" not in (tmp_path / "now.nq").read_bytes()
    assert jelly.same(tmp_path / "now.nq", tmp_path / "a.ttl")
    # the way that the help of a refusal names
    patch = dump(tmp_path, "p.rdfp", b"")
    jelly.diff(tmp_path / "a.ttl", dump(tmp_path, "b.ttl", LATER), patch, to="rdfp")
    with pytest.raises(
        PatchError,
        match=r"patch\.base.*`jelly log dataset LOG -o now\.jelly`, then `jelly diff now\.jelly NEW`",
    ):
        log.publish(patch)
    jelly.diff(tmp_path / "now.nq", tmp_path / "b.ttl", patch, to="rdfp", blank_nodes="match")
    log.publish(patch)
    log.dataset(tmp_path / "now.nq")
    assert jelly.same(tmp_path / "now.nq", tmp_path / "b.ttl")
    # the base is the one that it was made of, in the same bytes
    with pytest.raises(PatchError, match=r"patch\.conflict"):
        jelly.Log.create(tmp_path / "log", tmp_path / "b.ttl")


def test_the_command_says_what_became_of_nodes(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "jelly", *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        return done.returncode, done.stdout + done.stderr

    dump(tmp_path, "a.ttl", PUMP)
    dump(tmp_path, "b.rdf", XML)
    dump(tmp_path, "c.ttl", LATER)
    assert run("backup", "a.ttl", "kept") == (0, "version 0: 14 statements (+14 -0)\n")
    assert run("backup", "b.rdf", "kept", "--no-prefixes") == (
        0,
        "version 0: 14 statements (nothing new); blank nodes matched: 6 kept, 0 new, 0 gone\n",
    )
    code, said = run("backup", "c.ttl", "kept", "--blank-nodes", "match")
    assert (code, said) == (
        0,
        "version 1: 16 statements (+4 -2); blank nodes matched: 6 kept, 1 new, 0 gone\n",
    )
