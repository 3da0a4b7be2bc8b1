"""What patches mean over DataFrames is what they mean to sets, and to the native library."""

from __future__ import annotations

import functools
import io
import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import patch_model as model
from jelly.errors import PatchError
from shared_data import shared
from spelling import ALL, after_of, base_of, quad
from spelling import log_of as log_of_cases

from .logs_in_one import bundle, ordered, rows
from .table_logs import BASE, FIRST, QUAD, SECOND, THIRD, applied, collected, log_of, statements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def agree(spark: SparkSession, rng: random.Random, logs: int) -> int:
    """Compares a bundle; returns how many versions it has."""
    import jelly.spark

    base, log, sources, options = bundle(rng, logs)
    data = statements(spark, model.nquads(sorted(set(map(model.folded, base)))))
    df = spark.createDataFrame(rows(sources)).cache()
    quads = set(base)
    expected = model.applied(quads, log)
    broadcast = rng.choice([True, False, None])
    result = jelly.spark.apply(data, df, broadcast=broadcast, **options).select(*QUAD).cache()
    assert collected(result) == expected
    assert model.spelled_as_added(map(tuple, result.collect()), log) > 0
    result.unpersist()
    assert applied(model.nquads(base), *ordered(sources), **options) == expected
    version = rng.randrange(len(log) + 1)
    then = jelly.spark.as_of(data, df, version, broadcast=broadcast, **options)
    assert collected(then) == model.applied(quads, log[:version])
    rest = jelly.spark.between(df, version, len(log), **options).collect()
    last = {model.folded(row[3:7]): row["_change_type"] for row in rest}
    assert len(last) == len(rest)
    net = {}
    for patch in log[version:]:
        for row in model.committed(patch):
            net[model.folded(row.terms)] = {"A": "insert", "D": "delete"}[row.op]  # type: ignore[arg-type]
    assert last == net
    periods = jelly.spark.history(df, base_df=data, **options).collect()
    for number in range(len(log) + 1):
        alive = {
            model.folded(row[:4])
            for row in periods
            if row["valid_from"] <= number and (row["valid_to"] is None or number < row["valid_to"])
        }
        assert alive == model.applied(quads, log[:number]), number
    named = sorted({row["subject"] for row in periods if row["subject"].startswith("<")})
    if named:
        some, one = named[:2], periods[0]["predicate"]
        chosen = jelly.spark.history(
            df, some, [one, "<urn:none>"], base_df=data, **options
        ).collect()
        wanted = [row for row in periods if row["subject"] in some and row["predicate"] == one]
        assert Counter(chosen) == Counter(wanted)
    if options:
        with pytest.raises(PatchError, match=r"patch\.unfinished"):
            jelly.spark.net(df)
    df.unpersist()
    return len(log)


def test_random_logs_come_to_what_the_model_says(few: SparkSession) -> None:
    assert agree(few, random.Random(6), 25) > 25


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_many_random_logs_come_to_what_the_model_says(few: SparkSession) -> None:
    rng = random.Random(int(os.environ.get("JELLY_SOAK", "1")))
    assert sum(agree(few, rng, 50) for _ in range(4)) > 200


