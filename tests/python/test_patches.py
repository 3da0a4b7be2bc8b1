"""Patches one after the other."""

import gc
import io
import itertools
import weakref
from itertools import islice
from typing import Any

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb
from shared_data import shared


def test_patches_have_headers_and_rows() -> None:
    seen = []
    for patch in jelly.read_patch(jb.small_patch(3, 2)).patches():
        assert not patch.complete
        assert patch.headers[0] == ("id", f"_:p{patch.number}")
        seen.append((patch.number, patch.id, patch.prev, [row.op for row in patch.rows()]))
        assert patch.complete
        assert [(t.number, t.outcome) for t in patch.transactions] == [(patch.number, "committed")]
    rows = ["TX", "A", "A", "TC", "Z"]
    assert seen == [
        (0, "_:p0", None, ["H", *rows]),
        (1, "_:p1", "_:p0", ["H", "H", *rows]),
        (2, "_:p2", "_:p1", ["H", "H", *rows]),
    ]


def test_patches_that_are_not_read_are_passed_over() -> None:
    patches = list(jelly.read_patch(jb.small_patch(50, 300)).patches())
    assert [patch.id for patch in patches] == [f"_:p{n}" for n in range(50)]
    with pytest.raises(ValueError, match="moved on from patch 0"):
        next(patches[0].rows())


def test_a_patch_half_read() -> None:
    patches = jelly.read_patch(jb.small_patch(2, 5)).patches()
    first = next(patches)
    rows = first.rows()
    assert [next(rows).op for _ in range(3)] == ["H", "TX", "A"]
    assert [row.op for row in first.rows()] == ["A"] * 4 + ["TC", "Z"]
    assert list(first.rows()) == []
    assert next(patches).number == 1
    assert list(patches) == []


def test_outcomes_of_transactions() -> None:
    rows = [jb.patch_options(), jb.BEGIN, jb.COMMIT, jb.BEGIN, jb.ABORT, jb.BEGIN, jb.BEGIN]
    rows += [jb.MARK, jb.COMMIT, jb.MARK]
    first, second = jelly.read_patch(jb.delimited(jb.frame(*rows))).patches()
    outcomes = [(one.number, one.outcome) for one in first.transactions]
    assert outcomes == [(0, "committed"), (1, "aborted"), (2, "unfinished"), (3, "unfinished")]
    assert second.transactions == []  # a stray commit ends nothing


def test_a_patch_says_whether_it_is_complete_and_what_ended_it() -> None:
    def patches(*frames: list[jb.Fields], **options: Any) -> list[tuple[bool, str | None]]:
        data = jb.delimited(*(jb.frame(*rows) for rows in frames))
        found: list[tuple[bool, str | None]] = []
        for patch in jelly.read_patch(data, **options).patches():
            assert (patch.complete, patch.end) == (False, None) or patch.end is not None
            patch.skip()
            found.append((patch.complete, patch.end))
        return found

    marked, flat, framed = (jb.patch_options(kind) for kind in (jb.PUNCTUATED, jb.FLAT, jb.FRAME))
    whole = [jb.BEGIN, jb.COMMIT]
    assert patches([marked, *whole, jb.MARK, *whole]) == [(True, "mark"), (True, "eof")]
    assert patches([marked, *whole, jb.MARK, jb.BEGIN]) == [(True, "mark"), (False, "eof")]
    assert patches([marked, jb.BEGIN, jb.MARK]) == [(False, "mark")]
    assert patches([flat, jb.BEGIN], [jb.ABORT]) == [(True, "eof")]
    assert patches([framed, *whole], [jb.BEGIN, jb.BEGIN, jb.COMMIT]) == [
        (True, "frame"),
        (False, "frame"),
    ]
    text = b"H id <urn:a> .\nTX .\nTC .\nH id <urn:b> .\nTX .\nTA .\nZ .\n"
    ends = []
    for patch in jelly.read_patch(text).patches():
        patch.skip()
        ends.append((patch.complete, patch.end))
    assert ends == [(True, "header"), (True, "mark")]
    (patch,) = jelly.read_patch(jb.delimited(jb.frame(marked, jb.BEGIN))).patches()
    assert repr(patch).endswith("unfinished>")
    data = jb.small_patch(2, 2)
    for patch in jelly.read_patch(data, rows="committed").patches():
        patch.skip()
        assert (patch.complete, patch.end) == (True, None)


