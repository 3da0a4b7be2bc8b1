"""The folder of snapshots, here and on an object store; without a broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from jelly.spark.kafka.offsets import Range
from jelly.spark.kafka.options import KafkaOptions
from jelly.spark.kafka.snapshots import Snapshots

pytest.importorskip("pyarrow")


@pytest.fixture(params=["local", "uri", "s3"])
def snapshots(request: pytest.FixtureRequest, tmp_path: Path) -> Snapshots:
    where: dict[str, str] = {"snapshotLocation": str(tmp_path / "a b" / "c")}
    if request.param == "uri":
        where = {"snapshotLocation": (tmp_path / "c").as_uri()}
    if request.param == "s3":
        store = request.getfixturevalue("store")
        where = {"snapshotLocation": f"{store.bucket()}/some/where/", **store.options}
    given = {"kafka.bootstrap.servers": "there", "subscribe": "t", "sharedLookups": "true", **where}
    options = KafkaOptions.of({**given, "snapshotsKept": "3"}, stream=True)
    return Snapshots(options, Range("t", 1, 0, 9), "id")


def test_what_is_kept_is_there(snapshots: Snapshots) -> None:
    assert snapshots.before(100) is None
    for offset in (0, 5, 40, 300):
        snapshots.keep(offset, b"state %d" % offset)
    snapshots.keep(40, b"something else")  # what is there stays
    found = [snapshots.before(offset) for offset in (0, 4, 5, 39, 40, 1000)]
    assert [state and (state.offset, state.snapshot) for state in found] == [
        (offset, b"state %d" % offset) for offset in (0, 0, 5, 5, 40, 300)
    ]


def test_old_ones_go(snapshots: Snapshots) -> None:
    for offset in range(10):
        snapshots.keep(offset, b"")
        snapshots.prune(offset - 1)
    known = {state.offset for offset in range(10) if (state := snapshots.before(offset))}
    assert known == {6, 7, 8, 9}
