"""Streams whose calls hold a thread only while they send; waiting streams are parked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple

import grpc

from jelly.service._problems import Problem
from jelly.service._tokens import RECHECK

# interval in seconds of the checks for new data; streams that wait for the same data share a check
_SECONDS = 0.02


class Wait(NamedTuple):
    """Yielded by a stream that has nothing to send; the stream runs again at the latest when it must check its token.

    Attributes:
        key: Streams with the same key wait for the same data.
        is_over: Returns whether new data arrived; takes microseconds.
    """

    key: Hashable
    is_over: Callable[[], bool]


FOLLOWS = Wait(None, lambda: True)
"""First yield of a stream that will wait, to take one of the limited slots."""

Sent = Iterator[bytes | Wait]


class _Call:
    """A call that is answered by a stream."""

    def __init__(self, stream: Any, context: Any, send: Callable[[bytes | None], None]) -> None:
        self.stream, self.context, self.send = stream, context, send
        self.waits: Wait | None = None
        self.until = 0.0
        self.is_follower = False


class Followers:
    """Runs streams in a pool of threads.

    Args:
        most: Maximum number of calls that follow at the same time; more are rejected.
        threads: Maximum number of calls that send at the same time.
    """

    def __init__(self, most: int, threads: int) -> None:
        self._most = most
        self._pool = ThreadPoolExecutor(threads)
        self._turn = threading.Condition()
        self._parked: set[_Call] = set()
        self._count = 0
        self._is_closed = False
        self._looker = threading.Thread(target=self._look, daemon=True)
        self._looker.start()

    def handler(self, behavior: Callable[[bytes, Any], Sent]) -> Any:
        """Returns the handler of a method whose answers ``behavior`` yields; messages are bytes."""

        def start(message: bytes, context: Any, send: Callable[[bytes | None], None]) -> None:
            call = _Call(behavior(message, context), context, send)
            context.add_callback(lambda: self._left(call))
            self._run(call)

        # grpc requires this of a handler that returns before its call ends, and that gets `send`
        start.experimental_non_blocking = True  # type: ignore[attr-defined]
        start.experimental_thread_pool = self._pool  # type: ignore[attr-defined]
        return grpc.unary_stream_rpc_method_handler(start)

    def wake(self) -> None:
        """Resumes all waiting streams."""
        with self._turn:
            parked, self._parked = self._parked, set()
        for call in parked:
            self._pool.submit(self._run, call)

    def close(self) -> None:
        """Ends the threads, after all calls have ended."""
        with self._turn:
            self._is_closed = True
            self._turn.notify_all()
        self._looker.join()
        self._pool.shutdown(wait=False)

    def _run(self, call: _Call) -> None:
        """Sends answers until the stream waits or ends."""
        try:
            for found in call.stream:
                if not isinstance(found, Wait):
                    call.send(found)
                    if not call.context.is_active():
                        break
                elif found is not FOLLOWS:
                    if self._park(call, found):
                        return
                    break
                elif not self._has_place(call):
                    call.stream.throw(Problem(503, "busy", f"{self._most} calls are following already; try again"))  # fmt: skip
        except Exception:
            # the stream set the status of the call before it raised
            if call.context.code() is None:
                call.context.set_code(grpc.StatusCode.UNKNOWN)
        self._end(call)

    def _end(self, call: _Call) -> None:
        with suppress(Exception):  # the client disconnected
            call.stream.close()
        with self._turn:
            self._count -= call.is_follower
            call.is_follower = False
        call.send(None)

    def _has_place(self, call: _Call) -> bool:
        with self._turn:
            call.is_follower = self._count < self._most
            self._count += call.is_follower
            return call.is_follower

    def _park(self, call: _Call, wait: Wait) -> bool:
        """Parks a stream; False if its client disconnected."""
        with self._turn:
            if not call.context.is_active():
                return False
            call.waits, call.until = wait, time.monotonic() + RECHECK
            self._parked.add(call)
            self._turn.notify_all()
        return call.context.is_active() or not self._taken(call)

    def _taken(self, call: _Call) -> bool:
        """Claims a parked stream; False if it is not parked, or another thread claimed it."""
        with self._turn:
            is_there = call in self._parked
            self._parked.discard(call)
            return is_there

    def _left(self, call: _Call) -> None:
        if self._taken(call):
            with suppress(RuntimeError):  # the server has ended
                self._pool.submit(self._end, call)

    def _look(self) -> None:
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._parked or self._is_closed)
                if self._is_closed:
                    return
                # only the end of the server interrupts this wait
                self._turn.wait_for(lambda: self._is_closed, _SECONDS)
                waiting = [(call, call.waits) for call in self._parked if call.waits]
            over: dict[Hashable, bool] = {}
            for call, wait in waiting:
                if wait.key not in over:
                    over[wait.key] = _is_over(wait)
                is_due = over[wait.key] or call.until <= time.monotonic()
                if is_due and self._taken(call):
                    self._pool.submit(self._run, call)


def _is_over(wait: Wait) -> bool:
    try:
        return wait.is_over()
    except Exception:
        return True  # the stream will raise the error itself
