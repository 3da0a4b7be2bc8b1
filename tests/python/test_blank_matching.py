"""Blank nodes are matched: patches are small, hit the right nodes in any serialization, or are refused."""

from __future__ import annotations

import io
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

import blank_edits
import jelly
from blank_pairs import Quads, canonical, edited, pair, text
from jelly.errors import JellyError, LimitError, PatchError
from shared_data import shared

NODES = b"_:"
PAIRS = 150 * int(os.environ.get("JELLY_SOAK", "1"))


def diff(old: Any, new: Any, **options: Any) -> tuple[jelly.Compared, bytes]:
    out = io.BytesIO()
    options = {"old_format": "nq", "new_format": "nq"} | options
    return jelly.diff(old, new, out, to="rdfp", **options), out.getvalue()


def same(old: Any, new: Any, **options: Any) -> bool:
    return jelly.same(old, new, **({"old_format": "nq", "new_format": "nq"} | options))


def quads(source: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.convert(source, out, to="nq", **({"format": "nq"} | options))
    return out.getvalue()


def applied(base: bytes, patch: bytes, format: Any = "nq") -> bytes:
    out = io.BytesIO()
    jelly.apply(base, patch, out, to="nq", base_format=format, patch_format="rdfp")
    return out.getvalue()


def shuffled(data: bytes, seed: int = 1) -> bytes:
    """The same graph in another order, its nodes numbered anew."""
    rows = {tuple(line.removesuffix(" .").split(" ", 2)) for line in data.decode().splitlines()}
    return text({(*row, "") for row in rows}, random.Random(seed))  # type: ignore[misc]


EDITS = {edit.name: edit for edit in blank_edits.edits()}


def test_there_are_42_single_edits() -> None:
    assert len(EDITS) == 42


@pytest.mark.parametrize("name", EDITS)
def test_a_single_edit_has_at_most_its_rows(name: str) -> None:
    edit = EDITS[name]
    old, new = ((blank_edits.PREFIXES + side).encode() for side in (edit.old, edit.new))
    done, patch = diff(old, new, old_format="trig", new_format="trig", prefixes=False)
    assert (done.blank_nodes, done.unsettled_nodes) == ("match", 0)
    assert done.deleted <= edit.deleted
    assert done.added <= edit.added
    # the same of other serializations
    before, after = (quads(side, format="trig") for side in (old, new))
    again, _ = diff(shuffled(before, 3), shuffled(after, 5))
    assert (again.deleted, again.added) == (done.deleted, done.added)
    # it is right, on any of them
    for base in (before, shuffled(before, 7)):
        result = applied(base, patch)
        assert same(result, after)
        if not edit.is_hard:
            assert canonical(result) == canonical(after)


def judged(seed: int) -> tuple[str, bool, int, int]:
    """Checks one pair: what became of another base, whether both are the same, rows of the patch and of the edit."""
    chance = random.Random(seed)
    case = pair(chance, 5)
    old, other, new = text(case.old, chance), text(case.old, chance), text(case.new, chance)
    done, patch = diff(old, new)
    rows = done.added + done.deleted
    wanted = canonical(new)
    for base in (old, other):
        assert canonical(applied(base, patch)) == wanted, seed
    is_same = canonical(old) == wanted
    assert same(old, new) == is_same, seed
    assert is_same == (not rows), seed
    # labels of the content are those of the graph
    labels = [quads(side, blank_nodes="content") for side in (old, other)]
    assert sorted(labels[0].splitlines()) == sorted(labels[1].splitlines()), seed
    assert canonical(labels[0]) == canonical(old)
    # on another graph
    altered = edited(case.old, case.nodes, 1, chance)
    try:
        result = applied(text(altered, chance), patch)
    except PatchError as error:
        return error.kind, is_same, rows, case.rows
    edit = (altered - (case.old - case.new)) | (case.new - case.old)
    # of a symmetric graph the patch may change another node than the edit did, and NEW is the same
    right = [canonical(text(edit, chance)), canonical(meant(case.old, patch, altered))]
    assert canonical(result) in right, seed
    return "right", is_same, rows, case.rows


def meant(old: Quads, patch: bytes, altered: Quads) -> bytes:
    """The altered graph after the rows of a patch, whose labels are looked up in the graph that it was made of."""
    before = "".join(sorted(map(line, old)))
    after = quads(before.encode(), blank_nodes="content").decode()
    names = dict(zip(re.findall(r"_:[\w-]+", after), re.findall(r"_:[\w-]+", before), strict=True))
    result = {line(quad) for quad in altered}
    for row in patch.decode().splitlines():
        quad = (
            re.sub(r"<(_:[\w-]+)>", lambda found: str(names.get(found[1], found[1])), row[2:])
            + "\n"
        )
        if row.startswith("D "):
            result.discard(quad)
        elif row.startswith("A "):
            result.add(quad)
    return "".join(result).encode()


def line(quad: tuple[str, ...]) -> str:
    return f"{' '.join(filter(None, quad))} .\n"


def test_generated_pairs() -> None:
    """Every patch is right on any serialization of its base, and never changes a wrong node of another base."""
    found = [judged(seed) for seed in range(PAIRS)]
    seen = Counter(kind for kind, *_ in found) + Counter(
        same=sum(is_same for _, is_same, *_ in found)
    )
    assert set(seen) == {"same", "right", "patch.blank"}
    assert min(seen.values()) > PAIRS // 10, seen
    assert sum(rows for *_, rows, _ in found) <= 1.1 * sum(rows for *_, rows in found)


def test_other_syntaxes_are_the_same_graph() -> None:
    edit = EDITS["list of 100 restrictions, removal"]
    turtle = (blank_edits.PREFIXES + edit.old).encode()
    lines = quads(turtle, format="ttl")
    xml = ox.serialize(ox.parse(shuffled(lines), ox.RdfFormat.N_QUADS), format=ox.RdfFormat.RDF_XML)
    assert xml is not None
    for other, format in ((lines, "nq"), (shuffled(lines), "nt"), (xml, "rdfxml")):
        done, patch = diff(turtle, other, old_format="ttl", new_format=format, prefixes=False)
        assert (done.added, done.deleted, patch) == (0, 0, b"")
        assert done.kept_nodes == 200
        assert same(turtle, other, old_format="ttl", new_format=format)
    # a patch of the Turtle file changes the RDF/XML file
    new = (blank_edits.PREFIXES + edit.new).encode()
    _, patch = diff(turtle, new, old_format="ttl", new_format="ttl", prefixes=False)
    assert canonical(applied(xml, patch, "rdfxml")) == canonical(quads(new, format="ttl"))


def test_names_in_patches() -> None:
    old = b'<urn:s> <urn:p> _:store17 .\n_:store17 <urn:v> "1" .\n'
    new = b'<urn:s> <urn:p> _:b9 .\n_:b9 <urn:v> "2" .\n<urn:s> <urn:q> _:store17 .\n'
    # labels that last: those of the old dataset, and no header
    done, patch = diff(old, new, blank_nodes="match")
    assert (done.kept_nodes, done.new_nodes, done.gone_nodes) == (1, 1, 0)
    assert b'D <_:store17> <urn:v> "1" .' in patch
    assert b'A <_:store17> <urn:v> "2" .' in patch
    assert b"A <urn:s> <urn:q> <_:n" in patch
    assert b"H " not in patch
    assert canonical(applied(old, patch)) == canonical(new)
    # by labels, which is what auto does where labels last
    assert diff(old, new)[0].blank_nodes == "labels"
    # content labels of both, as a store that was filled with them has them
    before, after = (quads(side, blank_nodes="content") for side in (old, new))
    done, patch = diff(old, new, blank_nodes="content")
    assert b"H " not in patch
    assert sorted(applied(before, patch).splitlines()) == sorted(after.splitlines())
    # no labels that last: content labels and headers
    done, patch = diff(old.replace(b"store17", b"anon-0"), new)
    assert done.blank_nodes == "match"
    assert patch.startswith(b'H blank-nodes "content-1" .\nH blank-digest "')
    assert b"anon-" not in patch
    # without rows that name nodes there are no headers
    _, patch = diff(old.replace(b"store17", b"anon-0"), b'<urn:s> <urn:p> _:x .\n_:x <urn:v> "1" .\n<urn:a> <urn:b> <urn:c> .\n')  # fmt: skip
    assert patch == b"TX .\nA <urn:a> <urn:b> <urn:c> .\nTC .\n"


def test_a_node_that_cannot_be_told_from_others_is_refused() -> None:
    twins = "".join(f'<urn:s> <urn:p> _:anon-{n} .\n_:anon-{n} <urn:v> "1" .\n' for n in range(3))
    old = twins.encode()
    _, patch = diff(old, old + b'_:anon-1 <urn:note> "x" .\n')
    assert len(canonical(applied(old, patch))) == 7
    for base, why in (
        (old + b'_:anon-9 <urn:v> "3" .\n', "several equal"),
        (b'<urn:s> <urn:p> _:anon-0 .\n_:anon-0 <urn:v> "1" .\n', "not in the base"),
    ):
        with pytest.raises(PatchError, match=why) as caught:
            applied(base, patch)
        assert caught.value.kind == "patch.blank"


def test_equal_nodes_have_the_same_numbers_for_all_who_read_a_base() -> None:
    twin = b"[] <a:p> 1 .\n"
    patch, undo = io.BytesIO(), io.BytesIO()
    jelly.diff(
        twin * 8, twin * 7 + b'[] <a:p> 1 ; <a:note> "x" .', patch,
        old_format="ttl", new_format="ttl", to="rdfp",
    )  # fmt: skip
    lines = [f'_:t{n} <a:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n' for n in range(8)]
    old = "".join(lines).encode()

    def applied(base: bytes, change: bytes) -> list[bytes]:
        out = io.BytesIO()
        jelly.apply(base, change, out, base_format="nq", patch_format="rdfp", to="nq")
        return sorted(out.getvalue().splitlines(keepends=True))

    new = applied(old, patch.getvalue())
    assert len(new) == 9
    for _ in range(4):
        assert applied("".join(reversed(lines)).encode(), patch.getvalue()) == new
    jelly.invert(patch.getvalue(), undo, old, base_format="nq", patch_format="rdfp", to="rdfp")
    assert applied(b"".join(new), undo.getvalue()) == sorted(old.splitlines(keepends=True))


def test_doors_that_do_not_know_the_state_refuse_content_labels(tmp_path: Path) -> None:
    base = tmp_path / "base.nq"
    base.write_bytes(b'<urn:s> <urn:p> _:anon-0 .\n_:anon-0 <urn:v> "1" .\n')
    patch, log, out = tmp_path / "patch.rdfp", tmp_path / "log", tmp_path / "out.rdfp"
    patch.write_bytes(diff(base, base.read_bytes().replace(b'"1"', b'"2"'), id="urn:p:1")[1])
    log.mkdir()
    for work in (
        lambda: jelly.squash(patch, out),
        lambda: jelly.net(patch, out),
        lambda: jelly.between(patch, 0, 1, out),
        lambda: jelly.invert(patch, out),
        lambda: list(jelly.history(patch)),
        lambda: jelly.verify_log(patch),
        lambda: jelly.Log(log).publish(patch),
        lambda: jelly.Replica.create(tmp_path / "table").follow(patch),
    ):
        with pytest.raises(JellyError) as caught:
            work()
        assert caught.value.kind == "patch.base", caught.value
    assert not out.exists()
    assert not list(log.iterdir())
    # with the state it is known what is meant
    assert jelly.as_of(base, patch, 1, tmp_path / "now.nq").statements == 2
    staged = jelly.stage(base, patch)
    assert staged.ok
    assert (staged.added, staged.deleted, staged.without_effect) == (1, 1, 0)
    stored = tmp_path / "stored.nq"
    stored.write_bytes(quads(base, blank_nodes="content"))
    jelly.canonicalize(patch, stored, out)
    assert b"H blank" not in out.read_bytes()
    jelly.invert(out, tmp_path / "back.rdfp")
    assert (
        jelly.apply(
            stored, [out, tmp_path / "back.rdfp"], tmp_path / "was.nq", chain="ignore"
        ).added
        == 0
    )


def test_real_versions(tmp_path: Path) -> None:
    """At most the rows of the design's table and 5 %."""
    log = shared("corpus/brick-versions.jellyp.gz")
    most = {5: 562 + 336, 6: 404 + 528}
    versions = {}
    for version in (4, 5, 6):
        versions[version] = tmp_path / f"{version}.nq"
        jelly.as_of(os.devnull, log, version, versions[version], base_format="nq")
    for version, rows in most.items():
        old, new = versions[version - 1], versions[version]
        done, patch = diff(old, new, blank_nodes="match")
        named = sum(NODES in line for line in patch.splitlines())
        assert 100 < named <= rows * 1.05
        assert done.unsettled_nodes == 0
        assert canonical(applied(old.read_bytes(), patch)) == canonical(new.read_bytes())


def poisoned() -> dict[str, bytes]:
    def lines(rows: Sequence[tuple[object, str, object]]) -> bytes:
        return "".join(f"_:anon-{a} <urn:{p}> _:anon-{b} .\n" for a, p, b in rows).encode()

    complete = [(a, "e", b) for a in range(60) for b in range(60) if a != b]
    chain = [(n, "p", n + 1) for n in range(20_000)]
    cells = [(n, "r", (n + 1) % 5000) for n in range(5000)]
    ring = lines(cells).replace(b"urn:r", b"http://www.w3.org/1999/02/22-rdf-syntax-ns#rest")
    first = "".join(f"_:anon-{n} <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> <urn:i> .\n" for n in range(5000))  # fmt: skip
    twins = "".join(f'<urn:s> <urn:p> _:anon-{n} .\n_:anon-{n} <urn:v> "1" .\n' for n in range(20_000))  # fmt: skip
    doubled = [(0, p, n) for n in range(1, 2000) for p in "pq"]
    return {
        "complete graph": lines(complete),
        "nested": lines(chain),
        "list that ends in itself": ring + first.encode(),
        "twins": twins.encode(),
        "cycle": lines([(n, "p", (n + 1) % 20_000) for n in range(20_000)]),
        "twins below a node, linked twice": lines(doubled),
    }


@pytest.mark.parametrize("name", poisoned())
def test_poisoned_graphs_end(name: str) -> None:
    old = poisoned()[name]
    assert len(old) > 50_000
    other = shuffled(old)
    assert diff(old, other)[0][3:5] == (0, 0)
    done, patch = diff(old, other + b'_:anon-7 <urn:note> "x" .\n')
    assert done.added >= 1
    assert jelly.apply(old, b"", io.BytesIO(), to="nq", base_format="nq").statements == done.old
    if not done.unsettled_nodes:
        assert same(applied(old, patch), other + b'_:anon-7 <urn:note> "x" .\n')


def joined(*graphs: blank_edits.Edges) -> bytes:
    """Graphs of 16 nodes, each node of one with all nodes of the others."""
    pairs = [(16 * n + a, 16 * n + b) for n, graph in enumerate(graphs) for a, b in graph]
    nodes = range(16 * len(graphs))
    pairs += [(a, b) for a in nodes for b in nodes if a // 16 != b // 16]
    return "".join(f"_:anon-{a} <urn:e> _:anon-{b} .\n" for a, b in pairs).encode()


def test_budgets() -> None:
    rook, other = blank_edits.rook(), blank_edits.shrikhande()
    assert not same(joined(rook), joined(other))
    assert same(joined(rook), shuffled(joined(rook)))
    old, new = joined(*[rook] * 6), joined(*[rook] * 5, other)
    tight = jelly.Limits(blank_work=1)
    done, patch = diff(old, new, limits=tight)
    assert done.unsettled_nodes == 2 * 96
    assert done.added
    # its nodes have no stable order: the patch is refused, not guessed at
    with pytest.raises(PatchError, match="no stable order"):
        applied(old, patch)
    with pytest.raises(LimitError, match=r"limit\.blank_work"):
        same(old, new, limits=tight)
    with pytest.raises(LimitError, match=r"limit\.blank_bytes"):
        diff(old, new, limits=jelly.Limits(blank_bytes=1000))


def test_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text('<urn:s> <urn:p> [ <urn:v> "1" ] .')
    (tmp_path / "same.nt").write_text('_:x <urn:v> "1" .\n<urn:s> <urn:p> _:x .\n')
    (tmp_path / "b.ttl").write_text('<urn:s> <urn:p> [ <urn:v> "2" ] .')
    (tmp_path / "bad.ttl").write_text("<urn:s> <urn:p>")

    def run(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "jelly", *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        return done.returncode, done.stdout + done.stderr

    for other, code in (("same.nt", 0), ("b.ttl", 1), ("bad.ttl", 2), ("missing.ttl", 2)):
        assert run("same", "a.ttl", other)[0] == code, other
        assert run("diff", "--exit-code", "a.ttl", other, "-o", "out.rdfp")[0] == code, other
    assert run("diff", "a.ttl", "b.ttl", "-o", "out.rdfp") == (
        0,
        "+1 -1, 0 rows of prefixes, made of 2 and 2 statements; blank nodes matched: 1 kept, 0 new, 0 gone\n",
    )
    assert run("apply", "same.nt", "out.rdfp", "-o", "now.nt")[0] == 0
    assert '"2"' in (tmp_path / "now.nt").read_text()
