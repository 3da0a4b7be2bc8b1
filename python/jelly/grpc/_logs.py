"""``PatchLog`` as a client: information about a log, its patches, publishing."""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc

from jelly import _internal
from jelly._internal import PatchReader
from jelly._readers import read_patch
from jelly.grpc._channel import Tls, answers, channel_to, metadata_of
from jelly.grpc._wire import LOG_SERVICE, Frames, info_of, pieces_of, published_of, reading, written
from jelly.log import LogInfo, Published
from jelly.log._patch import prepared, refuse_range, refused_at
from jelly.types import PatchFormat, PatchOptions, Source

# how long a publish is tried again, with the same id
_TRIES = 30.0
# how many patches are requested before they are read, where each is a call
_AHEAD = 8


def describe(
    target: str, log: str, *, token: str | None = None, tls: Tls | bool | None = None
) -> LogInfo:
    """Information about a log of a server.

    Args:
        target: ``host:port``.
        log: The name of the log.
        token: As for :func:`subscribe`.
        tls: As for :func:`subscribe`.

    Raises:
        FileNotFoundError: The log does not exist.
        PermissionError: There is no token, or it does not allow access to this log.
        ConnectionError: The server cannot be reached.
    """
    with answers(target), channel_to(target, tls, compress=False) as channel:
        call = channel.unary_unary(f"/{LOG_SERVICE}/Describe")
        return info_of(call(written(log), metadata=metadata_of(target, token, tls)))


def read_log(
    target: str,
    log: str,
    *,
    after: int = 0,
    after_id: str | None = None,
    upto: int | None = None,
    follow: bool = False,
    options: PatchOptions | None = None,
    token: str | None = None,
    tls: Tls | bool | None = None,
    **read_options: Any,
) -> PatchReader[Any]:
    """Reads the patches of a range of versions, in order, as one stream.

    Args:
        target: ``host:port``.
        log: The name of the log.
        after: Begin after this version.
        after_id: The id that this version must have; another id is an error (``patch.fork``).
        upto: End with this version; 0 gives no patch, and the default is the head.
        follow: Continue with patches that are published later, until the reader is closed. A batch ends with each
            frame, as for :func:`subscribe`.
        options: Request the stream with these options; the default is the options of the log.
        token: As for :func:`subscribe`.
        tls: As for :func:`subscribe`.
        **read_options: As for :func:`read_patch`.

    Returns:
        A reader; close it, or read it to its end. The reader raises the errors of the server, as for
        :meth:`jelly.Log.read` and, for options, as for :func:`subscribe`.
    """
    wanted = None if options is None else _internal.written_options(options, PatchOptions)

    def messages() -> Iterator[bytes]:
        if upto == 0:  # in the message, 0 stands for the head
            info = describe(target, log, token=token, tls=tls)
            place = f"{target}/{log}"
            refuse_range(after, upto, info.first, info.head.version, place)
            if after_id:
                said = f"version 0 has no patch, so {after_id} is of another log"
                raise refused_at("patch.fork", said, place)
            return
        asked = written(log, after, after_id, upto, int(follow), wanted)
        with channel_to(target, tls, compress=False) as channel:
            ask = channel.unary_stream(f"/{LOG_SERVICE}/Subscribe")
            yield from _answered(target, ask(asked, metadata=metadata_of(target, token, tls)))

    return read_patch(
        pieces_of(messages()), framing="delimited", format="jelly-patch",
        **({"source_name": f"{target}/{log}"} | reading(follow=follow, given=read_options)),
    )  # fmt: skip


def each_patch(
    target: str,
    log: str,
    after: int,
    upto: int,
    *,
    token: str | None = None,
    tls: Tls | bool | None = None,
) -> Iterator[Iterator[bytes]]:
    """The patches of a range of versions one by one, each as a stream of Jelly-Patch, to be read before the next.

    The protocol does not say where a version ends in a range, so each is a call, begun some versions ahead.
    """
    metadata = metadata_of(target, token, tls)
    calls: deque[Any] = deque()
    with channel_to(target, tls, compress=False) as channel:
        ask = channel.unary_stream(f"/{LOG_SERVICE}/Subscribe")
        for version in range(after + 1, upto + _AHEAD):
            if version <= upto:
                calls.append(ask(written(log, version - 1, None, version), metadata=metadata))
            if version >= after + _AHEAD:
                yield pieces_of(_answered(target, calls.popleft()))


def _answered(target: str, call: Any) -> Iterator[bytes]:
    with answers(target):
        try:
            yield from call
        finally:
            call.cancel()


def publish_patch(
    target: str,
    log: str,
    patch: Source,
    *,
    expect: int | str | None = None,
    headers: Mapping[str, str] | None = None,
    format: PatchFormat = "auto",
    token: str | None = None,
    tls: Tls | bool | None = None,
) -> Published:
    """Publishes a patch as the next one of a log; see :meth:`jelly.Log.publish`.

    The patch gets its id before it is sent, so it can be sent again, for half a minute, until the server answers.

    Args:
        target: ``host:port``.
        log: The name of the log.
        patch: As for :meth:`jelly.Log.publish`.
        expect: As for :meth:`jelly.Log.publish`.
        headers: As for :meth:`jelly.Log.publish`.
        format: As for :meth:`jelly.Log.publish`.
        token: As for :func:`subscribe`.
        tls: As for :func:`subscribe`.

    Raises:
        PatchError: As for :meth:`jelly.Log.publish`.
        FileNotFoundError: The log does not exist.
        PermissionError: There is no token, or it does not allow access to this log.
        ConnectionError: The server cannot be reached.
    """
    metadata = metadata_of(target, token, tls, jelly_log=log, jelly_expect=expect)
    with tempfile.TemporaryDirectory() as folder:
        body = prepared(patch, Path(folder), headers or {}, format).path
        until, wait = time.monotonic() + _TRIES, 0.05
        while True:
            try:
                with body.open("rb") as file, channel_to(target, tls, compress=False) as channel:
                    call = channel.stream_unary(f"/{LOG_SERVICE}/Publish")
                    with answers(target):
                        return published_of(call(Frames(file).upto(), metadata=metadata))
            except ConnectionError as error:
                if time.monotonic() > until or not _may_pass(error):
                    raise
                time.sleep(wait)
                wait = min(2 * wait, 2)


def _may_pass(error: ConnectionError) -> bool:
    return grpc.StatusCode.UNAVAILABLE.name in str(error)
