"""Errors: their classes, their attributes, their one line."""

import inspect
import pickle
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import jelly
import jellybytes as jb
from jelly import _internal, errors

NAMES = [name for name in errors.__all__ if name != "JellyWarning"]
# what `inspect` advises is no error
ADVICE = {"options.unused"}
CLASSES = [errors.JellyError, *(getattr(errors, name) for name in NAMES)]


def read(data: bytes, **options: object) -> list[jelly.RdfRow]:
    return list(jelly.read_rdf(data, **options).rows())  # type: ignore[call-overload]


def test_hierarchy() -> None:
    decode = {
        "TruncatedError",
        "WireError",
        "TableError",
        "OptionsError",
        "LimitError",
        "TextError",
    }
    for name in decode:
        assert issubclass(getattr(errors, name), errors.DecodeError)
    for name in ("DecodeError", "PatchError", "ReplicaError", "EncodeError", "ArgumentError"):
        assert getattr(errors, name).__bases__ == (errors.JellyError, ValueError)
    assert errors.InternalError.__bases__ == (errors.JellyError, RuntimeError)
    assert len(NAMES) == len(decode) + 7
    assert errors.JellyWarning.__bases__ == (UserWarning,)


def test_every_class_of_the_core_is_exported() -> None:
    named = {name for *_, name, _ in _internal.error_kinds()}
    assert named - {"OSError"} | {"JellyError", "DecodeError"} == set(NAMES)
    assert all(inspect.getdoc(getattr(errors, name)) for name in errors.__all__)


def test_the_page_of_refusals_has_every_kind() -> None:
    script = Path(__file__).parents[2] / "scripts/errors_table.py"
    if not script.exists():
        pytest.skip("the docs are not here")
    table = runpy.run_path(str(script))
    assert table["PAGE"].read_text() == table["page"](), "run scripts/errors_table.py"
    kinds = {kind for kind, *_ in _internal.error_kinds()}
    assert len(kinds) > 90


def test_every_kind_that_python_raises_is_in_the_table() -> None:
    kinds = {kind for kind, *_ in _internal.error_kinds()}
    families = "|".join({kind.partition(".")[0] for kind in kinds if "." in kind})
    named = {
        kind
        for path in Path(jelly.__file__).parent.rglob("*.py")
        for kind in re.findall(rf'"((?:{families})\.[a-z]+)"', path.read_text())
    }
    assert len(named) > 5
    assert named <= kinds | ADVICE


def test_attributes_are_exact() -> None:
    rows = [jb.rdf_options(), jb.rdf_entry("name", "urn:a")]
    bad = jb.triple(s_iri=jb.iri(1), p_iri=jb.iri(1), o_iri=jb.iri(65))
    data = jb.delimited(jb.frame(*rows), jb.frame(jb.rdf_entry("name", "urn:b"), bad))
    with pytest.raises(errors.TableError) as caught:
        read(data, source_name="feed.jelly")
    error = caught.value
    assert vars(error) == {
        "kind": "table.range",
        "source": "feed.jelly",
        "frame": 1,
        "row": 1,
        "offset": len(data) - 2,
        "field": "triple.o_iri.name_id",
        "limit": None,
        "line": None,
        "column": None,
    }
    assert str(error) == (
        "table.range: name id 65 is beyond the table of 16 "
        f"(feed.jelly: frame 1, row 1, byte {len(data) - 2}, triple.o_iri.name_id)"
    )
    assert data[error.offset :] == b"\x10A"


def undefined() -> bytes:
    rows = [jb.rdf_options(), jb.triple(s_iri=jb.iri(3), p_iri=jb.iri(3), o_iri=jb.iri(3))]
    return jb.delimited(jb.frame(*rows))


def long_row() -> bytes:
    rows = [jb.rdf_options(), jb.rdf_entry("name", "urn:a")]
    rows.append(jb.triple(s_iri=jb.iri(1), p_iri=jb.iri(1), o_literal=jb.literal("x" * 2000)))
    return jb.delimited(jb.frame(*rows))