def test_changes_prefixes_and_net(few: SparkSession) -> None:
    import jelly.spark

    df = log_of(few, FIRST, SECOND, THIRD)
    changes = jelly.spark.changes(df)
    assert changes.dtypes == [
        ("_change_type", "string"),
        ("_commit_version", "bigint"),
        ("_commit_timestamp", "timestamp"),
        *((name, "string") for name in QUAD),
        ("seq", "bigint"),
    ]
    found = changes.orderBy("_commit_version", "seq").collect()
    assert [(row[0], row[1], row[5], row[6]) for row in found] == [
        ("insert", 1, '"1"@EN', ""),
        ("delete", 1, '"y"', "<a:g>"),
        ("delete", 2, "<a:o>", ""),
        ("delete", 3, '"1"@en', ""),
        ("insert", 3, '"2"', ""),
    ]
    times = changes.selectExpr("_commit_version", "unix_timestamp(_commit_timestamp)").distinct()
    assert dict(map(tuple, times.collect())) == {1: 1772366400, 2: None, 3: None}
    found = jelly.spark.prefixes(df).orderBy("seq").drop("seq", "_commit_timestamp").collect()
    assert [tuple(row) for row in found] == [
        ("insert", 1, "", "e", "<http://e/>"),
        ("delete", 2, "", "e", None),
    ]
    net = {(row["object"], row["_change_type"], row["_commit_version"]) for row in jelly.spark.net(df).collect()}  # fmt: skip
    assert net == {
        ('"1"@en', "delete", 3), ('"y"', "delete", 1), ("<a:o>", "delete", 2), ('"2"', "insert", 3),
    }  # fmt: skip
    assert jelly.spark.between(df, "u:1", "<u:2>").count() == 1
    assert jelly.spark.between(df, 2, 2).count() == 0


def test_the_last_spelling_survives_and_other_columns_stay(few: SparkSession) -> None:
    import jelly.spark

    base = few.createDataFrame(
        [("<a:s>", "<a:p>", '"x"@en', None, 7), ("<a:s>", "<a:p>", '"y"', "", 8), ("<a:s>", "<a:p>", '"y"', "", 9)],
        "subject string, predicate string, object string, graph string, note int",
    )  # fmt: skip
    log = log_of(few, 'A <a:s> <a:p> "x"@En .\nD <a:s> <a:p> "z" .\n')
    result = jelly.spark.apply(base, log)
    assert result.columns == base.columns
    found = {(row["object"], row["graph"], row["note"]) for row in result.collect()}
    assert found == {('"x"@En', "", None), ('"y"', "", 8), ('"y"', "", 9)}
    log = log_of(few, 'D <a:s> <a:p> "x"@EN .\n')
    assert {row["note"] for row in jelly.spark.apply(base, log).collect()} == {8, 9}


def test_bases_may_have_columns_of_any_name(few: SparkSession) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    import jelly.spark

    log = log_of(few, FIRST, SECOND, THIRD)
    base = statements(few, BASE)
    plain = collected(jelly.spark.apply(base, log))
    named = base.select(*QUAD, F.lit(1).alias("_key"), F.lit(2).alias("__KEY"))
    then = jelly.spark.apply(named, log)
    assert then.columns == named.columns
    assert collected(then) == plain


def test_language_tags_are_spelled_as_they_were_added_last(few: SparkSession) -> None:
    import jelly.spark

    log = few.createDataFrame(rows([(None, b"Z .\n".join(log_of_cases(ALL)))])).cache()
    base = statements(few, base_of(ALL))
    found = jelly.spark.apply(base, log).select("subject", "object").collect()
    assert sorted(quad(int(row[0][3:-1]), row[1]) for row in found) == after_of(ALL)
    periods = jelly.spark.history(log, base_df=base).collect()
    native = list(jelly.history(log_of_cases(ALL), base=base_of(ALL), base_format="nq"))
    assert {tuple(row) for row in periods} == {tuple(row) for row in native}
    assert len(native) > len(ALL)


def test_the_default_graph_is_the_empty_text(few: SparkSession) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    import jelly.spark

    named = statements(few, BASE)
    base = named.withColumn("graph", F.nullif("graph", F.lit("")))
    log = log_of(few, FIRST, SECOND, THIRD)
    odd = log.withColumn("graph", F.nullif("graph", F.lit("")))
    assert base.where("graph IS NULL").count() == 2
    results = {
        "apply": jelly.spark.apply(base, odd),
        "as_of": jelly.spark.as_of(base, odd, 0),
        "net": jelly.spark.net(odd),
        "between": jelly.spark.between(odd, 0, 3),
        "changes": jelly.spark.changes(odd),
        "prefixes": jelly.spark.prefixes(odd),
        "history": jelly.spark.history(odd, base_df=base),
        "diff": jelly.spark.diff(base.limit(0), base).where("op = 'A'"),
        "keys": jelly.spark.quad_keys(base, bytes(16)),
    }
    graphs = [result.select(F.lit(name).alias("name"), "graph") for name, result in results.items()]
    found = functools.reduce(lambda one, other: one.union(other), graphs).distinct().collect()
    assert {row["name"] for row in found if row["graph"] == ""} == set(results)
    assert {row["graph"] for row in found} == {"", "<a:g>"}


