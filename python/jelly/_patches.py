"""Patches one after the other, each with its header and its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, Literal

from jelly.types import PatchRow

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from jelly._internal import RowIterator

    Row = TypeVar("Row", default=PatchRow)
else:
    from typing import TypeVar

    Row = TypeVar("Row")

__all__ = ["Patch", "Transaction"]

NEEDED = ("patch", "txn", "op", "name", "value")


@dataclass(slots=True)
class Transaction:
    """A transaction of a patch, as far as its rows were read."""

    number: int
    """Number in the source, from 0: the column ``txn``."""
    outcome: Literal["open", "committed", "aborted", "unfinished"] = "open"


class Patch(Generic[Row]):
    """A patch of a stream.

    Its rows can be read until the next patch is taken.
    """

    number: int | None
    """Number in the source, from 0: the column ``patch``."""
    headers: list[tuple[str, str]]
    """Keys and values of the header rows read so far, in order.

    Those at the start of the patch are there at once.
    """
    transactions: list[Transaction]
    """Transactions of the rows read so far."""
    end: Literal["mark", "frame", "header", "eof"] | None
    """What ended the patch.

    A mark (a ``Z`` that is there), its frame, the header of the next patch, or the end of the
    stream. The last is only implied, and a file that was cut between two frames ends so too. None
    as long as not all rows were read, and with ``rows="committed"``, which has no ``Z``.
    """

    def __init__(self, rows: RowIterator, first: Any) -> None:
        self.number = first.patch
        self.headers = []
        self.transactions = []
        self.end = None
        self._ended = False
        self._rows = rows
        self._left = False
        self._cut = False
        self._in_head = True
        row = first
        for ahead in count(1):
            if row is None or row.op != "H" or row.patch != self.number:
                break
            self.headers.append((row.name or "", row.value or ""))
            row = rows._peek(ahead)

    @property
    def complete(self) -> bool:
        """Whether all rows were read and each transaction was committed or aborted.

        ``end`` shows whether the patch itself was cut.
        """
        return self._ended and all(one.outcome != "unfinished" for one in self.transactions)

    @property
    def id(self) -> str | None:
        """Value of the last header ``id``; the case of its key does not matter."""
        return self._header("id")

    @property
    def prev(self) -> str | None:
        """Value of the last header ``prev`` or ``previous``."""
        return self._header("prev", "previous")

    def rows(self) -> Iterator[Row]:
        """The rows that were not read yet, including headers and the final ``Z``."""
        while (row := self._next()) is not None:
            yield row

    def skip(self) -> None:
        """Reads to the end of the patch and drops its rows."""
        while self._next() is not None:
            pass

    def leave(self) -> None:
        """The reader moves on to the next patch."""
        self.skip()
        self._left = True

    def __repr__(self) -> str:
        if not self._ended:
            state = "not read to its end"
        else:
            state = "complete" if self.complete else "unfinished"
        return f"<jelly.Patch {self.number}: id={self.id!r}, prev={self.prev!r}, {state}>"

    def _next(self) -> Any:
        if self._left:
            message = f"the reader has moved on from patch {self.number}; read a patch before you take the next one"
            raise ValueError(message)
        if self._ended:
            return None
        row: Any = self._rows._next_of_patch(self.number)
        if row is not None:
            self._cut |= row.patch is None  # the corrupt record of mode="permissive"
            self._note(row)
        elif not self._cut:
            self._finish()
        return row

    def _note(self, row: Any) -> None:
        self._in_head &= row.op == "H"
        match row.op:
            case "H" if not self._in_head:
                self.headers.append((row.name or "", row.value or ""))
            case "TX":
                self._unfinished()
                self.transactions.append(Transaction(row.txn or 0))
            case "TC" | "TA" if row.txn is not None:
                if not self.transactions or self.transactions[-1].number != row.txn:
                    # the rows before were read in another way
                    self.transactions.append(Transaction(row.txn))
                self.transactions[-1].outcome = "committed" if row.op == "TC" else "aborted"
            case "Z":
                self.end = row.name or "mark"
                self._finish()

    def _unfinished(self) -> None:
        if self.transactions and self.transactions[-1].outcome == "open":
            self.transactions[-1].outcome = "unfinished"

    def _finish(self) -> None:
        self._unfinished()
        self._ended = True

    def _header(self, *keys: str) -> str | None:
        return next((value for key, value in reversed(self.headers) if key.lower() in keys), None)


class Patches(Iterator[Patch[Row]]):
    """The patches of a reader, one after the other.

    Rows that were not read are skipped when the next patch is taken.
    """

    def __init__(self, rows: RowIterator, columns: Sequence[str]) -> None:
        missing = [name for name in NEEDED if name not in columns]
        if missing:
            raise ValueError(f"patches() needs the columns {', '.join(missing)}")
        self._rows = rows
        self._last: Patch[Row] | None = None
        self._ahead: Patch[Row] | None = None

    def peek(self) -> Patch[Row] | None:
        """The next patch, which stays the next; None at the end.

        Raises:
            JellyError: There is no next patch because of an error, which comes once.
        """
        if self._ahead is None:
            if self._last is not None:
                self._last.leave()
                self._last = None
            first: Any = self._rows._peek(0)
            if first is None:
                next(self._rows, None)  # raises the error that is next
            else:
                self._ahead = Patch(self._rows, first)
        return self._ahead

    def __next__(self) -> Patch[Row]:
        patch = self.peek()
        if patch is None:
            raise StopIteration
        self._last, self._ahead = patch, None
        return patch
