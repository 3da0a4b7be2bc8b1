"""Which files are read, and by whom. No Spark is started."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly
from jelly.spark._options import ReadOptions, WriteOptions
from jelly.spark.files.listing import File, _is_in_time, files_of
from jelly.spark.files.plan import packed, plan
from jelly.spark.files.read import of_folder

pytest.importorskip("pyarrow")


def options(*paths: str | Path, kind: Any = "rdf", **more: Any) -> ReadOptions:
    return ReadOptions(kind, tuple(map(str, paths)), **more)


def listed(*paths: str | Path, **more: Any) -> list[str]:
    return [file.source for file in files_of(options(*paths, **more))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.nt", "a.nt", "sub/c.nq", "_spark/d.nt", ".e.nt", "_f=1/g.nt", "h[1].nt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    return tmp_path


def test_folders_are_listed_without_hidden_names(folder: Path) -> None:
    assert listed(folder) == [
        f"{folder}/{n}" for n in ("_f=1/g.nt", "a.nt", "b.nt", "h[1].nt", "sub/c.nq")
    ]
    assert listed(folder, recursive_file_lookup=False) == [
        f"{folder}/{n}" for n in ("a.nt", "b.nt", "h[1].nt")
    ]
    assert listed(folder, path_glob_filter="*.nq") == [f"{folder}/sub/c.nq"]
    assert len(listed(folder, path_glob_filter="{a,c}.n[tq]")) == 2
    # A file that is named is meant.
    assert listed(folder / ".e.nt") == [f"{folder}/.e.nt"]


def test_a_time_without_a_schema(tmp_path: Path) -> None:
    """Spark asks for the columns before it says whether it reads a stream."""
    from jelly.spark.sources import Patch, Rdf

    old = tmp_path / "old.nt"
    old.write_text("<a:s> <a:p> <a:o> .\n")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    given = {"path": str(tmp_path), "modifiedafter": "2026-03-01T12:00:00Z"}
    for source, name in ((Rdf(given), "subject"), (Patch(given), "op")):
        assert name in source.schema()
        with pytest.raises(ValueError, match="'modifiedAfter' does not work with streams"):
            source.streamReader(None)  # type: ignore[arg-type]
    limited = {"path": str(tmp_path), "maxfilespertrigger": "1"}
    assert "subject" in Rdf(limited).schema()
    with pytest.raises(ValueError, match="'maxFilesPerTrigger' works only with streams"):
        Rdf(limited).reader(None)  # type: ignore[arg-type]


def test_files_are_chosen_by_their_time(tmp_path: Path) -> None:
    for number, seconds in enumerate((1_700_000_000, 1_700_000_001, 1_700_000_002)):
        path = tmp_path / f"{number}.nt"
        path.write_text("")
        os.utime(path, (seconds, seconds))

    def found(**given: str) -> list[str]:
        chosen = ReadOptions.of("rdf", {"path": str(tmp_path)} | given, "jelly", stream=False)
        return [Path(file.where).stem for file in files_of(chosen)]

    assert found(modifiedAfter="2023-11-14T22:13:20Z") == ["1", "2"]
    assert found(modifiedAfter="2023-11-14T23:13:19.5+01:00") == ["0", "1", "2"]
    assert found(modifiedBefore="2023-11-14T22:13:22Z") == ["0", "1"]
    both = {
        "modifiedAfter": "2023-11-14T22:13:20Z",
        "modifiedBefore": "2023-11-14T22:13:21.000001Z",
    }
    assert found(**both) == ["1"]
    for wrong in ("2023-11-14T22:13:20", "yesterday"):
        with pytest.raises(ValueError, match="is not a time with a time zone, such as"):
            found(modifiedAfter=wrong)
    with pytest.raises(ValueError, match="'modifiedBefore' does not work with streams"):
        ReadOptions.of("rdf", {"path": "x", "modifiedbefore": "2023-11-14T22:13:22Z"}, "jelly", stream=True)  # fmt: skip
    untimed = File("s3://b/a.nt", "s3://b/a.nt", 1, 0)
    chosen = ReadOptions.of("rdf", {"path": "x"} | both, "jelly", stream=False)
    with pytest.raises(ValueError, match="does not report when"):
        _is_in_time(untimed, chosen)


def test_folders_give_the_values_of_columns() -> None:
    assert of_folder("s3://b/day=2026-03-01/Hour=07/a.nt", "hour") == "07"
    assert of_folder("/day=1/a%3Db=x%2Fy z/day=2/a.nt", "day") == "2"
    assert of_folder("/day=1/a%3Db=x%2Fy z/day=2/a.nt", "a=b") == "x/y z"
    assert of_folder("/day=__HIVE_DEFAULT_PARTITION__/a.nt", "day") is None
    for path in ("/x/day=1", "/xday=1/a.nt", "a.nt"):
        with pytest.raises(ValueError, match="is not in a folder day="):
            of_folder(path, "day")
    made = ReadOptions.of("rdf", {"path": "x", "partitionColumns": "day,Hour"}, "jelly", stream=True)  # fmt: skip
    assert made.ddl.endswith("`day` string, `Hour` string")
    for wrong in ("seq", "Subject", "day,DAY", "_corrupt_record"):
        with pytest.raises(ValueError, match="there is a column"):
            ReadOptions.of("rdf", {"path": "x", "partitionColumns": wrong}, "jelly", stream=True)


def test_a_link_to_a_folder_that_it_is_in_is_not_followed(folder: Path) -> None:
    (folder / "sub/loop").symlink_to(folder)
    (folder / "sub/beside").symlink_to(folder / "_f=1")
    names = ("_f=1/g.nt", "a.nt", "b.nt", "h[1].nt", "sub/beside/g.nt", "sub/c.nq")
    assert listed(folder) == [f"{folder}/{n}" for n in names]
    assert len(listed(folder / "sub/loop")) == len(names)


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("*.nt", ["a.nt", "b.nt", "h[1].nt"]),
        ("?.nt", ["a.nt", "b.nt"]),
        ("[^a].nt", ["b.nt"]),
        ("{sub/c,a}.n*", ["a.nt", "sub/c.nq"]),
        ("s*", ["sub/c.nq"]),
        ("*/c.nq", ["sub/c.nq"]),
        ("_spark*", ["_spark/d.nt"]),
        ("h[1].nt", ["h[1].nt"]),
    ],
)
def test_globs(folder: Path, glob: str, names: list[str]) -> None:
    assert listed(f"{folder}/{glob}") == [f"{folder}/{name}" for name in names]


def test_paths_are_shown_as_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert listed("sub") == ["sub/c.nq"]
    assert listed("sub/*.nq", "./a.nt") == ["sub/c.nq", "./a.nt"]
    [file] = files_of(options("sub"))
    assert file.where == str(folder / "sub" / "c.nq")  # wherever the worker runs
    assert listed(folder.as_uri())[1] == f"{folder.as_uri()}/a.nt"


def test_a_file_that_is_named_twice_is_read_once(folder: Path) -> None:
    assert listed(folder / "a.nt", folder, folder / "*.nt").count(f"{folder}/a.nt") == 1


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere: there is no such file or folder"):
        listed(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"\*\.nt: no file or folder matches"):
        listed(tmp_path / "*.nt")
    assert files_of(options(tmp_path / "*.nt"), complete=False) == []
    assert listed(tmp_path) == []


@given(st.lists(st.integers(0, 1000), max_size=60), st.integers(1, 8))
def test_packing_loses_nothing_and_is_even(costs: list[int], bins: int) -> None:
    tasks = packed(costs, bins)
    assert sorted(item for task in tasks for item in task) == list(range(len(costs)))
    assert all(task == sorted(task) for task in tasks)
    loads = [sum(costs[item] for item in task) for task in tasks]
    assert loads == sorted(loads, reverse=True) or 0 in costs
    # The largest first, into the emptiest: never worse than the mean and one item.
    assert max(loads, default=0) <= sum(costs) / bins + max(costs, default=0)


def sizes(*sizes: int) -> list[File]:
    return [File(f"/{i}", f"/{i}", size, 0) for i, size in enumerate(sizes)]


def test_small_files_share_tasks() -> None:
    small = plan(sizes(*[1000] * 30), options(min_partitions=2))
    assert [len(task) for task in small] == [15, 15]
    many = plan(sizes(*[1000] * 200), options(min_partitions=2))
    assert sorted(len(task) for task in many) == [28] * 3 + [29] * 4  # opening 29 costs 116 MiB
    spread = plan(sizes(*[60 << 20] * 20), options(min_partitions=2))
    assert [len(task) for task in spread] == [2] * 10  # 128 MiB each
    assert len(plan(sizes(*[1000] * 5), options(min_partitions=8, open_cost_bytes=1000))) == 5
    assert plan([], options()) == []


@pytest.mark.parametrize("name", ["a.jelly", "a.nt", "a.nq.gz"])
def test_large_files_are_divided(tmp_path: Path, name: str) -> None:
    rows = [(f"<http://a/{n}>", "<http://a/p>", f'"{n}"', "") for n in range(20_000)]
    path = tmp_path / name
    with jelly.RdfWriter(path, restart_bytes=2_000 if name == "a.jelly" else None) as writer:
        writer.write(rows)
    one = options(path, min_partitions=4, open_cost_bytes=0)
    tasks = plan(files_of(one), one)
    assert len(tasks) == (1 if name == "a.nq.gz" else 4)
    parts = [part for task in tasks for part in task]
    assert sum(part.is_last for part in parts) == 1
    assert 0.9 < sum(part.size for part in parts) / path.stat().st_size < 1.1
    found = [
        row.seq
        for part in parts
        for row in one.open(part.file.where, split=part.split, batch_rows=None).rows()
    ]
    assert sorted(found) == list(range(20_000))


def test_patches_are_whole_where_only_what_was_committed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.rdfp"
    path.write_text("TX .\nA <http://a/s> <http://a/p> <http://a/o> .\nTC .\n" * 1000)
    one = options(
        path, kind="patch", min_partitions=4, open_cost_bytes=0, keywords={"rows": "committed"}
    )
    assert len([part for task in plan(files_of(one), one) for part in task]) == 1
    one = options(path, kind="patch", min_partitions=4, open_cost_bytes=0)
    assert len([part for task in plan(files_of(one), one) for part in task]) > 4


def test_a_bad_file_is_left_to_those_who_read_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    path.write_bytes(b"no jelly\n" * 1000)
    one = options(path, min_partitions=4, open_cost_bytes=0)
    assert len(plan(files_of(one), one)) == 1


def test_options_are_checked_where_they_are_given() -> None:
    def read(*, stream: bool = False, kind: Any = "patch", **given: Any) -> ReadOptions:
        return ReadOptions.of(kind, {"path": "x"} | given, "jelly-patch", stream=stream)

    made = read(columns="seq, op", mode="PERMISSIVE", rowbytes="1m", splitbytes="64MB")
    assert made.keywords["limits"].row_bytes == 1 << 20
    assert made.split_bytes == 64 << 20
    assert made.ddl == "seq bigint, op string, _corrupt_record string"
    assert pickle.loads(pickle.dumps(made)) == made
    remote: dict[str, Any] = {"storage.region": "x"}
    assert read(**remote).storage == {"region": "x"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"colums": "a"}, "no option 'colums' here; did you mean 'columns'"),
        ({"mode": "dropmalformed"}, "mode is"),
        ({"columns": "nothing"}, "there is no column"),
        ({"strict": "yes"}, "'strict': 'yes' is neither true nor false"),
        ({"splitbytes": "0"}, "'splitBytes': '0' is less than 1"),
        ({"rowbytes": "many"}, "'rowBytes': 'many' is not a number of bytes"),
        ({"strictgraphs": "true"}, "no option 'strictgraphs'"),  # of statements
        ({"maxfilespertrigger": "1"}, "'maxFilesPerTrigger' works only with streams"),
    ]
    for wrong, expected in cases:
        with pytest.raises(ValueError, match=expected):
            read(**wrong)
    with pytest.raises(ValueError, match="cannot be used together"):
        read(stream=True, maxfilespertrigger="1", maxbytespertrigger="1")
    with pytest.raises(ValueError, match="no path"):
        ReadOptions.of("rdf", {}, "jelly", stream=False)
    several = ReadOptions.of("rdf", {"paths": '["a", "b"]'}, "jelly", stream=False)
    assert several.paths == ("a", "b")


def test_every_option_of_the_readers_and_writers_can_be_given() -> None:
    """Names in the table are keywords: a new keyword must be added there."""
    import inspect

    from jelly.spark import _options

    here = {"source", "limits"}
    # a task has one processor, and Spark knows strings of one kind
    not_for_files = {"resume", "split", "source_name", "threads", "strings", "batch_frames"}
    for kind, read in (("rdf", jelly.read_rdf), ("patch", jelly.read_patch)):
        known = here | {o.keyword for o in _options.DECODE[kind]}
        assert set(inspect.signature(read).parameters) - not_for_files == known
    here = {"dest", "options", "limits"}
    for kind, writer in (("rdf", jelly.RdfWriter), ("patch", jelly.PatchWriter)):
        known = here | {o.keyword for o in _options.ENCODE[kind]}
        assert set(inspect.signature(writer).parameters) == known
    given = {"path": "x", "namespaces": '{"a": "http://a/"}', "maxnametablesize": "64"}
    made = WriteOptions.of("rdf", given | {"checkpointlocation": "y"}, "jelly")
    assert made.keywords["namespaces"] == {"a": "http://a/"}
    assert made.keywords["options"] == jelly.RdfOptions(
        physical_type="QUADS", max_name_table_size=64
    )
    with pytest.raises(ValueError, match="not a JSON object of strings"):
        WriteOptions.of("rdf", given | {"namespaces": "a"}, "jelly")


def test_modules_that_spark_looks_for_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    import pyspark_jelly
    import pyspark_jelly_grpc
    import pyspark_jelly_kafka
    import pyspark_jelly_log
    import pyspark_jelly_patch

    for name in list(sys.modules):
        if name.startswith("jelly.spark.") and "source" in name:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark.sql.datasource", None)  # as with an old Spark
    for module in (pyspark_jelly, pyspark_jelly_patch, pyspark_jelly_kafka, pyspark_jelly_log, pyspark_jelly_grpc):  # fmt: skip
        assert not hasattr(module, "DefaultSource")
        assert not hasattr(module, "other")


def test_a_jelly_file_of_a_few_megabytes_is_several_tasks(tmp_path: Path) -> None:
    """Jelly packs these rows 30 times: 200 MB of text would be one task."""
    path = tmp_path / "dense.jelly"
    rows = [(f"<http://a/{'x' * 900}>", "<http://a/p>", f'"{n % 9}"', "") for n in range(1_000)]
    with jelly.RdfWriter(path) as writer:
        for _ in range(220):
            writer.write(rows)
    assert path.stat().st_size < 8 << 20
    one = options(path, min_partitions=4, open_cost_bytes=0)
    found = [(part.split, len(task)) for task in plan(files_of(one), one) for part in task]
    assert len(found) == 4
    assert sum(split.rows or 0 for split, _ in found if split is not None) > 150_000
