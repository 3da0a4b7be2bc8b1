"""Logs of ``PatchLog``, which are read and published to as ``jelly-log`` does: ``kind=patch``."""

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
# rows that are read at once where only the headers of a patch are wanted
_HEADERS = 64


def read_options(options: Mapping[str, str], *, stream: bool | None) -> LogReadOptions:
    """What Spark's options say; ``stream`` is None where Spark does not say yet what is read.

    Raises:
        ValueError: An option is wrong, or does not fit another one.
    """
    spool = () if stream is False else (_SPOOL,)
    chosen = parse(plain(options), (*READ, *SERVER, *spool), NAME)
    chosen.pop(_SPOOL.keyword, None)
    place = GrpcPlace(Server.of(options, chosen))
    return LogReadOptions.at(place, place.server.source, chosen, stream=stream)


def write_options(options: Mapping[str, str]) -> LogWriteOptions:
    """What Spark's options say.

    Raises:
        ValueError: An option is wrong.
    """
    chosen = parse(plain(options), (*WRITE, *SERVER), NAME)
    return LogWriteOptions(GrpcPlace(Server.of(options, chosen)), **chosen)


@dataclass(frozen=True, slots=True)
class GrpcPlace:
    """A log of a server, for every process that opens it."""

    server: Server

    def open(self) -> GrpcLog:
        """The log."""
        return GrpcLog(self.server)

    def there(self) -> GrpcLog:
        """The log, if it is there.

        Raises:
            FileNotFoundError: It is not.
        """
        log = self.open()
        log.info()
        return log

    def source(self, version: int) -> str:
        """What the column ``source`` says of a version."""
        return source_of(self.server.source, version)


@dataclass(frozen=True, slots=True)
class GrpcVersion:
    """A version; ids are requested only if somebody wants them."""

    log: GrpcLog
    version: int
    head: Head
    bytes: int = 0
    """The protocol does not say it."""

    @property
    def id(self) -> str | None:
        """The id of its patch."""
        is_head = self.version == self.head.version
        return self.head.id if is_head else self.log.ids_of(self.version)[0]

    @property
    def prev(self) -> str | None:
        """The id of the patch before."""
        return self.log.ids_of(self.version)[1]


class GrpcLog:
    """What tasks and offsets need of :class:`jelly.Log`, over gRPC."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @property
    def place(self) -> str:
        """Where it stands, for errors."""
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
        """The versions after one; see :meth:`jelly.Log.versions`."""
        info = self.info()
        last = refuse_range(after, upto, info.first, info.head.version, self.place)
        return (GrpcVersion(self, one, info.head) for one in range(after + 1, last + 1))

    def publish(self, patch: bytes) -> object:
        """Makes a patch the next one of the log; see :meth:`jelly.Log.publish`."""
        from jelly.grpc import publish_patch

        server = self._server
        return publish_patch(server.target, server.topic, patch, **server.access)

    def ids_of(self, version: int) -> tuple[str | None, str | None]:
        """The id of the patch that makes a version, and that of the patch before."""
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
