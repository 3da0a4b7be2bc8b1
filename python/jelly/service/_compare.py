"""Results from several versions of a log: net changes and histories."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import IO, Any

from starlette.requests import Request

from jelly._changes import between, canonicalize, invert, net
from jelly._history import history
from jelly._log_patches import Patches
from jelly._page._pages import TERMS
from jelly._whole_file import work_folder
from jelly.errors import JellyError
from jelly.log._begin import EMPTY, said_base_of
from jelly.log._folder import FolderLog
from jelly.service._limits import Limits
from jelly.service._problems import Problem
from jelly.service._states import write_state


def write_change(
    log: FolderLog, old: int, new: int, limits: Limits, to: Any, dest: IO[bytes]
) -> None:
    """Writes the patch that turns one version into another, with only the rows that change something.

    Raises:
        PatchError: The log does not record how it begins (``patch.base``).
        JellyError: The patch cannot be written in this format.
    """
    said_base_of(log.folder)  # rejects a log that does not record how it begins
    first, last = sorted((old, new))
    if first == last:
        net(b"", dest, to=to, patch_format="rdfp")
        return
    with work_folder(log.work) as work:
        before, last_rows = work / "before.jelly", work / "last.jellyp"
        write_state(log, before, first, "jelly", limits)
        guard = log.guard(first, last)
        between(log.paths(first, last), 0, last - first, last_rows)
        guard.check()
        if old < new:
            canonicalize(last_rows, before, dest, to=to)
        else:
            invert(last_rows, dest, before, to=to)


def pattern_of(request: Request) -> dict[str, list[str]]:
    """Returns the terms of a history request; IRIs may be written without brackets.

    Raises:
        Problem: The request has no term (400).
    """
    asked = {name: request.query_params.getlist(name) for name in TERMS}
    if not any(asked.values()):
        raise Problem(400, "query", f"a history needs one of {', '.join(TERMS)}")
    return {
        name: [f"<{text}>" if text and text[0] not in '<"_' else text for text in texts]
        for name, texts in asked.items()
        if texts
    }


def periods_of(log: FolderLog, pattern: dict[str, list[str]]) -> Any:
    """Returns the periods of the quads that match a pattern.

    Raises:
        PatchError: The log does not record how it begins (``patch.base``).
    """

    def made(check: Callable[[], None]) -> Any:
        base = said_base_of(log.folder)
        source = None if base == EMPTY else log.folder / base
        patches = log.folder if log.files else Patches(iter(()), log.head.version, log.head.id)
        found = history(patches, base=source, **pattern)  # type: ignore[arg-type]
        check()
        return found

    try:
        return log.steadily(made)
    except JellyError:  # an error of the log, not of the pattern
        raise
    except ValueError as error:
        raise Problem(400, "query", str(error)) from None


def write_history(log: FolderLog, pattern: dict[str, list[str]], spool: IO[bytes]) -> None:
    """Writes the periods of a history as lines of JSON."""
    text = io.TextIOWrapper(spool, "utf-8", write_through=True)
    for period in periods_of(log, pattern):
        text.write(json.dumps(period._asdict()) + "\n")
    text.detach()
