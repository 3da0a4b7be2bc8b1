"""The files that a stream has read, in the form that Spark stores in the checkpoint.

The modification time does not give the order in which files appear: after a slow upload, a copy that keeps times, or
with another clock, a file may be older than files that were already read. So the offset contains a hash of each file
that was read, instead of a time. The number of hashes is limited: beyond a few thousand, the oldest hashes are
replaced by a time. Files before this time are no longer checked; it is earlier than the time of the newest file by
the allowed lateness.
"""

from __future__ import annotations

import base64
import hashlib
import struct
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from jelly.spark.files.listing import File

# number of files whose hashes are kept even if they are older than late files may be
REMEMBERED = 4096

_SEEN = struct.Struct(">8sI3s")
_VERSION = 1


class Seen(NamedTuple):
    """Information about a file that was read."""

    seconds: int
    """Modification time in seconds since 1970."""
    check: bytes
    """Hash of the size and the exact time; of the size alone in checkpoints of earlier versions."""


@dataclass(frozen=True, slots=True)
class Offset:
    """The files that a stream has read."""

    files: int = 0
    """Total number of files."""
    before: int = -1
    """Of files from this second or earlier, only the number is known."""
    seen: dict[bytes, Seen] = field(default_factory=dict)
    """The other files, by the hash of their name."""
    last: str = ""
    """The last file that was read, for progress reports; missing in checkpoints of earlier versions."""

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Offset:
        """Parses an offset that Spark stored.

        Raises:
            ValueError: The offset has another version.
        """
        if stored.get("version") != _VERSION:
            raise ValueError(f"the checkpoint has offsets of another version: {str(stored)[:100]}")
        packed = base64.b64decode(stored["seen"])
        seen = {key: Seen(*rest) for key, *rest in _SEEN.iter_unpack(packed)}
        return cls(stored["files"], stored["before"], seen, stored.get("last", ""))

    def stored(self) -> dict[str, Any]:
        """Returns the form that Spark stores."""
        packed = b"".join(_SEEN.pack(key, *seen) for key, seen in sorted(self.seen.items()))
        seen = base64.b64encode(packed).decode()
        # the most useful members come first
        named = {"last": self.last} if self.last else {}
        return {
            "version": _VERSION,
            "files": self.files,
            **named,
            "before": self.before,
            "seen": seen,
        }

    def new(self, listed: Iterable[File]) -> list[File]:
        """Returns the files that were not read yet, oldest first.

        Raises:
            ValueError: Files arrived later than allowed, so it is unknown whether they were read.
        """
        new, old = [], 0
        for file in listed:
            if key_of(file) in self.seen:
                continue
            if seconds_of(file) > self.before:
                new.append(file)
            else:
                old += 1
        if (late := old - (self.files - len(self.seen))) > 0:
            raise ValueError(
                f"{late} of the files that are older than {_when(self.before)} arrived too late: "
                "the stream no longer knows which files of that time it has read. Move away the "
                "files that were not read, touch them and move them back; a larger "
                "latenessSeconds or fewer files in the folder avoid this"
            )
        return sorted(new, key=lambda file: (seconds_of(file), file.where))

    def changed(self, listed: Iterable[File]) -> list[File]:
        """Returns the files whose size or time has changed since they were read."""
        return [
            file
            for file in listed
            if (seen := self.seen.get(key_of(file))) and not _is_same(seen, file)
        ]

    def plus(self, taken: Sequence[File], waiting: Iterable[File], lateness: int) -> Offset:
        """Returns an offset with more files.

        Args:
            taken: The new files.
            waiting: Known files that are not read yet; they must not count as old.
            lateness: Number of seconds that a file may be older than the newest file.
        """
        seen = self.seen | {key_of(file): Seen(seconds_of(file), _check(file)) for file in taken}
        before = self.before
        if (spare := len(seen) - REMEMBERED) > 0:
            # a modification time in the future would make all other files old
            newest = min(max(known.seconds for known in seen.values()), int(time.time()))
            limit = min([newest - lateness, *map(seconds_of, waiting)])
            old = sorted(known.seconds for known in self.seen.values() if known.seconds < limit)
            if old:
                before = max(before, old[min(spare, len(old)) - 1])
                seen = {
                    key: known
                    for key, known in seen.items()
                    if known.seconds > before or key not in self.seen
                }
        last = taken[-1].source if taken else self.last
        return Offset(self.files + len(taken), before, seen, last)

    def since(self, start: Offset) -> set[bytes]:
        """Returns hashes of the files that were read after ``start``."""
        return {
            key
            for key, known in self.seen.items()
            if key not in start.seen and known.seconds > start.before
        }


def key_of(file: File) -> bytes:
    """Returns the hash of the name of a file."""
    return hashlib.blake2b(file.where.encode("utf-8", "surrogateescape"), digest_size=8).digest()


def seconds_of(file: File) -> int:
    """Returns the modification time of a file in seconds."""
    return min(max(file.modified // 1_000_000_000, 0), 0xFFFF_FFFF)


def _is_same(seen: Seen, file: File) -> bool:
    return seen.seconds == seconds_of(file) and seen.check in (_check(file), _size_check(file))


def _check(file: File) -> bytes:
    return hashlib.blake2b(b"%d %d" % file.stamp, digest_size=3).digest()


def _size_check(file: File) -> bytes:
    """Returns the check value that checkpoints of earlier versions have."""
    return hashlib.blake2b(b"%d" % file.size, digest_size=3).digest()


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
