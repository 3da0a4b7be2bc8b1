"""``PatchLog`` as a client: what a log is, its patches, publishing to it."""

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
from jelly.grpc._wire import LOG_SERVICE, Frames, info_of, pieces_of, published_of, written
from jelly.log import LogInfo, Published
from jelly.log._patch import prepared
from jelly.types import PatchFormat, PatchOptions, Source

# how long a publish is tried again, with the same id
_TRIES = 30.0
# how many patches are asked for before they are read, where each is a call
_AHEAD = 8


def describe(
    target: str, log: str, *, token: str | None = None, tls: Tls | bool | None = None
) -> LogInfo:
    """What a log of a server is.

    Args:
        target: ``host:port``.
        log: The name of the log.
        token: As of :func:`subscribe`.
        tls: As of :func:`subscribe`.

    Raises:
        FileNotFoundError: There is no such log.
        PermissionError: No token, or not this log.
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
        after_id: The id that this version has; another one is refused (``patch.fork``).
        upto: End with this version; the head otherwise.
        follow: Go on with patches that are published later, until the reader is closed.
        options: The stream is asked for with these options; as logs keep patches otherwise.
        token: As of :func:`subscribe`.
        tls: As of :func:`subscribe`.
        **read_options: As of :func:`read_patch`.

    Returns:
        A reader; close it, or read it to its end. What a server refuses comes from the reader, as of
        :meth:`jelly.Log.read` and, of options, as of :func:`subscribe`.
    """
    wanted = None if options is None else _internal.written_options(options, PatchOptions)

    def messages() -> Iterator[bytes]:
        asked = written(log, after, after_id, upto, int(follow), wanted)
        with channel_to(target, tls, compress=False) as channel:
            ask = channel.unary_stream(f"/{LOG_SERVICE}/Subscribe")
            yield from _answered(target, ask(asked, metadata=metadata_of(target, token, tls)))

    return read_patch(
        pieces_of(messages()), framing="delimited", format="jelly-patch",
        **({"source_name": f"{target}/{log}"} | read_options),
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
    """Makes a patch the next one of a log; see :meth:`jelly.Log.publish`.

    The patch gets its id here, so it is sent again, for half a minute, until the server answers.

    Args:
        target: ``host:port``.
        log: The name of the log.
        patch: As of :meth:`jelly.Log.publish`.
        expect: As of :meth:`jelly.Log.publish`.
        headers: As of :meth:`jelly.Log.publish`.
        format: As of :meth:`jelly.Log.publish`.
        token: As of :func:`subscribe`.
        tls: As of :func:`subscribe`.

    Raises:
        PatchError: As of :meth:`jelly.Log.publish`.
        FileNotFoundError: There is no such log.
        PermissionError: No token, or not this log.
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
