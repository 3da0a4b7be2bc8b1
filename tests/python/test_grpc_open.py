"""Health and reflection, asked by gRPC's own clients."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="grpcio is not installed")
pytest.importorskip("grpc_health", reason="grpcio-health-checking is not installed")
pytest.importorskip("grpc_reflection", reason="grpcio-reflection is not installed")

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from grpc_servers import Refused, begun, raw
from jelly.grpc._wire import LOG_SERVICE, RDF_SERVICE
from jelly.service.grpc import GrpcServer, _open, _server
from jelly.service.grpc._open import HEALTH_SERVICE, REFLECTION_SERVICES

SERVING, UNKNOWN = health_pb2.HealthCheckResponse.SERVING, 3


def asked(service: str = "") -> Any:
    return health_pb2.HealthCheckRequest(service=service)


def test_health(tmp_path: Path) -> None:
    """Without a token, although the server has tokens; a server that ends does not serve."""
    tokens = tmp_path / "tokens"
    tokens.write_text("# none\n")
    server = GrpcServer(tmp_path / "logs", tokens=tokens)
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub = HealthStub(channel)
        for service in ("", RDF_SERVICE, LOG_SERVICE, HEALTH_SERVICE):
            assert stub.Check(asked(service)).status == SERVING
        with pytest.raises(grpc.RpcError) as caught:
            stub.Check(asked("other"))
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
        strange = stub.Watch(asked("other"))
        assert next(strange).status == UNKNOWN
        watched = stub.Watch(asked())
        assert next(watched).status == SERVING
        assert stub.Check(asked()).status == SERVING
        server.drain()
        assert [one.status for one in watched] == [health_pb2.HealthCheckResponse.NOT_SERVING]
        assert not list(strange)
    server.close(0)


def test_more_watch_the_health_than_there_are_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, most = 3, 40
    monkeypatch.setattr(_server, "_CALLS", threads)
    monkeypatch.setattr(_open, "_WATCHERS", most)
    server = GrpcServer(tmp_path / "logs")
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub = HealthStub(channel)
        answers: list[Any] = []
        watched = [
            begun(lambda: stub.Watch(asked()), lambda call: answers.append(next(call)))
            for _ in range(most)
        ]
        assert [answer.status for answer in answers] == [SERVING] * most
        names = [thread.name for thread in threading.enumerate()]
        assert sum(name.startswith("ThreadPoolExecutor") for name in names) <= 3 * threads
        for _ in range(2):
            with pytest.raises(grpc.RpcError) as caught:
                next(stub.Watch(asked()))
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        # others are served all the same
        begun(lambda: answers.append(stub.Check(asked())), lambda _: None)
        assert answers[-1].status == SERVING
        watched.pop().cancel()
        while True:  # the server learns a moment later that the client left
            watched.append(stub.Watch(asked()))
            try:
                assert next(watched[-1]).status == SERVING
            except grpc.RpcError:
                watched.pop()
                continue
            break
        server.drain()
        ended = [[one.status for one in call] for call in watched]
        assert ended == [[health_pb2.HealthCheckResponse.NOT_SERVING]] * most
    server.close(0)


def test_reflection(tmp_path: Path) -> None:
    """A client without the proto calls a method with the descriptors that reflection sends."""
    server = GrpcServer(tmp_path / "logs")
    target = f"127.0.0.1:{server.port}"
    with grpc.insecure_channel(target) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        services = [RDF_SERVICE, LOG_SERVICE, HEALTH_SERVICE]
        assert list(database.get_services()) == services
        pool = DescriptorPool(database)
        methods = [[m.name for m in pool.FindServiceByName(one).methods] for one in services]
        assert methods == [["SubscribeRdf", "PublishRdf"], ["Describe", "Subscribe", "Publish"], ["Check", "Watch"]]  # fmt: skip
        method = pool.FindServiceByName(HEALTH_SERVICE).FindMethodByName("Check")
        request, answer = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
        call = channel.unary_unary(f"/{HEALTH_SERVICE}/Check", request.SerializeToString, answer.FromString)  # fmt: skip
        assert call(request(service=RDF_SERVICE)).status == SERVING
        nested = f"{RDF_SERVICE.rpartition('.')[0]}.RdfStreamOptions"
        assert pool.FindMessageTypeByName(nested).fields_by_name["stream_name"].number == 1
        with pytest.raises(KeyError):
            pool.FindMessageTypeByName("no.Such")
        with pytest.raises(KeyError):
            pool.FindFileByName("no.proto")
    known = {"list_services": "*"}, {"file_containing_symbol": f"{RDF_SERVICE}.PublishRdf"}
    for service in REFLECTION_SERVICES:
        messages = [reflection_pb2.ServerReflectionRequest(host="h", **one).SerializeToString() for one in known]  # fmt: skip
        for message, found in zip(messages, raw(target, "ServerReflectionInfo", messages, service=service), strict=True):  # fmt: skip
            answered = reflection_pb2.ServerReflectionResponse.FromString(found)
            assert answered.original_request.SerializeToString() == message
            assert answered.valid_host == "h"
            assert not answered.HasField("error_response")
        with pytest.raises(Refused) as caught:
            raw(target, "ServerReflectionInfo", [b"\xff"], service=service)
        assert caught.value.code == "INVALID_ARGUMENT"
    server.close(0)