def test_patches_from_within_a_transaction() -> None:
    """Rows that were taken before, or a snapshot, leave the start of the transaction out."""
    data = jb.small_patch(2, 3)
    reader = jelly.read_patch(data)
    before = reader.rows()
    assert [next(before).op for _ in range(3)] == ["H", "TX", "A"]
    first, second = (patch for patch in reader.patches() if list(patch.rows()))
    assert [(one.number, one.outcome) for one in first.transactions] == [(0, "committed")]
    assert [(one.number, one.outcome) for one in second.transactions] == [(1, "committed")]
    reader = jelly.read_patch(data, batch_rows=3)
    assert len(next(reader)) == 3
    rest = data[reader.position.offset :]
    (first, _) = jelly.read_patch(rest, resume=reader.snapshot()).patches()
    assert [(one.number, one.outcome) for one in first.transactions] == [(0, "committed")]


def test_empty_patches_count() -> None:
    data = jb.delimited(jb.frame(jb.patch_options(jb.FRAME)), jb.frame(), jb.frame(jb.BEGIN))
    patches = [
        (patch.number, len(list(patch.rows()))) for patch in jelly.read_patch(data).patches()
    ]
    assert patches == [(0, 1), (1, 1), (2, 2)]


def test_the_last_header_wins_and_keys_have_no_case() -> None:
    rows = [jb.patch_options()]
    rows += [
        jb.header(key, literal=jb.literal(value))
        for key, value in [("ID", "1"), ("Previous", "0"), ("x", "y"), ("id", "2")]
    ]
    (patch,) = jelly.read_patch(jb.delimited(jb.frame(*rows, jb.MARK))).patches()
    assert (patch.id, patch.prev) == ('"2"', '"0"')
    assert patch.headers == [("ID", '"1"'), ("Previous", '"0"'), ("x", '"y"'), ("id", '"2"')]
    assert "id='\"2\"'" in repr(patch)


def test_committed_rows_have_patches_too() -> None:
    patches = jelly.read_patch(jb.small_patch(3, 2), rows="committed").patches()
    assert [(patch.number, [row.op for row in patch.rows()]) for patch in patches] == [
        (n, ["A", "A"]) for n in range(3)
    ]


def test_a_refused_patch_does_not_spoil_the_one_before() -> None:
    first = [jb.patch_options(), jb.patch_entry("name", "urn:x")]
    terms = {"s_iri": jb.iri(1), "p_iri": jb.iri(1), "g_default": {}}
    add = [jb.add(**terms, o_literal=jb.literal("0")), jb.add(o_literal=jb.literal("1"))]
    good = [jb.BEGIN, *add, jb.COMMIT, jb.MARK]
    data = jb.delimited(jb.frame(*first, *good, jb.BEGIN, jb.add(), jb.MARK))
    for source in (data, iter([data])):
        patches = jelly.read_patch(source, rows="committed").patches()
        patch = next(patches)
        assert [row.object for row in patch.rows()] == ['"0"', '"1"']
        assert patch.complete
        with pytest.raises(jelly.errors.PatchError):
            next(patches)
    # an error within the rows of a patch is that of the patch
    limits = jelly.Limits(term_bytes=200)
    long = jb.add(o_literal=jb.literal("\n" * 150))
    data = jb.delimited(jb.frame(*first, jb.BEGIN, *add, long, jb.COMMIT, jb.MARK))
    patch = next(jelly.read_patch(data, rows="committed", limits=limits).patches())
    with pytest.raises(jelly.errors.LimitError):
        list(patch.rows())
    assert not patch.complete


