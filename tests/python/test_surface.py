"""The public names, the native module and its stub hold together."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly import _internal

STUB = Path(jelly.__file__).with_name("_internal.pyi")
# what is reached through others
INNER = {"Writer", "read_any", "restart_points", "Reader", "RowIterator"}


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
    assert len(documented) == len(exported) - 1
    assert all(ast.get_docstring(node) for node in documented)


def test_stub_is_the_module() -> None:
    pytest.importorskip("mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "jelly._internal"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


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
        with pytest.raises(TypeError, match=r"No constructor|cannot create"):
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
