"""Streams and logs over gRPC: ``jelly serve --grpc-port``. Needs the extra ``[grpc]``: grpcio."""

from jelly.service.grpc._server import GrpcServer

__all__ = ["GrpcServer"]
