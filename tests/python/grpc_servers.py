"""Servers of gRPC for tests, in this process or one of their own, and calls with bytes that clients would not send."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

import jelly
import jelly.grpc
from jelly._frames import frames_in
from jelly.grpc._wire import LOG_SERVICE, RDF_SERVICE, written
from jelly.service.grpc import GrpcServer
from jelly.types import RdfOptions
from servers import free_port, start


@contextmanager
def here(root: Path | str, **options: Any) -> Iterator[str]:
    """The address of a server in this process."""
    server = GrpcServer(root, **options)
    try:
        yield f"127.0.0.1:{server.port}"
    finally:
        server.close(0)


def process(root: Path, *args: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server in a process of its own, and its address."""
    port = free_port()
    return start(root, free_port(), "--grpc-port", str(port), *args), f"127.0.0.1:{port}"


def begun(call: Callable[[], Any], read: Callable[[Any], object]) -> Any:
    """A call whose first answers were read; made again as long as all threads of the server are at work for others."""
    while True:
        try:
            made = call()
            read(made)
        except grpc.RpcError as error:
            if error.details() != "Concurrent RPC limit exceeded!":
                raise
        else:
            return made


class Refused(Exception):  # noqa: N818
    def __init__(self, error: Any) -> None:
        super().__init__(error.details())
        self.code = error.code().name
        self.trailing = dict(error.trailing_metadata() or ())


def raw(
    target: str,
    method: str,
    messages: Any,
    *,
    service: str = RDF_SERVICE,
    compression: Any = None,
    **metadata: str,
) -> list[bytes]:
    """The answers to messages, as they are on the wire; metadata as ``jelly_topic="x"``."""
    given = [(name.replace("_", "-"), value) for name, value in metadata.items()]
    options = [("grpc.max_send_message_length", -1)]
    with grpc.insecure_channel(target, options=options, compression=compression) as channel:
        call = channel.stream_stream(f"/{service}/{method}")(
            iter(messages), metadata=given, timeout=60
        )
        try:
            return list(call)
        except grpc.RpcError as error:
            raise Refused(error) from None


def raw_log(target: str, method: str, messages: Any, **metadata: str) -> list[bytes]:
    return raw(target, method, messages, service=LOG_SERVICE, **metadata)


def lines(count: int, start: int = 0, graph: str = "") -> bytes:
    """N-Quads of so many statements."""
    return "".join(f'<a:s{n}> <a:p> "{n}"{graph} .\n' for n in range(start, start + count)).encode()


def frames(data: bytes, **options: Any) -> list[bytes]:
    """The frames of N-Quads as Jelly."""
    import io

    out = io.BytesIO()
    jelly.convert(data, out, format="nq", to="jelly", restart_bytes=0, **options)
    return list(frames_in(out.getvalue()))


def objects(reader: Any) -> list[str]:
    """The literals of all statements, in order."""
    with reader:
        return [row.object for row in reader.rows()]


def numbers(*ranges: range) -> list[str]:
    return [f'"{n}"' for one in ranges for n in one]


def stored(root: Path) -> set[str]:
    """What topics have on the disk; folders may go while this looks."""
    found = os.walk(root / "logs" / ".topics")
    return {str(Path(home, name)) for home, *inside in found for names in inside for name in names}


def options_of(reader: Any) -> RdfOptions:
    assert isinstance(reader.options, RdfOptions)
    return reader.options


def read(server: str, topic: str, **options: Any) -> list[str]:
    return objects(jelly.grpc.subscribe(server, topic, **options))


def raw_of(server: str, topic: str, options: RdfOptions | None) -> list[bytes]:
    asked = None if options is None else jelly._internal.written_options(options, RdfOptions)
    return raw(server, "SubscribeRdf", [written(topic, asked)], jelly_follow="false")
