"""Replicas of Delta Lake whose table another program works on too."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jelly.errors import ReplicaError
from jelly.replica import Replica

from .tables import quads

pa = pytest.importorskip("pyarrow")
deltalake = pytest.importorskip("deltalake")

ROW = {name: [f"<x:{name}>"] for name in ("subject", "predicate", "object", "graph")}
FOREIGN = pa.table({**ROW, "bucket": ["b"]})


def patch(number: int) -> bytes:
    prev = f"H prev <u:{number - 1}> .\n" if number > 1 else ""
    row = f"A <a:{number}> <a:p> <a:o>"
    return f"H id <u:{number}> .\n{prev}TX .\n{row} .\nTC .\nZ .\n".encode()


LOG = [patch(number) for number in range(1, 6)]


def followed(table: Path) -> Replica:
    """At version 2, which is version 2 of the Delta table."""
    replica = Replica.create(table, format="delta")
    replica.follow(LOG[:2], each_version=True)
    return replica


def subjects(replica: Replica) -> set[str]:
    return {quad[0] for quad in quads(replica)}


def append(table: Path) -> None:
    deltalake.write_deltalake(table, FOREIGN, mode="append")


def overwrite(table: Path) -> None:
    deltalake.write_deltalake(table, FOREIGN, mode="overwrite")


def merge(table: Path) -> None:
    merging = deltalake.DeltaTable(table).merge(
        FOREIGN, "t.subject = s.subject", source_alias="s", target_alias="t"
    )
    merging.when_not_matched_insert_all().execute()


def delete(table: Path) -> None:
    deltalake.DeltaTable(table).delete("subject = '<a:1>'")


def update(table: Path) -> None:
    deltalake.DeltaTable(table).update(updates={"object": "'<x:o>'"}, predicate="subject = '<a:1>'")


@pytest.mark.parametrize(
    ("change", "operation"),
    [
        (append, "WRITE"),
        (overwrite, "WRITE"),
        (delete, "DELETE"),
        (update, "UPDATE"),
        (merge, "MERGE"),
    ],
)
@pytest.mark.parametrize("after", [False, True], ids=["last", "not last"])
def test_rows_that_another_program_changed(
    tmp_path: Path, change: Callable[[Path], Any], operation: str, after: bool
) -> None:
    table = tmp_path / "t"
    replica = followed(table)
    change(table)
    if after:
        deltalake.DeltaTable(table).optimize.compact()
        deltalake.DeltaTable(table).alter.set_table_description("words")
    there = deltalake.DeltaTable(table).version()
    refused = (
        lambda: Replica(table),
        lambda: replica.version,
        lambda: replica.read(),
        lambda: replica.follow(LOG),
        lambda: replica.compact(1),
    )
    for call in refused:
        with pytest.raises(ReplicaError) as caught:
            call()
        assert caught.value.kind == "replica.table"
        assert f"version 3 of the Delta table ({operation}, by delta-rs" in str(caught.value)
        assert "RESTORE the table to version 2" in str(caught.value)
    assert deltalake.DeltaTable(table).version() == there
    deltalake.DeltaTable(table).restore(2)
    assert Replica(table).version == 2
    assert replica.follow(LOG[:3]).patches == 1
    assert subjects(replica) == {"<a:1>", "<a:2>", "<a:3>"}


def test_a_change_between_a_commit_and_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = followed(tmp_path / "t")
    load = replica._store.load

    def slow(version: int | None = None) -> Any:
        state = load(version)
        monkeypatch.setattr(replica._store, "load", load)
        delete(tmp_path / "t")
        return state

    monkeypatch.setattr(replica._store, "load", slow)
    with pytest.raises(ReplicaError, match=r"version 3 of the Delta table \(DELETE") as caught:
        replica.follow(LOG)
    assert caught.value.kind == "replica.table"


def test_what_leaves_the_rows_as_they_are(tmp_path: Path) -> None:
    table = tmp_path / "t"
    replica = Replica.create(table, format="delta", bucket_rows=1)
    replica.follow(LOG[:1])
    replica.follow(LOG[:2])
    done = []
    changes: list[Callable[[Any], Any]] = [
        lambda here: here.alter.set_table_properties({"delta.appendOnly": "false"}),
        lambda here: here.alter.set_table_description("words"),
        lambda here: here.alter.set_table_name("name"),
        lambda here: here.alter.add_columns([deltalake.Field("note", "string")]),
        lambda here: here.optimize.compact(),
        lambda here: here.optimize.z_order(["subject"]),
        lambda here: here.delete("subject = '<x:none>'"),
        lambda here: here.vacuum(
            retention_hours=0, dry_run=False, enforce_retention_duration=False
        ),
        lambda here: here.create_checkpoint(),
    ]
    for change in changes:
        change(deltalake.DeltaTable(table))
        done.append(deltalake.DeltaTable(table).version())
        assert (Replica(table).version, subjects(replica)) == (2, {"<a:1>", "<a:2>"})
    assert len(set(done)) > 5
    assert replica.follow(LOG).patches == 3
    assert len(replica) == 5


def test_a_version_of_the_replica_that_was_restored(tmp_path: Path) -> None:
    """It is at the version of the log that these rows are, and goes on from there."""
    table = tmp_path / "t"
    replica = followed(table)
    replica.follow(LOG[:4], each_version=True)
    for target, rows in ((2, 2), (4, 4), (1, 1)):
        deltalake.DeltaTable(table).restore(target)
        deltalake.DeltaTable(table).alter.set_table_description(f"restored {target}")
        again = Replica(table)
        assert (again.version, again.id, len(again)) == (target, f"<u:{target}>", rows)
    deltalake.DeltaTable(table).restore(6)  # what a restore made
    assert replica.version == 2
    done = replica.follow(LOG)
    assert (done.version, done.patches, len(replica)) == (5, 3, 5)
    assert replica.versions == [0, 1, 2, 3, 4, 5]
    for version in replica.versions:
        assert len(quads(replica, version)) == version


def test_a_change_after_a_version_was_restored(tmp_path: Path) -> None:
    replica = followed(tmp_path / "t")
    deltalake.DeltaTable(tmp_path / "t").restore(1)
    append(tmp_path / "t")
    delete(tmp_path / "t")
    with pytest.raises(ReplicaError, match=r"version 4 of the Delta table .*to version 3,"):
        replica.follow(LOG)
    deltalake.DeltaTable(tmp_path / "t").restore(4)
    with pytest.raises(ReplicaError, match=r"version 4 of the Delta table .*to version 3,"):
        replica.follow(LOG)
    deltalake.DeltaTable(tmp_path / "t").restore(3)
    assert (replica.version, subjects(replica)) == (1, {"<a:1>"})


def test_a_version_is_found_while_another_process_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The history of a loaded table counts down from its version, but has newer commits. Before, version 1 was read."""
    replica = followed(tmp_path / "t")
    before = {version: sorted(quads_at(replica, version)) for version in (1, 2)}
    history = deltalake.DeltaTable.history
    commits = iter(LOG[2:4])

    def later(table: Any, *args: Any) -> Any:
        if (one := next(commits, None)) is not None:
            Replica(tmp_path / "t").follow(one)
        return history(table, *args)

    monkeypatch.setattr(deltalake.DeltaTable, "history", later)
    for version, rows in before.items():
        assert sorted(quads_at(replica, version)) == rows
    assert replica.version == 4


def quads_at(replica: Replica, version: int) -> list[Any]:
    return [tuple(row.values()) for row in replica.read(version).read_all().to_pylist()]
