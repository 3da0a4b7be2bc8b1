"""What reading and publishing need of a log, wherever it stands, and however it is reached."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any, Protocol

from jelly._log_files import name_of
from jelly.log import Head, LogInfo
from jelly.types import PatchFormat


class Version(Protocol):
    """A version, as far as tasks and offsets need it."""

    @property
    def version(self) -> int:
        """Its number."""

    @property
    def id(self) -> str | None:
        """The id of its patch."""

    @property
    def prev(self) -> str | None:
        """The id of the patch before."""

    @property
    def bytes(self) -> int:
        """The size of its patch; 0: that is not known."""


class Readable(Protocol):
    """A log that is read: :class:`jelly.Log`, or one over gRPC."""

    @property
    def place(self) -> str:
        """Where it stands, for errors."""

    @property
    def head(self) -> Head:
        """As for :class:`jelly.Log`."""

    def info(self) -> LogInfo:
        """As for :class:`jelly.Log`."""

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[Version]:
        """As for :class:`jelly.Log`."""

    def publish(self, patch: bytes) -> object:
        """As for :class:`jelly.Log`."""

    def _each(self, after: int, sizes: Sequence[int]) -> Generator[tuple[Any, PatchFormat]]:
        """As for :class:`jelly.Log`."""


class Place(Protocol):
    """Where a log stands, for every process that opens it."""

    def open(self) -> Readable:
        """The log."""

    def there(self) -> Readable:
        """The log, if it is there.

        Raises:
            FileNotFoundError: It is not.
        """

    def source(self, version: int) -> str:
        """What the column ``source`` says of a version."""


def source_of(place: str, version: int) -> str:
    """What the column ``source`` says of a version of a log at a place."""
    return f"{place}/{name_of(version, '')}"
