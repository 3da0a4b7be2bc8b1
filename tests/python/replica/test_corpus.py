"""Real logs: a replica has what ``jelly.apply`` gives, at each version that it has."""

from pathlib import Path

import pytest

import jelly
from jelly.replica import Replica
from shared_data import shared

from .tables import quads


@pytest.mark.parametrize(
    ("name", "each_version"),
    [("brick-versions", True), ("schemaorg-releases", False), ("weather-cdc-2000tx", False)],
)
def test_real_logs(name: str, each_version: bool, tmp_path: Path) -> None:
    log = shared(f"corpus/{name}.jellyp.gz")
    report = jelly.verify_log(log)
    replica = Replica.create(tmp_path / "t", id=report.prev)
    half = report.patches // 2
    replica.follow(log, upto=half, each_version=each_version)
    done = replica.follow(log, each_version=each_version)
    assert (done.version, done.patches) == (report.patches, report.patches - half)
    versions = replica.versions
    assert len(versions) == (report.patches + 1 if each_version else 1 + len({half, report.patches} - {0}))  # fmt: skip
    for version in versions[1:]:
        jelly.as_of(b"", log, version, tmp_path / "x.nq", base_format="nq")
        with jelly.read_rdf(tmp_path / "x.nq") as reader:
            expected = {row[3:] for row in reader.rows()}
        assert {tuple(row.values()) for row in replica.read(version).read_all().to_pylist()} == expected  # fmt: skip
        assert len(quads(replica, version)) == len(expected) > 0
