"""Time and memory of a replica that follows a log, on generated data: one process for each operation.

python benches/python/replicas.py FOLDER [--quads 10000000] [--changes 1000000] [--patches 10] [--format parquet] [--bucket-rows 32768]

After the patch of many changes come patches of 200 changes in 200 places, one commit each, a read, a compaction and a read.
"""

from __future__ import annotations

import argparse
import json
import random
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
    base, format, rows = arguments
    done = len(Replica.create(table, base, format=format, bucket_rows=int(rows)))
elif name == "read":
    done = sum(batch.num_rows for batch in Replica(table).read())
elif name == "compact":
    done = Replica(table).compact()
else:
    done = Replica(table).follow(arguments[0], each_version=True)._asdict()
wall = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([done, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def small(folder: Path, quads: int, changes: int, patches: int) -> int:
    """Patches after the big one, which gives every so many quads another value; returns their bytes."""
    step, places = 2 * quads // changes, random.Random(1).sample(range(quads), 100 * patches)
    with (folder / "small.rdfp").open("w") as log:
        for patch in range(2, patches + 2):
            log.write(f"H id <urn:patch:{patch}> .\nH prev <urn:patch:{patch - 1}> .\nTX .\n")
            for number in places[100 * (patch - 2) : 100 * (patch - 1)]:
                there = number if number % step else number + quads
                log.write(f"D {quad(there)}A {quad(number + (patch + 2) * quads)}")
            log.write("TC .\nZ .\n")
        return log.tell()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quads", type=int, default=10_000_000)
    parser.add_argument("--changes", type=int, default=1_000_000)
    parser.add_argument("--patches", type=int, default=10)
    parser.add_argument("--format", choices=["parquet", "delta"], default="parquet")
    parser.add_argument("--bucket-rows", default="32768")
    parsed = parser.parse_args()
    folder: Path = parsed.folder
    if not (folder / "log.rdfp").exists():
        generate(folder, parsed.quads, parsed.changes)
    given = small(folder, parsed.quads, parsed.changes, parsed.patches)
    table = folder / f"replica-{parsed.format}"
    shutil.rmtree(table, ignore_errors=True)
    for name, *arguments in [
        ("create", str(folder / "old.nq"), parsed.format, parsed.bucket_rows),
        ("follow", str(folder / "log.rdfp")),
        ("again", str(folder / "log.rdfp")),
        ("read",),
        ("small", str(folder / "small.rdfp")),
        ("read",),
        ("compact",),
        ("read",),
    ]:
        before = {path for path in table.rglob("*") if path.is_file()}
        command = [sys.executable, "-c", _MEASURED, name, str(table), *arguments]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        done, wall, cpu, memory = json.loads(said)
        if name == "follow" and (done["added"], done["deleted"]) != (parsed.changes // 2,) * 2:
            raise SystemExit(f"follow is wrong: {done}")
        if name == "read" and done != parsed.quads:
            raise SystemExit(f"read is wrong: {done}")
        made = {path for path in table.rglob("*") if path.is_file()} - before
        written = sum(
            path.stat().st_size for path in made if path.relative_to(table).parts[0] != "data"
        )
        print(f"{name}: {wall:.1f} s, {cpu:.1f} s of CPU, {memory:.0f} MiB of memory; {written / (1 << 20):.1f} MiB written", flush=True)  # fmt: skip
        if name == "small":
            print(f"  each of {parsed.patches} patches of 200 changes: {cpu / parsed.patches:.2f} s of CPU, {written / given:.1f} bytes written for one of the patch")  # fmt: skip


if __name__ == "__main__":
    main()
