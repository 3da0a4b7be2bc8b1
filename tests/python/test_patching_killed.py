"""A process that is killed while it writes a result leaves the old file or the new one."""

import os
import random
import subprocess
import sys
from pathlib import Path

import jelly

CHILD = """
import sys, jelly
base, one, two, dest = sys.argv[1:]
print("ready", flush=True)
while True:
    jelly.apply(base, one, dest)
    jelly.apply(base, two, dest)
"""
KILLS = 10 * int(os.environ.get("JELLY_SOAK", "1"))


def test_killed_at_any_moment(tmp_path: Path) -> None:
    base, one, two, dest = (str(tmp_path / name) for name in ("base.nq", "1.rdfp", "2.rdfp", "to.nq"))  # fmt: skip
    Path(base).write_text("".join(f"<a:s> <a:p> <a:o{n}> .\n" for n in range(5000)))
    Path(one).write_text('A <a:s> <a:p> "one" .\nD <a:s> <a:p> <a:o7> .\n')
    Path(two).write_text('A <a:s> <a:p> "two" .\n')
    states = set()
    for log in (two, one):
        jelly.apply(base, log, dest)
        states.add(Path(dest).read_bytes())
    assert len(states) == 2
    rng, found = random.Random(9), []
    for _ in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, base, one, two, dest], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        with child, child.stdout:
            assert child.stdout.readline() == b"ready\n"
            try:
                child.wait(timeout=rng.uniform(0, 0.1))
            except subprocess.TimeoutExpired:
                child.kill()
        found.append(Path(dest).read_bytes())
        assert found[-1] in states
    left = {path.name for path in tmp_path.iterdir()} - {"base.nq", "1.rdfp", "2.rdfp", "to.nq"}
    assert all(name.startswith(".jelly-") for name in left)
    assert len(found) == KILLS
