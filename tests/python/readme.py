"""The examples of the README and of docs/patches.md, as tests run them."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def blocks(kind: str, section: str, page: str = README) -> str:
    """The blocks of a kind in the section that begins so."""
    (text,) = (
        text for text in re.split(r"^## ", page, flags=re.MULTILINE) if text.startswith(section)
    )
    return "\n".join(re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL))


def run(text: str) -> int:
    """Runs examples of Python and compares what they print; returns how many there are."""
    test = doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append)
    assert not report, "".join(report)
    return len(test.examples)
