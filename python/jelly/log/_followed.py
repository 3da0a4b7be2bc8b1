"""Whether a log that is watched is still the one that it was."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from jelly.log._guard import replaced
from jelly.log._patch import refuse_range, refused_at
from jelly.log._types import Head, LogInfo, LogVersion


class Followed:
    """What whoever watches a log saw of it last.

    Args:
        place: Where the log stands.
    """

    def __init__(self, place: object) -> None:
        self._place = str(place)
        self._id: str | None = None
        self._head = Head(0, None)

    @property
    def seen(self) -> tuple[str | None, Head]:
        """The id of the log at the last look, and its head."""
        return self._id, self._head

    def check(self, id: str | None, head: Head) -> None:
        """Rejects a log that was deleted, made again or cut since the last look.

        Args:
            id: Of the log.
            head: Its last version.

        Raises:
            PatchError: It is another log (``patch.fork``).
        """
        before = self._head
        message = replaced("watched", self._id, id)
        if message is None and (
            head.version < before.version
            or (head.version == before.version and head.id != before.id)
        ):
            message = f"the log had version {before.version} with the id {before.id}, but its head is now version {head.version} with the id {head.id}"  # fmt: skip
        if message is not None:
            raise refused_at("patch.fork", f"{message}; watch it again from its first version", self._place)  # fmt: skip
        self._id, self._head = id, head


def watched_from(log: Any, after: int | None) -> int:
    """The version after which a watch of a log begins: the head, where none is given.

    Raises:
        PatchError: What comes after the version is gone (``patch.gap``), or the log has no such version
            (``patch.version``): it is not the one that had it.
    """
    info: LogInfo = log.info()
    if after is None:
        return info.head.version
    refuse_range(after, None, info.first, info.head.version, log.place)
    return after


def watched(
    versions: Callable[[int, int], Iterator[LogVersion]],
    at: int,
    timeout: float | None,
    look: Callable[[], int],
    wait: Callable[[float], None],
) -> Iterator[LogVersion]:
    """The versions after one as they come, each once.

    Args:
        versions: Those of a log, after one and up to another.
        at: The version.
        timeout: End after this number of seconds without a new version; the default is never.
        look: Says the last version.
        wait: Waits for another one, for so many seconds at most, or for a while.
    """
    patience = math.inf if timeout is None else timeout
    until = time.monotonic() + patience
    while True:
        last = look()
        if last > at:
            for found in versions(at, last):
                yield found
                at = found.version
            until = time.monotonic() + patience
        elif (left := until - time.monotonic()) > 0:
            wait(left)
        else:
            return
