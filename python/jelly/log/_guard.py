"""Checks for reading a log that others may compact, repair or replace meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from jelly.errors import JellyError
from jelly.log._patch import refuse_range, refused_at
from jelly.log._types import LogInfo

# small pieces that are read between two looks
_SOME = 64
Piece = TypeVar("Piece")
Made = TypeVar("Made")


class Seen(NamedTuple):
    """The state of a log at the time of a check.

    Attributes:
        id: The id of the log; None if it has none.
        first: The first version whose patch can be read.
        last: The last version.
        turns: How often another log was seen at the place.
    """

    id: str | None
    first: int
    last: int
    turns: int = 0


class Guard:
    """Rejects data that was read from versions that the log no longer has.

    Args:
        place: The place of the log.
        look: Returns the current state. The guard calls it once on creation, before anything is read.
        after: The version before the first one that is read.
        upto: The last version that is read; None: the last version of the log.
        before: The known state of the log, instead of the first call of ``look``.
    """

    def __init__(
        self,
        place: object,
        look: Callable[[], Seen],
        after: int,
        upto: int | None = None,
        before: Seen | None = None,
    ) -> None:
        self._place, self._look = place, look
        self._before = look() if before is None else before
        self._after = after
        self._upto = self._before.last if upto is None else upto

    def check(self) -> None:
        """Checks the log again.

        Raises:
            PatchError: The place has another log (``patch.changed``), or versions were compacted (``patch.gap``) or
                set aside (``patch.version``).
        """
        now = self.check_log()
        refuse_range(self._after, self._upto, now.first, now.last, self._place)

    def check_log(self) -> Seen:
        """Checks that the place still has the same log; the versions of the log may differ.

        Raises:
            PatchError: Another log is there, or was meanwhile (``patch.changed``).
        """
        now = self._look()
        if (message := other(self._before, now)) is not None:
            raise refused_at("patch.changed", message, self._place)
        return now

    def each(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Yields pieces and checks the log before each one: for places where a check costs microseconds."""
        for piece in pieces:
            self.check()
            yield piece

    def some(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Small pieces that were read, some after each look whether it is the same log."""
        left, failed = iter(pieces), None
        while failed is None:
            batch: list[Piece] = []
            try:
                batch.extend(islice(left, _SOME))
            except (JellyError, OSError) as error:
                failed = error
            if batch or failed is not None:
                self.check_log()  # what others did may be why
            yield from batch
            if len(batch) < _SOME:
                break
        if failed is not None:
            raise failed

    def end(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Yields pieces and checks the log at their end: for places where each check costs a request."""
        try:
            yield from pieces
        except JellyError:
            self.check()  # a change by others may be the cause
            raise
        self.check()


def guarded(log: Any, id: str | None, after: int, upto: int) -> Guard:
    """Returns a guard for reading versions of the log with an id, in any kind of place."""

    def look() -> Seen:
        info: LogInfo = log.info()
        return Seen(info.id, info.first, info.head.version)

    return Guard(log.place, look, after, upto, Seen(id, 1, upto))


def steadily(
    place: object, look: Callable[[], Seen], make: Callable[[Callable[[], None]], Made]
) -> Made:
    """Makes a result from the base and the patches of a log, again if the log was compacted meanwhile.

    Args:
        place: The place of the log.
        look: Returns the current state.
        make: Makes the result; calls its argument after the last read, before the result counts.

    Raises:
        PatchError: The place has another log now (``patch.changed``), or as for ``make``.
    """
    while True:
        before = look()

        def check(before: Seen = before) -> None:
            now = look()
            message = other(before, now)
            if message is None and now.first != before.first:
                message = "the log was compacted while it was read"
            if message is not None:
                raise refused_at("patch.changed", message, place)

        try:
            return make(check)
        except (JellyError, OSError):
            now = look()
            if now.first == before.first or other(before, now) is not None:
                raise


def other(before: Seen, now: Seen) -> str | None:
    """Why what was read between two looks may be of several logs; None: it is of one."""
    message = replaced("read", before.id, now.id)
    if message is None and now.turns != before.turns:
        message = "another log was here for a moment while the log was read; read it again"
    return message


def replaced(how: str, before: str | None, now: str | None) -> str | None:
    """Returns a message if the current log is not the log that was read or watched; None if it is the same log.

    A log without an id may get an id later.
    """
    if before is None or now == before:
        return None
    here = f"the log {now} is here now" if now else "it is no longer here"
    return f"the log {before} was {how} here, but {here}"
