"""Keys of quads in Arrow columns."""

from typing import Any

import pytest

import jelly
from jelly.errors import EncodeError, TextError

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

SECRET = bytes(range(16))


def table(*quads: tuple[str | None, ...]) -> Any:
    names = ["subject", "predicate", "object", "graph"]
    columns = [list(column) for column in zip(*quads, strict=True)]
    return pa.table(dict(zip(names, columns, strict=True)))


def keys(rows: Any, secret: bytes = SECRET) -> list[bytes | None]:
    found = pa.array(jelly.quad_keys(rows, secret))
    found.validate(full=True)
    assert found.type == pa.binary()
    keys: list[bytes | None] = found.to_pylist()
    return keys


def test_the_key_is_that_of_every_version() -> None:
    """It may be stored: a changed key is a changed format."""
    (key,) = keys(table(("<a:s>", "<a:p>", '"x"@EN', "")))
    assert key == bytes.fromhex("84ac5fa814df017550afe02eaf2ed861")


def test_quads_are_told_apart_but_for_the_case_of_tags() -> None:
    texts = ['"x"@en', '"x"@EN', '"X"@en', '"x"', '<<( <a:s> <a:p> "x"@EN )>>', '<<( <a:s> <a:p> "x"@en )>>']  # fmt: skip
    found = keys(
        table(*[("<a:s>", "<a:p>", text, graph) for text in texts for graph in ("", "_:b")])
    )
    assert found[0] == found[2]
    assert found[8] == found[10]
    assert len(set(found)) == 8
    assert all(key is not None and len(key) == 16 for key in found)
    assert found[0] != keys(table(("<a:s>", "<a:p>", '"x"@en', "")), SECRET[::-1])[0]


def test_rows_of_readers_and_of_streams() -> None:
    log = b'H id <u:1> .\nPA "e" <a:> <a:g> .\nTX .\nA <a:s> <a:p> "x"@EN <a:g> .\nTC .\n'
    (whole,) = jelly.read_patch(log)
    found = keys(whole)
    assert [key is None for key in found] == [True, True, True, False, True, True]
    quads = pa.table(jelly.read_rdf(b'<a:s> <a:p> "x"@en <a:g> .\n', format="nq"))
    assert keys(quads) == [found[3]]
    structs = pa.table(jelly.read_rdf(b'<a:s> <a:p> "x"@en <a:g> .\n', format="nq", terms="struct"))
    assert keys(structs) == [found[3]]
    many = pa.concat_tables([quads] * 3)
    assert many.column("subject").num_chunks == 3
    assert keys(many) == [found[3]] * 3
    assert len(jelly.quad_keys(many, SECRET)) == 3
    assert keys(quads.slice(0, 0)) == []
    assert keys(table(("<a:s>", "<a:p>", "<a:o>", None))) == keys(
        table(("<a:s>", "<a:p>", "<a:o>", ""))
    )


def test_what_is_refused() -> None:
    good = table(("<a:s>", "<a:p>", "<a:o>", ""))
    with pytest.raises(EncodeError, match="no predicate") as caught:
        keys(
            pa.concat_tables(
                [good, table(("<a:s>", None, "<a:o>", ""))], promote_options="permissive"
            )
        )
    assert caught.value.row == 1
    with pytest.raises(TextError, match="not the canonical text of a term"):
        keys(table(("<a:s>", "<a:p>", "o", "")))
    with pytest.raises(ValueError, match='there is no column "graph"'):
        keys(good.drop_columns(["graph"]))
    with pytest.raises(ValueError, match="secret must have 16 bytes, not 3"):
        keys(good, b"abc")
    with pytest.raises(TypeError, match="rows must be an object of an Arrow library, not list"):
        keys([("<a:s>", "<a:p>", "<a:o>", "")])
