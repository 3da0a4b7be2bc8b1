"""The commands that show changes: which form they take, and what they show of logs."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import jelly
from examples import ROOT
from jelly.cli.group import jelly as commands

OLD = "@prefix : <https://example.org/> . :a a :C ; :p [ :q 1 ; :r 1 ] .\n"
NEW = "@prefix : <https://example.org/> . :a a :C ; :p [ :q 2 ; :r 1 ] .\n"
LINES = ["~ :a  (:C)", "    :p  [ … ]", "    ~ :q  1  →  2"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "old.ttl").write_text(OLD)
    (tmp_path / "new.ttl").write_text(NEW)
    return tmp_path


def run(*arguments: object, code: int = 0) -> Result:
    done = CliRunner().invoke(commands, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done


def below(text: str) -> list[str]:
    return text.split("\n\n", 1)[1].splitlines()


def test_a_pipe_gets_a_patch_and_forms_are_asked_for(files: Path) -> None:
    old, new = files / "old.ttl", files / "new.ttl"
    assert run("diff", old, new).stdout.startswith("H blank-nodes")
    assert below(run("diff", old, new, "--as", "text").stdout) == LINES
    assert below(run("diff", old, new, "--class", ":C").stdout) == LINES
    assert json.loads(run("diff", old, new, "--as", "json").stdout)["schema"] == 1
    assert run("diff", old, new, "--as", "patch").stdout.startswith("H blank-nodes")


def test_lines_are_cut_at_the_width_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "new.nt").write_text('<x:s> <x:p> "%s" .\n' % (300 * "long "))
    cut, whole = (
        run("diff", "/dev/null", tmp_path / "new.nt", "--as", "text", *more).stdout
        for more in ([], ["--width", "5000"])
    )
    assert max(map(len, cut.splitlines())) < 150
    assert 300 * "long " in whole


@pytest.mark.parametrize(("ending", "start"), [("md", "**old.ttl"), ("html", "<!doctype html>")])
def test_endings(files: Path, ending: str, start: str) -> None:
    out = files / f"change.{ending}"
    run("diff", files / "old.ttl", files / "new.ttl", "-o", out)
    assert out.read_text().startswith(start)


def test_exit_codes(files: Path) -> None:
    old, new = files / "old.ttl", files / "new.ttl"
    run("diff", old, new, "--as", "text", "--exit-code", code=1)
    run("diff", old, old, "--as", "text", "--exit-code", code=0)
    run("diff", old, files / "none.ttl", "--as", "text", "--exit-code", code=2)
    of_git = ["a.ttl", old, "0", "100644", new, "0", "100644"]
    said = run("diff", "--git", "--exit-code", *of_git, code=2)
    assert "--exit-code cannot be used with --git" in said.output


@pytest.mark.parametrize(
    "more", [["--to", "rdfp"], ["--id", "urn:x"], ["--skolemize"], ["--level", "3"]]
)
def test_what_patches_have_is_refused(files: Path, more: list[str]) -> None:
    said = run("diff", files / "old.ttl", files / "new.ttl", "--as", "text", *more, code=2)
    assert f"{more[0]} works only with patches" in said.output


def test_what_showing_has_is_refused_of_patches(files: Path) -> None:
    out = files / "x.rdfp"
    run("diff", files / "old.ttl", files / "new.ttl", "-o", out, "--class", ":C", code=2)
    assert not out.exists()


def test_a_terminal_gets_colours(files: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "jelly", "diff", "old.ttl", "new.ttl"]
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.run(command, cwd=files, stdout=theirs, stderr=subprocess.PIPE, env=env, check=True)  # fmt: skip
    os.close(theirs)
    text = os.read(ours, 100_000).decode().replace("\r", "")
    os.close(ours)
    assert "\x1b[33m~\x1b[0m :q  \x1b[1m1\x1b[22m  →  \x1b[1m2\x1b[22m" in text
    assert text.startswith("old.ttl -> new.ttl")
    assert done.returncode == 0


LOG = """H id <urn:1> .
H author "a\x1b[31m" .
H timestamp "2026-11-21T18:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
TX .
PA "" <https://example.org/> .
A <https://example.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://example.org/C> .
A <https://example.org/a> <https://example.org/p> _:x .
A _:x <https://example.org/q> "1" .
A _:x <https://example.org/r> "1" .
TC .
H id <urn:2> .
H prev <urn:1> .
H author "b" .
TX .
D _:x <https://example.org/q> "1" .
A _:x <https://example.org/q> "2" .
TC .
"""


@pytest.fixture
def log(tmp_path: Path) -> jelly.Log:
    log = jelly.Log.create(tmp_path / "log")
    first, second = LOG.split("H id <urn:2>")
    log.publish(first.encode(), format="rdfp")
    log.publish(f"H id <urn:2>{second}".encode(), format="rdfp")
    return log


def test_a_version_of_a_log(log: jelly.Log, tmp_path: Path) -> None:
    place = tmp_path / "log"
    expected = ["~ :a  (:C)", "    :p  [ … ]", '    ~ :q  "1"  →  "2"']
    assert below(str(log.show(2))) == expected
    assert below(str(log.show("urn:2"))) == expected
    assert below(run("log", "show", place, 2, "--as", "text").stdout) == expected
    assert below(str(log.show(1)))[:4] == [
        "+ prefix :  <https://example.org/>", "", "+ :a  (:C)", "  + a  :C",
    ]  # fmt: skip
    assert "D <_:x>" in run("log", "show", place, 2).stdout
    run("log", "show", place, 2, "-o", tmp_path / "two.html")
    assert (tmp_path / "two.html").read_text().startswith("<!doctype html>")
    with pytest.raises(jelly.errors.PatchError) as raised:
        log.show(3)
    assert raised.value.kind == "patch.version"


def test_a_log_that_does_not_say_how_it_begins(tmp_path: Path) -> None:
    first, second = LOG.split("H id <urn:2>")
    (tmp_path / "patch-0001.rdfp").write_text(first)
    (tmp_path / "patch-0002.rdfp").write_text(f"H id <urn:2>{second}")
    done = jelly.Log(tmp_path).show(2)
    assert below(str(done)) == [
        "~ [ … ]", '  ~ <https://example.org/q>  "1"  →  "2"',
    ]  # fmt: skip


@pytest.mark.usefixtures("log")
def test_between(tmp_path: Path) -> None:
    place = tmp_path / "log"
    said = run("between", place, "--from-version", 1, "--to-version", 2, "--as", "text").stdout
    assert said.startswith("version 1 -> version 2   \u22121 +1 statements")
    assert below(said) == ["~ [ … ]", '  ~ <https://example.org/q>  "1"  →  "2"']
    assert run("between", place, "--from-version", 1, "--to-version", 2).stdout.startswith("H id")


@pytest.mark.usefixtures("log")
def test_list_has_headers(tmp_path: Path) -> None:
    first, second = run("log", "list", tmp_path / "log").stdout.splitlines()
    assert first == '1  2026-11-21T18:00:00Z  +4 -0  <urn:1>  author "a\\u001B[31m"'
    assert second.endswith('+1 -1  <urn:2>  author "b"')
    both = [json.loads(line) for line in run("log", "list", tmp_path / "log", "--json").stdout.splitlines()]  # fmt: skip
    assert [dict(version["headers"])["author"] for version in both] == ['"a\\u001B[31m"', '"b"']


def test_a_backup_is_listed_and_shown(files: Path) -> None:
    for n in (1, 2):
        (files / f"{n}.nt").write_text(f'<urn:a> <urn:p> "{n}" .\n<urn:a> <urn:q> "x" .\n')
        jelly.backup(files / f"{n}.nt", files / "kept")
    assert len(run("log", "list", files / "kept").stdout.splitlines()) == 1
    assert below(run("log", "show", files / "kept", 1, "--as", "text").stdout) == [
        "~ <urn:a>", '  ~ <urn:p>  "1"  →  "2"',
    ]  # fmt: skip


def test_stage_shows_what_would_change(files: Path) -> None:
    (files / "base.nt").write_text('<urn:a> <urn:p> "1" .\n')
    patch = files / "change.rdfp"
    patch.write_text('TX .\nD <urn:a> <urn:p> "1" .\nA <urn:a> <urn:p> "2" .\nTC .\n')
    done = run("stage", files / "base.nt", patch, "--as", "text")
    assert below(done.stdout) == ["~ <urn:a>", '  ~ <urn:p>  "1"  →  "2"']
    assert "; ok" in done.stderr
    assert "; ok" in run("stage", files / "base.nt", patch).stdout
    patch.write_text('TX .\nD <urn:b> <urn:p> "1" .\nTC .\n')
    done = run("stage", files / "base.nt", patch, "--as", "text", code=1)
    assert "patch.nothing" in done.stderr


@pytest.mark.usefixtures("log")
def test_who_changed_it(tmp_path: Path) -> None:
    place = tmp_path / "log"
    command = ["history", place, "--predicate", "<https://example.org/q>", "--who"]
    first, added, deleted, second, last = run(*command).stdout.splitlines()
    assert first == '1\t2\t_:x <https://example.org/q> "1" .'
    assert added.startswith("\t\tversion 1:")
    assert 'author "a\\u001B[31m"' in added
    assert "id <urn:1>" in added
    assert deleted.startswith("\t\tversion 2:")
    assert 'author "b"' in deleted
    assert second == '2\t\t_:x <https://example.org/q> "2" .'
    assert last == deleted
    *_, found = jelly.history_by(place, predicate="<https://example.org/q>")
    assert dict(found.added_by)["author"] == '"b"'
    assert found.deleted_by is None
    one = json.loads(run(*command, "--json").stdout.splitlines()[0])
    assert dict(one["deleted_by"])["id"] == "<urn:2>"


def git(folder: Path, *arguments: str) -> str:
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.pager=cat"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["git", *names, *arguments], cwd=folder, capture_output=True, text=True, check=False, env=os.environ | {"PATH": path})  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a graph that is committed, and the commands of docs/showing.md."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    git(tmp_path, "init", "-q", ".")
    git(tmp_path, "config", "diff.rdf.command", "jelly diff --git")
    (tmp_path / ".gitattributes").write_text("*.ttl diff=rdf\n")
    (tmp_path / "graph.ttl").write_text(OLD)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def test_git_shows_what_changed(repository: Path) -> None:
    same = "# so that git sees that it is the same file\n" * 20
    (repository / "graph.ttl").write_text(same + NEW)
    text = git(repository, "diff")
    assert text.startswith("a/graph.ttl -> b/graph.ttl   ")
    assert below(text) == LINES
    git(repository, "commit", "-qam", "two")
    assert below(git(repository, "show", "--ext-diff", "--format=", "HEAD")) == LINES
    git(repository, "mv", "graph.ttl", "other.ttl")
    (repository / "other.ttl").write_text(same + OLD)
    text = git(repository, "diff", "HEAD", "-M")
    assert "a/graph.ttl -> b/other.ttl" in text
    assert "    ~ :q  2  →  1" in text


def test_git_shows_files_that_are_new_gone_or_bad(repository: Path) -> None:
    (repository / "new.ttl").write_text(OLD)
    git(repository, "add", "-A")
    assert "+ :a  (:C)" in git(repository, "diff", "--cached")
    git(repository, "commit", "-qm", "two")
    git(repository, "rm", "-q", "new.ttl")
    (repository / "graph.ttl").write_text("no Turtle")
    (repository / "z.ttl").write_text("<urn:x> <urn:y> <urn:z> .\n")
    git(repository, "add", "-A")
    text = git(repository, "diff", "--cached")
    assert "a/graph.ttl cannot be compared with b/graph.ttl: " in text
    assert "- :a  (:C)" in text
    assert "b/z.ttl" in text, "the files behind it are compared"


def test_git_textconv(repository: Path) -> None:
    git(repository, "config", "--unset", "diff.rdf.command")
    page = (ROOT / "docs/showing.md").read_text()
    command = re.findall(r"^git config diff.rdf.textconv (.*)$", page, re.MULTILINE)
    subprocess.run(f"git config diff.rdf.textconv {command[0]}", shell=True, cwd=repository, check=True)  # fmt: skip
    (repository / "graph.ttl").write_text(NEW)
    text = git(repository, "diff")
    changed = [line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]  # fmt: skip
    # the three statements of the node that is another one now; what else is said of :a stays
    assert len(changed) == 6
    assert not [line for line in changed if "#type>" in line]


def test_the_script_of_the_action(repository: Path) -> None:
    script = ROOT / "scripts/pull_request.sh"
    (repository / "graph.ttl").write_text(NEW)
    (repository / "new `x` <b>.ttl").write_text(OLD)
    (repository / "bad.nt").write_text("bad")
    (repository / "other.txt").write_text("x")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")

    def markdown(*arguments: str) -> str:
        command = Path(sys.executable).parent / "jelly"
        env = os.environ | {"JELLY": str(command)}
        done = subprocess.run([script, *arguments], cwd=repository, capture_output=True, text=True, check=False, env=env)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    text = markdown("HEAD~1", "HEAD")
    assert "#### `graph.ttl`" in text
    assert "+ :a  (:C)" in text
    assert "!     :q  1  →  2" in text or "!   :q  1  →  2" in text
    assert "#### `new__x___b_.ttl`" in text
    assert "It cannot be compared" in text
    assert "other.txt" not in text
    assert len(text) < 65_536
    assert "bad.nt" not in markdown("HEAD~1", "HEAD", "*.ttl")
    assert markdown("HEAD", "HEAD") == "No RDF file changed.\n"


def test_the_action_gives_scripts_no_text_of_the_pull_request() -> None:
    lines = (ROOT / "action.yml").read_text().splitlines()
    scripts = [line for line in lines if line.startswith("        ") and "${{" in line]
    assert len(scripts) > 5
    for line in scripts:
        assert re.fullmatch(r"        [A-Z_]+: \$\{\{ [a-z_.]+ \}\}", line), line
