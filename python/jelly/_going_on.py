"""What goes on with the versions of a log as they come, also while the ends of it stop and start again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from jelly._http import PASSES
from jelly._patching import Report, Step
from jelly.log import Log

# seconds between two looks for what does not answer: the first time, and at most
_WAIT, _LONGEST = 0.2, 5.0
_Done = TypeVar("_Done", covariant=True)


class Follower(Protocol[_Done]):
    """What brings something to the head of a log."""

    log: Log

    def to_head(self) -> _Done:
        """Brings it there, and says what was done since the last time."""


def going_on(begin: Callable[[], Follower[Any]], progress: Report | None) -> Iterator[Any]:
    """What was done, each time that the head is reached; never ends.

    What cannot be reached is asked again until it answers; ``progress`` gets the phase ``waiting: `` and the
    error meanwhile. Other errors end it.
    """
    follower: Follower[Any] | None = None
    wait = _WAIT
    while True:
        try:
            follower = follower or begin()
            done = follower.to_head()
            wait = _WAIT
            yield done
            next(follower.log.watch(done.version))
        except PASSES as error:
            if progress is not None:
                progress(Step(f"waiting: {error}", 0, 0))
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST)
