"""Logs in the files that Jena makes of a dataset, by each of its policies."""

import io
import subprocess
from pathlib import Path

import pytest

import jelly
from jvm_harness import harness
from places import SkippedError

POLICIES = {
    "INDEX": [f"log.rdfp.{n:04}" for n in range(1, 10)],
    "SHIFT": ["log.rdfp.002", "log.rdfp.001", "log.rdfp"],
    "FIXED": ["log.rdfp"],
    "DATE": None,
    "TIMESTAMP": None,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    """A folder with a log of each policy, and the dataset that they all come to."""
    try:
        home = harness() / "target"
    except SkippedError as reason:
        pytest.skip(str(reason))
    folder = tmp_path_factory.mktemp("logs")
    classes = f"{home / 'jvm-peer.jar'}:{home / 'lib'}/*"
    program = Path(__file__).with_name("FileLog.java")
    done = subprocess.run(["java", "-cp", classes, program, folder, *POLICIES], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return folder, sorted(done.stdout.splitlines())


@pytest.mark.parametrize("policy", POLICIES)
def test_log_of_jena(policy: str, made: tuple[Path, list[bytes]]) -> None:
    folder, expected = made[0] / policy, made[1]
    assert len(expected) == 7
    out = io.BytesIO()
    applied = jelly.apply(b"", folder, out, base_format="nq")
    assert sorted(out.getvalue().splitlines()) == expected
    assert applied.version == 9
    if files := POLICIES[policy]:
        assert [path.name for path in jelly.Log(folder).files] == files
    report = jelly.verify_log(folder)
    assert (report.patches, report.ids, report.committed, report.aborted) == (9, 9, 6, 3)
    assert {problem.kind for problem in report.problems} <= {"patch.effect"}
