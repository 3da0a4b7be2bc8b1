"""Time and memory of what patches mean, on generated datasets: one process for each operation.

python benches/python/patching.py FOLDER [--quads 10000000] [--changes 1000000]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quads", type=int, default=10_000_000)
    parser.add_argument("--changes", type=int, default=1_000_000)
    told = parser.parse_args()
    folder: Path = told.folder
    generate(folder, told.quads, told.changes)
    old, new, log = (str(folder / name) for name in ("old.nq", "new.nq", "log.rdfp"))
    for name, *arguments in [
        ("convert", old, str(folder / "copy.nq")),
        ("apply", old, log, str(folder / "after.nq")),
        ("diff", old, new, str(folder / "diff.rdfp")),
        ("canonicalize", log, old, str(folder / "canonical.rdfp")),
        ("invert", log, str(folder / "back.rdfp")),
    ]:
        command = [sys.executable, "-c", _MEASURED, name, *arguments]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        done, wall, cpu, memory = json.loads(said)
        if name == "diff" and (done["added"], done["deleted"]) != (told.changes // 2,) * 2:
            raise SystemExit(f"diff is wrong: {done}")
        if name == "apply" and done["added"] != told.changes // 2:
            raise SystemExit(f"apply is wrong: {done}")
        print(f"{name}: {wall:.1f} s, {cpu:.1f} s of CPU, {memory:.0f} MiB")


if __name__ == "__main__":
    main()
