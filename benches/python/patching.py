"""Time and memory of what patches mean, on generated datasets: one process for each operation.

python benches/python/patching.py FOLDER [--quads 10000000] [--changes 1000000] [--only apply diff] [--jena 12g] [--comm]

--jena HEAP: Jena applies the same log in memory (the harness over Jena, see jvm_harness.py). --comm: the difference by sort and
comm of coreutils, which compare lines. Both are measured as whole processes, and what they make is compared with ours.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from jvm_harness import harness

# what one process does and tells: the result, seconds of wall and CPU, MiB at most
_MEASURED = """
import json, resource, sys, time
import jelly
name, *arguments = sys.argv[1:]
began = time.perf_counter()
done = getattr(jelly, name)(*arguments)
wall = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([done._asdict(), wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def quad(number: int) -> str:
    return (
        f"<http://example.org/resource/item{number // 10}> "
        f"<http://example.org/vocabulary/property{number % 10}> "
        f'"value {number * 7919 % 1_000_003} of item"@en '
        f"<http://example.org/graph/{number // 1_000_000}> .\n"
    )


def generate(folder: Path, quads: int, changes: int) -> None:
    """A dataset, a patch that replaces every n-th quad, and the dataset after it."""
    step = 2 * quads // changes
    with (
        (folder / "old.nq").open("w") as old,
        (folder / "new.nq").open("w") as new,
        (folder / "log.rdfp").open("w") as log,
    ):
        log.write("H id <urn:patch:1> .\nTX .\n")
        for number in range(quads):
            old.write(quad(number))
            if number % step:
                new.write(quad(number))
            else:
                new.write(quad(number + quads))
                log.write(f"D {quad(number)}A {quad(number + quads)}")
        log.write("TC .\n")


def measured(name: str, command: list[str | Path], **environment: str) -> None:
    """Runs a process and its children; tells seconds of wall and CPU, and MiB at most of one of them."""
    began = time.perf_counter()
    child = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{name}: exit code {child.returncode}")
    cpu = used.ru_utime + used.ru_stime
    print(f"{name}: {wall:.1f} s, {cpu:.1f} s of CPU, {used.ru_maxrss / 1024:.0f} MiB", flush=True)


def content(path: Path, skip: tuple[bytes, ...] = ()) -> tuple[int, int]:
    """How many lines, and a sum that does not depend on their order."""
    lines = total = 0
    with path.open("rb") as file:
        for line in file:
            if not line.startswith(skip):
                lines, total = lines + 1, total + hash(line)
    return lines, total


def jena(folder: Path, heap: str) -> None:
    command: list[str | Path] = [harness() / "peer.sh", "apply"]
    files: list[str | Path] = [folder / name for name in ("old.nq", "log.rdfp", "jena.nq")]
    measured("apply by Jena", [*command, *files], JAVA_OPTS=f"-Xmx{heap}")
    ours, theirs = content(folder / "after.nq"), content(folder / "jena.nq")
    print(f"Jena has {'the same' if ours == theirs else 'ANOTHER'} result: {theirs[0]:,} quads")


def comm(folder: Path) -> None:
    for name in ("old", "new"):
        command = f"sort -S 1G {name}.nq -o {name}.sorted"
        measured(f"sort {name}", ["sh", "-c", f"cd '{folder}' && {command}"], LC_ALL="C")
    command = "comm -23 old.sorted new.sorted | sed 's/^/D /' > comm.rdfp && comm -13 old.sorted new.sorted | sed 's/^/A /' >> comm.rdfp"
    measured("comm", ["sh", "-c", f"cd '{folder}' && {command}"], LC_ALL="C")
    marks = (b"TX", b"TC")
    ours, theirs = content(folder / "diff.rdfp", marks), content(folder / "comm.rdfp")
    print(f"comm has {'the same' if ours == theirs else 'ANOTHER'} result: {theirs[0]:,} rows")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quads", type=int, default=10_000_000)
    parser.add_argument("--changes", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="+", help="operations, such as apply and diff")
    parser.add_argument("--jena", metavar="HEAP", help="such as 12g")
    parser.add_argument("--comm", action="store_true")
    parsed = parser.parse_args()
    folder: Path = parsed.folder
    generate(folder, parsed.quads, parsed.changes)
    old, new, log = (str(folder / name) for name in ("old.nq", "new.nq", "log.rdfp"))
    for name, *arguments in [
        ("convert", old, str(folder / "copy.nq")),
        ("apply", old, log, str(folder / "after.nq")),
        ("diff", old, new, str(folder / "diff.rdfp")),
        ("canonicalize", log, old, str(folder / "canonical.rdfp")),
        ("invert", log, str(folder / "back.rdfp")),
    ]:
        if parsed.only and name not in parsed.only:
            continue
        command = [sys.executable, "-c", _MEASURED, name, *arguments]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        done, wall, cpu, memory = json.loads(said)
        if name == "diff" and (done["added"], done["deleted"]) != (parsed.changes // 2,) * 2:
            raise SystemExit(f"diff is wrong: {done}")
        if name == "apply" and done["added"] != parsed.changes // 2:
            raise SystemExit(f"apply is wrong: {done}")
        print(f"{name}: {wall:.1f} s, {cpu:.1f} s of CPU, {memory:.0f} MiB", flush=True)
    if parsed.jena:
        jena(folder, parsed.jena)
    if parsed.comm:
        comm(folder)


if __name__ == "__main__":
    main()
