"""Changes beside the buckets, compactions, and what a program sees that reads the folder."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import jelly
import patch_model as model
from jelly.replica import Replica
from jelly.replica._commit import run_in_threads

from .tables import create, files, live, long_log, numbered, quads, states

BASE = [
    *(numbered(number) for number in range(600)),
    ("<a:t>", "<a:p>", '"x"@en', ""),
    ('<<( <a:s> <a:p> "y"@en )>>', "<a:p>", "<a:o>", "<a:g>"),
]


def lowered(quad: model.Quad) -> model.Quad:
    """The model knows tags at the end of a term only."""
    s, p, o, g = quad
    return s.replace("EN", "en").replace("eN", "en"), p, o, g


def versions_of(base: list[model.Quad], log: list[model.Patch]) -> list[set[model.Quad]]:
    """The dataset at each version."""
    lower = [
        [row if row.op not in "AD" else model.Row(row.op, lowered(row.terms)) for row in patch]  # type: ignore[arg-type]
        for patch in log
    ]
    return states(set(base), lower)


def rows_of(replica: Replica, version: int | None = None) -> set[model.Quad]:
    return {lowered(quad) for quad in quads(replica, version)}


def small_patch(rng: random.Random, number: int, changes: int) -> model.Patch:
    """Adds and deletes quads that may be there already, tags in any case among them."""
    spelled = rng.choice(["en", "EN", "eN"])
    others = [("<a:t>", "<a:p>", f'"x"@{spelled}', ""), (f'<<( <a:s> <a:p> "y"@{spelled} )>>', "<a:p>", "<a:o>", "<a:g>")]  # fmt: skip
    rows = [model.Row(rng.choice("AD"), numbered(rng.randrange(800))) for _ in range(changes)]
    rows += [model.Row(rng.choice("AAD"), rng.choice(others))]
    head = [model.Row("H", ("id", f"<u:{number}>")), model.Row("H", ("prev", f"<u:{number - 1}>"))]
    return [*head, model.Row("TX"), *rows, model.Row("TC")]


def shown(table: Path) -> set[model.Quad]:
    """What a glob over the folder finds."""
    import pyarrow.parquet as pq

    paths = list(table.rglob("*.parquet"))
    assert {path.parent for path in paths} <= {table / "data"}
    rows = [tuple(row.values()) for path in paths for row in pq.read_table(path).to_pylist()]
    assert len(rows) == len({model.folded(row) for row in rows})
    return {lowered(model.folded(row)) for row in rows}


def test_random_patches_with_compactions_between(tmp_path: Path, format: str) -> None:
    rng, table, done = random.Random(17), tmp_path / "t", []
    log = [small_patch(rng, number, rng.choice([1, 2, 5, 60])) for number in range(1, 25)]
    expected, whole = versions_of(BASE, log), 0
    replica = create(table, BASE, log, format=format, bucket_rows=40)
    for version in range(1, len(log) + 1):
        made = replica.follow(model.text(log), upto=version)
        before, after = expected[version - 1], expected[version]
        assert (made.added, made.deleted) == (len(after - before), len(before - after))
        assert rows_of(replica) == after
        assert len(replica) == len(after)
        jelly.as_of(model.nquads(BASE), model.text(log), version, tmp_path / "as_of.nq", base_format="nq")  # fmt: skip
        with jelly.read_rdf(tmp_path / "as_of.nq") as reader:
            spelled = {tuple(row[3:]) for row in reader.rows()}
        assert {tuple(row.values()) for row in replica.read().read_all().to_pylist()} == spelled
        state = replica._store.load()
        done.append("beside" if state.adds or state.deletes else "buckets")
        if done[-1] == "buckets":
            whole = version
        if format == "parquet":
            assert shown(table) == expected[whole]
        if rng.random() < 0.25:
            size = rng.choice([None, 8, 40, 500])
            changed = size not in (None, state.bucket_rows)
            assert replica.compact(size) == (changed or done[-1] == "beside")
            assert not replica.compact(size)
            assert rows_of(replica) == after
            whole = version
            if format == "parquet":
                assert shown(table) == after
        if rng.random() < 0.2:
            kept = replica.versions[-3:]
            replica.vacuum(3, hours=0)
            assert format == "delta" or replica.versions == kept
            for one in kept:
                assert rows_of(replica, one) == expected[one]
    assert format == "delta" or {*done} == {"beside", "buckets"}
    replica.vacuum(hours=0)
    assert files(table) == live(replica)
    assert rows_of(replica) == expected[-1]


def test_many_small_patches_cost_little_and_are_read(tmp_path: Path) -> None:
    table, rng = tmp_path / "t", random.Random(2)
    base = [numbered(number) for number in range(8000)]
    log = [*long_log(rng, 60, 6, 9000), *(small_patch(rng, 61, 200),)]
    replica = create(table, base, log)
    whole = live(replica)
    made = replica.follow(model.text(log), each_version=True, upto=60)
    assert (made.commits, len(whole & live(replica))) == (60, len(whole))
    expected = versions_of(base, log)
    there = {*table.rglob("*")}
    replica.follow(model.text(log))
    written = sum(path.stat().st_size for path in {*table.rglob("*")} - there)
    assert 0 < written < 100 * len(model.text(log[-1:]))
    assert whole < live(replica)
    for version in (0, 1, 30, 60, 61):
        assert rows_of(replica, version) == expected[version]
    assert shown(table) == set(base)


def test_commit_and_compaction_that_meet_begin_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jelly.replica import _changes, _commit
    from jelly.replica._follow import compacted

    table, rng = tmp_path / "t", random.Random(3)
    log = [small_patch(rng, number, changes) for number, changes in ((1, 3), (2, 200), (3, 3))]
    expected = versions_of(BASE, log)
    replica = create(table, BASE, log, bucket_rows=64)
    replica.follow(model.text(log), upto=1)

    def overtaken(*arguments: Any) -> Iterator[Any]:
        Replica(table).follow(model.text(log), upto=2)
        yield from run_in_threads(*arguments)

    assert compacted(replica._store, 16, overtaken, None)
    assert (replica.version, rows_of(replica)) == (2, expected[2])
    assert replica._store.load().bucket_rows == 16
    assert shown(table) == expected[2]

    def late(*arguments: Any) -> Any:
        Replica(table).compact(32)
        return _changes.beside(*arguments)

    monkeypatch.setattr(_commit, "beside", late)
    assert replica.follow(model.text(log)).patches == 1
    assert (replica.version, rows_of(replica)) == (3, expected[3])
    assert replica._store.load().bucket_rows == 32
    replica.vacuum(hours=0)
    assert files(table) == live(replica)


def test_view_that_is_lost_or_stale_comes_back(tmp_path: Path) -> None:
    import shutil

    table, rng = tmp_path / "t", random.Random(4)
    log = [small_patch(rng, number, 1) for number in (1, 2)]
    replica = create(table, BASE, log)
    expected = versions_of(BASE, log)
    shutil.rmtree(table / "data")
    replica.follow(model.text(log), upto=1)
    assert shown(table) == expected[0]
    next((table / "data").iterdir()).unlink()
    (tmp_path / ".t.view").mkdir()
    replica.vacuum(hours=0)
    assert shown(table) == expected[0]
    replica.compact()
    assert shown(table) == expected[1]
    assert {path.name for path in tmp_path.iterdir()} == {"t"}


@pytest.mark.parametrize("failing", ["renameat2", "link"])
def test_view_where_the_system_cannot_exchange_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Or where nothing can be made beside the table."""
    import ctypes
    import os

    if failing == "renameat2":
        monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())
    else:
        link = os.link

        def inside(old: Any, new: Any) -> None:
            if ".t.view" in str(new):
                raise PermissionError(new)
            link(old, new)

        monkeypatch.setattr(os, "link", inside)
    replica = create(tmp_path / "t", BASE, [])
    replica.compact(16)
    assert shown(tmp_path / "t") == {*BASE}
    assert {path.name for path in tmp_path.iterdir()} == {"t"}
    assert not (tmp_path / "t" / "_replica" / "view").exists()


def test_size_of_buckets_is_refused_where_it_means_nothing(tmp_path: Path) -> None:
    replica = create(tmp_path / "t", BASE, [])
    with pytest.raises(ValueError, match="bucket_rows must be at least 1"):
        replica.compact(0)
