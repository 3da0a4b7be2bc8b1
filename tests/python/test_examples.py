"""Every example of the README and of the docs prints what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

import examples
from examples import ROOT

# sections that are run, or all of a page; how many commands and lines of Python there are at least
PAGES = {
    "README.md": (["See what changed", "Read\n", "Write", "What patches mean", "Backups"], 14, 20),
    "docs/backup.md": ([], 14, 12),
    "docs/patches.md": ([], 10, 15),
    "docs/reading.md": ([], 0, 12),
    "docs/showing.md": ([], 3, 4),
}
# sections that tests/python/spark runs
SPARK = {"README.md": ["In Spark"], "docs/spark.md": ["Columns of streams"]}
# pages that test_service.py and test_grpc_serve.py run, beside a server
SERVED = ["docs/service.md", "docs/grpc.md"]


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyarrow", "polars", "duckdb", "pandas", "click", "rich"):
        pytest.importorskip(module)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    sections, commands, lines = PAGES[page]
    counts = examples.run(page, *sections)
    assert counts["console"] >= commands
    assert counts["pycon"] >= lines


def test_all_examples_are_run() -> None:
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        page = str(path.relative_to(ROOT))
        shown = [text for kind, text in examples.blocks(page) if kind != "sh"]
        sections, *_ = PAGES.get(page, (SPARK.get(page, []), 0, 0))
        run = [text for section in sections or [""] for _, text in examples.blocks(page, section)]
        run += [
            text for section in SPARK.get(page, []) for _, text in examples.blocks(page, section)
        ]
        assert [text for text in shown if text not in run] == [], page
        assert not shown or page in PAGES or page in SPARK or page in SERVED, page


def test_rust() -> None:
    program = (ROOT / "examples" / "count.rs").read_text().split("\n\n", 1)[1]
    assert f"```rust\n{program}```" in (ROOT / "docs" / "rust.md").read_text()
