"""Published topics: each is one valid stream, in the files of a folder."""

from __future__ import annotations

import filecmp
import os
import secrets
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import quote

from jelly import _internal
from jelly._frames import frames_in
from jelly._readers import read_rdf
from jelly._whole_file import locked, make_folder, sync_file, sync_folder
from jelly.grpc._wire import MOST, Frames
from jelly.service._bodies import refuse_full
from jelly.service._limits import Limits
from jelly.service._problems import Problem
from jelly.service.grpc._followers import Wait
from jelly.service.grpc._segments import (
    Segment,
    id_digest,
    identity_of,
    path_of,
    recovered,
    segments_of,
)
from jelly.types import RdfOptions

# a new file begins after this number of bytes, so that a returning subscriber need not read all data before
_ROLL = 64 << 20
# written data is flushed to disk, and becomes visible, after this number of bytes or seconds
_FLUSH = 1 << 20
_SECONDS = 0.02
_LOCK = ".lock"  # folders of topics never have names that begin like this


class Frame(NamedTuple):
    """A frame of a topic.

    Attributes:
        number: Number of frames of the topic before it.
        begins: Whether the frame begins a file, where a decoder can begin.
        message: The bytes of the frame.
    """

    number: int
    begins: bool
    message: bytes


class Topic:
    """A topic: the files of a folder; the last one may grow."""

    def __init__(self, name: str, folder: Path, limits: Limits) -> None:
        self.name, self._folder, self._limits = name, folder, limits
        self._segments = segments_of(folder)
        self.identity = identity_of(folder)
        self.options: RdfOptions | None = None
        self._seen = threading.RLock()
        self._turn = threading.RLock()
        self._owner: Writer | None = None
        self._file: IO[bytes] | None = None
        frames = size = 0
        while self._segments and not frames:
            frames, size = recovered(self._segments[-1])
            if not frames:
                self._segments.pop()
        self._frames = self._segments[-1].first + frames if self._segments else 0
        self._size = size
        self._total = sum(segment.path.stat().st_size for segment in self._segments)
        # data that was written to the last file, and is not on disk yet
        self._more_frames = self._more_bytes = 0
        if self._segments:
            with read_rdf(self._segments[0].path, framing="delimited") as reader:
                self.options = reader.options

    @property
    def frames(self) -> int:
        """Number of frames on disk."""
        return self._frames

    def push(self, writer: Writer, message: bytes) -> None:
        """Adds a message of a writer; other writers wait meanwhile."""
        with self._turn:
            writer.check()
            relay = writer.relay_for(self)
            moves = self._owner is not writer or self._size + self._more_bytes >= _ROLL
            if moves:
                relay.restart()
            out = relay.push(message)
            if out:
                self._write(out, writer, moves)
                if self.options is None:
                    self.options = relay.written_options
            if self._more_bytes >= _FLUSH:
                self.flush()

    def _write(self, out: bytes, writer: Writer, moves: bool) -> None:
        self.check_room(len(out))
        if moves:
            self.flush()
            self._close()
            path = path_of(self._folder, self._frames)
            self._file = path.open("xb")
            self._owner = writer
            with self._seen:
                self._segments.append(Segment(self._frames, "", path))
                self._size = 0
        assert self._file is not None
        try:
            self._file.write(out)
        except OSError as error:
            self._give_up(error)
            raise
        self._more_frames += sum(1 for _ in frames_in(out))
        self._more_bytes += len(out)
        self._total += len(out)

    def flush(self) -> None:
        """Flushes written data to disk; then subscribers see it."""
        with self._turn:
            if not self._more_bytes or self._file is None:
                return
            try:
                self._file.flush()
                os.fsync(self._file.fileno())
                if not self._size:
                    sync_folder(self._folder)
            except OSError as error:
                self._give_up(error)
                raise
            with self._seen:
                self._frames += self._more_frames
                self._size += self._more_bytes
                self._more_frames = self._more_bytes = 0

    def _give_up(self, error: OSError) -> None:
        """Discards data that is not on disk; the next write begins a new file."""
        if self._owner is not None:
            self._owner.failure = error
        last, self._total = self._segments[-1], self._total - self._more_bytes
        self._more_frames = self._more_bytes = 0
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            os.truncate(last.path, self._size)
        if not self._size:
            with self._seen:
                self._segments.pop()
                self.options = self.options if self._segments else None
            with suppress(OSError):
                last.path.unlink()

    def _close(self) -> None:
        file, self._file, self._owner = self._file, None, None
        if file is not None:
            file.close()

    def close(self) -> None:
        """Flushes all data to disk."""
        with self._turn:
            self.flush()
            self._close()

    def leave(self, writer: Writer) -> None:
        """Ends a writer: all its data is on disk, or an error is raised."""
        with self._turn:
            if self._owner is writer:
                self.flush()
                self._close()
            writer.check()

    def add_whole(self, path: Path, publish_id: str, options: RdfOptions, frames: int) -> bool:
        """Adds a complete stream; False if the topic already had it.

        Raises:
            Problem: The id belongs to another stream, or the topic began with other options.
        """
        digest = id_digest(publish_id)
        sync_file(path)
        with self._turn:
            for segment in self._segments:
                if segment.digest == digest:
                    if filecmp.cmp(segment.path, path, shallow=False):
                        return False
                    raise Problem(409, "patch.duplicate", f"the topic has another stream with the id {publish_id!r}")  # fmt: skip
            if self.options is not None and self.options != options:
                raise Problem(409, "patch.conflict", "another stream created the topic at the same time; publish again")  # fmt: skip
            self.flush()
            self._close()
            size = path.stat().st_size
            self.check_room(size)
            name = path_of(self._folder, self._frames, digest)
            name.hardlink_to(path)
            sync_folder(self._folder)
            with self._seen:
                self._segments.append(Segment(self._frames, digest, name))
                self._frames += frames
                self._size, self._total, self.options = size, self._total + size, options
        return True

    def check_room(self, bytes: int) -> None:
        """Rejects this number of additional bytes if it exceeds the limits.

        Raises:
            Problem: The topic would be too large (413), or the disk is too full (507).
        """
        if self._total + bytes > self._limits.topic:
            raise Problem(413, "topic", f"the topic would have more than {self._limits.topic} bytes; use another topic")  # fmt: skip
        refuse_full(self._folder, bytes, self._limits)

    def stored(self, after: int, follow: Callable[[], bool]) -> Iterator[Frame | Wait]:
        """Yields the frames on disk, from the start of the file with the first frame after this number.

        At the end, ``follow`` returns whether to wait for more. No file is open during the wait.
        """
        with self._seen:
            at = bisect_right(self._segments, after, key=_first) - 1
            number = self._segments[at].first if at >= 0 else 0
        segment: Segment | None = None
        read = 0
        while True:
            with self._seen:
                if segment is None:
                    segment, read = self._at(number), 0
                is_last = bool(self._segments) and segment is self._segments[-1]
                size = self._size if is_last else None
            if segment is None or size == read:
                if not follow():
                    return
                yield self._more(number)
                continue
            try:
                file = segment.path.open("rb", buffering=0)
            except FileNotFoundError:
                segment = None  # no data of this segment reached the disk
                continue
            with file:
                file.seek(read)
                for message in Frames(file).upto(size):
                    yield Frame(number, number == segment.first, message)
                    number += 1
                read = file.tell()
            if not is_last:
                segment = None

    def _more(self, number: int) -> Wait:
        """Returns a wait for the frame with a number."""
        return Wait((self.identity, number), lambda: self._frames > number)

    def _at(self, number: int) -> Segment | None:
        """Returns the segment that begins with a frame."""
        at = bisect_left(self._segments, number, key=_first)
        return self._segments[at] if at < len(self._segments) else None


