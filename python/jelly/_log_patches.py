"""The patches of a log on a server or in an object store, and what the log says about its beginning."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from typing import Self

from jelly._http import Address

PATCH = "application/x-jelly-rdf-patch"
DATA = "application/x-jelly-rdf"


class Patches(Iterator[bytes]):
    """The patches of a log that come after a version, as one stream of Jelly-Patch.

    Args:
        pieces: The stream.
        comes_after: The version.
        begin: The id of its patch, if it was the last one.
        dataset: The place of the log, and the number of statements at the version; None if it is unknown.
        base: The dataset at the version, which is read only if it is needed.
    """

    def __init__(
        self,
        pieces: Iterator[bytes],
        comes_after: int,
        begin: str | None = None,
        dataset: tuple[str, int] | None = None,
        base: Iterator[bytes] | None = None,
    ) -> None:
        self._pieces = pieces
        self.begin = begin
        self.comes_after = comes_after
        self.dataset = dataset
        self.base = base

    @classmethod
    def of(
        cls,
        pieces: Iterator[bytes],
        first: int,
        head: tuple[int, str | None],
        dataset: tuple[str, int | None] | None = None,
        base: Iterator[bytes] | None = None,
    ) -> Self:
        """The patches of a log from the first one on, which is not there yet if the head is before it.

        Args:
            pieces: The stream.
            first: The first version that the log has a patch for.
            head: The number and the id of the last version.
            dataset: The place of the log, and the statements of the dataset that it begins with, if it says so.
            base: This dataset.
        """
        (version, id), (place, count) = head, dataset or ("", None)
        known = None if count is None else (place, count)
        return cls(pieces, first - 1, id if version == first - 1 else None, known, base)

    def __next__(self) -> bytes:
        """The next piece."""
        return next(self._pieces)


def patches_at(at: Address) -> Patches:
    """The patches of the log at an address.

    Raises:
        OSError: The server cannot be reached, or failed.
    """
    with at.open("GET", "", None, {"Accept": "application/json"}) as answer:
        said = json.loads(answer.read())
    first, head = said["first"], said["head"]
    dataset = at.url, said.get("statements")
    pieces, base = patches_after(at, first - 1), data_at(at, first - 1)
    return Patches.of(pieces, first, (head["version"], head["id"]), dataset, base)


def patches_after(at: Address, after: int, upto: int | None = None) -> Generator[bytes]:
    """The patches of versions of the log at an address, which are asked for when the first piece is taken.

    Raises:
        OSError: The server cannot be reached, or failed.
    """
    yield from at.open("GET", "/patches", {"after": after, "upto": upto}, {"Accept": PATCH}).pieces()  # fmt: skip


def data_at(at: Address, version: int) -> Generator[bytes]:
    """The dataset at a version of the log at an address, which is asked for when the first piece is taken.

    Raises:
        OSError: The server cannot be reached, or failed.
    """
    yield from at.open("GET", "/data", {"version": version}, {"Accept": DATA}).pieces()
