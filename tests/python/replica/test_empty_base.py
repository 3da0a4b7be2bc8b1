"""A replica without quads does not follow a log that begins with a dataset, as ``jelly.apply`` rejects an empty base."""

from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import PatchError
from jelly.replica import Replica

from .tables import quads

DUMPS = [f'<a:s> <a:p> "{number}" .\n<a:s> <a:q> "x" .\n'.encode() for number in range(3)]
NOW = {("<a:s>", "<a:p>", '"2"', ""), ("<a:s>", "<a:q>", '"x"', "")}


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    for dump in DUMPS:
        jelly.backup(dump, tmp_path / "backup", dump_format="nq")
    return tmp_path / "backup"


def refused(replica: Replica, log: Any, **options: Any) -> None:
    """Expects that a replica rejects a log."""
    said = "the base is empty, but the log begins with a dataset of 2 statements"
    with pytest.raises(PatchError, match=said) as caught:
        replica.follow(log, **options)
    assert caught.value.kind == "patch.base"
    assert (replica.version, replica.versions) == (0, [0])


def test_a_replica_without_quads(tmp_path: Path, backup: Path, format: Any) -> None:
    """Before, it had the added quads alone."""
    replica = Replica.create(tmp_path / "empty", format=format)
    for log in (backup, [backup], jelly.Log(backup)):
        refused(replica, log)
    refused(replica, backup, each_version=True)
    refused(replica, backup, upto=0)
    whole = Replica.create(tmp_path / "whole", DUMPS[0], format=format, base_format="nq")
    assert (whole.follow(backup).version, quads(whole)) == (2, NOW)
    assert whole.follow(backup).patches == 0


def test_a_compacted_log(tmp_path: Path, backup: Path, format: Any) -> None:
    id = next(jelly.Log(backup).versions(0, 1)).id
    jelly.Log(backup).compact(1)
    refused(Replica.create(tmp_path / "empty", format=format, id=id), backup)
    whole = Replica.create(tmp_path / "whole", DUMPS[1], format=format, base_format="nq", id=id)
    assert (whole.follow(backup).version, quads(whole)) == (2, NOW)


def test_a_backup_without_patches(tmp_path: Path, format: Any) -> None:
    jelly.backup(DUMPS[0], tmp_path / "backup", dump_format="nq")
    refused(Replica.create(tmp_path / "empty", format=format), tmp_path / "backup")


def test_a_log_that_begins_with_an_empty_dataset(tmp_path: Path, format: Any) -> None:
    for dump in (b"", *DUMPS[2:]):
        jelly.backup(dump, tmp_path / "backup", dump_format="nq")
    jelly.Log.create(tmp_path / "log").publish(b'A <a:s> <a:p> "2" .\nA <a:s> <a:q> "x" .\n')
    for name in ("backup", "log"):
        replica = Replica.create(tmp_path / f"of {name}", format=format)
        replica.follow(tmp_path / name)
        assert quads(replica) == NOW


def test_a_dataset_that_became_empty(tmp_path: Path, backup: Path, format: Any) -> None:
    """A replica that lost its quads on the way goes on."""
    whole = Replica.create(tmp_path / "whole", DUMPS[0], format=format, base_format="nq")
    jelly.backup(b"", backup, dump_format="nq")
    whole.follow(backup)
    assert len(whole) == 0
    jelly.backup(DUMPS[2], backup, dump_format="nq")
    assert (whole.follow(backup).version, quads(whole)) == (4, NOW)


def test_several_folders(tmp_path: Path, backup: Path, format: Any) -> None:
    """What counts is how the folder of the first patch begins."""
    files = sorted(backup.glob("patch-*"))
    more = tmp_path / "more"
    more.mkdir()
    files[1].rename(more / files[1].name)
    (backup / "_index.jsonl").unlink()
    refused(Replica.create(tmp_path / "empty", format=format), [backup, more])
    whole = Replica.create(tmp_path / "whole", DUMPS[0], format=format, base_format="nq")
    whole.follow([backup, more])
    assert quads(whole) == NOW