def test_options_of_a_patch_that_is_refused() -> None:
    data = jb.delimited(jb.frame(jb.patch_options(), jb.BEGIN, jb.MARK))
    reader = jelly.read_patch(data, rows="committed")
    assert reader.options is not None
    assert reader.options.stream_type == "PUNCTUATED"
    with pytest.raises(jelly.errors.PatchError):
        list(reader)


def test_columns_that_patches_need() -> None:
    reader = jelly.read_patch(jb.small_patch(), columns=["op", "subject"])
    with pytest.raises(ValueError, match="needs the columns patch, txn, name, value"):
        reader.patches()


def test_error_in_a_patch_comes_after_its_rows() -> None:
    patches = jelly.read_patch(jb.small_patch(2, 2)[:-3]).patches()
    assert next(patches).id == "_:p0"
    second = next(patches)
    ops: list[str] = []
    with pytest.raises(jelly.errors.TruncatedError):
        ops.extend(row.op for row in second.rows())
    assert ops == ["H", "H", "TX", "A", "A", "TC"]


def test_patches_of_the_corpus() -> None:
    reader = jelly.read_patch(shared("corpus/brick-versions.jellyp.gz"))
    patches = [(patch.id, patch.prev, len(patch.headers)) for patch in reader.patches()]
    assert len(patches) == 6
    assert [prev for _, prev, _ in patches] == [None] + [id for id, _, _ in patches[:-1]]


def test_a_patch_that_was_cut_is_not_complete() -> None:
    patches = jelly.read_patch(jb.small_patch(2, 2)[:-3], mode="permissive").patches()
    found = [([row.op for row in patch.rows()], patch.complete) for patch in patches]
    assert found == [
        (["H", "TX", "A", "A", "TC", "Z"], True),
        (["H", "H", "TX", "A", "A", "TC", None], False),
    ]


def looked_at(columns: Any = None, **options: Any) -> list[tuple[Any, ...]]:
    """A look at a patch, then all rows in another way."""
    reader = jelly.read_patch(jb.small_patch(2, 2), columns=columns, **options)
    patch = next(reader.patches())
    assert (patch.id, len(patch.headers)) == ("_:p0", 1)
    del patch
    return [tuple(row) for row in reader.rows()]


@pytest.mark.parametrize("terms", ["text", "struct"])
@pytest.mark.parametrize("rows", ["all", "committed"])
@pytest.mark.parametrize("batch_rows", [1, 2, 1000])
def test_a_patch_that_is_dropped_keeps_no_rows(terms: Any, rows: Any, batch_rows: int) -> None:
    data, options = jb.small_patch(3, 2), {"terms": terms, "rows": rows, "batch_rows": batch_rows}
    whole = list(jelly.read_patch(data, **options).rows())
    for taken in range(len(whole) + 1):
        reader = jelly.read_patch(data, **options)
        patches, patch, found = reader.patches(), None, list[Any]()
        while len(found) < taken:
            patch = next(patches)
            found += islice(patch.rows(), taken - len(found))
        del patch, patches
        found += reader.rows()
        assert found == whole, taken


def test_a_look_at_a_patch_costs_nothing() -> None:
    options: Any
    for options in ({}, {"mode": "permissive"}, {"terms": "struct", "mode": "permissive"}):
        whole = jelly.read_patch(jb.small_patch(2, 2), **options)
        assert looked_at(**options) == [tuple(row) for row in whole.rows()]
    names = ["value", "op", "txn", "patch", "name"]
    assert looked_at(names) == [
        tuple(row) for row in jelly.read_patch(jb.small_patch(2, 2), columns=names).rows()
    ]
    reader = jelly.read_patch(jb.small_patch(2, 2))
    next(reader.patches())
    assert pa.table(reader) == pa.table(jelly.read_patch(jb.small_patch(2, 2)))


