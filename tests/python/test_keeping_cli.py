"""The commands that keep datasets and logs, and the one that counts."""

import json
from pathlib import Path

import pytest

from test_patching_cli import BASE, LOG, run

FIRST, SECOND = LOG.split("H id <u:2>")
SECOND = "H id <u:2>" + SECOND


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.nq").write_text(BASE)
    (tmp_path / "1.rdfp").write_text(FIRST)
    (tmp_path / "2.rdfp").write_text(SECOND)
    (tmp_path / "new.nq").write_text('<a:s> <a:p> "y" .\n<a:s> <a:p> "z" .\n')
    return tmp_path


def test_stage_and_publish(folder: Path) -> None:
    out, _ = run(folder, "stage", "base.nq", "1.rdfp", "--log", "log")
    assert out == "1 transaction, 0 aborted; 1 change, 0 without effect; 1 statement becomes 2 (+1, -0); 0 prefixes; ok\n"  # fmt: skip
    assert not (folder / "log").exists()
    out, _ = run(folder, "stage", "base.nq", "1.rdfp", "--log", "log", "--publish")
    assert out.endswith("; ok\nversion 1: patch-0001.jellyp, id <u:1>\n")
    _, said = run(folder, "publish", "log", "2.rdfp", "--expect", "1", "--header", "author", '"me"')
    assert said == "version 2: patch-0002.jellyp, id <u:2>\n"
    out, _ = run(folder, "publish", "log", "2.rdfp", "--json")
    assert json.loads(out) == {**json.loads(out), "version": 2, "prev": "<u:1>", "replayed": True}
    _, said = run(folder, "publish", "log", "1.rdfp")
    assert said == "version 1: patch-0001.jellyp, id <u:1>; it was there already\n"
    out, _ = run(folder, "stage", "base.nq", "1.rdfp", "--log", "log", "--json")
    found = json.loads(out)
    assert (found["ok"], found["published"], found["head"]) == (True, None, 2)
    out, _ = run(folder, "stage", "base.nq", "-", code=1, stdin="TX .\n")
    assert out.startswith("patch.unfinished: ")
    assert out.endswith("; the patch is rejected\n")
    run(folder, "stage", "base.nq", "1.rdfp", "--publish", code=2)
    run(folder, "apply", "base.nq", "log", "-o", "after.nq")
    assert (folder / "after.nq").read_text() == '<a:s> <a:p> "y" .\n'
    run(folder, "log", "create", "log", "--base", "base.nq")
    _, said = run(folder, "log", "compact", "log", "--upto", "u:1")
    assert said == "log: begins with version 1, 2 statements; 1 patch less\n"
    _, said = run(folder, "log", "fetch", "log", "1", code=1)
    assert said.startswith("jelly: patch.gap: ")
    _, told = run(folder, "log", "dataset", "log", "--version", "0", code=1)
    between = ("between", "log", "--from-version", "0", "--to-version", "2")
    for call in (("as-of", "base.nq", "log", "--version", "0"), between):
        _, said = run(folder, *call, code=1)
        message = "the log begins with version 2: the changes after version 0 are gone"
        assert said.startswith(f"jelly: patch.gap: {message}")
        assert told.startswith(f"jelly: patch.gap: {message}")


def test_backup_and_restore(folder: Path) -> None:
    _, said = run(
        folder, "backup", "base.nq", "kept", "--at", "2026-01-01T00:00Z", "--threads", "2"
    )
    assert said == "version 0: 1 statement (+1 -0)\n"
    out, _ = run(folder, "backup", "new.nq", "kept", "--at", "2026-01-02T00:00Z", "--json")
    assert json.loads(out) == {**json.loads(out), "version": 1, "added": 2, "deleted": 1}
    _, said = run(folder, "backup", "-", "kept", stdin=(folder / "new.nq").read_text())
    assert said == "version 1: 2 statements (nothing new)\n"
    _, said = run(folder, "restore", "kept", "-o", "now.nq")
    assert said == "version 1: 2 statements (+2, -1, of 3 changes)\n"
    assert (folder / "now.nq").read_bytes() == (folder / "new.nq").read_bytes()
    out, _ = run(folder, "restore", "kept", "--version", "0")
    assert out == BASE
    out, _ = run(folder, "restore", "kept", "--at", "2026-01-01T12:00:00+00:00")
    assert out == BASE
    _, said = run(folder, "restore", "kept", "--at", "2025-01-01T00:00Z", code=1)
    assert said.startswith("jelly: patch.version: there is no version up to 2025-01-01T00:00:00Z")
    run(folder, "restore", "kept", "--at", "noon", code=2)
    run(folder, "restore", "nowhere", code=1)


