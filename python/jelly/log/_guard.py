"""Reading a log that others may compact, repair or replace meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from jelly.errors import JellyError
from jelly.log._patch import refuse_range, refused_at
from jelly.log._types import LogInfo

Piece = TypeVar("Piece")
Made = TypeVar("Made")


class Seen(NamedTuple):
    """What a look at a log says.

    Attributes:
        id: Of the log; None: it has none.
        first: The first version whose patch can be read.
        last: The last version.
    """

    id: str | None
    first: int
    last: int


class Guard:
    """Rejects what was read of versions that a log does not have any more.

    Args:
        place: Where the log stands.
        look: Says what is there now. The guard looks once when it is made, before anything is read.
        after: The version before the first one that is read.
        upto: The last one; None: the last of the log.
        before: What was seen of the log already, in place of the first look.
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
        """Looks again.

        Raises:
            PatchError: Another log is there (``patch.changed``), or versions were compacted
                (``patch.gap``) or set aside (``patch.version``).
        """
        now = self._look()
        if (message := replaced("read", self._before.id, now.id)) is not None:
            raise refused_at("patch.changed", message, self._place)
        refuse_range(self._after, self._upto, now.first, now.last, self._place)

    def each(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Pieces that were read, each after a look: for places where a look costs microseconds."""
        for piece in pieces:
            self.check()
            yield piece

    def end(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Pieces that were read, and a look at their end: for places where each look costs a request."""
        try:
            yield from pieces
        except JellyError:
            self.check()  # what others did may be why
            raise
        self.check()


def guarded(log: Any, id: str | None, after: int, upto: int) -> Guard:
    """Around reading versions of the log that has an id, of whichever kind it is."""

    def look() -> Seen:
        info: LogInfo = log.info()
        return Seen(info.id, info.first, info.head.version)

    return Guard(log.place, look, after, upto, Seen(id, 1, upto))


def steadily(
    place: object, look: Callable[[], Seen], make: Callable[[Callable[[], None]], Made]
) -> Made:
    """Makes something of the base of a log and its patches, and makes it again where the log was compacted meanwhile.

    Args:
        place: Where the log stands.
        look: Says what is there now.
        make: Makes it, and calls what it is given when all is read, before the result counts.

    Raises:
        PatchError: Another log is there now (``patch.changed``), or as of ``make``.
    """
    while True:
        before = look()

        def check(before: Seen = before) -> None:
            now = look()
            message = replaced("read", before.id, now.id)
            if message is None and now.first != before.first:
                message = "the log was compacted while it was read"
            if message is not None:
                raise refused_at("patch.changed", message, place)

        try:
            return make(check)
        except (JellyError, OSError):
            now = look()
            if now.first == before.first or replaced("read", before.id, now.id) is not None:
                raise


def replaced(how: str, before: str | None, now: str | None) -> str | None:
    """Why the log that has an id now is not the one that was read or watched; None: it is.

    A log without an id may get one.
    """
    if before is None or now == before:
        return None
    here = f"the log {now} is here now" if now else "it is no longer here"
    return f"the log {before} was {how} here, but {here}"
