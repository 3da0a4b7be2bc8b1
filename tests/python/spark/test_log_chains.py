"""Logs that lost a patch are refused over DataFrames as they are by the native library."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jelly
import log_cases
from jelly import _internal
from jelly.errors import JellyWarning, PatchError
from jelly.storage import resolve
from lost_patches import FILES
from object_store import ObjectStore
from servers import served

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
BASE = b'<a:s> <a:p> "1" .\n<a:s> <a:q> "x" .\n'


def loaded(spark: SparkSession, path: Path) -> DataFrame:
    return spark.read.format("jelly-patch").load(str(path))


def doors(spark: SparkSession, log: DataFrame) -> dict[str, Callable[[], object]]:
    import jelly.spark

    terms = ("subject", "predicate", "object", "graph")
    base = spark.createDataFrame([], ", ".join(f"{term} string" for term in terms))
    return {
        "apply": lambda: jelly.spark.apply(base, log),
        "as_of": lambda: jelly.spark.as_of(base, log, 3),
        "changes": lambda: jelly.spark.changes(log),
        "prefixes": lambda: jelly.spark.prefixes(log),
        "net": lambda: jelly.spark.net(log),
        "between": lambda: jelly.spark.between(log, 0, 2),
        "history": lambda: jelly.spark.history(log),
    }


@pytest.fixture
def two_transactions(tmp_path: Path) -> Path:
    """A log of text whose patches have two transactions."""
    log = jelly.Log.create(tmp_path / "log", ending=".rdfp")
    for value in range(3):
        log.publish("".join(f'TX .\nA <a:s> <a:p> "{value} {row}" .\nTC .\n' for row in "ab").encode())  # fmt: skip
    return log.folder


def native(folder: Path) -> PatchError:
    with pytest.raises(PatchError) as caught:
        jelly.net(folder, io.BytesIO())
    return caught.value


def lost(number: int) -> Callable[[Path], None]:
    def lose(folder: Path) -> None:
        sorted(folder.glob("patch-*"))[number].unlink()

    return lose


def moved_up(folder: Path) -> None:
    one, other, _ = (folder / name for name in FILES)
    other.replace(one)
    (folder / FILES[2]).replace(other)


def cut(folder: Path) -> None:
    """Cuts a patch behind a row that its reader takes for its end."""
    path = sorted(folder.glob("patch-*"))[1]
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"TC .\n") + 5])
    jelly.squash(path, io.BytesIO())


def changed(folder: Path) -> None:
    """Puts another letter into a row."""
    path = sorted(folder.glob("patch-*"))[1]
    path.write_bytes(path.read_bytes().replace(b"1 a", b"1 z"))


DAMAGES: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "a backup without its first patch": ("kept", "patch.gap", lost(0)),
    "a backup without a patch between": ("kept", "patch.gap", lost(1)),
    "a log without its first patch": ("published", "patch.gap", lost(0)),
    "a log without a patch between": ("published", "patch.gap", lost(1)),
    "files with the names of others": ("kept", "patch.gap", moved_up),
    "an empty base.json": ("kept", "patch.damaged", lambda kept: (kept / "base.json").write_bytes(b"{}")),
    "a base that is gone": ("kept", "patch.damaged", lambda kept: (kept / "base.jelly.zst").unlink()),
    "a patch that was cut behind a row": ("two_transactions", "patch.damaged", cut),
    "a patch with another letter": ("two_transactions", "patch.damaged", changed),
    "half a log.json": ("published", "patch.damaged", lambda log: (log / "log.json").write_bytes(b"[")),
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "damage"), DAMAGES.values(), ids=DAMAGES)
def test_a_folder_that_is_not_whole(
    name: str,
    kind: str,
    damage: Callable[[Path], object],
    jelly_spark: SparkSession,
    request: pytest.FixtureRequest,
) -> None:
    folder: Path = request.getfixturevalue(name)
    damage(folder)
    expected = native(folder)
    for door_name, door in doors(jelly_spark, loaded(jelly_spark, folder).cache()).items():
        with pytest.raises(PatchError) as caught:
            door()
        assert caught.value.kind == expected.kind == kind, door_name
        assert str(caught.value) == str(expected), door_name


def test_a_cut_patch_in_the_source_of_logs(
    jelly_spark: SparkSession, two_transactions: Path
) -> None:
    cut(two_transactions)
    with pytest.raises(
        Exception, match=r"patch-0002\.rdfp has \d+ bytes, but _index\.jsonl records"
    ):
        jelly_spark.read.format("jelly-log").load(str(two_transactions)).count()


def test_versions_before_what_is_lost(
    jelly_spark: SparkSession, kept: Path, published: Path, tmp_path: Path
) -> None:
    import jelly.spark

    files = sorted(published.glob("patch-*"))
    damaged = tmp_path / "damaged"
    shutil.copytree(published, damaged)
    cut = damaged / files[2].name
    cut.write_text(cut.read_text().replace("TC .\n", ""))
    files[2].unlink()
    (kept / FILES[1]).unlink()
    terms = ("subject", "predicate", "object", "graph")
    nothing = tmp_path / "nothing.nq"
    nothing.touch()
    empty = jelly_spark.createDataFrame([], ", ".join(f"{term} string" for term in terms))
    stored = jelly_spark.read.format("jelly").load(str(kept / "base.jelly.zst")).select(*terms)
    for folder, last in ((published, 2), (damaged, 2), (kept, 1)):
        log = loaded(jelly_spark, folder)
        place, base = (kept / "base.jelly.zst", stored) if folder == kept else (nothing, empty)
        for version in range(last + 2):
            out = io.BytesIO()
            expected = None
            try:
                jelly.as_of(place, folder, version, out, to="nq")
            except PatchError as error:
                expected = error.kind
            assert (expected is None) == (version <= last), (folder, version)
            if expected is None:
                found = jelly.spark.as_of(base, log, version)
                assert found.count() == out.getvalue().count(b"\n")
                jelly.spark.between(log, 0, version)
                continue
            with pytest.raises(PatchError) as caught:
                jelly.spark.as_of(base, log, version)
            assert caught.value.kind == expected
            with pytest.raises(PatchError) as caught:
                jelly.spark.between(log, 0, version)
            assert caught.value.kind == expected
        with pytest.raises(PatchError):
            jelly.spark.apply(base, log)


def test_last_patch_that_is_lost(jelly_spark: SparkSession, published: Path) -> None:
    import jelly.spark

    files = sorted(published.glob("patch-*"))
    some = jelly_spark.read.format("jelly-patch").load([str(file) for file in files[:2]])
    assert jelly.spark.net(some).count() == 2  # the others are there
    files[3].unlink()
    expected = native(published)
    with pytest.raises(PatchError) as caught:
        jelly.spark.net(loaded(jelly_spark, published))
    assert str(caught.value) == str(expected)
    assert caught.value.kind == expected.kind == "patch.gap"


@pytest.mark.parametrize("name", ["kept", "published"])
def test_manifests_in_remote_storage(
    name: str, jelly_spark: SparkSession, store: ObjectStore, request: pytest.FixtureRequest
) -> None:
    import jelly.spark

    folder: Path = request.getfixturevalue(name)
    bucket = store.bucket()
    for path in folder.iterdir():
        place = resolve(f"{bucket}/log/{path.name}", store.storage)
        with place.fs.open_output_stream(place.path, compression=None) as file:
            file.write(path.read_bytes())

    def remote() -> DataFrame:
        reader = jelly_spark.read.format("jelly-patch").options(**store.options)
        return reader.load(f"{bucket}/log")

    storage = {"accessKey": "test", **store.storage}
    del storage["accesskey"]
    assert jelly.spark.net(remote(), storage=storage).count() > 0
    if name == "kept":
        with pytest.raises(PatchError, match="the base is empty") as caught:
            jelly.spark.apply(
                remote().select("subject", "predicate", "object", "graph").where("false"),
                remote(),
                storage=storage,
            )
        assert caught.value.kind == "patch.base"
    first = min(path.name for path in folder.glob("patch-*"))
    place = resolve(f"{bucket}/log/{first}", store.storage)
    place.fs.delete_file(place.path)
    with pytest.raises(PatchError, match="is missing") as caught:
        jelly.spark.net(remote(), storage=storage)
    assert caught.value.kind == "patch.gap"
    with pytest.warns(JellyWarning, match="a lost first patch cannot be detected"):
        jelly.spark.net(remote(), storage={**storage, "endpoint": "http://127.0.0.1:9"})


def test_a_log_compacted_to_its_head(jelly_spark: SparkSession, tmp_path: Path) -> None:
    """Only headers of patches are left, and what they did is in the base."""
    import jelly.spark

    log = jelly.Log.create(tmp_path / "log")
    for number in (1, 2, 3):
        log.publish(f"TX .\nA <a:s> <a:p> <a:{number}> .\nTC .\n".encode())
    log.compact(3)
    place = log.folder / "base-0003.jelly.zst"
    base = jelly_spark.read.format("jelly").load(str(place))
    df = loaded(jelly_spark, log.folder)
    periods = {(one.object, one.valid_from, one.valid_to) for one in jelly.history(log.folder, base=place)}  # fmt: skip
    found = jelly.spark.history(df, base_df=base).select("object", "valid_from", "valid_to")
    assert {tuple(row) for row in found.collect()} == periods
    assert {start for _, start, _ in periods} == {3}
    for made in (jelly.spark.as_of(base, df, 3), jelly.spark.apply(base, df)):
        assert made.count() == 3
    assert jelly.spark.between(df, 3, 3).count() == 0
    gone: list[Callable[[], object]] = [
        lambda: jelly.spark.as_of(base, df, 0),
        lambda: jelly.spark.between(df, 2, 3),
    ]
    for call in gone:
        with pytest.raises(PatchError, match="the log begins with version 4") as caught:
            call()
        assert caught.value.kind == "patch.gap"
    with pytest.raises(PatchError, match="versions 3 to 3") as caught:
        jelly.spark.as_of(base, df, 4)
    assert caught.value.kind == "patch.version"


def test_an_empty_base_of_a_log_that_begins_with_a_dataset(
    jelly_spark: SparkSession, kept: Path, published: Path, tmp_path: Path
) -> None:
    """Before, the result had the added quads alone."""
    import jelly.spark

    terms = ("subject", "predicate", "object", "graph")
    empty = jelly_spark.createDataFrame([], ", ".join(f"{term} string" for term in terms))
    stored = jelly_spark.read.format("jelly").load(str(kept / "base.jelly.zst")).select(*terms)
    log, both = loaded(jelly_spark, kept), tmp_path / "both"
    shutil.copytree(kept, both)
    jelly.Log(both).compact(2)
    compacted = loaded(jelly_spark, both)
    for version in (0, 2):
        with pytest.raises(PatchError) as caught:
            jelly.as_of(b"", kept, version, io.BytesIO(), to="nq")
        expected = str(caught.value)
        with pytest.raises(PatchError) as caught:
            jelly.spark.as_of(empty, log, version)
        assert (caught.value.kind, str(caught.value)) == ("patch.base", expected)
    refused: list[Callable[[], object]] = [
        lambda: jelly.spark.apply(empty, log),
        lambda: jelly.spark.apply(empty, compacted),
        lambda: jelly.spark.apply(stored.where("false"), log, broadcast=False),
        lambda: jelly.spark.history(log, base_df=empty),
    ]
    for call in refused:
        with pytest.raises(PatchError, match=r"patch\.base"):
            call()
    out = io.BytesIO()
    jelly.restore(kept, out, to="nq")
    assert jelly.spark.apply(stored, log).count() == out.getvalue().count(b"\n")
    names = sorted(path.name for path in kept.glob("patch-*"))
    assert jelly.spark.apply(empty, log, order=names).count() > 0
    assert jelly.spark.apply(empty, log, chain="ignore").count() > 0
    assert jelly.spark.apply(empty, loaded(jelly_spark, published)).count() == 4


def test_cases_of_logs(jelly_spark: SparkSession, tmp_path: Path) -> None:
    """What Spark collects of logs is what the core orders; one job for all cases."""
    from jelly.spark.tables.log import _facts
    from jelly.spark.tables.outcomes import outcomes_of

    folders = {
        str(log_cases.write(case, tmp_path / str(number))): case
        for number, case in enumerate(log_cases.CASES.values())
    }
    paths = [
        log_cases.SPELLINGS[place % len(log_cases.SPELLINGS)].format(folder, name)
        for folder, case in folders.items()
        for place, (name, _) in enumerate(case["files"])
    ]
    df = jelly_spark.read.format("jelly-patch").load(paths)
    of_folders: dict[str, list[Any]] = {}
    for one in outcomes_of(df.coalesce(1))[0]:
        assert one.source is not None
        folder = str(_internal.local_path(one.source).parent)
        of_folders.setdefault(folder, []).append(_facts(one))
    assert set(of_folders) == set(folders)
    for folder, found in of_folders.items():
        case = folders[folder]
        assert log_cases.outcome(case, Path(folder), found) == log_cases.expected(case)


def test_order_of_files_that_nothing_says(jelly_spark: SparkSession, tmp_path: Path) -> None:
    import jelly.spark

    paths = [str(tmp_path / name) for name in ("today.rdfp", "correction.rdfp")]
    for path, op in zip(paths, "AD", strict=True):
        Path(path).write_text(f"TX .\n{op} <a:s> <a:p> <a:o> .\nTC .\n")
    log = jelly_spark.read.format("jelly-patch").load(paths).cache()
    with pytest.warns(
        JellyWarning, match=f"in the order {paths[1]}, {paths[0]}; set another order"
    ):
        assert [row[0] for row in jelly.spark.net(log).collect()] == ["insert"]
    for order in (paths, ["today.rdfp", "correction.rdfp"]):
        assert [row[0] for row in jelly.spark.net(log, order=order).collect()] == ["delete"]
    for wrong, said in [
        (paths[:1], "order does not name"),
        ([*paths, paths[0]], "no other source has this name"),
        (["y.rdfp", paths[1]], "no other source has this name"),
    ]:
        with pytest.raises(ValueError, match=said):
            jelly.spark.net(log, order=wrong)
    with pytest.raises(TypeError, match="a log has no option 'chian'"):
        jelly.spark.net(log, chian="ignore")  # type: ignore[call-arg]
    log.unpersist()


def test_a_log_of_an_object_store(jelly_spark: SparkSession, store: ObjectStore) -> None:
    """Its ``log.json`` says what it begins with. Before, an empty base was accepted, and no compacted log."""
    pytest.importorskip("obstore")
    log = jelly.Log.create(store.place(), BASE, base_format="nq", storage=store.storage)
    storage = {"accessKey": "test", **store.storage}
    del storage["accesskey"]
    check_beginning(jelly_spark, log, store.options, {"storage": storage})


def test_a_log_on_a_server(jelly_spark: SparkSession, tmp_path: Path) -> None:
    """The server says what it begins with. Before, an empty base was accepted."""
    jelly.Log.create(tmp_path / "log", BASE, base_format="nq")
    with served(tmp_path) as address:
        check_beginning(
            jelly_spark, jelly.Log(f"{address}/log"), {}, {}, jelly.Log(tmp_path / "log")
        )


def check_beginning(
    spark: SparkSession,
    log: jelly.Log,
    read: dict[str, str],
    options: dict[str, Any],
    kept: jelly.Log | None = None,
) -> None:
    """Applies a log that begins with two statements, then the same log without its first patch."""
    for number in (1, 2):
        log.publish(f'D <a:s> <a:p> "{number}" .\nA <a:s> <a:p> "{number + 1}" .\n'.encode())
    for upto in (None, 1):
        if upto:
            (kept or log).compact(upto)
        out = io.BytesIO()
        log.dataset(out, upto or 0, to="nq")
        rows = [line[:-2].split(" ", 2) for line in out.getvalue().decode().splitlines()]
        df = spark.createDataFrame(
            [(*row, "") for row in rows],
            "subject string, predicate string, object string, graph string",
        )
        patches = spark.read.format("jelly-log").options(**read).load(log.place)
        with pytest.raises(PatchError, match="dataset of 2 statements") as caught:
            jelly.spark.apply(df.where("false"), patches, **options)
        assert (caught.value.kind, caught.value.source) == ("patch.base", log.place)
        made = jelly.spark.apply(df, patches, **options)
        assert sorted(row.object for row in made.collect()) == ['"3"', '"x"']
        if not upto:
            lost = patches.where("source NOT LIKE '%0001%'")
            with pytest.raises(PatchError) as caught:
                jelly.spark.apply(df, lost, **options)
            assert caught.value.kind == "patch.gap"
