"""What the installed distribution promises before any of its code is used."""

import ast
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import jelly

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(jelly.__file__).parent


def test_tests_see_the_wheel_and_not_the_tree() -> None:
    assert ROOT / "python" not in PACKAGE.parents
    assert list(PACKAGE.glob("_internal*.so"))


def test_version_is_that_of_the_crate() -> None:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert jelly.__version__ == manifest["package"]["version"] == metadata.version("jelly-patch")


def test_nothing_is_needed_without_an_extra() -> None:
    needs = metadata.requires("jelly-patch")
    assert needs, "the extras are gone"
    assert [need for need in needs if "extra ==" not in need] == []


def test_types_and_licence_are_shipped() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "_internal.pyi").is_file()
    files = [str(file) for file in metadata.files("jelly-patch") or ()]
    assert any(file.endswith("licenses/LICENSE") for file in files)


def modules_after(code: str) -> set[str]:
    """What a fresh interpreter has loaded after some code, but for what it starts with."""
    code = f"import sys; before = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"
    run = subprocess.run(
        [sys.executable, "-I", "-c", code], check=True, capture_output=True, text=True
    )
    return set(run.stdout.splitlines()[-1].split())


def test_import_loads_no_more_than_the_native_module() -> None:
    loaded = {name for name in modules_after("import jelly") if not name.startswith("importlib")}
    assert loaded - {"warnings"} == {"jelly", "jelly._internal"}


def test_names_need_only_the_standard_library() -> None:
    # site-packages is full here, so a lazy import that is not lazy would succeed unseen.
    loaded = modules_after("from jelly import *")
    assert {"jelly._readers", "jelly.replica", "jelly.spark"} <= loaded
    top = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert {name for name in top if not name.startswith("_")} == {"jelly"}


def test_a_command_loads_no_other_commands() -> None:
    main = "from jelly.cli import main; sys.argv = ['jelly', {!r}]\ntry: main()\nexcept SystemExit: pass"
    loaded = modules_after(main.format("--version"))
    assert "click" in loaded
    ours = {
        "jelly",
        "jelly._internal",
        "jelly.errors",
        "jelly.cli",
        "jelly.cli.group",
        "jelly.cli.failures",
    }
    assert {name for name in loaded if name.startswith("jelly")} == ours
    assert {name for name in loaded if name.startswith("rich")} == set()
    assert "jelly.cli.patches" in modules_after(main.format("--help"))


def test_import_needs_no_locks_of_the_system() -> None:
    modules_after(
        "sys.modules['fcntl'] = None\nfrom jelly import *\njelly = sys.modules['jelly']\njelly.Log('.')"
    )


def test_lazy_names_are_those_that_type_checkers_see() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (block,) = [
        node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    ]
    seen = {
        alias.name: getattr(node, "module", "")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    modules = {name: module for name, module in seen.items() if module == "jelly"}
    assert set(modules) == {"errors", "spark"}
    assert {name: seen[name] for name in seen.keys() - modules.keys()} == jelly._MODULE_OF
    assert len(jelly._MODULE_OF) >= 40


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'jelly' has no attribute 'nothing'"):
        _ = jelly.nothing  # type: ignore[attr-defined]
    assert not hasattr(jelly, "_nothing")


def test_what_needs_pyarrow_names_the_extra(tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["pyarrow"] = None
import jelly
uses = [
    lambda: next(jelly.decode_batches(iter([]))),
    lambda: jelly.batch_decoder("rdf", passthrough=["day"]),
    lambda: next(jelly.batch_encoder("rdf")(iter([]))),
    lambda: jelly.convert(b"", {str(tmp_path / "x.parquet")!r}),
    lambda: jelly.Replica.create({str(tmp_path / "t")!r}),
    lambda: jelly.Replica({str(tmp_path / "t")!r}),
]
for use in uses:
    try:
        use()
    except ImportError as error:
        print(error)
"""
    run = subprocess.run(
        [sys.executable, "-I", "-c", code], check=True, capture_output=True, text=True
    )
    found = run.stdout.splitlines()
    assert found == ["pyarrow is not installed: pip install 'jelly-patch[arrow]'"] * 6
