"""Services without a token: the health of the server, and the descriptions of its services."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import grpc

from jelly import _internal
from jelly.grpc._wire import LOG_SERVICE, RDF_SERVICE, Fields, written
from jelly.service._problems import Problem
from jelly.service.grpc._calls import status_of
from jelly.service.grpc._followers import FOLLOWS, Followers, Sent, Wait

HEALTH_SERVICE = "grpc.health.v1.Health"
# clients request the newer one first; some know only the older one
REFLECTION_SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")  # fmt: skip
_SERVICES = (RDF_SERVICE, LOG_SERVICE, HEALTH_SERVICE)
_SERVING, _NOT_SERVING, _UNKNOWN = 1, 2, 3
# calls of reflection last as long as the client wants, and each holds a thread
_MOST = 16
# health watchers wait without a thread; only these threads send to them
_WATCHERS, _THREADS = 1024, 2


class Open:
    """The methods of both services."""

    def __init__(self) -> None:
        self._drains = threading.Event()
        self._room = threading.BoundedSemaphore(_MOST)
        self._followers = Followers(_WATCHERS, _THREADS)
        self._files = _Files(files("jelly.service.grpc").joinpath("descriptors.binpb").read_bytes())

    def handlers(self) -> Iterator[grpc.GenericRpcHandler]:
        """Returns the handlers; messages are bytes."""
        yield grpc.method_handlers_generic_handler(HEALTH_SERVICE, {
            "Check": grpc.unary_unary_rpc_method_handler(self._check),
            "Watch": self._followers.handler(self._watch),
        })  # fmt: skip
        for service in REFLECTION_SERVICES:
            method = grpc.stream_stream_rpc_method_handler(self._reflect)
            yield grpc.method_handlers_generic_handler(service, {"ServerReflectionInfo": method})

    def drain(self) -> None:
        """Reports that the server no longer serves."""
        self._drains.set()
        self._followers.wake()

    def close(self) -> None:
        """Ends the threads, after all calls have ended."""
        self._followers.close()

    def _status(self, message: bytes, context: Any) -> int:
        service = _asked(message, context).text(1)
        if service and service not in _SERVICES:
            return _UNKNOWN
        return _NOT_SERVING if self._drains.is_set() else _SERVING

    def _check(self, message: bytes, context: Any) -> bytes:
        status = self._status(message, context)
        if status == _UNKNOWN:
            context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service")
        return written(status)

    def _watch(self, message: bytes, context: Any) -> Sent:
        try:
            yield FOLLOWS
        except Problem as problem:
            context.abort(status_of(problem), problem.detail)
        status = self._status(message, context)
        yield written(status)
        while context.is_active() and not self._drains.is_set():
            yield Wait("drain", self._drains.is_set)
        if (now := self._status(message, context)) != status:
            yield written(now)

    def _reflect(self, messages: Iterator[bytes], context: Any) -> Iterator[bytes]:
        with self._slot(context):
            for message in messages:
                asked = _asked(message, context)
                name, symbol = asked.text(3), asked.text(4)
                found: list[bytes] | None = None
                if name or symbol:
                    found = self._files.named(name) if name else self._files.holding(symbol)
                host = asked.text(1)
                if asked.message(7) is not None:
                    listed = _repeated(written(service) for service in _SERVICES)
                    yield written(host, message, None, None, None, listed)
                elif found is None:
                    error = written(grpc.StatusCode.NOT_FOUND.value[0], f"there is no {name or symbol or 'such extension'}")  # fmt: skip
                    yield written(host, message, None, None, None, None, error)
                else:
                    yield written(host, message, None, _repeated(found))

    @contextmanager
    def _slot(self, context: Any) -> Iterator[None]:
        if not self._room.acquire(blocking=False):
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{_MOST} of these calls are open; try again")  # fmt: skip
        try:
            yield
        finally:
            self._room.release()


class _Files:
    """The descriptors of a ``FileDescriptorSet``, by file name and by symbol."""

    def __init__(self, descriptors: bytes) -> None:
        self._data: dict[str, bytes] = {}
        self._needs: dict[str, list[str]] = {}
        self._symbols: dict[str, str] = {}
        for _, data in _internal.read_message(descriptors):
            assert isinstance(data, bytes)
            name, package, needs = "", "", []
            symbols: list[str] = []
            for field, value in _internal.read_message(data):
                if isinstance(value, int):
                    continue
                if field == 1:
                    name = value.decode()
                elif field == 2:
                    package = value.decode()
                elif field == 3:
                    needs.append(value.decode())
                elif field in (4, 5, 6):  # messages, enums, services
                    symbols += _names(value, inner={4: (3, 4), 5: (), 6: (2,)}[field])
            self._data[name], self._needs[name] = data, needs
            self._symbols |= {f"{package}.{symbol}": name for symbol in symbols}

    def named(self, name: str) -> list[bytes] | None:
        """Returns a file and all its dependencies, or None."""
        if name not in self._data:
            return None
        order = [name]
        for one in order:
            order += [need for need in self._needs[one] if need not in order]
        return [self._data[one] for one in order]

    def holding(self, symbol: str) -> list[bytes] | None:
        """Returns the file with a service, method, message or enum, and all its dependencies, or None."""
        return self.named(self._symbols.get(symbol.removeprefix("."), ""))


def _names(descriptor: bytes, inner: tuple[int, ...]) -> list[str]:
    """Returns the names of a message, enum or service, and of its nested messages and methods."""
    fields = [(n, value) for n, value in _internal.read_message(descriptor) if isinstance(value, bytes)]  # fmt: skip
    own = next(value.decode() for n, value in fields if n == 1)
    more = [name for n, value in fields if n in inner for name in _names(value, inner if n == 3 else ())]  # fmt: skip
    return [own, *(f"{own}.{name}" for name in more)]


def _asked(message: bytes, context: Any) -> Fields:
    try:
        return Fields(message)
    except ValueError as error:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        raise


def _repeated(values: Any) -> bytes:
    """Returns a message whose field 1 has these values."""
    return _internal.write_message([(1, value) for value in values])
