"""Results in Jelly have options that hold them, not those of their sources."""

import io
from collections.abc import Callable
from typing import Any

import pytest

import jelly
from jelly.errors import EncodeError

BASE = b"<a:s> <a:p> <a:o> .\n"
WIDE = [
    b"A <a:s> <a:p> <a:x> <a:g> .\n",
    b'A <a:s> <a:p> << <a:s> <a:p> "x" >> .\n',
    b'A "s" <a:p> <a:x> .\n',
    b"A <a:s> _:p <a:x> <a:g> .\n",
]
NARROW = {"generalized_statements": False, "rdf_star": False}
MAKERS = [jelly.squash, jelly.net, jelly.invert]


def converted(data: bytes, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.convert(data, out, **options)
    return out.getvalue()


def rows(data: bytes) -> list[tuple[str | None, ...]]:
    return [
        (row.op, row.subject, row.predicate, row.object, row.graph)
        for row in jelly.read_patch(data).rows()
        if row.op in "AD"
    ]


@pytest.mark.parametrize("patch", WIDE)
def test_a_dataset_gets_statements_that_its_base_did_not_declare(patch: bytes) -> None:
    base = converted(BASE, to="jelly", physical_type="TRIPLES", **NARROW)
    out = io.BytesIO()
    done = jelly.apply(base, patch, out, to="jelly")
    assert done.added == 1
    (added,) = rows(patch)
    found = [row[3:7] for row in jelly.read_rdf(out.getvalue()).rows()]
    assert found == [("<a:s>", "<a:p>", "<a:o>", ""), added[1:]]
    kept = jelly.read_rdf(base).options
    options = jelly.read_rdf(out.getvalue()).options
    assert options is not None
    assert kept is not None
    assert options.physical_type == ("QUADS" if added[4] else "TRIPLES")
    assert options.logical_type == ("FLAT_QUADS" if added[4] else "FLAT_TRIPLES")
    assert options.max_name_table_size == kept.max_name_table_size


def test_options_that_were_told_are_kept() -> None:
    base = converted(BASE, to="jelly", physical_type="TRIPLES", **NARROW)
    with pytest.raises(EncodeError, match="TRIPLES"):
        jelly.apply(base, WIDE[0], io.BytesIO(), to="jelly", physical_type="TRIPLES")
    with pytest.raises(EncodeError, match="rdf_star"):
        jelly.apply(base, WIDE[1], io.BytesIO(), to="jelly", rdf_star=False)


@pytest.mark.parametrize("as_jelly", [True, False])
@pytest.mark.parametrize("patch", WIDE)
@pytest.mark.parametrize("make", MAKERS)
def test_patches_of_different_options_become_one(
    make: Callable[..., Any], patch: bytes, as_jelly: bool
) -> None:
    first = converted(
        b"A <a:s> <a:p> <a:o> .\n", to="jelly-patch", statement_type="TRIPLES", **NARROW
    )
    second = converted(patch, to="jelly-patch") if as_jelly else patch
    out = io.BytesIO()
    make([first, second], out, to="jelly-patch")
    wanted = {row[1:] for row in rows(first) + rows(patch)}
    assert len(wanted) == 2
    assert {row[1:] for row in rows(out.getvalue())} == wanted


def test_a_canonical_log_has_each_patch_of_its_flat_sources() -> None:
    sources = [
        converted(f"H id <u:{n}> .\nTX .\nA <a:s> <a:p> <a:{n}> .\nTC .\n".encode(),
                  to="jelly-patch", stream_type="FLAT")
        for n in range(3)
    ]  # fmt: skip
    out = io.BytesIO()
    done = jelly.canonicalize(sources, b"", out, to="jelly-patch")
    assert done.patches == 3
    reader = jelly.read_patch(out.getvalue())
    assert [patch.id for patch in reader.patches()] == ["<u:0>", "<u:1>", "<u:2>"]
    one = io.BytesIO()
    jelly.canonicalize(sources[:1], b"", one, to="jelly-patch")
    options = jelly.read_patch(one.getvalue()).options
    assert options is not None
    assert options.stream_type == "FLAT"
