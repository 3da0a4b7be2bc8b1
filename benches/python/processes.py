"""CPU time of another process and of those below it, from Linux's /proc."""

import os
from pathlib import Path

from places import SkippedError

PROC = Path("/proc")


def cpu_seconds(root: int) -> tuple[float, float]:
    """Of the process, and of all living descendants with what they reaped."""
    if not (PROC / "self" / "stat").exists():
        raise SkippedError("no /proc to read CPU time from")
    table = {int(path.name): stat for path in PROC.glob("[0-9]*") if (stat := fields(path))}
    own, below = 0, 0
    for pid, stat in table.items():
        if pid == root:
            own = sum(map(int, stat[11:13]))
        elif descends(pid, root, table):
            below += sum(map(int, stat[11:15]))
    tick = os.sysconf("SC_CLK_TCK")
    return own / tick, below / tick


def fields(process: Path) -> list[str]:
    """What follows the name, which may hold spaces; nothing if the process has just ended."""
    try:
        return (process / "stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


def descends(pid: int, root: int, table: dict[int, list[str]]) -> bool:
    while pid in table:
        pid = int(table[pid][1])
        if pid == root:
            return True
    return False
