"""Sources of subscriptions by name: files, published topics, datasets of logs."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from jelly._convert import convert
from jelly._inputs import whole_number
from jelly.grpc._streams import spooled
from jelly.grpc._wire import Frames
from jelly.service._logs import NAME, Logs
from jelly.service._problems import Problem
from jelly.service.grpc._followers import Wait
from jelly.service.grpc._topics import Frame, Topic, Topics
from jelly.types import RdfOptions


class Stream(Protocol):
    """The frames under a name."""

    options: RdfOptions | None
    identity: str
    """Id of the stream; another stream with the same name has another id, and its frame numbers are unrelated."""

    @property
    def frames(self) -> int:
        """The number of frames."""

    def stored(self, after: int, follow: Callable[[], bool]) -> Iterator[Frame | Wait]:
        """Yields the frames, from the last place at or before ``after`` where a decoder can begin."""


class Spooled:
    """A stream in a temporary file."""

    def __init__(self, write: Callable[..., object], name: str) -> None:
        with tempfile.TemporaryFile() as file:
            self.options: RdfOptions | None = spooled(write, file, name)
            self.frames = sum(1 for _ in Frames(file).upto())
            file.seek(0)
            self.identity = hashlib.file_digest(file, "sha256").hexdigest()[:32]
            self._handle = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._handle)

    def stored(self, after: int, follow: Callable[[], bool]) -> Iterator[Frame]:  # noqa: ARG002
        """Yields all frames, from the first one."""
        for number, message in enumerate(Frames(_Beside(self._handle)).upto()):
            yield Frame(number, number == 0, message)


class _Beside:
    """A separate read position in a file that others also read."""

    def __init__(self, handle: int) -> None:
        self._handle, self._at = handle, 0

    def tell(self) -> int:
        return self._at

    def read(self, size: int) -> bytes:
        piece = os.pread(self._handle, size, self._at)
        self._at += len(piece)
        return piece


class _Made(NamedTuple):
    stamp: tuple[int, int]
    stream: Spooled


class Sources:
    """All names that can be subscribed to."""

    def __init__(
        self, files: Mapping[str, Path], topics: Topics | None, logs: Logs, most: int
    ) -> None:
        self._topics, self._files, self._logs = topics, dict(files), logs
        self._made: dict[str, _Made] = {}
        self._turn = threading.Lock()
        self._datasets = threading.BoundedSemaphore(most)

    @property
    def work(self) -> Path:
        """The place of the work folders of topics."""
        assert self._topics is not None  # a topic to publish to exists
        return self._topics.work

    def get(self, name: str) -> Stream:
        """Returns the stream under a name.

        Raises:
            Problem: There is no such stream (404), or too many datasets are being computed (503).
        """
        if name in self._files:
            return self._file(name)
        if (found := self._dataset(name)) is not None:
            return found
        topic = None if self._topics is None else self._topics.get(name)
        if topic is None:
            raise Problem(404, "topic", f"there is no topic {name!r}")
        return topic

    def published(self, name: str) -> Topic:
        """Returns the topic with a name, for publishing.

        Raises:
            Problem: The name belongs to a file or a log, or is not a valid name of a topic.
        """
        if name in self._files or self.log_of(name) is not None:
            raise Problem(409, "patch.duplicate", f"{name!r} is a file or a log, and this call cannot publish to it")  # fmt: skip
        if self._topics is None:
            raise Problem(409, "topic", "this server keeps its logs in an object store, where a topic cannot grow by a frame: publish to a server with logs in a folder, or publish patches to a log")  # fmt: skip
        topic = self._topics.get(name, make=True)
        assert topic is not None
        return topic

    def _file(self, name: str) -> Spooled:
        path = self._files[name]
        with self._turn:
            stat = path.stat()
            stamp = stat.st_mtime_ns, stat.st_size
            made = self._made.get(name)
            if made is None or made.stamp != stamp:
                made = _Made(stamp, Spooled(partial(convert, path), name))
                self._made[name] = made
            return made.stream

    def log_of(self, name: str) -> str | None:
        """The log whose dataset a name stands for; None: the name is that of a file or a topic."""
        log = name.partition("@")[0]
        is_log = name not in self._files and NAME.fullmatch(log) and self._logs.has(log)
        return log if is_log else None

    def _dataset(self, name: str) -> Spooled | None:
        log = self.log_of(name)
        if log is None:
            return None
        asked = name.partition("@")[2]
        version = whole_number(asked)
        if asked and version is None:
            raise Problem(404, "patch.version", f"{asked!r} is not a version; expected a number")
        if not self._datasets.acquire(blocking=False):
            raise Problem(503, "busy", "other datasets are being computed; try again")
        try:
            return Spooled(partial(self._logs.get(log).dataset, version=version), name)
        finally:
            self._datasets.release()
