"""The receiver of a stream: a thread that subscribes, and writes the incoming frames to a spool."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

from jelly import _internal
from jelly._whole_file import locked
from jelly.errors import ArgumentError

if TYPE_CHECKING:
    from jelly.spark.grpc.options import Server
    from jelly.spark.grpc.spool import Spool

# approximate maximum size of a file in bytes
_FILE = 16 << 20
# a frame that begins a file also contains options and lookups
_LONGEST = 16 << 20
# maximum number of attempts to connect without a frame in between, and maximum seconds between attempts
_TRIES = 6
_PAUSE = 8.0
# seconds for which the receiver of a stopped query may still hold the spool
_LOCK_SECONDS = 30.0


class Receiver:
    """Subscribes to a topic, after the last frame of the spool.

    Args:
        spool: The destination of frames.
        server: The topic and its server.
        most: Maximum number of bytes that wait in the spool; None: no limit.
        follow: Whether to wait for frames that are published later.

    Raises:
        ArgumentError: Another receiver holds the spool.
    """

    def __init__(self, spool: Spool, server: Server, most: int | None, *, follow: bool) -> None:
        self._spool, self._server, self._most, self._follow = spool, server, most, follow
        self._handle = _lock_of(spool)
        files = spool.files()
        self._frames = files[-1].end if files else 0
        self._waits = sum(one.size for one in files)
        self._part: list[bytes] = []
        self._bytes = self._more = 0
        self._turn = threading.Condition()
        self._stops = threading.Event()
        self._call: Any = None
        self._error: BaseException | None = None
        self.done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="jelly-grpc", daemon=True)
        self._thread.start()

    def flush(self) -> int:
        """Writes received frames to the spool.

        Returns:
            The number of frames of the spool.
        """
        with self._turn:
            if self._bytes:
                added = self._spool.add(self._frames, self._more, b"".join(self._part))
                self._frames, self._waits = added.end, self._waits + added.size
                self._part, self._bytes, self._more = [], 0, 0
            return self._frames

    def check(self) -> None:
        """Raises the error that ended the receiver, if there was one."""
        if self.done.is_set() and self._error is not None:
            raise self._error

    def consumed(self, frames: int) -> None:
        """Records that frames up to this number no longer wait, so there may be space again."""
        with self._turn:
            self._waits = sum(one.size for one in self._spool.files() if one.end > frames)
            self._turn.notify_all()

    def close(self) -> None:
        """Ends the receiver."""
        self._stops.set()
        with self._turn:
            if self._call is not None:
                self._call.cancel()
            self._turn.notify_all()
        self._thread.join()
        os.close(self._handle)

    def _run(self) -> None:
        tries = 0
        try:
            while not self._stops.is_set():
                before = self._frames + self._more
                try:
                    self._receive()
                    break
                except ConnectionError:
                    tries = tries + 1 if before == self._frames + self._more else 1
                    # other servers have no offsets: a new subscription would read everything again
                    if self._stops.is_set() or not self._spool.stream or tries > _TRIES:
                        raise
                    self._stops.wait(min(0.25 * 2**tries, _PAUSE))
        except BaseException as error:
            self._error = None if self._stops.is_set() else error
        finally:
            self.done.set()

    def _receive(self) -> None:
        from jelly.grpc._streams import Subscription

        self.flush()  # each stream begins a new file
        relay = _internal.RdfRelay(frame_bytes=_LONGEST)
        server, known = self._server, self._spool.stream
        after = self._frames + self._more if known else 0
        with Subscription(
            server.target, server.topic, after=after, follow=self._follow, **server.call
        ) as call:
            with self._turn:
                self._call = call
            if self._stops.is_set():
                return
            stream = call.stream
            for message in call:
                if known is None or (known and stream != known):
                    self._meet(known, stream or "")
                    known = stream or ""
                self._add(relay, message)

    def _meet(self, known: str | None, stream: str) -> None:
        """Stores the server's id of the stream; rejects a stream with another id."""
        if known is None:
            self._spool.set_stream(stream)
            return
        found = (
            f"the stream {stream}" if stream else "a stream of a server that does not number frames"
        )
        raise ArgumentError(
            f"argument: {self._server.source}: the spool has frames of the stream {known}, but the name of the topic now belongs to {found}; to read it, use a new checkpoint and a new spoolLocation", kind="argument",
        )  # fmt: skip

    def _add(self, relay: Any, message: bytes) -> None:
        with self._turn:
            while self._is_full() and not self._stops.is_set():
                self._turn.wait()
            if not self._bytes:
                relay.restart()
            out = relay.push(message)
            if out:
                self._part.append(out)
            self._bytes += len(out)
            self._more += 1
            if self._bytes >= _FILE:
                self.flush()

    def _is_full(self) -> bool:
        return self._most is not None and self._waits + self._bytes >= self._most


def _lock_of(spool: Spool) -> int:
    until = time.monotonic() + _LOCK_SECONDS
    while (handle := locked(spool.folder / ".lock")) is None:
        if time.monotonic() > until:
            raise ArgumentError(
                f"argument: {spool.folder}: another query uses this spool; give each query its "
                "own spoolLocation",
                kind="argument",
            )
        time.sleep(0.05)
    return handle