def test_messages_say_their_time(few: SparkSession) -> None:
    import jelly.spark

    df = log_of(few, FIRST, SECOND).selectExpr("*", "timestamp_seconds(5) AS timestamp")
    times = jelly.spark.changes(df).selectExpr("unix_timestamp(_commit_timestamp)").distinct()
    assert {row[0] for row in times.collect()} == {1772366400, 5}


ODD = [
    '"x"@EN', '"x"@en', '"X"@en', '"@EN"', '"a \\"@EN"', '"a \\\\"@EN', '"x"^^<a:t@EN>', "<a:@EN>", '"x"@\\u005FEN',
    '"x"@\\U0001F600F', '"x"@\\u0001f600f', '"x"@EN--LTR', '<<( <a:S> <a:p> "X@Y\\""@EN )>>', '<<( <a:S> <a:p> "X@Y\\""@en )>>',
    '<<( <a:S> <a:p> <<( <a:S> <a:@EN> "\\\\"@EN )>> )>>', '<<( <a:S> <a:p> <<( <a:S> <a:@EN> "\\\\"@en )>> )>>',
    '<<( <a:s> <a:p> "@EN"@EN )>>', '<<( <a:s> <a:p> "@EN"@en )>>', '"' + '\\"' * 20_000 + 'E"@EN', '"' + '\\"' * 20_000 + 'E"@en',
    '<<( <a:s> <a:p> "' + '\\"' * 20_000 + 'E"@EN )>>', '<<( <a:s> <a:p> "' + '\\"' * 20_000 + 'E"@en )>>', "_:b", '""@DE', '""',
]  # fmt: skip


def test_tables_tell_quads_apart_by_the_native_key(few: SparkSession) -> None:
    import jelly.spark

    terms = [term for term in ODD if "u005F" not in term]
    quads = [("<a:s>", "<a:p>", term, graph) for term in terms for graph in ("", None, "<a:G>")]
    quads += [(term, "<a:p>", "<a:o>", "") for term in terms]
    df = few.createDataFrame(quads, "subject string, predicate string, object string, graph string")
    keyed = jelly.spark.quad_keys(df, bytes(16)).collect()
    native = pa.array(jelly.quad_keys(df.toArrow(), bytes(16))).to_pylist()
    assert sorted(bytes(row["quad_key"]) for row in keyed) == sorted(native)
    added = jelly.spark.diff(df.limit(0), df).where("op = 'A'").count()
    assert added == len(set(native)) == 54 < len(quads)
    with pytest.raises(ValueError, match="secret must have 16 bytes, not 1"):
        jelly.spark.quad_keys(df, b"x")
    with pytest.raises(ValueError, match="there is a column 'graph' already"):
        jelly.spark.quad_keys(df, bytes(16), "graph")


def test_prev_joins_patches_between_which_a_number_is_missing(few: SparkSession) -> None:
    import jelly.spark

    patches = [("1", ""), ("other", ""), ("2", "H prev <u:1> .\n")]
    df = log_of(few, *(f"H id <u:{id}> .\n{prev}A <a:s> <a:p> <a:{id}> .\nZ .\n" for id, prev in patches))  # fmt: skip
    assert jelly.spark.net(df.where("patch <> 1")).count() == 2


