"""A process that is killed while it writes leaves what was there before or the whole of what is new."""

import io
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jelly

KILLS = 10 * int(os.environ.get("JELLY_SOAK", "1"))
APPLY = """
base, one, two, dest = sys.argv[1:]
while True:
    jelly.apply(base, one, dest)
    jelly.apply(base, two, dest)
    print("done", flush=True)
"""
PUBLISH = """
folder, number = sys.argv[1], 0
rows = "".join(f"A <a:s> <a:p> <a:o{n}> .\\n" for n in range(300))
while True:
    number = jelly.Log(folder).head.version + 1
    jelly.Log(folder).publish(f'H id <u:{number}> .\\nTX .\\n{rows}A <a:s> <a:p> "{number}" .\\nTC .\\n'.encode())
    print("done", flush=True)
"""
WRITE = "import sys, jelly; jelly.RdfWriter(sys.argv[1]).close()"
BACKUP = """
one, two, folder = sys.argv[1:]
while True:
    jelly.backup(one, folder)
    jelly.backup(two, folder)
    print("done", flush=True)
"""


def killed(program: str, *arguments: object, longest: float) -> Iterator[None]:
    """Runs a program that never ends, again and again, and kills it at some moment, of its first round or of a later one."""
    rng = random.Random(9)
    for number in range(KILLS):
        command = [sys.executable, "-c", f"import sys, jelly; print('ready', flush=True){program}"]
        child = subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        with child, child.stdout:
            assert child.stdout.readline() == b"ready\n"
            if number % 2:  # however slow the machine is, some rounds end
                assert child.stdout.readline() == b"done\n"
            try:
                child.wait(timeout=rng.uniform(0, longest))
            except subprocess.TimeoutExpired:
                child.kill()
        assert child.returncode == -9
        yield


def sound(folder: Path, allowed: set[str]) -> None:
    """Nothing is there but what may be, and once another process wrote there, nothing of the killed."""
    subprocess.run([sys.executable, "-c", WRITE, folder / "last.nt"], check=True)
    (folder / "last.nt").unlink()
    names = {path.name for path in folder.iterdir()}
    assert all(name.startswith("patch-") or name in allowed for name in names)


def test_apply(tmp_path: Path) -> None:
    base, one, two, dest = (tmp_path / name for name in ("base.nq", "1.rdfp", "2.rdfp", "to.nq"))
    base.write_text("".join(f"<a:s> <a:p> <a:o{n}> .\n" for n in range(5000)))
    one.write_text('A <a:s> <a:p> "one" .\nD <a:s> <a:p> <a:o7> .\n')
    two.write_text('A <a:s> <a:p> "two" .\n')
    states = set()
    for log in (two, one):
        jelly.apply(base, log, dest)
        states.add(dest.read_bytes())
    assert len(states) == 2
    found = 0
    for _ in killed(APPLY, base, one, two, dest, longest=0.1):
        assert dest.read_bytes() in states
        found += 1
    assert found == KILLS
    sound(tmp_path, {"base.nq", "1.rdfp", "2.rdfp", "to.nq"})


def test_publish(tmp_path: Path) -> None:
    log, counts = jelly.Log(tmp_path), []
    for _ in killed(PUBLISH, tmp_path, longest=0.5):
        report = log.verify()
        assert {problem.kind for problem in report.problems} <= {"patch.effect"}
        assert report.patches == report.ids == report.committed == len(log.files)
        assert report.changes == 301 * report.patches
        assert [path.name for path in log.files] == [f"patch-{n:04}.jellyp" for n in range(1, report.patches + 1)]  # fmt: skip
        counts.append(report.patches)
    assert counts == sorted(counts)
    assert counts[-1] > 0
    sound(tmp_path, {"log.json", "_index.jsonl"})


def test_backup(tmp_path: Path) -> None:
    one, two, folder = tmp_path / "1.nq", tmp_path / "2.nq", tmp_path / "kept"
    one.write_text("".join(f"<a:s> <a:p> <a:o{n}> .\n" for n in range(1000)))
    two.write_text("".join(f"<a:s> <a:p> <a:o{n}> .\n" for n in range(500, 1400)))
    states = [one.read_text().splitlines(), two.read_text().splitlines()]
    versions = 0
    for _ in killed(BACKUP, one, two, folder, longest=0.8):
        if not (folder / "base.json").exists():
            continue
        out = io.BytesIO()
        version = jelly.restore(folder, out, to="nq").version
        assert version == len(jelly.Log(folder).files) >= versions
        assert sorted(out.getvalue().decode().splitlines()) == sorted(states[version % 2])
        versions = version
    assert versions > 0
    assert jelly.verify_log(folder, base=folder / "base.jelly.zst").ok
    sound(folder, {"base.json", "base.jelly.zst", "_index.jsonl"})
