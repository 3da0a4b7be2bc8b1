"""What functions of tables refuse: rows, logs and arguments that have no meaning."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jelly.errors import EncodeError, JellyError, PatchError

from .raising import spark_raises
from .table_logs import BASE, FIRST, QUAD, SECOND, THIRD, applied, log_of, statements

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

NOT_CANONICAL = [
    ("object", '"1"^^<http://www.w3.org/2001/XMLSchema#string>', '"1"'),
    ("object", '"\\u0078"', '"x"'),
    ("subject", "<a:\\u0073>", "<a:s>"),
    ("graph", "<a:\\U00000067>", "<a:g>"),
    ("object", '<<( <a:s> <a:p> "\\u0078" )>>', '<<( <a:s> <a:p> "x" )>>'),
]


def test_terms_that_are_not_canonical_are_refused(few: SparkSession) -> None:
    import jelly.spark

    log = log_of(few, FIRST)
    good = {"subject": "<a:s>", "predicate": "<a:p>", "object": '"1"', "graph": ""}
    for place, (name, term, canonical) in enumerate(NOT_CANONICAL):
        base = few.createDataFrame([tuple((good | {name: term}).values())], list(good))
        named = re.escape(json.dumps(term)) + ".*not the canonical.*" + re.escape(json.dumps(canonical))  # fmt: skip
        doors: list[tuple[Callable[[DataFrame], DataFrame], str]] = [
            (lambda base: jelly.spark.apply(base, log, broadcast=False), "base"),
            (lambda base: jelly.spark.apply(base, log), "base"),
            (lambda base: jelly.spark.diff(base.limit(0), base), "new dataset"),
            (lambda base: jelly.spark.history(log, base_df=base), "base"),
        ]
        for door, what in doors[: 4 if place == 0 else 1]:
            with spark_raises("PythonException", rf"text\.term: the {what}: {named}"):
                door(base).collect()
    # what is written and read is canonical
    half = few.createDataFrame([good | {"predicate": None}], "subject string, predicate string, object string, graph string")  # fmt: skip
    with spark_raises("PythonException", r"encode\.row: the base: no predicate"):
        jelly.spark.apply(half, log).collect()


@pytest.mark.parametrize(
    ("terms", "refused"),
    [
        ([None, None, None, None], r"encode\.row: {what}: no subject"),
        (["<a:s>", None, "<a:o>", ""], r"encode\.row: {what}: no predicate"),
        (["<a:s>", "<a:p>", '"\\u0078"', ""], r"text\.term: {what}: .* is not the canonical text"),
    ],
)
def test_rows_that_are_no_canonical_quads_are_refused_in_all_tables(
    few: SparkSession, terms: list[str | None], refused: str
) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    import jelly.spark

    types = ", ".join(f"{name} string" for name in QUAD)
    base = few.createDataFrame([tuple(terms)], types)
    good, good_log = statements(few, BASE), log_of(few, FIRST)
    # the row of FIRST that adds something
    log = good_log.withColumns(
        {
            name: F.when(F.col("op") == "A", F.lit(term)).otherwise(F.col(name))
            for name, term in zip(QUAD, terms, strict=True)
        }
    )
    row = "a source without a name: version 1 row [0-9]+: A"
    doors: list[tuple[Callable[[], DataFrame], str]] = [
        (lambda: jelly.spark.apply(base, good_log), "the base"),
        (lambda: jelly.spark.history(good_log, base_df=base), "the base"),
        (lambda: jelly.spark.diff(base, good), "the old dataset"),
        (lambda: jelly.spark.diff(good, base), "the new dataset"),
        (lambda: jelly.spark.changes(log), row),
        (lambda: jelly.spark.net(log), row),
        (lambda: jelly.spark.apply(good, log, broadcast=False), row),
        (lambda: jelly.spark.history(log), row),
    ]
    for door, what in doors:
        with spark_raises("PythonException", refused.format(what=what)):
            door().collect()
    # few changes are collected by the driver, which refuses them at once
    with pytest.raises(JellyError, match=refused.format(what=row)):
        jelly.spark.apply(good, log)


def test_a_log_that_changes_between_the_call_and_the_action(
    few: SparkSession, tmp_path: Path
) -> None:
    import jelly.spark

    jelly.spark.register(few)
    paths = [tmp_path / f"patch-{number}.rdfp" for number in (1, 2)]
    texts = ["TX .\nA <a:s> <a:p> <a:o> .\nTC .\n", "A <a:s> <a:p> <a:q> .\n"]

    def written() -> DataFrame:
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
            os.utime(path, (1000, 1000))
        return few.read.format("jelly-patch").load(str(tmp_path))

    def changed(path: Path) -> None:
        path.write_text(texts[0].replace("TC", "TA"))

    for change in (changed, lambda path: path.write_text(""), Path.unlink):
        result = jelly.spark.changes(written())
        change(paths[0])
        # by this library, unless the reader of the file notices it before
        with spark_raises("PythonException", re.escape(str(paths[0]))):
            result.collect()
    result = jelly.spark.changes(written())
    assert {row.object for row in result.collect()} == {"<a:o>", "<a:q>"}
    changed(paths[0])
    with spark_raises("PythonException", rf"{paths[0]} has changed since the query was planned"):
        result.collect()
    log = written().cache()
    result = jelly.spark.net(log)
    changed(paths[0])
    assert result.count() == 2  # what is cached is not read again
    log.unpersist()
    result = jelly.spark.net(written())
    (tmp_path / "patch-3.rdfp").write_text("A <a:s> <a:p> <a:z> .\n")
    assert result.count() == 2  # what came meanwhile is another version


@pytest.mark.parametrize(
    ("log", "kind"),
    [
        ("TX .\nA <a:s> <a:p> <a:o> .\n", "patch.unfinished"),
        ("TX .\nTX .\nTC .\n", "patch.unfinished"),
        ("A <a:s> <a:p> <a:o> .\nTC .\n", "patch.stray"),
        ("H id <u:1> .\nH ID <u:2> .\n", "patch.header"),
        (FIRST + THIRD, "patch.gap"),
        (FIRST + SECOND + THIRD.replace("u:2", "u:1"), "patch.fork"),
        (FIRST + SECOND + SECOND, "patch.duplicate"),
        (SECOND + FIRST.replace("<u:1> .", "<u:1> .\nH prev <u:2> .", 1), "patch.cycle"),
        (FIRST + "Z .\nA <a:s> <a:p> <a:o> .\n", "patch.mixed"),
    ],
)
def test_bad_logs_are_refused_as_by_the_native_library(
    few: SparkSession, log: str, kind: str
) -> None:
    import jelly.spark

    with pytest.raises(PatchError) as native:
        applied(BASE, log.encode())
    with pytest.raises(PatchError) as caught:
        jelly.spark.changes(log_of(few, log))
    assert caught.value.kind == native.value.kind == kind
    said = str(caught.value).removeprefix(f"{kind}: ").split(": ", 1)[-1]
    assert said.split(" (")[0] in str(native.value)


def test_log_without_the_headers_of_its_patches_is_refused(few: SparkSession) -> None:
    import jelly.spark

    df = log_of(few, FIRST, SECOND)
    for lost in ("op = 'H'", "op = 'H' AND patch = 1", "op = 'H' AND patch = 0"):
        with pytest.raises(ValueError, match=r"patch [01] of the source None is incomplete"):
            jelly.spark.changes(df.where(f"NOT ({lost})"))


def test_log_without_a_patch_between_others_is_refused(few: SparkSession) -> None:
    import jelly.spark

    df = log_of(few, *(f'TX .\nA <a:s> <a:p> "{n}" .\nTC .\nZ .\n' for n in range(5)))
    with pytest.raises(PatchError, match=r"patch 2: patch 1 of this source is missing") as caught:
        jelly.spark.net(df.where("patch <> 1"))
    assert caught.value.kind == "patch.gap"
    with pytest.raises(PatchError, match=r"patch 4: patches 1 to 3 of this source are missing"):
        jelly.spark.net(df.where("patch IN (0, 4)"))
    assert jelly.spark.net(df.where("patch <> 1"), chain="ignore").count() == 4
    # a log may begin later, and end earlier
    assert jelly.spark.net(df.where("patch IN (2, 3)")).count() == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("TX 0, a 0, TC 0, Z", "encode.row: .*'s': a is not an op; expected H, PA, "),
        ("TX 0, null 0, TC 0, Z", "encode.row: .*'s': null is not an op; expected H, PA, "),
        ("TX 0, A 5, TA 0, Z", "'txn' does not fit"),
        ("TX 0, A 0, TC 0, TX 0, A 0, TA 0, Z", "'txn' does not fit"),
        ("TX 0, A 0, TC 0, TA 0, Z", "'txn' does not fit"),
        ("TX 0, A 0, TC 0, TC 1, Z", "'txn' does not fit"),
        ("Z, A", "is incomplete"),
    ],
)
def test_rows_of_others_that_do_not_fit_are_refused(
    few: SparkSession, rows: str, message: str
) -> None:
    import jelly.spark

    made = []
    for seq, row in enumerate(rows.split(", ")):
        op, _, txn = row.partition(" ")
        terms = ("<a:s>", "<a:p>", f'"{seq}"', "") if op in ("A", "a", "null") else (None,) * 4
        made.append(("s", 0, int(txn) if txn else None, seq, None if op == "null" else op, *terms, None, None))  # fmt: skip
    log = few.createDataFrame(made, jelly.PATCH_SCHEMA_DDL)
    with pytest.raises((EncodeError, ValueError), match=message):
        jelly.spark.changes(log)


def test_patches_with_content_labels_need_a_base_that_has_them(
    few: SparkSession, tmp_path: Path
) -> None:
    """One node is like another one, and its label has a number."""
    import jelly.spark

    old, new, base = tmp_path / "old.ttl", tmp_path / "new.ttl", tmp_path / "base.nq"
    old.write_text('<a:s> <a:p> [ <a:q> "1" ] , [ <a:q> "1" ] , [ <a:q> "2" ] .')
    new.write_text('<a:s> <a:p> [ <a:q> "1" ] , [ <a:q> "2" ] .')
    jelly.diff(old, new, tmp_path / "p.rdfp", blank_nodes="content")
    labels = re.findall(r"<_:([^>]*)>", (tmp_path / "p.rdfp").read_text())
    assert any("-" in label for label in labels)
    jelly.convert(old, base, blank_nodes="content")
    log = few.read.format("jelly-patch").load(str(tmp_path / "p.rdfp"))

    def read(path: Path) -> DataFrame:
        return few.read.format("jelly").load(str(path))

    for name in ("apply", "history"):
        for broadcast in ({}, {"broadcast": False}) if name == "apply" else ({},):
            call = getattr(jelly.spark, name)
            made = (
                call(read(old), log, **broadcast)
                if name == "apply"
                else call(log, base_df=read(old))
            )
            with spark_raises("PythonException", "patch.labels: the base: .* by its position"):
                made.collect()
    assert jelly.spark.apply(read(base), log).count() == 4


def test_what_else_is_refused(few: SparkSession) -> None:
    import jelly.spark

    df = log_of(few, FIRST, SECOND)
    with pytest.raises(ValueError, match='is incomplete: a log must be read with rows="all"'):
        jelly.spark.changes(df.where("op IN ('A', 'D')"))
    with pytest.raises(ValueError, match="is incomplete"):
        jelly.spark.changes(df.where("op <> 'A'"))
    with pytest.raises(ValueError, match="is incomplete"):
        jelly.spark.net(df.union(df))
    with pytest.raises(ValueError, match=r"a log needs the columns .* missing: op"):
        jelly.spark.net(df.drop("op"))
    with pytest.raises(ValueError, match='chain is "x"; it can be "check", "ignore"'):
        jelly.spark.net(df, chain="x")  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match="a log must be a Spark DataFrame, not str; read files with"
    ):
        jelly.spark.net("log.jellyp")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a base must be a Spark DataFrame, not PosixPath"):
        jelly.spark.apply(Path("base.nq"), df)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a base needs the columns"):
        jelly.spark.apply(df.select("op"), df)
    with pytest.raises(PatchError, match=r"no version 3: the log has versions 0 to 2"):
        jelly.spark.as_of(df, df, 3)
    with pytest.raises(PatchError, match=r"no patch of the log has the id <u:9>"):
        jelly.spark.as_of(df, df, "u:9")
    with pytest.raises(PatchError, match="version 2 comes after version 1"):
        jelly.spark.between(df, 2, 1)
    with pytest.raises(ValueError, match="not the canonical text of a term"):
        jelly.spark.history(df, "a:s")
    assert jelly.spark.net(log_of(few, FIRST, THIRD), chain="ignore").count() == 3
