"""Patches one after the other, each with its header and its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal

from jelly.errors import JellyError
from jelly.types import PatchRow

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from jelly import PatchReader

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

    Its rows are read when they are asked for, and only until the next patch is.
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

    def __init__(self, rows: Iterator[Any], first: Any, reader: PatchReader[Any]) -> None:
        self.number = first.patch
        self.headers = []
        self.transactions = []
        self.end = None
        self._ended = False
        self.next_first: Any = None
        self.next_error: JellyError | None = None
        self._rows = rows
        self._reader = reader
        self._waiting: list[Any] = []
        self._left = False
        self._cut = False
        row = first
        while row is not None:
            self._note(row)
            self._waiting.append(row)
            if row.op != "H":
                break
            row = next(rows, None)
        self._waiting.reverse()

    @property
    def complete(self) -> bool:
        """Whether all rows were read and each transaction was committed or aborted.

        Whether the patch itself was cut, ``end`` tells.
        """
        return self._ended and all(one.outcome != "unfinished" for one in self.transactions)

    @property
    def id(self) -> str | None:
        """Value of the last header ``id``, whatever the case of its key."""
        return self._header("id")

    @property
    def prev(self) -> str | None:
        """Value of the last header ``prev`` or ``previous``."""
        return self._header("prev", "previous")

    def rows(self) -> Iterator[Row]:
        """The rows that were not read yet, headers and the final ``Z`` included."""
        while (row := self._next()) is not None:
            yield row

    def skip(self) -> None:
        """Reads to the end of the patch and forgets its rows."""
        while self._next() is not None:
            pass

    def leave(self) -> None:
        """The reader goes on to the next patch."""
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
            message = f"the reader went on from patch {self.number}; read a patch when it comes"
            raise ValueError(message)
        if self._waiting:
            return self._waiting.pop()
        if self._ended:
            return None
        try:
            row = next(self._rows, None)
        except JellyError as error:
            # committed rows have no Z: only the next patch, or its error, tells that this one is complete
            if not self._reader._refused_a_patch():
                raise
            self.next_error = error
            row = None
        if row is None:
            if not self._cut:
                self._finish()
            return None
        if row.patch is None:
            self._cut = True  # the corrupt record of mode="permissive"
        elif row.patch != self.number:
            self.next_first = row
            self._finish()
            return None
        self._note(row)
        return row

    def _note(self, row: Any) -> None:
        match row.op:
            case "H":
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


def iterate(reader: PatchReader[Row]) -> Iterator[Patch[Row]]:
    """The remaining patches of a reader."""
    missing = [name for name in NEEDED if name not in reader.schema.names]
    if missing:
        raise ValueError(f"patches() needs the columns {', '.join(missing)}")
    return _iterate(reader)


def _iterate(reader: PatchReader[Row]) -> Iterator[Patch[Row]]:
    rows = reader.rows()
    first: Any = next(rows, None)
    while first is not None:
        patch: Patch[Row] = Patch(rows, first, reader)
        yield patch
        patch.leave()
        if patch.next_error is not None:
            raise patch.next_error
        first = patch.next_first if patch.next_first is not None else next(rows, None)
