"""The examples of docs/backup.md: commands and Python print what the page says."""

import doctest
import re
import subprocess
from pathlib import Path

import pytest

from test_patching_cli import run

PAGE = Path(__file__).resolve().parents[2] / "docs/backup.md"


def test_the_page_on_backups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not PAGE.exists():
        pytest.skip("the docs are not here")
    monkeypatch.chdir(tmp_path)
    for script in re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL):
        subprocess.run(script, shell=True, check=True)
    commands = examples = 0
    for kind, text in re.findall(r"```(console|python)\n(.*?)```", PAGE.read_text(), re.DOTALL):
        if kind == "python":
            test = doctest.DocTestParser().get_doctest(text, globals_, "page", str(PAGE), 0)
            report: list[str] = []
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
                test, out=report.append, clear_globs=False
            )
            assert not report, "".join(report)
            globals_.update(test.globs)
            examples += len(test.examples)
            continue
        for step in text.split("$ ")[1:]:
            line, expected = step.split("\n", 1)
            program, *arguments = line.split(" ")
            if program == "ls":
                printed = "".join(f"{path.name}\n" for path in sorted(Path(*arguments).iterdir()))
            else:
                assert program == "jelly"
                printed = "".join(run(tmp_path, *arguments, code=None))
            assert printed == expected, line
            commands += 1
    assert (commands, examples) >= (14, 12)


globals_: dict[str, object] = {}
