"""One table of logs through the core: what was collected of them, and their files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
import log_cases
from jelly import _internal
from jelly.errors import JellyError, PatchError

# as many statements as the backups of the table say that they begin with
BASE = b'<a:s> <a:p> "1" .\n<a:s> <a:p> "2" .\n'


@pytest.mark.parametrize("case", log_cases.CASES.values(), ids=log_cases.CASES)
def test_order_of_what_was_collected(case: dict[str, Any], tmp_path: Path) -> None:
    folder = log_cases.write(case, tmp_path / "log")
    given = log_cases.facts(case, folder)
    assert log_cases.outcome(case, folder, given[::-1]) == log_cases.expected(case)
    given = log_cases.facts(case, folder, log_cases.SPELLINGS)
    assert log_cases.outcome(case, folder, given[::-1]) == log_cases.expected(case)


@pytest.mark.parametrize("case", log_cases.CASES.values(), ids=log_cases.CASES)
def test_order_of_files(case: dict[str, Any], tmp_path: Path) -> None:
    folder = log_cases.write(case, tmp_path / "log")
    expected = log_cases.expected(case)
    if "kind" in expected:
        with pytest.raises(PatchError) as caught:
            jelly.apply(b"", folder, io.BytesIO(), base_format="nq")
        found = log_cases.said(caught.value)
        # a reader says the place of a row in another way
        assert found["kind"] == expected["kind"]
        assert found["message"] in expected["message"]
        problems = {problem.kind for problem in jelly.verify_log(folder).problems}
        assert expected["kind"] in problems
        return
    versions, origins, before, _ = _internal.log_versions([folder], {})
    places = {(one[0], one[1]): place for place, one in enumerate(log_cases.facts(case, folder))}
    order = [places[str(origins[source][1]), patch] for source, patch, *_ in versions]
    assert (order, before) == (expected["order"], expected["before"])
    done = jelly.apply(BASE, folder, io.BytesIO(), base_format="nq")
    assert bool(done.order) == expected["by_name"]


def test_versions_of_which_a_patch_may_be_missing(tmp_path: Path) -> None:
    """By its ``prev``, the second file comes first. Before, ``as_of`` left it out, or applied only the first file."""
    name = "a number is missing, and prev gives another order"
    folder = log_cases.write(log_cases.CASES[name], tmp_path / "log")
    for version in ("<u:a>", "<u:b>", 1):
        with pytest.raises(PatchError) as caught:
            jelly.as_of(b"", folder, version, io.BytesIO(), base_format="nq")
        assert caught.value.kind == "patch.gap"


@pytest.mark.parametrize("case", log_cases.CASES.values(), ids=log_cases.CASES)
def test_replicas(case: dict[str, Any], tmp_path: Path) -> None:
    """A replica follows a log from its begin, and refuses what other doors refuse."""
    folder = log_cases.write(case, tmp_path / "log")
    expected = log_cases.expected(case)
    base = BASE if "base.nt" in case.get("others", {}) else b""
    replica = jelly.Replica.create(tmp_path / "replica", base, base_format="nq")
    if "kind" in expected or _begins_later(case, expected):
        with pytest.raises(JellyError) as caught:
            replica.follow(folder)
        assert caught.value.kind == expected.get("kind", "replica.gap")
        assert replica.read().read_all().num_rows == base.count(b"\n")
        return
    replica.follow(folder)
    applied = io.BytesIO()
    jelly.apply(base, folder, applied, base_format="nq")
    assert _rows(replica.read()) == _rows(jelly.read_rdf(applied.getvalue()))


def _begins_later(case: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether the first patch follows one that is not there."""
    patches = [patch for _, patches in case["files"] for patch in patches]
    return bool(expected["before"]) or "prev" in patches[expected["order"][0]]


def _rows(stream: Any) -> list[dict[str, str]]:
    rows = pa.table(stream).select(["subject", "predicate", "object", "graph"]).to_pylist()
    return sorted(rows, key=str)
