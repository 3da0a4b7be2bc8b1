"""Streams and logs over gRPC: ``jelly serve --grpc-port``. Needs the extra ``[grpc]``: grpcio."""

import jelly.grpc  # noqa: F401 - it says what is missing
from jelly.service.grpc._server import GrpcServer

__all__ = ["GrpcServer"]
