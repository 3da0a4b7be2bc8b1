"""The spool of a stream: files of received frames, each of which can be read separately.

``000000000042-17.jelly`` has 17 frames, after 42 others. ``spool.json`` has the id of the spool, its topic and the
server's id of the stream. Files appear complete; the last one stays, because its name contains the number of received
frames.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from jelly._whole_file import make_folder, sync_file, sync_folder, work_folder, written_json
from jelly.errors import ArgumentError

_NAME = re.compile(r"(\d{12})-(\d+)\.jelly")
_ABOUT = "spool.json"


class Part(NamedTuple):
    """A file of a spool."""

    first: int
    frames: int
    path: Path
    size: int

    @property
    def end(self) -> int:
        """Number of frames of the spool up to the end of the file."""
        return self.first + self.frames


class Spool:
    """The folder of a spool.

    Args:
        folder: The folder.
        topic: The subscribed topic; a spool has one topic.

    Raises:
        ArgumentError: The folder belongs to another topic, or has other files.
        OSError: The folder cannot be read or created.
    """

    def __init__(self, folder: Path, topic: str) -> None:
        self.folder = folder
        make_folder(folder)
        path = folder / _ABOUT
        if not path.exists():
            if any(not one.name.startswith(".") for one in folder.iterdir()):
                raise _wrong(f"{folder}: the folder is not a spool, and is not empty")
            self._about: dict[str, Any] = {"id": uuid.uuid4().hex, "topic": topic, "stream": None}
            self._save()
        self._about = json.loads(path.read_bytes())
        if self._about["topic"] != topic:
            raise _wrong(f"{folder}: this is the spool of the topic {self._about['topic']!r}, not of {topic!r}")  # fmt: skip

    @property
    def id(self) -> str:
        """The id of the spool, which is part of offsets."""
        return str(self._about["id"])

    @property
    def stream(self) -> str | None:
        """The server's id of the stream; empty if the server has none; None if no frame was received yet."""
        found: str | None = self._about["stream"]
        return found

    def set_stream(self, stream: str) -> None:
        """Sets the server's id of the stream, before its first frame arrives."""
        self._about["stream"] = stream
        self._save()

    def _save(self) -> None:
        with work_folder(self.folder) as work:
            written_json(work / _ABOUT, self._about).replace(self.folder / _ABOUT)
        sync_folder(self.folder)

    def files(self) -> list[Part]:
        """Returns the files, in order."""
        found = [
            Part(int(match[1]), int(match[2]), Path(entry.path), entry.stat().st_size)
            for entry in os.scandir(self.folder)
            if (match := _NAME.fullmatch(entry.name))
        ]
        return sorted(found)

    def add(self, first: int, frames: int, data: bytes) -> Part:
        """Adds a file, and flushes it to disk."""
        path = self.folder / f"{first:012}-{frames}.jelly"
        with work_folder(self.folder) as work:
            part = work / path.name
            part.write_bytes(data)
            sync_file(part)
            part.replace(path)
        sync_folder(self.folder)
        return Part(first, frames, path, len(data))

    def between(self, start: int, end: int) -> list[Part]:
        """Returns the files of a batch.

        Raises:
            ArgumentError: Files of the batch are gone.
        """
        found = [one for one in self.files() if start <= one.first < end]
        at = start
        for one in found:
            if one.first != at:
                break
            at = one.end
        if at != end:
            raise _wrong(f"{self.folder}: frames {at} to {end} are gone from the spool; they cannot be read again")  # fmt: skip
        return found

    def delete_before(self, end: int) -> None:
        """Deletes the files before an offset, except the last file of the spool."""
        for one in self.files()[:-1]:
            if one.end <= end:
                one.path.unlink(missing_ok=True)


class Offset(NamedTuple):
    """The position of a stream: a number of frames of a spool."""

    spool: str
    frames: int

    @classmethod
    def of(cls, stored: dict[str, Any], spool: Spool) -> Self:
        """Parses an offset that Spark stored.

        Raises:
            ValueError: The offset does not belong to this spool.
        """
        try:
            found = cls(str(stored["spool"]), int(stored["frames"]))
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"the checkpoint has no offsets of a spool: {str(stored)[:100]}") from None  # fmt: skip
        if found.spool != spool.id:
            raise _wrong(f"{spool.folder}: the checkpoint belongs to another spool; use the folder of that spool (spoolLocation), or a new checkpoint")  # fmt: skip
        return found

    def stored(self) -> dict[str, Any]:
        """Returns the form that Spark stores."""
        return self._asdict()


def ends(files: list[Part], after: int) -> Iterator[tuple[int, int]]:
    """Yields the possible ends of a batch after an offset, with the number of bytes up to each."""
    size = 0
    for one in files:
        if one.first >= after:
            size += one.size
            yield one.end, size


def _wrong(message: str) -> ArgumentError:
    return ArgumentError(f"argument: {message}", kind="argument")
