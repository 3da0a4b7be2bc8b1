"""Named graphs with Jena's names of the default graph: RDF Patch, which has these names, refuses them."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import jelly
from jelly.errors import EncodeError

NAMES = ["urn:x-arq:DefaultGraph", "urn:x-arq:DefaultGraphNode"]
OLD = b'<a:s> <a:p> "1" <urn:x-arq:Other> .\n'


@pytest.mark.parametrize("before", [b"", b'<a:s> <a:p> "2" <urn:x-arq:Default> .\n'])
@pytest.mark.parametrize("to", ["rdfp", "trp"])
@pytest.mark.parametrize("name", NAMES)
def test_diff(name: str, to: Any, before: bytes) -> None:
    new = OLD + before + f'<a:s> <a:p> "2" <{name}> .\n'.encode()
    for one, other in ((OLD, new), (new, OLD)):
        with pytest.raises(EncodeError, match=f"the graph <{name}> as the default graph") as caught:
            jelly.diff(one, other, io.BytesIO(), to=to, old_format="nq", new_format="nq")
        assert caught.value.kind == "encode.term"
    patch, out = io.BytesIO(), io.BytesIO()
    jelly.diff(OLD, new, patch, to="jelly-patch", old_format="nq", new_format="nq")
    jelly.apply(OLD, patch.getvalue(), out, base_format="nq", to="nq")
    assert sorted(out.getvalue().splitlines()) == sorted(new.splitlines())


@pytest.mark.parametrize("to", ["rdfp", "trp"])
@pytest.mark.parametrize("name", NAMES)
def test_convert(name: str, to: Any) -> None:
    patch = io.BytesIO()
    new = f'<a:s> <a:p> "2" <{name}> .\n'.encode()
    jelly.diff(OLD, new, patch, to="jelly-patch", old_format="nq", new_format="nq")
    with pytest.raises(EncodeError, match=f"the graph <{name}>"):
        jelly.convert(patch.getvalue(), io.BytesIO(), to=to)
    again = io.BytesIO()
    jelly.convert(patch.getvalue(), again, to="jelly-patch")
    assert name.encode() in again.getvalue()


@pytest.mark.parametrize("to", ["rdfp", "trp"])
@pytest.mark.parametrize("op", ["PA", "PD", "A", "D"])
@pytest.mark.parametrize("name", NAMES)
def test_tables(name: str, op: str, to: Any) -> None:
    term = {"PA": '"p" "a:"', "PD": '"p"'}.get(op, '<a:s> <a:p> "1"')
    rows = pa.table(jelly.read_patch(f"{op} {term} <a:g> .\n".encode(), format="rdfp"))
    graph = pc.if_else(pc.equal(rows["graph"], "<a:g>"), f"<{name}>", rows["graph"])
    rows = rows.set_column(rows.schema.get_field_index("graph"), "graph", graph)
    assert f"<{name}>" in rows["graph"].to_pylist()
    with pytest.raises(EncodeError, match=f"the graph <{name}>"), jelly.PatchWriter(io.BytesIO(), format=to) as writer:  # fmt: skip
        writer.write(rows)
