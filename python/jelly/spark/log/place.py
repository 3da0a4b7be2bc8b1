"""The interface that reading and publishing need of a log, in any place and over any protocol."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any, Protocol

from jelly._log_files import name_of
from jelly.log import Head, LogInfo
from jelly.types import PatchFormat


class Version(Protocol):
    """A version, with the properties that tasks and offsets need."""

    @property
    def version(self) -> int:
        """The number of the version."""

    @property
    def id(self) -> str | None:
        """The id of the patch."""

    @property
    def prev(self) -> str | None:
        """The id of the patch before."""

    @property
    def bytes(self) -> int:
        """The size of the patch; 0 if it is unknown."""


class Readable(Protocol):
    """A log for reading: :class:`jelly.Log`, or a log over gRPC."""

    @property
    def place(self) -> str:
        """The place of the log, for errors."""

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
    """The place of a log, which any process can open."""

    def open(self) -> Readable:
        """Opens the log."""

    def there(self) -> Readable:
        """Opens the log, if it exists.

        Raises:
            FileNotFoundError: The log does not exist.
        """

    def source(self, version: int) -> str:
        """Returns the value of the column ``source`` for a version."""


def source_of(place: str, version: int) -> str:
    """Returns the value of the column ``source`` for a version of a log at a place."""
    return f"{place}/{name_of(version, '')}"
