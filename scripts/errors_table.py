"""Writes docs/errors.md from the kinds of errors in the core (src/error/kind.rs).

python scripts/errors_table.py
"""

from itertools import groupby
from pathlib import Path

from jelly import _internal

PAGE = Path(__file__).resolve().parent.parent / "docs/errors.md"
START = """\
# Errors

<!-- scripts/errors_table.py writes this page from src/error/kind.rs. -->

A wrong result is worse than none, so this library reports an error if it cannot read, write or apply something exactly. Each error has a *kind*, which stays the
same from version to version: `error.kind` in Python, `Error::kind()` in Rust, in a shell the first word of the message of an error in data. Wrong calls and files that cannot be opened have no kind in a shell. `error.source`, `frame`, `row`,
`offset`, `line` and `column` give the position. The exit code of `jelly` is 1 for bad data and 2 for a wrong call.
"""
HEAD = "| kind | cause | what to do |\n| --- | --- | --- |\n"


def page() -> str:
    """The text of the page."""
    parts = [START]
    for (name, why), kinds in groupby(_internal.error_kinds(), key=lambda kind: kind[3:]):
        parts.append(f"\n## {name}\n\n{why}\n\n{HEAD}")
        parts += [f"| `{kind}` | {what} | {advice} |\n" for kind, what, advice, *_ in kinds]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