def test_times_of_patches_are_those_that_logs_of_files_read(few: SparkSession) -> None:
    import jelly.spark
    from jelly._times import of_term

    xsd = "http://www.w3.org/2001/XMLSchema#"
    years = ['"0001-01-01T00:00:00+14:00"', '"9999-12-31T23:59:59-01:00"']
    none = [*years, '"2026-03-01"', '"2026-W09"', f'"2026-03-01T12:00:00Z"^^<{xsd}gYear>']
    some = ['"2026-03-01T24:00:00"', f'"2026-03-01T12:00:00.5+01:00"^^<{xsd}dateTimeStamp>']
    df = log_of(
        few, *(f"H timestamp {when} .\nA <a:s> <a:p> <a:o> .\nZ .\n" for when in none + some)
    )
    found = jelly.spark.changes(df).selectExpr("_commit_version", "unix_micros(_commit_timestamp)")
    times = [at and round(at.timestamp() * 1e6) for at in map(of_term, none + some)]
    assert times[: len(none)] == [None] * len(none)
    assert None not in times[len(none) :]
    assert [at for _, at in sorted(found.collect())] == times


def test_history(few: SparkSession) -> None:
    import jelly.spark

    df, base = log_of(few, FIRST, SECOND, THIRD), statements(few, BASE)
    texts = [FIRST.encode(), SECOND.encode(), THIRD.encode()]
    patterns: list[Any] = [{}, {"subject": "<a:s>"}, {"object": '"1"@en'}, {"graph": ""}]
    for pattern in patterns:
        found = jelly.spark.history(df, base_df=base, **pattern).collect()
        expected = jelly.history(texts, base=BASE, base_format="nq", **pattern)
        assert {tuple(row) for row in found} == set(expected)
        assert found
    assert jelly.spark.history(df).count() == 2


def test_a_difference_is_a_patch(few: SparkSession, tmp_path: Path) -> None:
    import jelly.spark

    rng = random.Random(3)
    jelly.spark.register(few)
    old, new = ([model.random_quad(rng) for _ in range(30)] for _ in range(2))
    old = sorted({*map(model.folded, old)})  # what is there twice stays so
    before, after = (statements(few, model.nquads(quads)) for quads in (old, new))
    patch = jelly.spark.diff(before, after, id="u:2", prev="<u:1>", source="made")
    patch.write.format("jelly-patch").mode("append").save(str(tmp_path / "log"))
    (path,) = (tmp_path / "log").glob("*.jellyp*")
    rows = list(jelly.read_patch(path).rows())
    ops = "".join(row.op[0] for row in rows)
    assert re.fullmatch("HHTD+A+TZ", ops)
    assert [row.seq for row in rows] == list(range(len(rows)))
    assert [tuple(row) for row in patch.drop("source").collect()][:-1] == [row[1:] for row in rows][:-1]  # fmt: skip
    expected = model.applied(set(new), [])
    assert applied(model.nquads(old), path.read_bytes()) == expected
    assert collected(jelly.spark.apply(before, patch)) == expected
    native = io.BytesIO()
    jelly.diff(model.nquads(old), model.nquads(new), native, to="rdfp", old_format="nq", new_format="nq")  # fmt: skip
    assert sorted(ops) == sorted("HH" + "".join(row.op[0] for row in jelly.read_patch(native.getvalue(), format="rdfp").rows()))  # fmt: skip
    assert jelly.spark.diff(after, after).count() == 0
    assert [row["op"] for row in jelly.spark.diff(after, after, id="u:3").collect()] == ["H", "Z"]


@pytest.mark.parametrize("name", ["brick-versions", "schemaorg-releases", "weather-cdc-2000tx"])
def test_logs_of_the_corpus(few: SparkSession, name: str) -> None:
    import jelly.spark

    jelly.spark.register(few)
    path = shared(f"corpus/{name}.jellyp.gz")
    df = few.read.format("jelly-patch").load(str(path)).cache()
    base = statements(few, BASE)
    last = jelly.verify_log(path).patches
    for version in {0, last // 2, last}:
        out = io.BytesIO()
        jelly.as_of(BASE, path, version, out, to="nq", base_format="nq")
        native = {row[3:] for row in jelly.read_rdf(out.getvalue(), format="nq").rows()}
        found = jelly.spark.as_of(base, df, version).select(*QUAD).collect()
        assert len(found) == len(native) > 2
        assert {model.folded(tuple(row)) for row in found} == {*map(model.folded, native)}
    df.unpersist()
