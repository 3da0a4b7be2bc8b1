"""``jelly replica``."""

import json
from pathlib import Path

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from click.testing import CliRunner

from jelly.cli.group import jelly


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(jelly, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_a_replica_from_the_shell(tmp_path: Path, format: str) -> None:
    (tmp_path / "base.nq").write_text("<a:1> <a:p> <a:o> .\n<a:2> <a:p> <a:o> <a:g> .\n")
    (tmp_path / "one.rdfp").write_text('H id <u:1> .\nPA "a" "a:" .\nA <a:3> <a:p> <a:o> .\n')
    (tmp_path / "two.rdfp").write_text("H id <u:2> .\nH prev <u:1> .\nD <a:1> <a:p> <a:o> .\n")
    table = tmp_path / "table"
    said = run("replica", "create", table, tmp_path / "base.nq", "--table-format", format)
    assert said == "version 0: 2 quads, 0 prefixes; versions that can be read: 0\n"
    said = run("replica", "follow", table, tmp_path / "one.rdfp")
    assert said == "version 1, <u:1>: 1 patch, +1 -0 of 1 change; 1 file written\n"
    said = run("replica", "follow", table, tmp_path / "one.rdfp", tmp_path / "two.rdfp", "--json")
    assert json.loads(said)["version"] == 2
    assert (
        run("replica", "follow", table, tmp_path / "two.rdfp") == "version 2, <u:2>: nothing new\n"
    )
    found = json.loads(run("replica", "info", table, "--json"))
    assert found == {"version": 2, "id": "<u:2>", "quads": 2, "prefixes": 1, "readable": [0, 1, 2]}
    assert sorted(run("replica", "dump", table).splitlines()) == [
        "<a:2> <a:p> <a:o> <a:g> .",
        "<a:3> <a:p> <a:o> .",
    ]
    run("replica", "dump", table, "-o", tmp_path / "out.nq.gz", "--version", 1)
    assert (tmp_path / "out.nq.gz").stat().st_size > 20
    (tmp_path / "four.rdfp").write_text("H id <u:4> .\nH prev <u:3> .\n")
    said = run("replica", "follow", table, tmp_path / "four.rdfp", code=1)
    assert said.startswith("jelly: replica.gap: the replica is at <u:2>, which is not in the log")
    assert run("replica", "compact", table) == "nothing to do\n"
    assert run("replica", "compact", table, "--bucket-rows", 9) == "compacted\n"
    assert json.loads(run("replica", "info", table, "--json")) == found
    said = run("replica", "vacuum", table, "--hours", 0, "--dry-run")
    assert said.endswith(" files would be deleted\n")
    assert run("replica", "dump", table, "--version", 1)
    assert (
        run("replica", "vacuum", table, "--hours", 0)
        == f"{said.splitlines()[-1].split()[0]} files deleted\n"
    )
    assert "replica.version" in run("replica", "dump", table, "--version", 1, code=1)
    assert "versions that can be read" in run("replica", "info", table)
    assert "there is no replica here" in run("replica", "info", tmp_path, code=1)
