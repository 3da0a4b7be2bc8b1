"""Blank nodes without a label: no door takes the position of a node in a file for its name."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from blank_texts import AGAIN, DELETE, FORMATS, NAMED, NEW, OLD, in_transaction
from jelly.errors import JellyError, PatchError

# how a position looks after it went through another format
LAUNDERED = (
    "_:anon-0",
    "_:anon-anon-0",
    "_:s0123456789abcdef_anon-0",
    "_:s0123456789abcdeff7_anon-12",
)

PATCHES = {
    "subject": DELETE,
    "object": "A <urn:x:pump> <urn:x:has> _:anon-0 .\n",
    "graph": "A <urn:x:a> <urn:x:b> <urn:x:c> _:anon-0 .\n",
    "nested": "A <urn:x:a> <urn:x:b> <<( <urn:x:a> <urn:x:b> _:anon-0 )>> .\n",
    "prefix": 'PA "x" <urn:x:> _:anon-0 .\n',
    "prefix deleted": 'PD "x" _:anon-0 .\n',
    **{label: DELETE.replace("_:anon-0", label) for label in LAUNDERED},
}


def nq(source: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.convert(source, out, to="nq", **options)
    return out.getvalue()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in {"old": OLD, "again": AGAIN, "new": NEW}.items():
        (tmp_path / f"{name}.ttl").write_text(text)
    for ending, text in FORMATS.items():
        (tmp_path / f"one.{ending}").write_text(text)
    (tmp_path / "old.nt").write_bytes(nq(tmp_path / "old.ttl"))
    (tmp_path / "old.jelly").write_bytes(b"")
    jelly.convert(tmp_path / "old.ttl", tmp_path / "old.jelly")
    jelly.convert(tmp_path / "old.ttl", tmp_path / "old.parquet")
    (tmp_path / "named.nt").write_bytes(NAMED)
    (tmp_path / "named.rdfp").write_bytes(
        in_transaction("D _:power <urn:x:property> <urn:x:power> .\n")
    )
    (tmp_path / "positions.rdfp").write_bytes(in_transaction(DELETE))
    return tmp_path


def refused(work: Callable[[], Any], label: str = "_:anon-0") -> JellyError:
    with pytest.raises(JellyError) as caught:
        work()
    assert caught.value.kind == "patch.labels", str(caught.value)
    assert label in str(caught.value)
    assert "IRI or a label" in str(caught.value)
    return caught.value


# what takes a patch and must refuse one that names a position; P is the patch, F a folder
BY_PATCH: dict[str, Callable[[Any, Path], Any]] = {
    "apply": lambda p, f: jelly.apply(f / "old.ttl", p, f / "out.nq"),
    "as_of": lambda p, f: jelly.as_of(f / "old.ttl", p, 1, f / "out.nq"),
    "invert": lambda p, f: jelly.invert(p, f / "out.nq.rdfp"),
    "invert with a base": lambda p, f: jelly.invert(p, f / "out.rdfp", f / "old.ttl"),
    "squash": lambda p, f: jelly.squash(p, f / "out.rdfp"),
    "net": lambda p, f: jelly.net(p, f / "out.rdfp"),
    "between": lambda p, f: jelly.between(p, 0, 1, f / "out.rdfp"),
    "canonicalize": lambda p, f: jelly.canonicalize(p, f / "named.nt", f / "out.rdfp"),
    "history": lambda p, _: list(jelly.history(p)),
    "history with a base": lambda p, f: list(jelly.history(p, base=f / "old.ttl")),
    "publish": lambda p, f: jelly.Log(f / "log").publish(p),
    "stage and publish": lambda p, f: jelly.stage(f / "old.ttl", p, f / "log").publish(),
    "follow": lambda p, f: jelly.Replica(f / "table").follow(p),
}


@pytest.mark.parametrize("door", BY_PATCH)
def test_a_patch_that_names_a_position_is_refused(files: Path, door: str) -> None:
    patch, log = files / "patch.rdfp", files / "log"
    jelly.Replica.create(files / "table")
    log.mkdir()
    before = sorted(path for path in files.rglob("*") if path != patch)
    for name, rows in PATCHES.items():
        patch.write_bytes(in_transaction(rows))
        error = refused(lambda: BY_PATCH[door](patch, files), _label(name))
        if "publish" not in door:
            assert str(patch) in str(error)
            assert error.line == 3
        assert sorted(path for path in files.rglob("*") if path != patch) == before
    # in a transaction that was aborted it means nothing
    patch.write_bytes(in_transaction("".join(PATCHES.values()), "TA"))
    if door == "stage and publish":
        with pytest.raises(PatchError, match=r"patch\.nothing"):
            BY_PATCH[door](patch, files)
    else:
        BY_PATCH[door](patch, files)


def _label(name: str) -> str:
    return name if name.startswith("_:") else "_:anon-0"


def test_problems_name_each_row_with_a_position(files: Path) -> None:
    many = "".join(f"D _:anon-{n} <urn:x:p> <urn:x:o> .\n" for n in range(150))
    without_effect = "".join(f"D <urn:x:{n}> <urn:x:p> <urn:x:o> .\n" for n in range(150))
    report = jelly.verify_log(in_transaction(DELETE))
    assert [problem.kind for problem in report.problems] == ["patch.labels"]
    assert "row 2, D _:anon-0 <urn:x:property> <urn:x:power>" in report.problems[0].message
    # problems of another kind leave room for it
    for base in (None, files / "old.ttl"):
        report = jelly.verify_log(in_transaction(without_effect * 2 + many), base=base)
        kinds = [problem.kind for problem in report.problems]
        assert kinds.count("patch.labels") == 100
    staged = jelly.stage(files / "old.ttl", in_transaction(DELETE))
    assert not staged.ok
    assert staged.after is None


# what takes two datasets, or one that is compared with others later
BY_DATASET: dict[str, Callable[[Any, Path], Any]] = {
    # by labels; matching, which is what `auto` does here, does not need them (test_blank_matching.py)
    "diff, old": lambda d, f: jelly.diff(d, f / "named.nt", f / "out.rdfp", blank_nodes="labels"),
    "diff, new": lambda d, f: jelly.diff(f / "named.nt", d, f / "out.rdfp", blank_nodes="labels"),
    "diff, skolemize": lambda d, f: jelly.diff(
        f / "named.nt", d, f / "out.rdfp", skolemize=True, blank_nodes="labels"
    ),
    "canonicalize": lambda d, f: jelly.canonicalize(f / "named.rdfp", d, f / "out.rdfp"),
    "backup": lambda d, f: jelly.backup(d, f / "kept", blank_nodes="labels"),
    "second backup": lambda d, f: (jelly.backup(f / "named.nt", f / "k"), jelly.backup(d, f / "k")),
}
DATASETS = ["old.ttl", "one.trig", "one.rdf", "one.jsonld", "old.nt", "old.jelly"]


@pytest.mark.parametrize("door", BY_DATASET)
def test_a_dataset_with_nodes_without_labels_is_not_compared(files: Path, door: str) -> None:
    (files / "kept").mkdir()
    for dataset in DATASETS:
        error = refused(partial(BY_DATASET[door], files / dataset, files))
        assert error.source == str(files / dataset)
        assert error.row is not None or error.line is not None
        assert not (files / "out.rdfp").exists()
        assert not (files / "out.nq").exists()
        assert not list((files / "kept").iterdir())
    # with labels it is
    (files / "labels.nt").write_bytes(nq(files / "again.ttl").replace(b"_:anon-", b"_:node"))
    BY_DATASET[door](files / "labels.nt", files)


def test_labels_that_a_file_has_are_names(tmp_path: Path) -> None:
    old, new, out = (tmp_path / name for name in ("old.ttl", "new.ttl", "out.rdfp"))
    old.write_text("<urn:x:a> <urn:x:p> _:x .")
    new.write_text("<urn:x:a> <urn:x:p> _:x , _:y .")
    assert jelly.diff(old, new, out).added == 1
    assert jelly.apply(old, out, tmp_path / "now.nq").statements == 2
    jelly.backup(old, tmp_path / "kept")
    assert jelly.backup(new, tmp_path / "kept").added == 1
    assert len(jelly.Replica.create(tmp_path / "table", new)) == 2
    # of files whose labels do not last the IRIs are of content labels
    assert b"genid/b" in nq(new, skolemize=True)


def test_nodes_of_the_base_pass_through(files: Path) -> None:
    patch = in_transaction("A <urn:x:a> <urn:x:p> _:node .\nD <urn:x:pump> <urn:x:p> <urn:x:o> .\n")
    done = jelly.apply(files / "old.ttl", patch, files / "now.nt", to="nt")
    assert done.statements == done.base + 1
    assert jelly.as_of(files / "old.ttl", patch, 1, files / "now.nt").added == 1
    staged = jelly.stage(files / "old.ttl", patch)
    assert staged.ok
    assert staged.after == done.statements
    assert len(list(jelly.history(patch, base=files / "old.ttl"))) == done.statements
    refused(lambda: list(jelly.history(patch, subject="_:anon-0", base=files / "old.ttl")))


def test_the_commands_refuse_positions(files: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "jelly", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=files, check=False)

    for words in (
        ["diff", "old.ttl", "new.ttl", "--blank-nodes", "labels"],
        ["diff", "old.ttl", "new.ttl", "--skolemize", "--blank-nodes", "labels"],
        ["apply", "again.ttl", "positions.rdfp"],
        ["as-of", "again.ttl", "positions.rdfp", "--version", "1"],
        ["stage", "again.ttl", "positions.rdfp"],
        ["canonicalize", "again.ttl", "positions.rdfp"],
        ["history", "positions.rdfp"],
        ["invert", "positions.rdfp"],
        ["squash", "positions.rdfp"],
        ["net", "positions.rdfp"],
        ["between", "positions.rdfp", "--from-version", "0", "--to-version", "1"],
        ["log", "verify", "positions.rdfp"],
        ["publish", "log", "positions.rdfp"],
        ["backup", "old.ttl", "kept", "--blank-nodes", "labels"],
    ):
        done = run(*words)
        assert done.returncode == 1, words
        assert "patch.labels" in done.stdout + done.stderr, words
        # no row of a result; what `log verify` and `stage` found goes to standard output
        assert not re.search("^(TX|<urn)", done.stdout, re.MULTILINE), words


def test_an_old_backup_with_positions_is_restored_and_takes_no_further_dump(files: Path) -> None:
    """As 0.1 made them: the base and its patches speak of nodes by their positions."""
    kept = files / "kept"
    jelly.backup(files / "named.nt", kept)
    (kept / "base.json").write_text(
        '{"base": "base.jelly.zst", "statements": 12, "timestamp": "2026-01-01T00:00:00+00:00"}'
    )
    jelly.convert(files / "old.ttl", files / "base.jelly.zst")
    (files / "base.jelly.zst").replace(kept / "base.jelly.zst")
    refused_again = (
        f"patch.labels: this backup names blank nodes by their positions.*new folder.*{kept}"
    )
    for dump in ("named.nt", "old.ttl"):
        with pytest.raises(PatchError, match=refused_again):
            jelly.backup(files / dump, kept)
    assert jelly.restore(kept, files / "was.nt").statements == 12
    jelly.convert(files / "positions.rdfp", files / "1.jellyp.zst")
    (files / "1.jellyp.zst").replace(kept / "patch-0001.jellyp.zst")
    assert jelly.restore(kept, files / "now.nt").statements == 11
    with pytest.raises(PatchError, match=refused_again):
        jelly.backup(files / "named.nt", kept)
    assert sorted(path.name for path in kept.iterdir()) == [
        "base.jelly.zst",
        "base.json",
        "patch-0001.jellyp.zst",
    ]


def test_named_refuses_positions(files: Path) -> None:
    for dataset in DATASETS:
        refused(partial(rows_of, files / dataset))
    refused(lambda: list(jelly.read_patch(files / "positions.rdfp", blank_nodes="named")))
    assert len(pa.table(jelly.read_rdf(files / "named.nt", blank_nodes="named"))) == 2


def rows_of(path: Path) -> list[Any]:
    return list(jelly.read_rdf(path, blank_nodes="named").rows())