@pytest.mark.parametrize("rows", ["all", "committed"])
@pytest.mark.parametrize("batch_rows", [1, 2, 1000])
def test_a_reader_has_one_iterator_of_patches(rows: Any, batch_rows: int) -> None:
    data = jb.small_patch(4, 2)
    whole = list(jelly.read_patch(data, rows=rows).rows())
    reader = jelly.read_patch(data, rows=rows, batch_rows=batch_rows)
    patches = reader.patches()
    assert reader.patches() is patches
    ahead = patches.peek()
    assert ahead is not None
    assert patches.peek() is ahead
    assert reader.peek() == whole[0]
    assert next(patches) is ahead
    found = [*ahead.rows()]
    second = next(reader.patches())
    found.append(next(second.rows()))
    found.append(next(reader.rows()))  # the patch goes on behind it
    found += second.rows()
    assert second.complete
    assert [patch.number for patch in (ahead, second)] == [0, 1]
    found += [row for patch in reader.patches() for row in patch.rows()]
    assert found == whole
    assert (patches.peek(), reader.peek()) == (None, None)


def test_a_look_at_the_next_patch_skips_what_is_left_of_this_one() -> None:
    patches = jelly.read_patch(jb.small_patch(2, 5)).patches()
    first = next(patches)
    second = patches.peek()
    assert second is not None
    assert (first.complete, second.id) == (True, "_:p1")
    with pytest.raises(ValueError, match="moved on from patch 0"):
        next(first.rows())
    assert [patch.number for patch in patches] == [1]


def test_no_snapshot_without_the_rows_of_a_patch() -> None:
    reader = jelly.read_patch(jb.small_patch(2, 2), batch_rows=2)
    patches = reader.patches()
    patch = next(patches)
    with pytest.raises(ValueError, match="no snapshot can be taken"):
        reader.snapshot()
    patch.skip()
    assert reader.snapshot()


def test_the_error_of_the_next_patch_is_not_lost() -> None:
    bad = jb.frame(jb.BEGIN, jb.BEGIN, jb.MARK)
    data = jb.small_patch(1, 2) + jb.delimited(bad)
    reader = jelly.read_patch(data, rows="committed")
    patches = reader.patches()
    patch = next(patches)
    assert len(list(patch.rows())) == 2
    assert patch.complete
    del patch, patches
    with pytest.raises(jelly.errors.PatchError):
        list(reader.rows())
    assert list(reader.rows()) == []


def test_a_patch_and_its_reader_are_freed() -> None:
    class Source(io.BytesIO):
        pass

    source = Source(jb.small_patch(1, 2) + jb.delimited(jb.frame(jb.BEGIN, jb.BEGIN, jb.MARK)))
    alive = weakref.ref(source)
    reader = jelly.read_patch(source, rows="committed")
    patch = next(reader.patches())
    patch.skip()
    del source, reader, patch
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("format", ["jelly-patch", "rdfp", "trp"])
def test_prefixes_between_statements_leave_their_graphs_alone(format: Any) -> None:
    rows: list[dict[str, str]] = []
    for graphs in itertools.product(["", "<g:1>", "P", "P<g:1>"], repeat=4):
        rows += [
            {"op": "PA", "name": "p", "value": "<n:n>", "graph": graph[1:]}
            if graph.startswith("P")
            else {
                "op": "A",
                "subject": "_:s",
                "predicate": "<p:p>",
                "object": "_:o",
                "graph": graph,
            }
            for graph in graphs
        ]
    out = io.BytesIO()
    with jelly.PatchWriter(out, format=format) as writer:
        writer.write(rows)
    with jelly.read_patch(out.getvalue(), format=format) as reader:
        found = [row.graph for row in reader.rows() if row.op == "A"]
    wanted = [row["graph"] for row in rows if row["op"] == "A"]
    assert len(wanted) == 512
    assert found == wanted
