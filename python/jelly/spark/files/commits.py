"""A commit of a folder, and its form in a file: a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

FOLDER = "_jelly"
_VERSION = 1


class Written(NamedTuple):
    """A file that a job has written."""

    name: str
    size: int


class Batch(NamedTuple):
    """A batch of a stream."""

    stream: str
    number: int


@dataclass(frozen=True, slots=True)
class Commit:
    """The content of a commit."""

    time: int
    """Nanoseconds since 1970, later than all commits that its writer knew."""
    id: str
    job: str
    files: list[Written]
    overwrite: bool = False
    batch: Batch | None = None
    gone: list[tuple[str, int, int]] = field(default_factory=list)
    """Files of other programs that it hides: path, size, modification time."""
    retired: list[str] = field(default_factory=list)
    """Jobs whose commits it hides."""
    batches: dict[str, int] = field(default_factory=dict)
    """The last batch of each stream among the commits that it hides."""

    @property
    def name(self) -> str:
        """The name of the commit; commits are ordered by their names."""
        return f"{self.time:020d}-{self.id}"


def encoded(commit: Commit) -> bytes:
    """Encodes a commit as a line of JSON."""
    return json.dumps({"version": _VERSION, **asdict(commit)}).encode() + b"\n"


def decoded(content: bytes, folder: str) -> Iterator[Commit]:
    """Yields the commits in lines of JSON.

    Raises:
        ValueError: The commits were written by a later version of this library.
    """
    for line in content.splitlines():
        said = json.loads(line)
        if said.pop("version") != _VERSION:
            raise ValueError(f"{folder}/{FOLDER}: written by a later version of jelly-patch")
        said["files"] = [Written(*file) for file in said["files"]]
        said["gone"] = [(path, size, changed) for path, size, changed in said["gone"]]
        said["batch"] = Batch(*said["batch"]) if said["batch"] else None
        yield Commit(**said)
