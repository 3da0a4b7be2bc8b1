"""``jelly.spark.diff`` compares blank nodes as ``jelly.diff`` does: as many rows, and the graph that is meant."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import blank_texts
import jelly
from blank_pairs import canonical, pair, text
from jelly.errors import PatchError

from .raising import spark_raises
from .table_logs import collected, statements

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

# rows of Turtle behind the rows of pairs: a language tag in two cases, a row that goes and one that comes
GROUND = b'<urn:x:t> <urn:x:n> "a"@en .\n<urn:x:t> <urn:x:n> "b" .\n'
GROUND_AFTER = b'<urn:x:t> <urn:x:n> "a"@EN .\n<urn:x:t> <urn:x:n> "c" .\n'


def diff(old: bytes, new: bytes, **options: Any) -> tuple[jelly.Compared, bytes]:
    out = io.BytesIO()
    done = jelly.diff(old, new, out, to="rdfp", old_format="nq", new_format="nq", **options)
    return done, out.getvalue()


def written(patch: DataFrame, folder: Path) -> bytes:
    """The one file that Spark writes of a patch."""
    patch.write.format("jelly-patch").mode("append").save(str(folder))
    (path,) = folder.glob("*.jellyp*")
    return path.read_bytes()


def applied(base: bytes, patch: bytes, format: Any = "nq") -> bytes:
    out = io.BytesIO()
    jelly.apply(base, patch, out, to="nq", base_format=format, patch_format="jelly-patch")
    return out.getvalue()


def said(patch: bytes) -> tuple[int, int, list[tuple[str | None, str | None]]]:
    """Deletes, adds and headers of a patch, of which the order is checked."""
    rows = list(jelly.read_patch(patch).rows())
    ops = "".join(row.op[0] for row in rows)
    assert ops == "H" * ops.count("H") + (
        "T" + "D" * ops.count("D") + "A" * ops.count("A") + "TZ" if "T" in ops else "Z"[: len(ops)]
    )
    assert [row.seq for row in rows] == list(range(len(rows)))
    return ops.count("D"), ops.count("A"), [(row.name, row.value) for row in rows if row.op == "H"]


@pytest.mark.parametrize("way", ["auto", "content"])
def test_generated_pairs(few: SparkSession, tmp_path: Path, way: Any) -> None:
    jelly.spark.register(few)
    with_rows = 0
    for seed in range(4):
        chance = random.Random(seed)
        case = pair(chance, 5)
        old, other = (text(case.old, chance) + GROUND for _ in range(2))
        new = text(case.new, chance) + GROUND_AFTER
        patch = jelly.spark.diff(
            statements(few, old).repartition(3), statements(few, new), blank_nodes=way, id="u:1"
        )
        found = written(patch, tmp_path / str(seed))
        done, native = diff(old, new, blank_nodes=way, id="u:1")
        deletes, adds, headers = said(found)
        assert (deletes, adds) == (done.deleted, done.added)
        out = io.BytesIO()
        jelly.convert(native, out, format="rdfp", to="jelly-patch")
        assert headers == said(out.getvalue())[2]
        bases = [old, other]
        if way == "content":  # such a patch names nodes of a dataset that has content labels
            out = io.BytesIO()
            jelly.convert(old, out, format="nq", to="nq", blank_nodes="content")
            bases = [out.getvalue()]
        for base in bases:
            assert canonical(applied(base, found)) == canonical(new)
        with_rows += bool(deletes + adds > 2)
    assert with_rows > 2


def test_turtle_files_are_matched(few: SparkSession, tmp_path: Path) -> None:
    jelly.spark.register(few)
    texts = {"old": blank_texts.OLD, "again": blank_texts.AGAIN, "new": blank_texts.NEW}
    for name, data in texts.items():
        (tmp_path / f"{name}.ttl").write_text(data)
    # nodes have the scopes of their files
    tables = {name: few.read.format("jelly").load(f"{tmp_path}/{name}.ttl") for name in texts}
    assert jelly.spark.diff(tables["old"], tables["again"]).count() == 0
    patch = jelly.spark.diff(tables["old"], tables["new"])
    found = written(patch, tmp_path / "log")
    deletes, adds, headers = said(found)
    assert (deletes, adds, [name for name, _ in headers]) == (
        1,
        1,
        ["blank-nodes", "blank-digest"],
    )
    log = few.read.format("jelly-patch").load(f"{tmp_path}/log")
    with pytest.raises(PatchError, match=r"patch\.base"):
        jelly.spark.apply(tables["old"], log)
    for base in ("old", "again"):
        result = applied(texts[base].encode(), found, "ttl")
        out = io.BytesIO()
        jelly.convert(texts["new"].encode(), out, format="ttl", to="nq")
        assert canonical(result) == canonical(out.getvalue())


def test_labels_that_last_are_compared_unless_matching_is_asked_for(few: SparkSession) -> None:
    lines = [f"_:{{0}}{n} <urn:x:p> \"{n}\" .\n<urn:x:s> <urn:x:has> _:{{0}}{n} .\n" for n in range(9)]  # fmt: skip
    old = "".join(lines).format("a")
    new = "".join(lines[:8]).format("b") + '_:b7 <urn:x:q> "new" .\n'
    before, after = (statements(few, side.encode()) for side in (old, new))
    assert jelly.spark.diff(before, after).where("op in ('A', 'D')").count() == 18 + 17
    patch = jelly.spark.diff(before, after, blank_nodes="match").cache()
    rows = [tuple(row)[4:8] for row in patch.collect()]
    assert [row for row in rows if row[0] in "HAD"] == [
        ("D", "<urn:x:s>", "<urn:x:has>", "_:a8"),
        ("D", "_:a8", "<urn:x:p>", '"8"'),
        ("A", "_:a7", "<urn:x:q>", '"new"'),
    ]
    # the labels are those of the old table, so the patch can be applied to it here
    result = collected(jelly.spark.apply(before, patch))
    assert len(result) == 17
    patch.unpersist()


def test_what_cannot_be_compared_is_refused(few: SparkSession) -> None:
    table = statements(few, b"<urn:x:s> <urn:x:p> _:anon-0 .\n_:anon-0 <urn:x:p> _:anon-1 .\n")
    wrong: Any = "shape"
    with pytest.raises(ValueError, match="blank_nodes is 'shape'; it can be 'auto', 'match'"):
        jelly.spark.diff(table, table, blank_nodes=wrong)
    limits = jelly.Limits(blank_bytes=50)
    with spark_raises("PythonException", r"limit\.blank_bytes: .* four times limits\.blank_bytes"):
        jelly.spark.diff(table, table, limits=limits).count()
    assert jelly.spark.diff(table, table).count() == 0
    spelled = few.createDataFrame(
        [("_:anon-0", "<urn:x:p>", '"\\u0078"', "")],
        "subject string, predicate string, object string, graph string",
    )
    with spark_raises("PythonException", r"text\.term: the new dataset: "):
        jelly.spark.diff(table, spelled).count()
