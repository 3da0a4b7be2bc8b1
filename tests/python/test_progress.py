"""Progress of short operations: each phase is reported as it begins, and an exception then stops the work."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly

BASE = b'<a:s> <a:p> "1" .\n'
OTHER = b'<a:s> <a:p> "2" .\n'
PATCH = b'TX .\nD <a:s> <a:p> "1" .\nA <a:s> <a:p> "2" .\nTC .\n'
READ: dict[str, Any] = {"old_format": "nq", "new_format": "nq"}

CALLS: dict[str, Callable[..., Any]] = {
    "checking the log, reading the log, reading the base, writing what is added": lambda **more: (
        jelly.apply(BASE, PATCH, io.BytesIO(), base_format="nq", to="nq", **more)
    ),
    "checking the log, reading the patches, writing the patch": lambda **more: jelly.squash(
        PATCH, io.BytesIO(), to="rdfp", **more
    ),
    "checking the log, reading the log": lambda **more: list(jelly.history(PATCH, **more)),
    "checking the log, checking the rows": lambda **more: jelly.verify_log(PATCH, **more),
    "reading the first dataset, reading the second dataset, comparing blank nodes": lambda **more: (
        jelly.same(BASE, BASE, **READ, **more)
    ),
    "reading the new dataset, comparing the old dataset, matching blank nodes, writing what is deleted, "
    "comparing the new dataset": lambda **more: jelly.diff(
        BASE, OTHER, io.BytesIO(), to="rdfp", blank_nodes="match", **READ, **more
    ),
}


@pytest.mark.parametrize("phases", CALLS)
def test_each_phase_of_a_short_operation(phases: str) -> None:
    """Before, a phase in which nothing is read was left out, and so was a short one at the end."""
    steps: list[jelly.Step] = []
    CALLS[phases](progress=steps.append)
    assert list(dict.fromkeys(step.phase for step in steps)) == phases.split(", ")


def test_an_exception_stops_a_short_operation(tmp_path: Path) -> None:
    def stop(step: jelly.Step) -> None:
        if step.phase == "comparing the old dataset":
            raise InterruptedError(step.phase)

    with pytest.raises(InterruptedError):
        jelly.diff(BASE, OTHER, tmp_path / "made", to="rdfp", old_format="nq", new_format="nq", progress=stop)  # fmt: skip
    assert not (tmp_path / "made").exists()