class Writer:
    """A call that publishes to a topic."""

    def __init__(self, publish_id: str | None = None) -> None:
        self._relay: Any = None
        # blank nodes without labels are distinct in each call; a repeated publish gets the same nodes
        self._stream = int(id_digest(publish_id)[:15], 16) if publish_id else secrets.randbits(60)
        self.failure: OSError | None = None
        """The error because of which a part of the written data is not on disk."""

    def check(self) -> None:
        """Raises an error if a part is missing."""
        if self.failure is not None:
            raise self.failure

    def relay_for(self, topic: Topic) -> Any:
        """Returns the relay that converts the messages of this call to frames of the topic."""
        if self._relay is None or self._relay.options is None:
            self._relay = _internal.RdfRelay(
                topic.options,
                same_type=True,
                stream_name=topic.name,
                frame_bytes=MOST,
                stream=self._stream,
            )
        return self._relay

    @property
    def has_begun(self) -> bool:
        """Whether the options of the stream have arrived."""
        return self._relay is not None and self._relay.options is not None


class Topics:
    """All published topics, in the folder ``.topics`` of the logs."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self._home, self._limits = root / ".topics", limits
        make_folder(self._home)
        handle = locked(self._home / _LOCK)
        if handle is None:
            raise OSError(f"{self._home}: another server uses these topics; only one server can use them at a time")  # fmt: skip
        self._handle = handle
        self._open: dict[str, Topic] = {}
        self._turn = threading.Lock()
        self._stops = threading.Event()
        self._thread = threading.Thread(target=self._flushing, daemon=True)
        self._thread.start()

    @property
    def work(self) -> Path:
        """The place of the work folders; on the same disk as the topics."""
        return self._home

    def get(self, name: str, *, make: bool = False) -> Topic | None:
        """Returns the topic with a name; a topic without frames does not exist."""
        folder = self._home / _folder_name(name)
        with self._turn:
            topic = self._open.get(name)
            if topic is None and (make or folder.is_dir()):
                make_folder(folder)
                if folder.name not in {path.name for path in self._home.iterdir()}:
                    raise Problem(
                        400,
                        "topic",
                        f"the name of another topic differs from {name!r} only in upper and lower "
                        "case",
                    )
                topic = self._open[name] = Topic(name, folder, self._limits)
        return topic if topic is not None and (make or topic.frames) else None

    def _flushing(self) -> None:
        while not self._stops.wait(_SECONDS):
            with self._turn:
                topics = list(self._open.values())
            for topic in topics:
                with suppress(OSError):  # the writer of the topic gets the error too
                    topic.flush()

    def close(self) -> None:
        """Flushes all data to disk."""
        self._stops.set()
        self._thread.join()
        for topic in self._open.values():
            topic.close()
        os.close(self._handle)


def _first(segment: Segment) -> int:
    return segment.first


def _folder_name(topic: str) -> str:
    """Returns the folder name of a topic; rejects an invalid name."""
    name = quote(topic, safe="")
    name = name.replace(".", "%2E") if name.startswith(".") else name
    if not topic or len(name) > 200:
        raise Problem(400, "topic", "the name of a topic must have 1 to 200 characters")
    return name
