"""The spool of a stream: files of frames that came, each of which can be read alone.

``000000000042-17.jelly`` has 17 frames, after 42 others. ``spool.json`` has the id of the spool, its topic and what
the server calls the stream. Files appear whole; the last one stays, because its name says how many frames came.
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
        """Frames of the spool up to its end."""
        return self.first + self.frames


class Spool:
    """The folder of a spool.

    Args:
        folder: The folder.
        topic: What is subscribed to; a spool has one topic.

    Raises:
        ArgumentError: The folder has another topic, or other things.
        OSError: The folder cannot be read or made.
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
        """The id of the spool, which offsets have."""
        return str(self._about["id"])

    @property
    def stream(self) -> str | None:
        """What the server calls the stream; empty: it does not say; None: nothing came yet."""
        found: str | None = self._about["stream"]
        return found

    def set_stream(self, stream: str) -> None:
        """Sets what the server calls the stream, before its first frame comes."""
        self._about["stream"] = stream
        self._save()

    def _save(self) -> None:
        with work_folder(self.folder) as work:
            written_json(work / _ABOUT, self._about).replace(self.folder / _ABOUT)
        sync_folder(self.folder)

    def files(self) -> list[Part]:
        """Its files, in order."""
        found = [
            Part(int(match[1]), int(match[2]), Path(entry.path), entry.stat().st_size)
            for entry in os.scandir(self.folder)
            if (match := _NAME.fullmatch(entry.name))
        ]
        return sorted(found)

    def add(self, first: int, frames: int, data: bytes) -> Part:
        """Adds a file, which is on the disk afterwards."""
        path = self.folder / f"{first:012}-{frames}.jelly"
        with work_folder(self.folder) as work:
            part = work / path.name
            part.write_bytes(data)
            sync_file(part)
            part.replace(path)
        sync_folder(self.folder)
        return Part(first, frames, path, len(data))

    def between(self, start: int, end: int) -> list[Part]:
        """The files of a batch.

        Raises:
            ArgumentError: Files of it are gone.
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
        """Deletes the files before an offset, except the last file of all."""
        for one in self.files()[:-1]:
            if one.end <= end:
                one.path.unlink(missing_ok=True)


class Offset(NamedTuple):
    """How far a stream got: so many frames of a spool."""

    spool: str
    frames: int

    @classmethod
    def of(cls, stored: dict[str, Any], spool: Spool) -> Self:
        """From what Spark stored.

        Raises:
            ValueError: It is no offset of this spool.
        """
        try:
            found = cls(str(stored["spool"]), int(stored["frames"]))
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"the checkpoint has no offsets of a spool: {str(stored)[:100]}") from None  # fmt: skip
        if found.spool != spool.id:
            raise _wrong(f"{spool.folder}: the checkpoint belongs to another spool; use the folder of that spool (spoolLocation), or a new checkpoint")  # fmt: skip
        return found

    def stored(self) -> dict[str, Any]:
        """As Spark stores it."""
        return self._asdict()


def ends(files: list[Part], after: int) -> Iterator[tuple[int, int]]:
    """Where batches after an offset may end, each with the bytes up to there."""
    size = 0
    for one in files:
        if one.first >= after:
            size += one.size
            yield one.end, size


def _wrong(message: str) -> ArgumentError:
    return ArgumentError(f"argument: {message}", kind="argument")
