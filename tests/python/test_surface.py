"""The public names, the native module and its stub hold together."""

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly import _internal
from jelly._option_table import options_of

STUB = Path(jelly.__file__).with_name("_internal.pyi")
# what is reached through others
INNER = {
    "RESTART_BYTES",
    "History",
    "Writer",
    "backup_base",
    "Compressor",
    "WorkFolder",
    "error_kinds",
    "local_path",
    "holds_patches",
    "identify",
    "log_head",
    "log_known_end",
    "place_patch",
    "summarize",
    "log_versions",
    "BlankDiff",
    "KeyFilter",
    "lasting_labels",
    "LogPlaces",
    "Frequencies",
    "GatheredPatches",
    "LogOrder",
    "option_table",
    "order_log",
    "patch_files",
    "read",
    "read_any",
    "statistics",
    "read_column",
    "read_schema",
    "refuse_other_base",
    "refuse_own_file",
    "refuse_changed",
    "refuse_empty_base",
    "refuse_hole",
    "stamp_patch",
    "state_after_loss",
    "index",
    "is_part",
    "quad_keys",
    "Reader",
    "RowIterator",
    "RowsDigest",
    "RdfRelay",
    "StoreLog",
    "Updates",
    "met_options",
    "read_message",
    "write_message",
    "written_options",
}


def is_shown(name: str) -> bool:
    """Whether users meet a native name as it is; of others the module has the docs, and the stub types alone."""
    native = getattr(_internal, name)
    return (
        native in (_internal.Reader, _internal.RowIterator) or getattr(jelly, name, None) is native
    )


def native_names() -> set[str]:
    names = {name for name in vars(_internal) if not name.startswith("_")} | {"__version__"}
    assert len(names) >= 9
    return names


def test_every_native_name_is_public() -> None:
    assert native_names() - INNER <= set(jelly.__all__)
    assert issubclass(jelly.RdfReader, _internal.Reader)
    assert isinstance(jelly.read_rdf(b"").rows(), _internal.RowIterator)


def test_every_native_name_is_in_the_stub() -> None:
    tree = ast.parse(STUB.read_text())
    (exported,) = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
    ]
    assert set(exported) == native_names()
    documented = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    assert len(documented) == len(set(exported) - {"__version__", "RESTART_BYTES"})
    for node in documented:
        assert bool(ast.get_docstring(node)) == is_shown(node.name), node.name
        assert getattr(_internal, node.name).__doc__, node.name


def folded(text: str | None) -> str:
    return " ".join((text or "").split())


def test_help_says_what_the_stub_says() -> None:
    """The stub is what editors show, the docs in the module what `help` shows."""
    compared = 0
    for node in ast.parse(STUB.read_text()).body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or not is_shown(node.name):
            continue
        native = getattr(_internal, node.name)
        assert folded(native.__doc__) == folded(ast.get_docstring(node)), node.name
        for member in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(member, ast.FunctionDef) and (doc := ast.get_docstring(member)):
                name = f"{node.name}.{member.name}"
                assert folded(getattr(native, member.name).__doc__) == folded(doc), name
                compared += 1
    assert compared >= 27


def test_every_public_member_is_documented() -> None:
    classes = [getattr(jelly, name) for name in jelly.__all__]
    members = [
        (cls, name)
        for cls in classes
        if inspect.isclass(cls) and not hasattr(cls, "_fields") and cls.__module__ == "jelly"
        for name, _ in inspect.getmembers(cls)
        if not name.startswith("_")
    ]
    assert len(members) >= 20
    assert [(cls.__name__, name) for cls, name in members if not getattr(cls, name).__doc__] == []


def test_functions_that_read_tell_of_every_option() -> None:
    for function in (jelly.read_rdf, jelly.read_patch):
        options = inspect.signature(function).parameters
        table = options_of(f"decode_{function.__name__.removeprefix('read_')}", "read")
        assert {name: one.default for name, one in options.items() if name != "source"} == {
            name: row.default for name, row in table.items()
        }
        assert len(options) >= 15
        doc = inspect.getdoc(function) or ""
        assert [name for name in options if f"\n    {name}: " not in doc] == []


@pytest.mark.parametrize(
    "function", [jelly.convert, jelly.batch_encoder, jelly.RdfWriter, jelly.PatchWriter]
)
def test_functions_that_write_tell_of_every_option(function: Any) -> None:
    names = set(inspect.signature(function).parameters)
    assert len(names) >= 8
    doc = inspect.getdoc(function) or ""
    assert [name for name in names if f"\n    {name}: " not in doc] == []


def test_every_class_is_frozen() -> None:
    """A frozen class needs no borrow checks, so threads cannot meet "already borrowed"."""
    source = Path(__file__).parents[2] / "src/python"
    if not source.is_dir():
        pytest.skip("the crate is not here")
    found = re.findall(r"#\[pyclass(.*?)\]", "".join(f.read_text() for f in source.glob("*.rs")))
    assert len(found) >= 6
    assert all("frozen" in arguments for arguments in found)
    objects: list[Any] = [jelly.RDF_SCHEMA, jelly.read_rdf(b""), jelly.read_rdf(b"").rows()]
    for one in objects:
        with pytest.raises(AttributeError):
            one.anything = 1


def test_native_classes_cannot_be_made_by_hand() -> None:
    for cls in (jelly.RdfReader, jelly.PatchReader, jelly.RecordBatch, _internal.RowIterator):
        with pytest.raises(TypeError, match=f"cannot create 'jelly.{cls.__name__}' instances"):
            cls()


def test_public_names() -> None:
    for name in jelly.__all__:
        assert getattr(jelly, name) is not None
    assert len(set(jelly.__all__)) == len(jelly.__all__) >= 20
    undocumented = [
        name
        for name in jelly.__all__
        if (inspect.isclass(getattr(jelly, name)) or callable(getattr(jelly, name)))
        and not inspect.getdoc(getattr(jelly, name))
    ]
    assert undocumented == []


def test_all_columns_are_the_whole_schema() -> None:
    for kind, whole in (("patch", jelly.PATCH_SCHEMA), ("rdf", jelly.RDF_SCHEMA)):
        named = jelly.Schema(kind, list(whole.names))  # type: ignore[arg-type]
        assert named == whole
        assert hash(named) == hash(whole)
        assert jelly.Schema(kind, list(whole.names)[::-1]) != whole  # type: ignore[arg-type]
