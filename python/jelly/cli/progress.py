"""A bar on a terminal for what takes more than a second."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from jelly import Step, Tally

_PATIENCE = 1.0  # seconds


class _Shown:
    """Something on a terminal that comes after a second and goes at the end."""

    def __init__(self, *, quiet: bool) -> None:
        self._wanted = not quiet and sys.stderr.isatty()
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def _begin(self, name: str) -> bool:
        """Whether it is time to show something."""
        if not self._wanted or time.monotonic() - self._started < _PATIENCE:
            return False
        if self._progress is None:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                DownloadColumn,
                Progress,
                TextColumn,
                TransferSpeedColumn,
            )

            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            # what is compressed is longer than its file
            self._task = self._progress.add_task(name, total=None)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()


class Bar(_Shown):
    """Progress of a conversion."""

    def __init__(self, source: str, *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        path = Path(source)
        self._total = path.stat().st_size if path.is_file() else None
        self._name = path.name

    def show(self, tally: Tally) -> None:
        """Takes how far it got."""
        if self._begin(self._name) and self._progress is not None and self._task is not None:
            total = self._total if self._total and tally.bytes_in <= self._total else None
            self._progress.update(self._task, completed=tally.bytes_in, total=total)


class Steps(_Shown):
    """How far an operation of several phases got."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._phase = ""

    def show(self, step: Step) -> None:
        """Takes how far it got."""
        if not self._begin(step.phase) or self._progress is None or self._task is None:
            return
        if step.phase != self._phase:
            self._phase = step.phase
            self._progress.reset(self._task, description=step.phase)
        self._progress.update(
            self._task, completed=step.bytes, description=f"{step.phase}, {step.rows:,} rows"
        )
