"""``RdfStreamService`` of Jelly as a client: ``subscribe`` and ``publish``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, NamedTuple, Self

from jelly import _internal
from jelly._convert import convert
from jelly._internal import RdfReader
from jelly._readers import read_rdf
from jelly.errors import DecodeError
from jelly.grpc._channel import Tls, answers, channel_to, is_plain, metadata_of
from jelly.grpc._wire import MOST, RDF_SERVICE, Frames, pieces_of, reading, written
from jelly.types import RdfFormat, RdfOptions, Source

# frames of flat streams end after so many rows, or earlier by their bytes
_ROWS = 8192


class Sent(NamedTuple):
    """The result of publishing.

    Attributes:
        rows: Statements that were sent.
        frames: Number of frames.
        bytes: Their bytes.
        replayed: Whether the topic already had the stream with this ``publish_id``, so that nothing was stored.
    """

    rows: int
    frames: int
    bytes: int
    replayed: bool


def subscribe(
    target: str,
    topic: str,
    *,
    options: RdfOptions | None = None,
    after: int = 0,
    follow: bool = False,
    token: str | None = None,
    tls: Tls | bool | None = None,
    compress: bool = False,
    **read_options: Any,
) -> RdfReader[Any]:
    """Reads a topic of a server that speaks ``RdfStreamService``.

    Args:
        target: ``host:port``.
        topic: The topic.
        options: Request the stream with these options; the default is the options of the topic.
        after: Begin after this number of frames of the topic; only for servers of this library.
        follow: Continue with frames that are published later, until the reader is closed; only for servers of this
            library. Other servers decide themselves. A batch ends with each frame, so that rows are given as soon as they come.
        token: The token; without it, ``JELLY_TOKEN`` of the environment is sent, only over TLS or to this machine.
        tls: True, or the files by which server and client authenticate each other.
        compress: Request compressed messages.
        **read_options: As for :func:`read_rdf`. The default ``source_name`` is ``host:port/topic``: topics share
            blank nodes only if these have labels in the data.

    Returns:
        A reader; close it, or read it to its end. The reader raises ``FileNotFoundError`` if the topic does not
        exist; ``PermissionError`` if there is no token or it does not allow access to this topic; a ``JellyError`` if
        the server rejects the options (``options.*``) or the stream has an error; ``ConnectionError`` if the server
        cannot be reached or stopped.
    """
    call = Subscription(target, topic, options, after, follow, token, tls, compress)
    return read_rdf(
        pieces_of(call.frames()),
        framing="delimited", format="jelly", **({"source_name": f"{target}/{topic}"} | reading(follow=follow, given=read_options)),
    )  # fmt: skip


@dataclass
class Subscription:
    """A call of SubscribeRdf, which runs while it is entered: an iterator of frames. :meth:`cancel` ends it from any thread."""

    target: str
    topic: str
    options: RdfOptions | None = None
    after: int = 0
    follow: bool = False
    token: str | None = None
    tls: Tls | bool | None = None
    compress: bool = False

    def __enter__(self) -> Self:
        asked = (
            None if self.options is None else _internal.written_options(self.options, RdfOptions)
        )
        metadata = metadata_of(
            self.target, self.token, self.tls, jelly_follow=self.follow,
            jelly_after=self.after or None, jelly_compress=True if self.compress else None,
        )  # fmt: skip
        self._channel = channel_to(self.target, self.tls, self.compress)
        self._call = self._channel.unary_stream(f"/{RDF_SERVICE}/SubscribeRdf")(
            written(self.topic, asked), metadata=metadata
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._call.cancel()
        self._channel.close()

    def frames(self) -> Iterator[bytes]:
        """The frames as they come; the call ends with the iterator."""
        with self:
            yield from self

    def __iter__(self) -> Iterator[bytes]:
        with answers(self.target):
            yield from self._call

    @property
    def stream(self) -> str | None:
        """What the server calls the stream whose frames it counts; None: it does not say. Waits for its answer."""
        return dict(self._call.initial_metadata() or ()).get("jelly-stream")

    def cancel(self) -> None:
        """Ends the call; whoever iterates gets a ``ConnectionError``."""
        self._call.cancel()


def publish(
    target: str,
    source: Source,
    *,
    topic: str | None = None,
    publish_id: str | None = None,
    format: RdfFormat = "auto",
    token: str | None = None,
    tls: Tls | bool | None = None,
    compress: bool = False,
) -> Sent:
    """Publishes statements to a topic of a server that speaks ``RdfStreamService``.

    Args:
        target: ``host:port``.
        source: As for :func:`read_rdf`, in any format of statements. The whole source is read and checked before
            anything is sent.
        topic: The topic; without it, the ``stream_name`` of a Jelly source.
        publish_id: Printable ASCII. The stream is stored complete or not at all, and only once under this id; only
            for servers of this library.
        format: Format of the source, as in :func:`read_rdf`.
        token: As for :func:`subscribe`.
        tls: As for :func:`subscribe`.
        compress: Send compressed messages.

    Returns:
        The result; the server has stored the stream on its disk.

    Raises:
        JellyError: The source has an error, its options do not fit those of the topic (``options.*``), or another
            stream has the id (``patch.duplicate``).
        PermissionError: There is no token, or it does not allow access to this topic.
        ValueError: ``publish_id`` is not valid.
        ConnectionError: The server cannot be reached, or stopped. Without ``publish_id``, a part may
            be stored.
    """
    if publish_id is not None and not is_plain(publish_id):
        raise ValueError(f"publish_id is {publish_id!r}; expected printable ASCII")
    with tempfile.TemporaryFile() as spool:
        rows = 0

        def convert_counted(*args: Any, **options: Any) -> None:
            nonlocal rows
            rows = convert(source, *args, format=format, **options).rows

        spooled(convert_counted, spool, topic)
        # the options say the topic too, and metadata takes ASCII alone
        named = topic if topic is not None and is_plain(topic) else None
        metadata = metadata_of(target, token, tls, jelly_topic=named, jelly_publish_id=publish_id)
        count = size = 0

        def messages() -> Iterator[bytes]:
            nonlocal count, size
            for frame in Frames(spool).upto():
                count, size = count + 1, size + len(frame)
                yield frame

        with answers(target), channel_to(target, tls, compress) as channel:
            call = channel.stream_unary(f"/{RDF_SERVICE}/PublishRdf")
            _, done = call.with_call(messages(), metadata=metadata)
            said = dict(done.trailing_metadata() or ())
    return Sent(rows, count, size, replayed=said.get("jelly-replayed") == "true")


def spooled(write: Callable[..., object], spool: IO[bytes], name: str | None) -> RdfOptions:
    """Has statements written as frames that peers take, by a function with a destination and options; returns the options of the stream."""
    write(
        spool, to="jelly", to_compression="none", restart_bytes=0, frame_rows=_ROWS, frame_bytes=MOST,
        stream_name=name,
    )  # fmt: skip
    spool.seek(0)
    made = read_rdf(spool, framing="delimited").options
    spool.seek(0)
    if made is None:
        kind = "truncated.stream"
        raise DecodeError(
            f"{kind}: the source has no options, so it is not a Jelly stream", kind=kind
        )
    return made
