"""What the installed distribution promises before any of its code is used."""

import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

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


def test_import_brings_in_only_the_standard_library() -> None:
    # site-packages is full here, so a lazy import that is not lazy would succeed unseen.
    code = "import jelly, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run(
        [sys.executable, "-I", "-c", code], check=True, capture_output=True, text=True
    )
    loaded = {name for name in run.stdout.split() if name not in sys.stdlib_module_names}
    assert {name for name in loaded if not name.startswith("_")} == {"jelly"}


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
    told = run.stdout.splitlines()
    assert told == ["pyarrow is not installed: pip install 'jelly-patch[arrow]'"] * 6
