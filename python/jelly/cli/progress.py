"""A bar on a terminal for what takes more than a second."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TransferSpeedColumn,
)

from jelly import Tally

_PATIENCE = 1.0  # seconds


class Bar:
    """Shows how far a conversion got, once it has taken a second, and only on a terminal."""

    def __init__(self, source: str, *, quiet: bool) -> None:
        path = Path(source)
        self._total = path.stat().st_size if path.is_file() else None
        self._shown = not quiet and sys.stderr.isatty()
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._name = path.name

    def show(self, tally: Tally) -> None:
        """Takes how far it got."""
        if not self._shown or time.monotonic() - self._started < _PATIENCE:
            return
        if self._progress is None:
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
            self._task = self._progress.add_task(self._name, total=None)
        if self._task is not None:
            total = self._total if self._total and tally.bytes_in <= self._total else None
            self._progress.update(self._task, completed=tally.bytes_in, total=total)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
