"""Patches one after the other, each with its header and its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, cast

from jelly.errors import JellyError
from jelly.types import PatchRow

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from jelly import PatchReader
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

    def __init__(self, rows: RowIterator, first: Any, reader: PatchReader[Any]) -> None:
        self.number = first.patch
        self.headers = []
        self.transactions = []
        self.end = None
        self._ended = False
        self._rows = rows
        self._reader = reader
        self._left = False
        self._cut = False
        # rows that were looked at stay with the reader, which gives them to others if we are dropped
        ahead: list[Any] = []
        try:
            row = first
            while row is not None:
                self._note(row)
                ahead.append(row)
                row = next(rows, None) if row.op == "H" else None
        except JellyError as error:
            _put_error_back(rows, error)
        self._noted = len(ahead)
        rows._put_back(ahead)

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
        if self._noted:
            self._noted -= 1
            return next(self._rows)
        if self._ended:
            return None
        try:
            row: Any = next(self._rows, None)
        except JellyError as error:
            # committed rows have no Z: only the next patch, or its error, tells that this one is complete
            if not self._reader._refused_a_patch():
                raise
            _put_error_back(self._rows, error)
            self._finish()
            return None
        if row is None:
            if not self._cut:
                self._finish()
            return None
        if row.patch is None:
            self._cut = True  # the corrupt record of mode="permissive"
        elif row.patch != self.number:
            self._rows._put_back([row])
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
    rows = cast("RowIterator", reader.rows())
    while (first := next(rows, None)) is not None:
        patch: Patch[Row] = Patch(rows, first, reader)
        yield patch
        patch.leave()


def _put_error_back(rows: RowIterator, error: JellyError) -> None:
    # its frames hold the rows, and Python could not see that circle
    rows._put_error_back(error.with_traceback(None))
