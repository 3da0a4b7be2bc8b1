"""What a killed process left is removed by the next one that writes there; what a living one works on stays."""

import subprocess
import sys
from pathlib import Path

import pytest

import jelly

# Each writes into the folder `kept` and then waits for ever.
START = """
import sys, jelly, jelly._backup

class Waiting:
    first = b""

    def read(self, size=-1):
        if self.first:
            first, self.first = self.first, b""
            return first
        print("waits", flush=True)
        return sys.stdin.buffer.read()

def wait(*_, **__):
    Waiting().read()
"""
PROGRAMS = {
    "writer": """
writer = jelly.RdfWriter("kept/x.nt")
writer.write([("<a:s>", "<a:p>", "<a:o>")])
writer.flush()
wait()
""",
    "table": """
source = Waiting()
source.first = b"<a:s> <a:p> <a:o> .\\n" * 10_000
jelly.convert(source, "kept/x.parquet", format="nt")
""",
    "publish": "jelly.Log('kept').publish(Waiting())",
    "backup": "jelly.backup(Waiting(), 'kept')",
    "restore": """
jelly.backup(b"<a:s> <a:p> <a:o> .", "from", dump_format="nt")
jelly._backup.applied = wait
jelly.restore("from", "kept/x.nt")
""",
}
NEXT = {
    "writer": "jelly.RdfWriter('kept/next.nt').close()",
    "publish": "jelly.Log('kept').publish(b'TX .\\nTC .\\n')",
    "table": "jelly.convert(b'<a:s> <a:p> <a:o> .', 'kept/next.parquet', format='nt')",
}


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".jelly-"))


def other(folder: Path, program: str) -> None:
    subprocess.run([sys.executable, "-c", f"import jelly; {program}"], cwd=folder, check=True)


@pytest.mark.parametrize("after", NEXT)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_next_run_removes_it(tmp_path: Path, program: str, after: str) -> None:
    if "table" in (program, after):
        pytest.importorskip("pyarrow")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/.jelly-mine.jellyindex").write_text("not a leftover")
    child = subprocess.Popen(
        [sys.executable, "-c", START + PROGRAMS[program]],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    with child, child.stdout:
        assert child.stdout.readline() == b"waits\n"
        of_the_living = hidden(tmp_path / "kept")
        assert len(of_the_living) == 2
        other(tmp_path, NEXT["writer"])
        assert hidden(tmp_path / "kept") == of_the_living
        child.kill()
    assert child.returncode == -9
    assert hidden(tmp_path / "kept") == of_the_living
    other(tmp_path, NEXT[after])
    assert hidden(tmp_path / "kept") == [".jelly-mine.jellyindex"]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    for program in ("jelly.convert(b'no', 'x.nt', format='nt')", "jelly.restore('none', 'x.nt')"):
        with pytest.raises(subprocess.CalledProcessError):
            other(tmp_path, program)
    with pytest.raises(jelly.errors.TextError):
        jelly.convert(b"no", tmp_path / "x.parquet", format="nt")
    assert list(tmp_path.iterdir()) == []
