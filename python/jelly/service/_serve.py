"""``jelly.service.serve``: runs the application with uvicorn."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

from jelly._tls import server_files
from jelly.service._app import app, logs_of
from jelly.service._guard import LOCAL, MOST_HEADERS
from jelly.service._limits import Limits
from jelly.service._stores import StoreLogs

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    root: str | os.PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    tokens: str | os.PathLike[str] | None = None,
    tls_cert: str | None = None,
    tls_key: str | None = None,
    client_ca: str | None = None,
    read_only: bool = False,
    insecure: bool = False,
    host_names: Collection[str] = (),
    cors: Collection[str] = (),
    trust_header: str | None = None,
    proxy_addresses: Collection[str] = (),
    require_condition: bool = False,
    record_publisher: bool = False,
    delta: bool = False,
    storage: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    grpc_port: int | None = None,
    topics: Mapping[str, str | os.PathLike[str]] | None = None,
    ready: Callable[[], object] | None = None,
) -> None:
    """Serves the logs in a folder or an object store until SIGTERM or SIGINT; running requests are finished first.

    Args:
        root: As for :func:`app`.
        host: The address; an address that other machines can reach needs ``tokens``, ``client_ca`` or ``insecure``.
        port: The port.
        tokens: As for :func:`app`.
        tls_cert: The certificate of the server, a PEM file.
        tls_key: Its key; None if the file of the certificate has it.
        client_ca: Accept only clients with a certificate that this authority has signed.
        read_only: As for :func:`app`.
        insecure: Let everyone who can reach the address do everything.
        host_names: Other names of the server that ``Host`` of requests may have.
        cors: As for :func:`app`.
        trust_header: As for :func:`app`.
        proxy_addresses: As for :func:`app`.
        require_condition: As for :func:`app`.
        record_publisher: As for :func:`app`.
        delta: As for :func:`app`.
        storage: As for :func:`app`.
        limits: As for :func:`app`.
        grpc_port: Serve the logs and RDF streams over gRPC too, at this port; needs grpcio.
        topics: Files of any RDF format that can be subscribed to over gRPC, by name.
        ready: Called once, when the server accepts connections.

    Raises:
        ValueError: Other machines can reach the address, but there are no tokens, client certificates or
            ``insecure``; there are topics, but no port for gRPC; or there is a key or an authority of clients, but no
            certificate.
        OSError: The server cannot listen on the address, or a file of TLS is wrong.
    """
    import ssl

    import uvicorn

    from jelly.service._server import Server, connection

    if topics and grpc_port is None:
        raise ValueError("topics are served only over gRPC: give --grpc-port too")
    is_local = host in _LOOPBACK
    if not (is_local or tokens or client_ca or insecure):
        raise ValueError(f"other machines can reach {host}: give --tokens FILE or --client-ca FILE, or --insecure")  # fmt: skip
    server_files(tls_cert, tls_key, client_ca)  # before anything is served
    hosts = {*LOCAL, host, *host_names} if is_local or host_names else None
    more: dict[str, Any] = {}
    if client_ca:
        more = {"ssl_ca_certs": client_ca, "ssl_cert_reqs": ssl.CERT_REQUIRED}
    limits = limits or Limits()
    _refuse_taken(host, port)
    application = app(
        root, tokens=tokens, limits=limits, read_only=read_only, hosts=hosts, cors=cors,
        trust_header=trust_header, proxy_addresses=proxy_addresses,
        require_condition=require_condition, record_publisher=record_publisher, delta=delta,
        storage=storage,
    )  # fmt: skip
    config = uvicorn.Config(
        application, host=host, port=port, ssl_certfile=tls_cert, ssl_keyfile=tls_key,
        log_level="warning", timeout_graceful_shutdown=limits.drain, server_header=False,
        lifespan="off", proxy_headers=False, http=connection(limits),
        h11_max_incomplete_event_size=MOST_HEADERS, **more,
    )  # fmt: skip
    logs = logs_of(application)
    beside = None
    if grpc_port is not None:
        from jelly.service.grpc import GrpcServer

        beside = GrpcServer(
            root, host=host, port=grpc_port, tokens=tokens, topics=topics, tls_cert=tls_cert,
            tls_key=tls_key, client_ca=client_ca, read_only=read_only, limits=limits,
            require_condition=require_condition, record_publisher=record_publisher, logs=logs,
        )  # fmt: skip
    if beside or isinstance(logs, StoreLogs):
        # uvicorn raises the signal again after its end; then the servers and copies beside it must end too
        signal.signal(signal.SIGTERM, _exit)
    try:
        Server(config, (beside or logs).drain, ready).run()
    finally:
        if beside:
            beside.close(limits.drain)
        logs.close()


def _refuse_taken(host: str, port: int) -> None:
    """Rejects an address that is not available, because uvicorn would end the process.

    Raises:
        OSError: The address is not available.
    """
    for family, kind, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        with socket.socket(family, kind) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(address)
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    continue  # another address of the host may be available
                raise OSError(
                    f"{host}:{port}: the server cannot listen on this address ({error.strerror}); "
                    "choose another port with --port"
                ) from None


def _exit(*_: object) -> None:
    sys.exit(0)
