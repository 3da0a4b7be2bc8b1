"""Options of the source and the sink ``jelly-grpc``; :mod:`jelly.spark.grpc` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import jelly
from jelly._whole_file import local_path
from jelly.spark._options import (
    BATCH_ROWS,
    DECODE,
    LIMITS,
    OF_SPARK,
    STREAM_OPTIONS,
    Kind,
    Option,
    ReadOptions,
    parse,
    paths_of,
    taken,
    with_limits,
)
from jelly.spark._values import choice, flag, positive, size, text
from jelly.types import RdfOptions

NAME = "jelly-grpc"

# the protocol determines these
_OF_THE_STREAM = ("format", "framing", "compression")
_DECODE = tuple(option for option in DECODE["rdf"] if option.keyword not in _OF_THE_STREAM)
SERVER = (
    Option("topic", text),
    Option("token", text),
    Option("tls", flag),
    Option("tlsCa", text),
    Option("tlsCert", text),
    Option("tlsKey", text),
)
_TOPIC = (*SERVER, Option("compress", flag))
_STREAM = (
    Option("spoolLocation", text),
    Option("maxBytesPerTrigger", positive(size)),
    Option("spoolBytes", positive(size)),
)
_WRITE = (Option("id", text),)


@dataclass(frozen=True, slots=True)
class Server:
    """A topic of a server, for each process that calls the server; needs no grpcio."""

    target: str
    topic: str
    token: str | None = field(default=None, repr=False)
    tls: bool = False
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    compress: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str], chosen: dict[str, Any]) -> Self:
        """Parses the options of Spark; removes its own options from ``chosen``.

        Raises:
            ValueError: There is not exactly one address, or no topic.
        """
        targets = paths_of(options)
        if len(targets) != 1:
            raise ValueError(f"expected one server, found {len(targets)}")
        if "://" in targets[0] or not targets[0].rpartition(":")[2].isdecimal():
            raise ValueError(f"{targets[0]!r} is not the address of a server; expected host:port")
        mine = taken(chosen, _TOPIC)
        if not mine.get("topic"):
            raise ValueError("option 'topic' is missing: the name of the stream on the server")
        made = cls(targets[0], **mine)
        if made.tls_key and not made.tls_cert:
            raise ValueError("tlsKey needs tlsCert")
        return made

    @property
    def source(self) -> str:
        """The value of the column ``source``."""
        return f"{self.target}/{self.topic}"

    @property
    def call(self) -> dict[str, Any]:
        """Keyword arguments of calls that subscribe and publish to topics."""
        return self.access | {"compress": self.compress}

    @property
    def access(self) -> dict[str, Any]:
        """Keyword arguments of all calls of :mod:`jelly.grpc`."""
        from jelly.grpc import Tls  # grpcio does not survive a fork, so import it only for calls

        files = (self.tls_ca, self.tls_cert, self.tls_key)
        tls: Any = Tls(*files) if any(files) else self.tls
        return {"token": self.token, "tls": tls}


@dataclass(frozen=True, slots=True)
class GrpcReadOptions:
    """Options of reading: the topic, and how to read it."""

    server: Server
    read: ReadOptions
    spool_location: str | None = None
    max_bytes_per_trigger: int = 256 << 20
    spool_bytes: int = 1 << 30

    @classmethod
    def of(cls, options: Mapping[str, str], *, stream: bool | None) -> Self:
        """Parses the options of Spark; ``stream`` is None if Spark does not tell yet whether it is a stream.

        Raises:
            ValueError: An option is wrong, missing, or not valid for this kind of query.
        """
        chosen = parse(plain(options), (*_DECODE, *LIMITS, *_TOPIC, *_STREAM), NAME)
        keywords = {"batch_rows": BATCH_ROWS} | with_limits(chosen, _DECODE)
        server = Server.of(options, chosen)
        read = ReadOptions("rdf", (server.source,), keywords)
        read.schema  # noqa: B018 - a wrong option shows here, not in a worker
        if stream is False and (only := [one.name for one in _STREAM if one.keyword in chosen]):
            raise ValueError(f"option {only[0]!r} works only with streams: use readStream")
        if stream is True and "spool_location" not in chosen:
            raise ValueError("option 'spoolLocation' is missing: a folder for incoming frames that driver and workers can access")  # fmt: skip
        return cls(server, read, **chosen)

    @property
    def ddl(self) -> str:
        """The schema as Spark DDL."""
        return self.read.ddl

    @property
    def folder(self) -> Path:
        """The folder of the spool."""
        assert self.spool_location is not None
        return local_path(self.spool_location).absolute()


@dataclass(frozen=True, slots=True)
class GrpcWriteOptions:
    """Options of writing: the topic, the ids and the stream options."""

    server: Server
    id: str | None = None
    options: RdfOptions | None = None

    @classmethod
    def of(cls, options: Mapping[str, str], columns: list[str]) -> Self:
        """Parses the options of Spark for rows with these columns.

        Raises:
            ValueError: An option is wrong or missing.
        """
        known = tuple(one for one in STREAM_OPTIONS["rdf"] if one.keyword != "stream_name")
        chosen = parse(plain(options), (*_TOPIC, *_WRITE, *known), NAME)
        server = Server.of(options, chosen)
        # a task does not know whether other tasks have graphs
        default = {"physical_type": "QUADS" if "graph" in columns else "TRIPLES"}
        return cls(server, chosen.get("id"), jelly.RdfOptions(**(default | taken(chosen, known))))


def kind_of(options: Mapping[str, str]) -> Kind:
    """Returns the kind of a topic: statements, or a log of patches.

    Raises:
        ValueError: The kind is neither ``rdf`` nor ``patch``.
    """
    said = {name.lower(): value for name, value in options.items()}.get("kind", "rdf")
    kinds: dict[str, Kind] = {"rdf": "rdf", "patch": "patch"}
    if (found := kinds.get(choice(said))) is None:
        raise ValueError(f"option 'kind': {said!r} is neither rdf nor patch")
    return found


def plain(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options without the address, the kind and Spark's own options."""
    left_out = ("path", "paths", "kind", *OF_SPARK)
    return {name.lower(): value for name, value in options.items() if name.lower() not in left_out}
