"""What a subscriber can get under a name: files, topics that were published, datasets of logs."""

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
    """The frames of a name."""

    options: RdfOptions | None
    identity: str
    """Another stream with the name has another one, so that numbers of frames are not those of this one."""

    @property
    def frames(self) -> int:
        """How many there are."""

    def stored(self, after: int, follow: Callable[[], bool]) -> Iterator[Frame | Wait]:
        """The frames from the last place before ``after`` at which a decoder can begin."""


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
        """The frames, from the first on."""
        for number, message in enumerate(Frames(_Beside(self._handle)).upto()):
            yield Frame(number, number == 0, message)


class _Beside:
    """A file that others read too, each at a place of its own."""

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
        """Where work folders of topics stand."""
        assert self._topics is not None  # there is one to publish to
        return self._topics.work

    def get(self, name: str) -> Stream:
        """What a name stands for.

        Raises:
            Problem: Nothing (404), or too many datasets are being made (503).
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
        """The topic of a name, to publish to.

        Raises:
            Problem: The name is that of a file or a log, or cannot be one.
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
