"""Logs of ``PatchLog``, which are read and published to like those of ``jelly-log``: ``kind=patch``."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jelly.log import Head, LogInfo
from jelly.log._patch import refuse_range
from jelly.spark._options import Option, parse
from jelly.spark._values import text
from jelly.spark.grpc.options import NAME, SERVER, Server, plain
from jelly.spark.log.options import READ, WRITE, LogReadOptions, LogWriteOptions
from jelly.spark.log.place import source_of
from jelly.types import PatchFormat

# a stream of statements needs a spool; a log keeps its versions itself
_SPOOL = Option("spoolLocation", text)
# number of rows per batch if only the headers of a patch are needed
_HEADERS = 64


def read_options(options: Mapping[str, str], *, stream: bool | None) -> LogReadOptions:
    """Parses the options of Spark; ``stream`` is None if Spark does not tell yet whether it is a stream.

    Raises:
        ValueError: An option is wrong, or conflicts with another one.
    """
    spool = () if stream is False else (_SPOOL,)
    chosen = parse(plain(options), (*READ, *SERVER, *spool), NAME)
    chosen.pop(_SPOOL.keyword, None)
    place = GrpcPlace(Server.of(options, chosen))
    return LogReadOptions.at(place, place.server.source, chosen, stream=stream)


def write_options(options: Mapping[str, str]) -> LogWriteOptions:
    """Parses the options of Spark.

    Raises:
        ValueError: An option is wrong.
    """
    chosen = parse(plain(options), (*WRITE, *SERVER), NAME)
    return LogWriteOptions(GrpcPlace(Server.of(options, chosen)), **chosen)


@dataclass(frozen=True, slots=True)
class GrpcPlace:
    """The place of a log on a server, which any process can open."""

    server: Server

    def open(self) -> GrpcLog:
        """Opens the log."""
        return GrpcLog(self.server)

    def there(self) -> GrpcLog:
        """Opens the log, if it exists.

        Raises:
            FileNotFoundError: The log does not exist.
        """
        log = self.open()
        log.info()
        return log

    def source(self, version: int) -> str:
        """Returns the value of the column ``source`` for a version."""
        return source_of(self.server.source, version)


@dataclass(frozen=True, slots=True)
class GrpcVersion:
    """A version; its ids are requested only when needed."""

    log: GrpcLog
    version: int
    head: Head
    bytes: int = 0
    """The size is unknown, because the protocol does not report it."""

    @property
    def id(self) -> str | None:
        """The id of the patch."""
        is_head = self.version == self.head.version
        return self.head.id if is_head else self.log.ids_of(self.version)[0]

    @property
    def prev(self) -> str | None:
        """The id of the patch before."""
        return self.log.ids_of(self.version)[1]


class GrpcLog:
    """The methods of :class:`jelly.Log` that tasks and offsets need, over gRPC."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @property
    def place(self) -> str:
        """The place of the log, for errors."""
        return self._server.source

    @property
    def head(self) -> Head:
        """Number and id of the last patch."""
        return self.info().head

    def info(self) -> LogInfo:
        """Information about the log."""
        from jelly.grpc import describe

        server = self._server
        return describe(server.target, server.topic, **server.access)

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[GrpcVersion]:
        """Returns the versions after one; see :meth:`jelly.Log.versions`."""
        info = self.info()
        last = refuse_range(after, upto, info.first, info.head.version, self.place)
        return (GrpcVersion(self, one, info.head) for one in range(after + 1, last + 1))

    def publish(self, patch: bytes) -> object:
        """Publishes a patch as the next one of the log; see :meth:`jelly.Log.publish`."""
        from jelly.grpc import publish_patch

        server = self._server
        return publish_patch(server.target, server.topic, patch, **server.access)

    def ids_of(self, version: int) -> tuple[str | None, str | None]:
        """Returns the id of the patch that makes a version, and the id of the patch before."""
        from jelly.grpc import read_log

        server = self._server
        with read_log(
            server.target, server.topic, after=version - 1, upto=version, batch_rows=_HEADERS, **server.access,
        ) as reader:  # fmt: skip
            patch = next(reader.patches(), None)
            return (None, None) if patch is None else (patch.id, patch.prev)

    def _each(self, after: int, sizes: Sequence[int]) -> Generator[tuple[Any, PatchFormat]]:
        from jelly.grpc._logs import each_patch

        server = self._server
        for patch in each_patch(server.target, server.topic, after, after + len(sizes), **server.access):  # fmt: skip
            yield patch, "jelly-patch"
