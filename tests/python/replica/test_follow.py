"""Replicas have what the set model has, at each version."""

import io
import os
import random
from pathlib import Path
from typing import Any

import pytest

import jelly
import patch_model as model
from jelly.replica import Replica

from .tables import create, files, live, long_log, numbered, quads, states

LOGS = 30 * int(os.environ.get("JELLY_SOAK", "1"))


def test_random_logs_come_to_what_the_model_says(tmp_path: Path, format: str) -> None:
    rng, changed, read = random.Random(8), 0, 0
    for number in range(LOGS if format == "parquet" else LOGS // 4):
        base = [model.random_quad(rng) for _ in range(rng.randrange(20))]
        log = model.random_log(rng)
        if not log:
            continue
        expected = states(set(base), log)
        replica = create(tmp_path / str(number), base, log, format=format, bucket_rows=rng.choice([1, 2, 4, 100]))  # fmt: skip
        pieces: Any = [model.text([patch]) for patch in log]
        if rng.random() < 0.5:
            pieces = model.text(log)
        each, half = rng.random() < 0.5, rng.randrange(len(log) + 1)
        first = replica.follow(pieces, each_version=each, upto=half)
        second = replica.follow(pieces, each_version=each)
        assert (first.version, first.patches) == (half, half)
        assert (second.version, second.patches) == (len(log), len(log) - half)
        if not each:
            before, after = expected[half], expected[-1]
            assert (second.added, second.deleted) == (len(after - before), len(before - after))
        assert quads(replica) == expected[-1]
        assert len(replica) == len(expected[-1])
        versions = replica.versions
        assert set(versions) == (set(range(len(log) + 1)) if each else {0, half, len(log)})
        for version in versions:
            assert quads(replica, version) == expected[version]
            read += 1
        again = replica.follow(pieces)
        assert again[2:] == (0,) * 8
        assert replica.versions == versions
        changed += expected[-1] != expected[0]
    assert changed >= 3
    assert read >= 12


def test_buckets_split_and_only_those_touched_are_written(tmp_path: Path, format: str) -> None:
    rng = random.Random(2)
    base = [numbered(number) for number in range(600)]
    log = long_log(rng, 12, 80, 2000)
    replica = create(tmp_path / "t", base, log, format=format, bucket_rows=16)
    whole = len(live(replica))
    assert whole >= 24
    expected = states(set(base), log)
    done = replica.follow(model.text(log))
    assert quads(replica) == expected[-1]
    assert done.changes == 12 * 80
    assert len(live(replica)) > whole
    before = live(replica)
    one = [model.Row("H", ("id", "<u:13>")), model.Row("H", ("prev", "<u:12>")), model.Row("A", numbered(9000))]  # fmt: skip
    done = replica.follow(model.text([one]))
    assert (done.added, done.files) == (1, 1)
    assert len(before - live(replica)) <= 1
    many = [model.Row("A", numbered(number)) for number in range(10_000, 11_000)]
    head = [model.Row("H", ("id", "<u:14>")), model.Row("H", ("prev", "<u:13>"))]
    replica.follow(model.text([[*head, *many]]))
    assert quads(replica) == expected[-1] | {numbered(9000)} | {row.terms for row in many}
    replica.vacuum(hours=0)
    assert files(tmp_path / "t") == live(replica)
    assert len(quads(replica)) == len(replica)


def test_a_small_table_that_grows_at_once(tmp_path: Path, format: str) -> None:
    replica = create(tmp_path / "t", [numbered(0), numbered(1)], [], format=format, bucket_rows=8)
    assert len(live(replica)) == 1
    patch = [model.Row("D", numbered(1)), *(model.Row("A", numbered(number)) for number in range(2, 999))]  # fmt: skip
    done = replica.follow(model.text([[*patch, model.Row("A", numbered(0))]]))
    assert (done.added, done.deleted) == (997, 1)
    assert quads(replica) == {numbered(number) for number in range(999)} - {numbered(1)}
    assert len(live(replica)) > 60


def test_many_rows_go_by_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jelly.replica import _spill

    made: list[Any] = []
    write = _spill.TemporaryBatches.end

    def counted(self: Any) -> None:
        made.append(self)
        write(self)

    monkeypatch.setattr(_spill.TemporaryBatches, "end", counted)
    monkeypatch.setattr(_spill.Spill.__init__, "__defaults__", (4_000,))
    rng = random.Random(4)
    base = [numbered(rng.randrange(3000)) for number in range(5000)]
    log = long_log(rng, 4, 2000, 3000)
    replica = create(tmp_path / "t", base, log, bucket_rows=64)
    assert quads(replica) == set(base)
    replica.follow(model.text(log))
    assert quads(replica) == states(set(base), log)[-1]
    assert len(made) >= 4


def test_tags_keep_the_last_spelling_that_was_added(tmp_path: Path, format: str) -> None:
    base = '<a:s> <a:p> "x"@en .\n<a:s> <a:p> "x"@EN .\n<a:s> <a:p> "y"@De .\n'
    replica = Replica.create(tmp_path / "t", base.encode(), base_format="nt", format=format)  # type: ignore[arg-type]
    assert len(replica) == 2
    done = replica.follow(b'A <a:s> <a:p> "x"@eN .\nD <a:s> <a:p> "y"@dE .\nZ .\n')
    assert (done.added, done.deleted) == (0, 1)
    assert [row["object"] for row in replica.read().read_all().to_pylist()] == ['"x"@eN']


def test_prefixes_and_dumps(tmp_path: Path, format: str) -> None:
    base = b'@prefix a: <http://a/> .\n@prefix b: <http://b/> .\na:s a:p a:o, "1" .\n'
    replica = Replica.create(tmp_path / "t", base, base_format="ttl", format=format)  # type: ignore[arg-type]
    assert replica.prefixes == {("", "a"): "http://a/", ("", "b"): "http://b/"}
    replica.follow(
        b'PD "b" .\nPA "c" "http://c/" .\nA <http://a/s> <http://a/p> <http://c/o> <http://a/g> .\nZ .\n'
    )
    assert replica.prefixes == {("", "a"): "http://a/", ("", "c"): "http://c/"}
    rows = quads(replica)
    assert len(rows) == 3
    for name in ("x.jelly", "x.nq", "x.trig", "x.nq.gz", "x.parquet", "x.arrow"):
        done = replica.dump(tmp_path / name)
        assert done.rows == 3
        if name[2:] in ("parquet", "arrow"):
            jelly.convert(tmp_path / name, tmp_path / "back.nq")
            name = "back.nq"
        with jelly.read_rdf(tmp_path / name) as reader:
            assert {row[3:] for row in reader.rows()} == rows
            if name in ("x.jelly", "x.trig"):
                assert reader.namespaces == {"a": "http://a/", "c": "http://c/"}
    out = io.BytesIO()
    replica.dump(out, 0, to="nt")
    assert len(out.getvalue().splitlines()) == 2


def test_other_libraries_read_it(tmp_path: Path, format: str) -> None:
    import pyarrow as pa
    import pyarrow.dataset as ds

    base = [numbered(number) for number in range(100)]
    replica = create(tmp_path / "t", base, [], format=format, bucket_rows=16)
    assert pa.table(replica).num_rows == 100
    paths = [str(tmp_path / "t" / path) for path in live(replica)]
    assert ds.dataset(paths).to_table().num_rows == 100
    if format == "delta":
        import deltalake

        table = deltalake.DeltaTable(tmp_path / "t").to_pyarrow_table()
        assert {*table.column_names} == {"subject", "predicate", "object", "graph", "bucket"}
        assert {tuple(row.values())[:4] for row in table.to_pylist()} == set(base)


def test_an_empty_replica(tmp_path: Path, format: str) -> None:
    replica = Replica.create(tmp_path / "t", format=format)  # type: ignore[arg-type]
    assert (replica.version, replica.id, len(replica), replica.versions) == (0, None, 0, [0])
    assert quads(replica) == set()
    done = replica.follow(b"H id <u:1> .\nTX .\nTC .\nZ .\n")
    assert (done.version, done.id, done.patches, done.commits, done.files) == (1, "<u:1>", 1, 1, 0)
    assert Replica(tmp_path / "t").id == "<u:1>"


def test_the_process_may_go_to_another_folder(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made: Any = Replica.create("t", b"<a:s> <a:p> <a:o> .\n", base_format="nq", format=format)  # type: ignore[arg-type]
    opened = Replica("t")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert opened.follow(b"H id <u:1> .\nA <a:s> <a:p> <a:n> .\n").version == 1
    assert len(made) == len(quads(made)) == 2
    assert list((tmp_path / "other").iterdir()) == []


def test_prefixes_are_those_of_the_version(tmp_path: Path, format: str) -> None:
    base = b"@prefix a: <a:> .\na:s a:p a:o .\n"
    replica: Any = Replica.create(tmp_path / "t", base, base_format="ttl", format=format)  # type: ignore[arg-type]
    replica.follow(b'PD "a" .\nPA "b" <b:> .\nZ .\n')
    found = []
    for version in (0, 1):
        replica.dump(out := io.BytesIO(), version, to="ttl")
        found.append(out.getvalue().splitlines()[0])
    assert found == [b"@prefix a: <a:> .", b"@prefix b: <b:> ."]
