"""Streams and logs over gRPC, for clients. Needs the extra ``[grpc]``: grpcio."""

from jelly.grpc._channel import Tls
from jelly.grpc._logs import describe, publish_patch, read_log
from jelly.grpc._streams import Sent, publish, subscribe

__all__ = ["Sent", "Tls", "describe", "publish", "publish_patch", "read_log", "subscribe"]
