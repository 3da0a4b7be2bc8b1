"""The examples of docs/backup.md: commands and Python print what the page says."""

import doctest
import re
from pathlib import Path

import pytest

from test_patching_cli import run

PAGE = Path(__file__).resolve().parents[2] / "docs/backup.md"
HEAD = "@prefix : <http://example.org/> .\n"
FILES = {
    "monday.ttl": HEAD + '<sensor/1> :unit "°C" ; :room <room/1> .\n<sensor/2> :room <room/1> .\n',
    "tuesday.ttl": HEAD + '<sensor/1> :unit "°C" ; :room <room/1>, <room/2> .\n<sensor/3> :room <room/1> .\n',
    "wednesday.ttl": HEAD + "<sensor/1> :room <room/1> .\n<sensor/3> :room <room/1> .\n",
    "base.nq": "<sensor/1> <room> <room/1> .\n",
    "move.rdfp": "H id <changes/7> .\nTX .\nD <sensor/1> <room> <room/1> .\nA <sensor/1> <room> <room/2> .\nTC .\n",
    "late.rdfp": "TX .\nD <sensor/1> <room> <room/1> .\nA <sensor/1> <room> <room/9> .\nTC .\n",
    "cut.rdfp": "TX .\nD <sensor/1> <room> <room/1> .\n",
}  # fmt: skip


def test_the_page_on_backups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not PAGE.exists():
        pytest.skip("the docs are not here")
    for name, text in FILES.items():
        whole = re.sub(r"<(?=\w)(?!http)", "<http://example.org/", text)
        (tmp_path / name).write_text(whole)
    monkeypatch.chdir(tmp_path)
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
