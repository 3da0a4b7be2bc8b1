"""Which files a stream has read: what Spark keeps in the checkpoint.

The time of a file is not the order in which files appear: a slow upload, a copy that keeps times or
another clock brings a file that is older than some that were read. So the offset names the files
that were read, each by a hash, and not how far in time the stream got. Names do not pile up: beyond
some thousands the oldest are replaced by a time, before which no file is looked at any more, and
which stays behind the newest file by the lateness that is allowed.
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

# Files that are remembered by name even if they are older than what may come late.
REMEMBERED = 4096

_SEEN = struct.Struct(">8sI3s")
_VERSION = 1


class Seen(NamedTuple):
    """What is known of a file that was read."""

    seconds: int
    """When it was modified, since 1970."""
    check: bytes
    """Of its size and the exact time; of its size alone in checkpoints of earlier versions."""


@dataclass(frozen=True, slots=True)
class Offset:
    """The files that were read."""

    files: int = 0
    """How many, in all."""
    before: int = -1
    """Files of this second or an earlier one are known by their number alone."""
    seen: dict[bytes, Seen] = field(default_factory=dict)
    """The others, by the hash of their name."""
    last: str = ""
    """The last file that was read, for people; checkpoints of earlier versions do not have it."""

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Offset:
        """From what Spark stored.

        Raises:
            ValueError: It is of another version.
        """
        if stored.get("version") != _VERSION:
            raise ValueError(f"the checkpoint has offsets of another version: {str(stored)[:100]}")
        packed = base64.b64decode(stored["seen"])
        seen = {key: Seen(*rest) for key, *rest in _SEEN.iter_unpack(packed)}
        return cls(stored["files"], stored["before"], seen, stored.get("last", ""))

    def stored(self) -> dict[str, Any]:
        """As Spark stores it."""
        packed = b"".join(_SEEN.pack(key, *seen) for key, seen in sorted(self.seen.items()))
        seen = base64.b64encode(packed).decode()
        # what people look for comes first
        named = {"last": self.last} if self.last else {}
        return {
            "version": _VERSION,
            "files": self.files,
            **named,
            "before": self.before,
            "seen": seen,
        }

    def new(self, listed: Iterable[File]) -> list[File]:
        """The files that were not read, the oldest first.

        Raises:
            ValueError: Files came later than is allowed, so that nothing tells whether they were read.
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
        """The files that have another size or time than when they were read."""
        return [
            file
            for file in listed
            if (seen := self.seen.get(key_of(file))) and not _is_same(seen, file)
        ]

    def plus(self, taken: Sequence[File], waiting: Iterable[File], lateness: int) -> Offset:
        """With more files.

        Args:
            taken: The new ones.
            waiting: Those that are known and not read yet: they must not count as old.
            lateness: Seconds that a file may be older than the newest.
        """
        seen = self.seen | {key_of(file): Seen(seconds_of(file), _check(file)) for file in taken}
        before = self.before
        if (spare := len(seen) - REMEMBERED) > 0:
            # A file from the future would make all others old.
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
        """Hashes of the files that were read after ``start``."""
        return {
            key
            for key, known in self.seen.items()
            if key not in start.seen and known.seconds > start.before
        }


def key_of(file: File) -> bytes:
    """The hash of a name."""
    return hashlib.blake2b(file.where.encode("utf-8", "surrogateescape"), digest_size=8).digest()


def seconds_of(file: File) -> int:
    """When a file was modified."""
    return min(max(file.modified // 1_000_000_000, 0), 0xFFFF_FFFF)


def _is_same(seen: Seen, file: File) -> bool:
    return seen.seconds == seconds_of(file) and seen.check in (_check(file), _size_check(file))


def _check(file: File) -> bytes:
    return hashlib.blake2b(b"%d %d" % file.stamp, digest_size=3).digest()


def _size_check(file: File) -> bytes:
    """What checkpoints of earlier versions have."""
    return hashlib.blake2b(b"%d" % file.size, digest_size=3).digest()


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
