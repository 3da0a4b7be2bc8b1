"""A quad has the spelling of its language tags that was added last, in every door; see also tests/python/spark."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

import jelly
import spelling
from jelly.replica import Replica
from spelling import ADDED, ALL, CASES, DELETED, PATCHES, after_of, base_of, log_of


def lines(data: bytes) -> list[str]:
    return sorted(data.decode().splitlines())


@pytest.mark.parametrize("number", ALL, ids=[case.name for case in CASES])
@pytest.mark.parametrize("distinct", [False, True])
def test_files(number: int, distinct: bool) -> None:
    case = CASES[number]
    out = io.BytesIO()
    done = jelly.apply(
        base_of({number: case}), log_of({number: case}), out, to="nq", base_format="nq",
        distinct=distinct,
    )  # fmt: skip
    assert lines(out.getvalue()) == after_of({number: case})
    assert (done.added, done.deleted) == (case.added, case.deleted)


def test_shell(tmp_path: Path) -> None:
    (tmp_path / "base.nq").write_bytes(base_of(ALL))
    paths = [tmp_path / f"patch-{place}.rdfp" for place in range(1, PATCHES + 1)]
    for path, patch in zip(paths, log_of(ALL), strict=True):
        path.write_bytes(patch)
    command = [sys.executable, "-m", "jelly", "apply", tmp_path / "base.nq", *paths, "-o", tmp_path / "now.nq"]  # fmt: skip
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    assert lines((tmp_path / "now.nq").read_bytes()) == after_of(ALL)


@pytest.mark.parametrize("each_version", [False, True])
def test_replica(tmp_path: Path, each_version: bool) -> None:
    pytest.importorskip("pyarrow")
    replica = Replica.create(tmp_path / "table", base_of(ALL), base_format="nq", id="u:0")
    done = replica.follow(log_of(ALL), each_version=each_version, patch_format="rdfp")
    rows = replica.read().read_all().to_pylist()
    assert sorted(spelling.quad(int(row["subject"][3:-1]), row["object"]) for row in rows) == after_of(ALL)  # fmt: skip
    if not each_version:  # else the deleted quad that comes back counts in both
        assert (done.added, done.deleted) == (ADDED, DELETED)


def test_versions_and_history() -> None:
    out = io.BytesIO()
    jelly.as_of(base_of(ALL), log_of(ALL), PATCHES, out, to="nq", base_format="nq")
    assert lines(out.getvalue()) == after_of(ALL)
    periods = jelly.history(log_of(ALL), base=base_of(ALL), base_format="nq")
    now = [f"{one[0]} {one[1]} {one[2]} ." for one in periods if one.valid_to is None]
    assert sorted(now) == after_of(ALL)


def test_backups(tmp_path: Path) -> None:
    dumps = [b'<a:s> <a:p> "x"@en .\n', b'<a:s> <a:p> "y" .\n', b'<a:s> <a:p> "x"@EN .\n']
    for dump in dumps:
        jelly.backup(dump, tmp_path / "kept")
    for version, dump in enumerate(dumps):
        out = io.BytesIO()
        jelly.restore(tmp_path / "kept", out, version=version, to="nq")
        assert out.getvalue() == dump


def test_what_only_spells_a_tag_anew_has_no_effect() -> None:
    case = {0: CASES[0]}
    report = jelly.verify_log(log_of(case)[:1], base=base_of(case), base_format="nq")
    assert (report.changes, report.without_effect) == (1, 1)
    out = io.BytesIO()
    done = jelly.canonicalize(log_of(case)[:1], base_of(case), out, base_format="nq", to="rdfp")
    assert (done.added, done.deleted) == (0, 0)
    after = f"{after_of(case)[0]}\n".encode()
    compared = jelly.diff(base_of(case), after, io.BytesIO(), to="rdfp", old_format="nq", new_format="nq")  # fmt: skip
    assert (compared.added, compared.deleted) == (0, 0)
