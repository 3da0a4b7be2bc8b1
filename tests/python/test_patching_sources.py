"""Where patches come from: orders of files, sources of all kinds, standard input."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import EncodeError, PatchError, TruncatedError
from small_log import BASE, FIRST, SECOND, THIRD, applied, out_of


def test_orders_and_counts() -> None:
    out = io.BytesIO()
    done = jelly.apply(BASE, [FIRST, SECOND, THIRD], out)
    assert out.getvalue() == b'<a:s> <a:p> "x"@en .\n<a:n> <a:p> "2" .\n'
    assert done == jelly.Applied(3, "<u:3>", 3, 2, 1, 2, 5, 0, 0, len(out.getvalue()), 0)
    assert applied(BASE, THIRD, FIRST, SECOND) == out.getvalue()
    assert applied(BASE, FIRST + SECOND + THIRD) == out.getvalue()
    for version, same in [(1, "u:1"), (2, "<u:2>"), (3, "u:3")]:
        assert out_of(jelly.as_of, BASE, [FIRST, SECOND, THIRD], version) == out_of(
            jelly.as_of, BASE, [SECOND, THIRD, FIRST], same
        )
    assert out_of(jelly.as_of, BASE, FIRST, 0) == BASE


def test_sources_of_all_kinds(tmp_path: Path) -> None:
    expected = applied(BASE, FIRST, SECOND, THIRD)
    (tmp_path / "base.nq.gz").write_bytes(gzip.compress(BASE))
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "patch-10.trp").write_bytes(out_of(jelly.convert, THIRD, to="trp"))
    (folder / "patch-9").write_bytes(out_of(jelly.convert, SECOND, to="jelly-patch"))
    (folder / "patch-1.rdfp.gz").write_bytes(gzip.compress(FIRST))
    (folder / ".patch-2").write_bytes(b"no")
    (folder / "readme.txt").write_bytes(b"no")
    logs: list[Callable[[], Any]] = [
        lambda: folder,
        lambda: str(folder),
        lambda: [folder],
        lambda: [io.BytesIO(FIRST), iter([SECOND]), THIRD],
    ]
    for patches in logs:
        for base in (tmp_path / "base.nq.gz", io.BytesIO(BASE)):
            dest = tmp_path / "after.nq"
            jelly.apply(base, patches(), dest)
            assert dest.read_bytes() == expected
    jelly_base = out_of(
        jelly.convert, BASE, to="jelly", physical_type="GRAPHS", max_name_table_size=77
    )
    result = applied(jelly_base, FIRST, SECOND, THIRD)
    reader = jelly.read_rdf(result)
    assert {row[3:] for row in reader.rows()} == {
        row[3:] for row in jelly.read_rdf(expected).rows()
    }
    assert reader.options is not None
    assert (reader.options.physical_type, reader.options.max_name_table_size) == ("GRAPHS", 77)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ValueError, match="the folder has no patches"):
        jelly.apply(BASE, empty, io.BytesIO())
    with pytest.raises(ValueError, match="there are no patches"):
        jelly.apply(BASE, [], io.BytesIO())


def test_files_without_ids_come_as_they_are_given(tmp_path: Path) -> None:
    for name, row in [("p-2", "A"), ("p-10", "D"), ("p-11", "A")]:
        (tmp_path / name).write_text(f'{row} <a:s> <a:p> "{name}" .\n{row} <a:s> <a:p> "z" .\n')
    last, middle, first = (tmp_path / name for name in ("p-11", "p-10", "p-2"))
    assert b'"z"' in applied(BASE, last, middle, first)
    assert b'"z"' not in applied(BASE, last, first, middle)
    assert b'"z"' in applied(BASE, tmp_path)
    with pytest.raises(PatchError, match=r"patch\.mixed"):
        applied(BASE, first, FIRST)


def test_a_bad_base_and_a_bad_place() -> None:
    with pytest.raises(TruncatedError):
        applied(BASE[:-3], FIRST, to="nq")
    with pytest.raises(EncodeError, match="N-Triples has no graphs"):
        applied(b"<a:s> <a:p> <a:o> .\n", b"A <a:s> <a:p> <a:o> <a:g> .\n", to="nt")
    with pytest.raises(PatchError, match=r"no version 4: the log has versions 0 to 1"):
        out_of(jelly.as_of, BASE, FIRST, 4)
    with pytest.raises(
        PatchError, match="<u:9>; a version is the id of a patch, or a number from 0 to 1"
    ):
        out_of(jelly.as_of, BASE, FIRST, "u:9")
    with pytest.raises(PatchError, match="version 1 comes after version 0"):
        out_of(jelly.between, FIRST, 1, 0)
    with pytest.raises(ValueError, match='chain is "x"; it can be "check", "ignore"'):
        applied(BASE, FIRST, chain="x")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        applied(BASE, FIRST, colour=1)
    with pytest.raises(ValueError, match="base_format is"):
        applied(BASE, FIRST, base_format="rdfp")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (jelly.apply, ("-", "-")),
        (jelly.apply, (b"", ["-", "-"])),
        (jelly.as_of, ("-", ["-"], 0)),
        (jelly.diff, ("-", "-")),
        (jelly.canonicalize, ("-", "-")),
        (jelly.squash, (["-", "-"],)),
    ],
)
def test_standard_input_in_two_places_is_refused(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(ValueError, match="standard input"):
        function(*arguments, io.BytesIO())


@pytest.mark.parametrize(
    "names",
    [
        ["log.rdfp.002", "log.rdfp.001", "log.rdfp"],
        ["log.rdfp.10.gz", "log.rdfp.9.gz", "log.rdfp"],
        ["log.rdfp.0001", "log.rdfp.0002", "log.rdfp.0010"],
        ["log.rdfp-2025-12-31", "log.rdfp-2026-01-01", "log.rdfp-2026-01-10"],
        ["log.rdfp-2026-01-01_09-59-59", "log.rdfp-2026-01-01_10-00-00", "log.rdfp-2026-01-02_00-00-00"],
        ["patch-0009", "patch-0010.rdfp", "patch-0011.rdfp.gz"],
    ],
)  # fmt: skip
def test_orders_of_names(names: list[str], tmp_path: Path) -> None:
    for number, name in enumerate(names):
        data = f'D <a:s> <a:p> "{number - 1}" .\nA <a:s> <a:p> "{number}" .\n'.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (tmp_path / "patch-0012.tmp").write_bytes(b"not yet a patch")
    assert applied(b'<a:s> <a:p> "-1" .\n', tmp_path) == b'<a:s> <a:p> "2" .\n'


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (('"x"', "<p:>", "<o:>", ""), "encode.generalized"),
        (("<s:>", "_:p", "<o:>", ""), "encode.generalized"),
        (("<s:>", "<p:>", "<o:>", '"g"'), "encode.generalized"),
        (("<s:>", "<p:>", '"x"@1-', ""), "encode.language"),
        (("<s:>", "<p:>", '"x"@1--ltr', ""), "encode.language"),
    ],
)
def test_apply_refuses_what_the_format_cannot_hold(
    tmp_path: Path, row: tuple[str, ...], code: str
) -> None:
    """Wherever the row stands, as `convert` does."""
    usual = ("<s:>", "<p:>", '"y"@en', "")
    for at in range(3):
        rows = [usual] * at + [row] + [usual] * (2 - at)
        columns = dict(
            zip(("subject", "predicate", "object", "graph"), zip(*rows, strict=True), strict=True)
        )
        base = tmp_path / f"base{at}.jelly"
        options = jelly.RdfOptions(generalized_statements=True, physical_type="QUADS")
        with jelly.RdfWriter(base, options=options) as writer:
            writer.write(pa.table(columns))
        log = b"TX .\nA <s:> <p:> <z:> .\nTC .\n"
        dest = tmp_path / "dest.nq"
        with pytest.raises(EncodeError) as converted:
            jelly.convert(base, dest)
        with pytest.raises(EncodeError) as refused:
            jelly.apply(base, log, dest)
        assert str(refused.value) == str(converted.value)
        assert str(refused.value).startswith(code)
        assert not dest.exists()
