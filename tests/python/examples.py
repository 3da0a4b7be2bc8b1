"""Runs the examples of a page of the docs and compares what they print with what the page says."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# the command `jelly` of this environment
_PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def blocks(page: str, section: str = "") -> list[tuple[str, str]]:
    """The kind and the text of each block that is run, of a page or of its section that begins so.

    ``sh`` blocks are scripts that prepare, ``console`` and ``pycon`` blocks show what is printed.
    """
    text = (ROOT / page).read_text()
    if section:
        parts = re.split(r"^## ", text, flags=re.MULTILINE)
        (text,) = (part for part in parts if part.startswith(section))
    return re.findall(r"^```(sh|console|pycon)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run(page: str, *sections: str, instead: Mapping[str, str] | None = None) -> Counter[str]:
    """Runs the blocks of a page, or of some of its sections, in the folder where the caller is.

    The Python of all blocks shares its names. Texts of ``instead`` replace others before.
    Returns how many examples of each kind there were.
    """
    names: dict[str, object] = {}
    counts: Counter[str] = Counter()
    for section in sections or ("",):
        for kind, text in blocks(page, section):
            for old, new in (instead or {}).items():
                text = text.replace(old, new)
            counts[kind] += _python(page, text, names) if kind == "pycon" else _shell(kind, text)
    return counts


def _shell(kind: str, text: str) -> int:
    """A script, or commands: each after a `$` and before all that it prints."""
    if kind == "sh":
        subprocess.run(text, shell=True, env=os.environ | {"PATH": _PATH}, check=True)
        return 1
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
    for command, printed in steps:
        done = subprocess.run(
            command,
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PATH": _PATH, "LC_ALL": "C.UTF-8"},
            check=False,
        )
        assert done.stdout == printed, command
    return len(steps)


def _python(page: str, text: str, names: dict[str, object]) -> int:
    test = doctest.DocTestParser().get_doctest(text, names, page, page, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)
    names.update(test.globs)  # the test has a copy
    return len(test.examples)
