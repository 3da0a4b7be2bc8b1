"""Channels to servers, and the errors that servers answer with."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

try:
    import grpc
except ImportError as error:
    raise ImportError("gRPC needs grpcio: pip install 'jelly-patch[grpc]'") from error

from jelly._http import LOOPBACK, error_class
from jelly._tls import Names, loaded
from jelly.errors import JellyError
from jelly.grpc._wire import MOST

# an address of HTTP, or a host without its port, which would be 443
_NO_TARGET = re.compile(r"https?://|[^:]*$")
_OPTIONS = [
    ("grpc.max_receive_message_length", MOST),
    ("grpc.max_send_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
]


class Tls(NamedTuple):
    """How client and server authenticate each other; PEM files.

    Attributes:
        ca: Authorities that sign servers; None for those that the machine trusts.
        cert: The certificate of this client.
        key: Its key; None if the file of the certificate has it.
    """

    ca: str | os.PathLike[str] | None = None
    cert: str | os.PathLike[str] | None = None
    key: str | os.PathLike[str] | None = None


def channel_to(target: str, tls: Tls | bool | None, compress: bool) -> Any:
    """A channel to ``host:port``.

    Raises:
        ValueError: The target is something else, or there is a key without a certificate.
        OSError: A file of TLS cannot be read or is wrong.
    """
    if _NO_TARGET.match(target):
        raise ValueError(
            f"{target!r} is not the address of a gRPC server; expected host:port, such as "
            "127.0.0.1:50051"
        )
    compression = grpc.Compression.Gzip if compress else grpc.Compression.NoCompression
    if not tls:
        return grpc.insecure_channel(target, options=_OPTIONS, compression=compression)
    given = tls if isinstance(tls, Tls) else Tls()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    cert, key, ca = loaded(context, Names("cert", "key", "ca"), given.cert, given.key, given.ca)
    credentials = grpc.ssl_channel_credentials(ca, key, cert)
    return grpc.secure_channel(target, credentials, options=_OPTIONS, compression=compression)


def metadata_of(
    target: str, token: str | None, tls: Tls | bool | None, **more: str | int | bool | None
) -> list[tuple[str, str]]:
    """The metadata of a call: the token, and what is given as ``jelly_after=7``.

    ``JELLY_TOKEN`` of the environment goes out over TLS and to this machine only.
    """
    host = target.rpartition(":")[0].strip("[]")
    safe = bool(tls) or host in LOOPBACK or target.startswith("unix:")
    token = token or (os.environ.get("JELLY_TOKEN") if safe else None)
    found = [("authorization", f"Bearer {token}")] if token else []
    for name, value in more.items():
        if value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            found.append((name.replace("_", "-"), text))
    return found


def is_plain(text: str) -> bool:
    """Whether metadata can say a text."""
    return bool(text) and text.isascii() and text.isprintable() and text == text.strip()


@contextmanager
def answers(target: str) -> Iterator[None]:
    """Turns what a server rejects into the errors of this library."""
    try:
        yield
    except grpc.RpcError as error:
        raise error_of(error, target) from None


def error_of(error: Any, target: str) -> Exception:
    """The error that a server answered with."""
    code, text = error.code(), f"{error.details()} ({target}: {error.code().name})"
    said = dict(error.trailing_metadata() or ())
    if (kind := said.get("jelly-kind")) and "." in kind:
        made: type[JellyError] = error_class(kind)
        return made(text, kind=kind, source=target)
    if code is grpc.StatusCode.NOT_FOUND:
        return FileNotFoundError(text)
    if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
        return PermissionError(text)
    if code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE):
        return ValueError(text)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return TimeoutError(text)
    if code is grpc.StatusCode.UNAVAILABLE:
        text += "; check the address, which must be the one of gRPC, and that the server is running"
    return ConnectionError(text)