CASES: dict[str, tuple[type[errors.JellyError], bytes, dict[str, object]]] = {
    "truncated.frame": (errors.TruncatedError, jb.small_rdf()[:-1], {}),
    "truncated.length": (errors.TruncatedError, jb.small_rdf() + b"\x80", {}),
    "truncated.compressed": (errors.TruncatedError, b"\x1f\x8b\x08", {}),
    "wire.row": (errors.WireError, jb.delimited(jb.frame(jb.rdf_options(), {})), {}),
    "wire.format": (errors.WireError, b"PAR1", {}),
    "text.iri": (errors.TextError, b"<a:a> <b b> <c:c> .\n", {}),
    "table.undefined": (errors.TableError, undefined(), {}),
    "options.missing": (errors.OptionsError, jb.delimited(jb.frame(jb.rdf_entry("name", "a"))), {}),
    "options.format": (errors.OptionsError, jb.small_patch(), {}),
    "options.version": (errors.OptionsError, jb.delimited(jb.frame(jb.rdf_options(version=9))), {}),
    "limit.row_bytes": (
        errors.LimitError,
        long_row(),
        {"limits": jelly.Limits(row_bytes=1000)},
    ),
    "limit.table": (errors.LimitError, jb.small_rdf(), {"limits": jelly.Limits(name_table=8)}),
}


@pytest.mark.parametrize("kind", CASES)
def test_errors_have_their_class_and_can_be_pickled(kind: str) -> None:
    wanted, data, options = CASES[kind]
    with pytest.raises(wanted) as caught:
        read(data, **options)
    error = caught.value
    assert type(error) is wanted
    assert isinstance(error, ValueError)
    assert error.kind == kind
    assert str(error).startswith(f"{kind}: ")
    assert "\n" not in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_limit_errors_name_what_raises_them() -> None:
    with pytest.raises(errors.LimitError) as caught:
        read(long_row(), limits=jelly.Limits(row_bytes=1000))
    assert caught.value.limit == "row_bytes"
    assert "raise the limit with limits.row_bytes" in str(caught.value)
    assert len(read(long_row(), limits=jelly.Limits(row_bytes=3000))) == 1


def test_patch_errors() -> None:
    data = jb.delimited(jb.frame(jb.patch_options(), jb.BEGIN, jb.MARK))
    assert len(list(jelly.read_patch(data).rows())) == 2
    ways: tuple[dict[str, Any], ...] = ({"strict": True}, {"rows": "committed"})
    for options in ways:
        with pytest.raises(errors.PatchError) as caught:
            list(jelly.read_patch(data, **options).rows())
        assert caught.value.kind == "patch.unfinished"


def test_every_class_can_be_pickled() -> None:
    for cls in CLASSES:
        error = cls("a.b: text", kind="a.b", source="s", frame=1, row=2, offset=3, limit="x")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (cls, "a.b: text", vars(error))


def test_missing_file_is_an_os_error_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "missing.jelly"
    with pytest.raises(FileNotFoundError) as caught:
        jelly.read_rdf(path)
    assert caught.value.filename == str(path)
    with pytest.raises(IsADirectoryError) as folder:
        jelly.read_rdf(tmp_path)
    assert folder.value.filename == str(tmp_path)


def test_too_much_text_says_where() -> None:
    rows = [jb.rdf_options(), jb.rdf_entry("name", "x" * (1 << 20), 1)]
    first = jb.frame(*rows, jb.triple(s_iri=jb.iri(1), p_iri=jb.iri(1), o_iri=jb.iri(1)))
    data = jb.delimited(first, *[jb.frame(*[jb.triple()] * 20)] * 200)
    reader = jelly.read_rdf(data, source_name="bomb")
    with pytest.raises(jelly.errors.LimitError) as caught:
        for _ in reader:
            pass
    error = caught.value
    assert (error.kind, error.source) == ("limit.expansion", "bomb")
    assert error.frame is not None
    assert error.frame > 1
    assert error.row is not None
    assert error.offset is not None
    assert len(first) < error.offset <= len(data)
