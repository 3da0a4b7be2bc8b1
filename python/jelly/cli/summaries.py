"""What commands say that they did."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import jelly
from jelly._times import shown

# of files, in a summary
_NAMES = 6


def in_vain(done: Any) -> str:
    """Changes that met nothing, or what was there already."""
    vain = getattr(done, "without_effect", 0)
    return f"; {vain:,} of {counted(done.changes, 'change')} without effect" if vain else ""


def order_of(done: Any) -> str:
    """The order in which files were taken, if only their names decided this order, and where a log begins."""
    before = getattr(done, "base_version", 0)
    text = f"; the log begins after version {before:,}" if before else ""
    names = [name.replace("\\", "/").rpartition("/")[2] for name in getattr(done, "order", ())]
    if len(names) > _NAMES:
        names = [*names[: _NAMES - 1], f"... ({len(names):,} files)", names[-1]]
    return text + (f"; taken in the order {', '.join(names)}" if names else "")


def counted(number: int, name: str, several: str | None = None) -> str:
    """A number of things, such as ``1 patch`` and ``2 patches``."""
    return f"{number:,} {name if number == 1 else several or name + 's'}"


def prefixes_left_out(done: jelly.Applied | jelly.Restored | jelly.Tally) -> str:
    """What the output cannot hold, behind what was done."""
    if not done.prefixes_left_out:
        return ""
    return f"; {counted(done.prefixes_left_out, 'prefix', 'prefixes')} left out, which this format cannot hold"


def applied(done: jelly.Applied | jelly.Restored, at: datetime | None = None) -> str:
    """A line on what was done; ``at`` is the time of the version that was found."""
    found = f" of {shown(at)}" if at else ""
    vain = done.without_effect if isinstance(done, jelly.Applied) else 0
    text = (
        f"version {done.version:,}{found}: {counted(done.statements, 'statement')} "
        f"(+{done.added:,}, -{done.deleted:,}, of {counted(done.changes, 'change')}"
        + (f", {vain:,} without effect)" if vain else ")")
    )
    return text + prefixes_left_out(done)


def patched(done: jelly.Patched) -> str:
    """A patch that was made of others."""
    return (
        f"{_rows(done)}, made of {counted(done.patches, 'patch', 'patches')} with {counted(done.changes, 'change')}"
        + (f"; id {done.id}" if done.id else "")
    )


def compared(done: jelly.Compared) -> str:
    """How two datasets differ."""
    return f"{_rows(done)}, made of {done.old:,} and {done.new:,} statements{nodes(done)}"


def nodes(done: jelly.Compared | jelly.BackedUp) -> str:
    """What became of blank nodes, as the end of a summary; empty, where none were matched."""
    text = ""
    if done.kept_nodes or done.new_nodes or done.gone_nodes:
        way = "by content" if done.blank_nodes == "content" else "matched"
        text += (
            f"; blank nodes {way}: {done.kept_nodes:,} kept, {done.new_nodes:,} new, "
            f"{done.gone_nodes:,} gone"
        )
    if done.unsettled_nodes:
        text += f", {done.unsettled_nodes:,} not settled"
    return text


def _rows(done: jelly.Patched | jelly.Compared) -> str:
    return f"+{done.added:,} -{done.deleted:,}, {counted(done.prefixes, 'row')} of prefixes"


def problem_line(problem: jelly.Problem) -> str:
    """A line on what is wrong."""
    place = (
        f" ({problem.source or 'log'}: patch {problem.patch})" if problem.patch is not None else ""
    )
    return f"{problem.kind}: {problem.message}{place}"


def effect(done: jelly.LogReport | jelly.Staged) -> str:
    """Number of changes, and of the rows that change nothing, to which those of prefixes belong."""
    rows = " (with rows of prefixes)" if done.prefixes and done.without_effect else ""
    return f"{counted(done.changes, 'change')}, {done.without_effect:,} without effect{rows}"


def reported(report: jelly.LogReport) -> str:
    """What a log is found to be."""
    changes = "changes not checked" if report.without_effect is None else effect(report)
    return (
        f"{counted(report.patches, 'patch', 'patches')}, {report.ids:,} with an id; "
        f"{counted(report.committed, 'transaction')}, "
        f"{report.aborted:,} aborted; {changes}; "
        f"{counted(len(report.problems), 'problem')}{order_of(report)}"
    )
