"""Checks whether a watched log is still the same log."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from jelly.log._guard import replaced
from jelly.log._patch import refuse_range, refused_at
from jelly.log._types import Head, LogInfo, LogVersion


class Followed:
    """The last known state of a watched log.

    Args:
        place: The place of the log.
    """

    def __init__(self, place: object) -> None:
        self._place = str(place)
        self._id: str | None = None
        self._head = Head(0, None)
        self._turns: int | None = None

    @property
    def seen(self) -> tuple[str | None, Head]:
        """Returns the id of the log at the last check, and its head."""
        return self._id, self._head

    def check(self, id: str | None, head: Head, turns: int = 0) -> None:
        """Rejects a log that was deleted, created again or truncated since the last check.

        Args:
            id: The id of the log.
            head: Its last version.
            turns: How often another log was seen at the place.

        Raises:
            PatchError: The place has another log (``patch.fork``).
        """
        before = self._head
        message = replaced("watched", self._id, id)
        if message is None and (
            head.version < before.version
            or (head.version == before.version and head.id != before.id)
        ):
            message = f"the log had version {before.version} with the id {before.id}, but its head is now version {head.version} with the id {head.id}"  # fmt: skip
        if message is None and self._turns not in (None, turns):
            message = "another log was here for a moment while the log was watched"
        if message is not None:
            raise refused_at("patch.fork", f"{message}; watch it again from its first version", self._place)  # fmt: skip
        self._id, self._head, self._turns = id, head, turns


def watched_from(log: Any, after: int | None) -> int:
    """Returns the version after which a watch begins; the default is the head.

    Raises:
        PatchError: The versions after this version are gone (``patch.gap``), or the log does not have this version
            (``patch.version``), because the place has another log.
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
    """Yields new versions of a log as they arrive, each once.

    Args:
        versions: Returns the versions of a log after one, up to another.
        at: The version to begin after.
        timeout: End after this number of seconds without a new version; the default is never.
        look: Returns the last version.
        wait: Waits for a new version, for at most this number of seconds, or for a short time.
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
