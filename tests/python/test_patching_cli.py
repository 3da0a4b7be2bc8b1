"""The commands that give patches a meaning: what they write, say and end with."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import jelly

BASE = '<a:s> <a:p> "x" .\n'
LOG = 'H id <u:1> .\nTX .\nA <a:s> <a:p> "y" .\nTC .\nH id <u:2> .\nH prev <u:1> .\nTX .\nD <a:s> <a:p> "x" .\nTC .\n'


def run(folder: Path, *arguments: str, code: int | None = 0, stdin: str = "") -> tuple[str, str]:
    command = [sys.executable, "-m", "jelly", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, cwd=folder)
    assert code in (None, done.returncode), done.stdout + done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.nq").write_text(BASE)
    (tmp_path / "log.rdfp").write_text(LOG)
    return tmp_path


def test_apply(folder: Path) -> None:
    _, said = run(folder, "apply", "base.nq", "log.rdfp", "-o", "after.nq")
    assert (folder / "after.nq").read_text() == '<a:s> <a:p> "y" .\n'
    assert said == "version 2: 1 statement (+1, -1, of 2 changes)\n"
    out, said = run(folder, "apply", "-", "log.rdfp", stdin=BASE)
    assert (out, said) == ('<a:s> <a:p> "y" .\n', "")
    _, said = run(folder, "apply", "base.nq", "log.rdfp", "-o", "a.jelly", "--json")
    out, _ = run(folder, "as-of", "base.nq", "log.rdfp", "--version", "1", "--json", "-o", "b.nq")
    assert json.loads(out) == {**json.loads(out), "version": 1, "id": "<u:1>", "statements": 2}
    assert {row.object for row in jelly.read_rdf(folder / "a.jelly").rows()} == {'"y"'}
    assert (folder / "b.nq").read_text() == BASE + '<a:s> <a:p> "y" .\n'


def test_rows_in_vain_are_reported_beside_a_pipe_too(folder: Path) -> None:
    out, said = run(folder, "apply", "-", "log.rdfp", stdin='<a:s> <a:p> "y" .\n')
    assert (out, said) == ('<a:s> <a:p> "y" .\n', "2 of 2 changes without effect\n")


@pytest.mark.parametrize(
    "line", ["canonicalize after.nq log.rdfp", "invert log.rdfp --base after.nq"]
)
def test_a_base_on_which_no_change_has_an_effect(folder: Path, line: str) -> None:
    run(folder, "apply", "base.nq", "log.rdfp", "-o", "after.nq")
    _, said = run(folder, *line.split())
    assert said == "no change has an effect on BASE; is BASE the dataset before the patches?\n"
    _, said = run(folder, *line.replace("after", "base").split())
    assert said == ""


def test_a_log_with_patches_begins_empty_only_if_asked(folder: Path) -> None:
    """Before, `log create` recorded that it begins empty, which cannot be taken back."""
    (folder / "log").mkdir()
    (folder / "log/patch-0001.rdfp").write_text(LOG.split("H id <u:2>")[0])
    _, said = run(folder, "log", "create", "log", code=1)
    assert "does not record what it begins with" in said
    assert jelly.Log(folder / "log").info().base is None
    run(folder, "log", "create", "log", "--empty")
    assert jelly.Log(folder / "log").info().base == "empty"
    run(folder, "log", "create", "new")


@pytest.mark.parametrize("command", ["apply", "as-of"])
def test_a_single_argument_is_the_base(folder: Path, command: str) -> None:
    _, said = run(
        folder, command, "log.rdfp", *(["--version", "1"] if command == "as-of" else []), code=2
    )
    assert (
        f"jelly {command} takes BASE and LOG..., and 'log.rdfp' was taken as BASE: give LOG too"
        in said
    )
    _, said = run(folder, command, *(["--version", "1"] if command == "as-of" else []), code=2)
    assert "Missing argument 'BASE'" in said


def test_a_log_is_needed_where_no_base_is(folder: Path) -> None:
    assert "Missing argument 'LOG...'" in run(folder, "net", code=2)[1]


def test_files_that_are_missing_are_named_without_the_number_of_the_error(folder: Path) -> None:
    _, said = run(folder, "apply", "none.nq", "log.rdfp", code=1)
    assert said == "jelly: none.nq: no such file or directory\n"


def test_patches_that_are_made(folder: Path) -> None:
    run(folder, "apply", "base.nq", "log.rdfp", "-o", "after.nq")
    out, _ = run(folder, "diff", "base.nq", "after.nq", "--id", "u:9")
    assert out == 'H id <u:9> .\nTX .\nD <a:s> <a:p> "x" .\nA <a:s> <a:p> "y" .\nTC .\n'
    _, said = run(folder, "diff", "base.nq", "after.nq", "-o", "d.jellyp")
    assert said == "+1 -1, 0 rows of prefixes, made of 1 and 1 statements\n"
    _, said = run(folder, "invert", "log.rdfp", "-o", "back.rdfp", "--id", "u:9")
    assert said == "+1 -1, 0 rows of prefixes, made of 2 patches with 2 changes; id <u:9>\n"
    out, _ = run(folder, "apply", "after.nq", "back.rdfp")
    assert out == BASE
    out, _ = run(folder, "squash", "log.rdfp", "--mode", "net", "--id", "u:9")
    assert out.startswith("H id <u:9> .\nH squashed-from <u:1> .\nH squashed-to <u:2> .\nTX .\nD ")
    out, _ = run(folder, "net", "log.rdfp")
    assert out == 'TX .\nD <a:s> <a:p> "x" .\nA <a:s> <a:p> "y" .\nTC .\n'
    out, _ = run(folder, "between", "log.rdfp", "--from-version", "u:1", "--to-version", "2")
    assert out == 'H id <u:2> .\nH prev <u:1> .\nTX .\nD <a:s> <a:p> "x" .\nTC .\n'
    (folder / "y.nq").write_text('<a:s> <a:p> "y" .\n')
    out, _ = run(folder, "canonicalize", "y.nq", "log.rdfp")
    assert out == "H id <u:1> .\nTX .\nTC .\nH id <u:2> .\nH prev <u:1> .\nTX .\nTC .\n"
    (folder / "b.nt").write_text("_:b <a:p> <a:o> .\n")
    out, _ = run(folder, "diff", "base.nq", "b.nt", "--skolemize", "a:/")
    assert "A <a:/b> <a:p> <a:o> .\n" in out
    out, _ = run(folder, "convert", "b.nt", "-", "--to", "nt", "--skolemize")
    assert out == "<https://genid.invalid/.well-known/genid/b> <a:p> <a:o> .\n"


def test_what_logs_say(folder: Path) -> None:
    out, _ = run(folder, "history", "log.rdfp", "--base", "base.nq")
    assert out == '0\t2\t<a:s> <a:p> "x" .\n1\t\t<a:s> <a:p> "y" .\n'
    both = ["--object", '"y"', "--object", '"none"']
    out, _ = run(folder, "history", "log.rdfp", *both, "--json")
    assert json.loads(out)["valid_from"] == 1
    out, _ = run(folder, "log", "verify", "log.rdfp", "--base", "base.nq")
    assert out == (
        "2 patches, 2 with an id; 2 transactions, 0 aborted; 2 changes, 0 without effect; 0 problems\n"
    )
    out, _ = run(folder, "log", "verify", "log.rdfp", "log.rdfp", "--json", code=1)
    report = json.loads(out)
    assert not report["ok"]
    assert {problem["kind"] for problem in report["problems"]} == {"patch.duplicate"}
    out, _ = run(folder, "log", "verify", "base.nq", code=1)
    assert out == (
        "wire.format: this looks like N-Triples, N-Quads or Turtle, not patches (base.nq: patch 0)\n"
        "0 patches, 0 with an id; 0 transactions, 0 aborted; changes not checked; 1 problem\n"
    )
    _, said = run(folder, "history", "log.rdfp", "--subject", "https://a/b", code=2)
    assert said.startswith('jelly: "https://a/b" is not a term; expected a term such as <https://')


def test_exit_codes(folder: Path) -> None:
    (folder / "bad.rdfp").write_text("TX .\n")
    _, said = run(folder, "apply", "base.nq", "bad.rdfp", "-o", "after.nq", code=1)
    assert said.startswith("jelly: patch.unfinished: ")
    assert "--unfinished drop" in said
    assert not (folder / "after.nq").exists()
    run(folder, "apply", "base.nq", "bad.rdfp", "--unfinished", "drop")
    run(folder, "apply", "base.nq", "missing.rdfp", code=1)
    run(folder, "apply", "base.nq", code=2)
    run(folder, "apply", "base.nq", "log.rdfp", "--to", "html", code=2)
    run(folder, "as-of", "base.nq", "log.rdfp", "--version", "9", code=1)
    run(folder, "diff", "base.nq", "base.nq", "-o", "change.nq", code=2)
    assert not (folder / "change.nq").exists()


def test_help_tells_of_each_command(folder: Path) -> None:
    out, _ = run(folder, "--help")
    listed = re.findall(r"^  ([a-z-]+) {2,}(\S.*)$", out.split("Compare:\n")[1], re.MULTILINE)
    assert {"apply", "as-of", "diff", "net", "log"} < {name for name, _ in listed}
    assert len(listed) == len({name for name, _ in listed}) >= 24
    assert all(text.endswith(".") and not text.endswith("...") for _, text in listed), listed
    out, _ = run(folder, "apply", "--help")
    assert "/dev/null" in out


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_text("<urn:a> <urn:p> <urn:b> .\n")
    for words in (
        ("apply", "a.nq", "/dev/null", "-o", "no/b.nq"),
        ("diff", "a.nq", "a.nq", "-o", "no/b.rdfp"),
        ("convert", "a.nq", "no/b.jelly"),
        ("convert", "a.nq", "no/b.parquet"),
    ):
        _, said = run(tmp_path, *words, code=1)
        assert said == f"jelly: {words[-1]}: the folder no does not exist\n"


def test_advice_is_for_the_shell(tmp_path: Path) -> None:
    (tmp_path / "cut.rdfp").write_text("TX .\nA <urn:a> <urn:p> <urn:b> .\n")
    _, said = run(tmp_path, "apply", "/dev/null", "cut.rdfp", code=1)
    assert "--unfinished drop leaves" in said
    run(tmp_path, "replica", "create", "table", code=0)
    _, said = run(tmp_path, "replica", "follow", "table", "cut.rdfp", code=1)
    assert "patch.unfinished" in said
    assert "drop" not in said


def test_what_we_write_gets_no_advice(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_text("<urn:a> <urn:p> <urn:b> .\n")
    run(tmp_path, "convert", "a.nq", "a.jelly", code=0)
    assert run(tmp_path, "validate", "a.jelly", code=0)[0] == "valid\n"
    assert "advice" not in run(tmp_path, "inspect", "a.jelly", code=0)[0]


def test_a_terminal_gets_text(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_text("<urn:a> <urn:p> <urn:b> .\n")
    command = [sys.executable, "-m", "jelly", "convert", "a.nq", "-"]
    screen, terminal = pty.openpty()
    try:
        subprocess.run(command, check=True, stdout=terminal, cwd=tmp_path)
        assert os.read(screen, 1000) == b"<urn:a> <urn:p> <urn:b> .\r\n"
    finally:
        os.close(screen)
        os.close(terminal)
    piped = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=tmp_path).stdout
    assert next(jelly.read_rdf(piped).rows()).object == "<urn:b>"


def test_results_say_what_their_fields_mean() -> None:
    results = (
        jelly.Applied, jelly.BackedUp, jelly.Compared, jelly.Head, jelly.LogReport, jelly.Patched,
        jelly.Problem, jelly.Published, jelly.Staged, jelly.Statistics, jelly.Step, jelly.Tally,
    )  # fmt: skip
    for result in results:
        for field in result._fields:
            assert f"        {field}: " in (result.__doc__ or ""), (result, field)
