"""The gRPC server: both services on one port, beside the HTTP server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc

from jelly._tls import server_files
from jelly._whole_file import local_path
from jelly.grpc._wire import LOG_SERVICE, MOST, RDF_SERVICE
from jelly.service._limits import Limits, Rates
from jelly.service._logs import Logs
from jelly.service._stores import StoreLogs, logs_at
from jelly.service._tokens import Tokens
from jelly.service.grpc._calls import Calls
from jelly.service.grpc._followers import Followers
from jelly.service.grpc._open import Open
from jelly.service.grpc._patches import Patches
from jelly.service.grpc._sources import Sources
from jelly.service.grpc._streams import Streams
from jelly.service.grpc._topics import Topics

_CALLS = 100
_OPTIONS = [
    ("grpc.max_receive_message_length", MOST),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", 16 << 10),
    ("grpc.so_reuseport", 0),  # a port that another server uses is an error
    # the server pings every 30 s, and accepts pings of clients every 5 s, also without a call
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
]


class GrpcServer:
    """A running server; :meth:`close` stops it.

    Args:
        root: A folder of logs, or an address in an object store. Published topics are in the folder ``.topics`` of
            this folder; with an object store, topics cannot be published.
        host: The address.
        port: The port; 0 for a free port.
        tokens: As for :func:`jelly.service.app`.
        topics: Files of any RDF format that can be subscribed to, by the name of their topic.
        tls_cert: The certificate of the server, a PEM file.
        tls_key: Its key; None if the file of the certificate has it.
        client_ca: Accept only clients with a certificate that this authority has signed.
        read_only: Reject every request that changes something.
        limits: As for :func:`jelly.service.app`.
        require_condition: As for :func:`jelly.service.app`.
        record_publisher: As for :func:`jelly.service.app`.
        logs: The logs of the HTTP server beside it.
        storage: As for :func:`jelly.service.app`.

    Raises:
        ValueError: There is a key or an authority of clients, but no certificate.
        OSError: The address is not available, another server uses the topics of the folder, or a file of TLS is wrong.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tokens: str | os.PathLike[str] | None = None,
        topics: Mapping[str, str | os.PathLike[str]] | None = None,
        tls_cert: str | None = None,
        tls_key: str | None = None,
        client_ca: str | None = None,
        read_only: bool = False,
        limits: Limits | None = None,
        require_condition: bool = False,
        record_publisher: bool = False,
        logs: Logs | None = None,
        storage: Mapping[str, Any] | None = None,
    ) -> None:
        limits = limits or Limits()
        files = {name: local_path(path) for name, path in (topics or {}).items()}
        for path in files.values():
            path.stat()  # raise the error for a missing file now
        credentials = None
        if pem := server_files(tls_cert, tls_key, client_ca):
            credentials = grpc.ssl_server_credentials(
                [(pem.key, pem.cert)], pem.ca, require_client_auth=pem.ca is not None
            )
        self._calls = Calls(
            Tokens(Path(tokens)) if tokens else None, Rates(limits.requests), read_only=read_only
        )
        self._owns_logs = logs is None
        self._logs = logs = logs or logs_at(root, storage)
        self._open = Open()
        self._topics = None if isinstance(logs, StoreLogs) else Topics(logs.root, limits)
        self._followers = Followers(limits.followers, _CALLS)
        try:
            sources = Sources(files, self._topics, logs, limits.datasets)
            self._server = grpc.server(
                ThreadPoolExecutor(_CALLS), options=_OPTIONS, maximum_concurrent_rpcs=_CALLS
            )
            streams, patches = (
                Streams(self._calls, sources, self._followers),
                Patches(
                    self._calls,
                    logs,
                    limits,
                    self._followers,
                    require_condition=require_condition,
                    record_publisher=record_publisher,
                ),
            )
            for service, methods in (
                (RDF_SERVICE, streams.methods()),
                (LOG_SERVICE, patches.methods()),
            ):
                handler = grpc.method_handlers_generic_handler(service, methods)
                self._server.add_generic_rpc_handlers((handler,))
            self._server.add_generic_rpc_handlers(tuple(self._open.handlers()))
            self.port = self._listen(
                f"[{host}]:{port}" if ":" in host else f"{host}:{port}", credentials
            )
        except BaseException:
            self._end()
            raise
        self._server.start()

    def _listen(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        try:
            if credentials is None:
                return int(self._server.add_insecure_port(address))
            return int(self._server.add_secure_port(address, credentials))
        except RuntimeError as error:
            raise OSError(f"{address}: the server cannot listen on this address: {error}") from None

    def drain(self) -> None:
        """Ends waiting calls, and lets running calls finish."""
        self._logs.drain()
        self._calls.drain()
        self._open.drain()
        self._followers.wake()

    def close(self, seconds: float = 30) -> None:
        """Drains the server, and stops it after at most this number of seconds."""
        self.drain()
        self._server.stop(seconds).wait()
        self._end()
        if self._owns_logs:
            self._logs.close()

    def _end(self) -> None:
        self._followers.close()
        self._open.close()
        if self._topics is not None:
            self._topics.close()
