"""Time and memory of a replica that follows a log, on generated data: one process for each operation.

python benches/python/replicas.py FOLDER [--quads 10000000] [--changes 1000000] [--format parquet]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from patching import generate, quad

# what one process does and tells: the result, seconds of wall and CPU, MiB at most
_MEASURED = """
import json, resource, sys, time
from jelly.replica import Replica
name, table, *arguments = sys.argv[1:]
began = time.perf_counter()
if name == "create":
    done = len(Replica.create(table, arguments[0], format=arguments[1]))
elif name == "read":
    done = sum(batch.num_rows for batch in Replica(table).read())
else:
    done = Replica(table).follow(arguments[0])._asdict()
wall = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([done, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def small(folder: Path, quads: int) -> None:
    """A patch after the big one: a hundred items get another value."""
    with (folder / "small.rdfp").open("w") as log:
        log.write("H id <urn:patch:2> .\nH prev <urn:patch:1> .\nTX .\n")
        for number in range(1, 1001, 10):
            log.write(f"D {quad(number)}A {quad(number + 2 * quads)}")
        log.write("TC .\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quads", type=int, default=10_000_000)
    parser.add_argument("--changes", type=int, default=1_000_000)
    parser.add_argument("--format", choices=["parquet", "delta"], default="parquet")
    parsed = parser.parse_args()
    folder: Path = parsed.folder
    if not (folder / "log.rdfp").exists():
        generate(folder, parsed.quads, parsed.changes)
    small(folder, parsed.quads)
    table = folder / f"replica-{parsed.format}"
    shutil.rmtree(table, ignore_errors=True)
    for name, *arguments in [
        ("create", str(folder / "old.nq"), parsed.format),
        ("follow", str(folder / "log.rdfp")),
        ("again", str(folder / "log.rdfp")),
        ("small", str(folder / "small.rdfp")),
        ("read",),
    ]:
        command = [sys.executable, "-c", _MEASURED, name, str(table), *arguments]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        done, wall, cpu, memory = json.loads(said)
        if name == "follow" and (done["added"], done["deleted"]) != (parsed.changes // 2,) * 2:
            raise SystemExit(f"follow is wrong: {done}")
        if name == "read" and done != parsed.quads:
            raise SystemExit(f"read is wrong: {done}")
        size = sum(path.stat().st_size for path in table.rglob("*.parquet")) / (1 << 20)
        print(f"{name}: {wall:.1f} s, {cpu:.1f} s of CPU, {memory:.0f} MiB of memory; {size:.0f} MiB of files", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