def test_stats(folder: Path) -> None:
    out, _ = run(folder, "stats", "new.nq")
    assert out.startswith(
        "kind:       statements\nrows:       2\nsize:       36 bytes, 18.0 a row\n"
    )
    assert "\npredicates: 1\n               2  <a:p>\ngraphs: 1\n" in out
    out, _ = run(folder, "stats", "-", "--from", "rdfp", "--json", stdin=LOG)
    found = json.loads(out)
    assert found["ops"] == {"H": 3, "TX": 2, "TC": 2, "Z": 2, "A": 1, "D": 1}
    out, _ = run(folder, "stats", "1.rdfp", "--rows", "committed", "--json")
    assert json.loads(out)["ops"] == {"A": 1}
    (folder / "many.nq").write_text(
        '_:b <a:p> "x"@EN .\n_:b <a:p> "x"@en <a:g> .\n<a:s> <a:q> "5"^^<a:t> <a:g> .\n'
        "<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> <a:g> .\n<a:s> <a:p> _:b <a:g> .\n<a:s> <a:p> <a:o> <a:g> .\n"
    )
    out, _ = run(folder, "stats", "many.nq", "--top", "1", "--json")
    found = json.loads(out)
    assert found["subjects"] == {"iri": 4, "bnode": 2}
    assert found["objects"] == {"literal": 3, "triple": 1, "bnode": 1, "iri": 1}
    assert (found["languages"], found["datatypes"]) == ({"en": 2}, {"a:t": 1})
    assert (found["predicates"], found["different_predicates"]) == ({"<a:p>": 5}, 2)
    assert (found["graphs"], found["different_graphs"]) == ({"<a:g>": 5}, 2)
    assert (found["kind"], found["rows"]) == ("rdf", 6)
    run(folder, "stats", "many.nq", "--top", "-1", code=2)


def test_stage_refuses_a_patch_of_which_no_row_has_an_effect(folder: Path) -> None:
    (folder / "vain.rdfp").write_text('TX .\nD <a:s> <a:p> "other" .\nA <a:s> <a:p> "x" .\nTC .\n')
    out, _ = run(folder, "stage", "base.nq", "vain.rdfp", "--log", "log", "--publish", code=1)
    first, *_, last = out.splitlines()
    assert first.startswith("patch.nothing: no row changes the dataset")
    assert last.endswith("2 changes, 2 without effect; 1 statement becomes 1 (+0, -0); 0 prefixes; the patch is rejected")  # fmt: skip
    assert not (folder / "log").exists()
    out, _ = run(folder, "stage", "base.nq", "vain.rdfp", "--json", code=1)
    found = json.loads(out)
    assert (found["ok"], found["without_effect"], found["changes"]) == (False, 2, 2)
    # one row with an effect is enough
    (folder / "part.rdfp").write_text('TX .\nD <a:s> <a:p> "other" .\nD <a:s> <a:p> "x" .\nTC .\n')
    out, _ = run(folder, "stage", "base.nq", "part.rdfp")
    assert out.endswith("2 changes, 1 without effect; 1 statement becomes 0 (+0, -1); 0 prefixes; ok\n")  # fmt: skip
    out, _ = run(folder, "stage", "base.nq", "-", stdin="TX .\nTC .\n", code=1)
    assert out.startswith("patch.nothing: the patch has no committed changes")
    (folder / "prefix.rdfp").write_text("TX .\nPA a <a:> .\nD <a:s> <a:p> <a:no> .\nTC .\n")
    assert run(folder, "stage", "base.nq", "prefix.rdfp")[0].endswith("; ok\n")
    # whoever did not learn how publishing ended may ask again
    run(folder, "publish", "log", "1.rdfp")
    run(folder, "apply", "base.nq", "log", "-o", "after.nq")
    out, _ = run(folder, "stage", "after.nq", "1.rdfp", "--log", "log", "--publish")
    assert out.endswith("it was there already\n")


def test_apply_reports_rows_that_met_nothing(folder: Path) -> None:
    (folder / "vain.rdfp").write_text(
        'TX .\nD <a:s> <a:p> "other" .\nA <a:s> <a:p> "x" .\nA <a:s> <a:p> "y" .\nA <a:s> <a:p> "y" .\nTC .\n'
    )
    _, said = run(folder, "apply", "base.nq", "vain.rdfp", "-o", "after.nq")
    assert said == "version 1: 2 statements (+1, -0, of 4 changes, 3 without effect)\n"
    out, _ = run(folder, "apply", "base.nq", "vain.rdfp", "-o", "after.nq", "--json")
    assert json.loads(out)["without_effect"] == 3
    _, said = run(folder, "as-of", "base.nq", "vain.rdfp", "--version", "0", "-o", "after.nq")
    assert said == "version 0: 1 statement (+0, -0, of 0 changes)\n"
