"""``RdfStreamService``: SubscribeRdf and PublishRdf."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import grpc

from jelly import _internal
from jelly._frames import frames_in
from jelly._whole_file import work_folder
from jelly.grpc._wire import MOST, subscribe_of
from jelly.service._problems import Problem, reading_body
from jelly.service.grpc._calls import Calls, met, metadata_of, number_of, whole
from jelly.service.grpc._followers import FOLLOWS, Followers, Sent, Wait
from jelly.service.grpc._sources import Sources, Stream
from jelly.service.grpc._topics import Topic, Writer


class Streams:
    """The methods of the service."""

    def __init__(self, calls: Calls, sources: Sources, followers: Followers) -> None:
        self._calls, self._sources, self._followers = calls, sources, followers

    def methods(self) -> dict[str, Any]:
        """Returns the handlers by name; messages are bytes."""
        return {
            "SubscribeRdf": self._followers.handler(self._subscribe),
            "PublishRdf": grpc.stream_unary_rpc_method_handler(self._publish),
        }

    def _subscribe(self, message: bytes, context: Any) -> Sent:
        with self._calls.call(context, "SubscribeRdf", publishes=False):
            try:
                asked = subscribe_of(message)
            except ValueError as error:
                raise Problem(400, "message", str(error)) from None
            token = self._calls.allow(
                context, "read", asked.topic, self._sources.log_of(asked.topic)
            )
            metadata = metadata_of(context)
            if metadata.get("jelly-compress") == "true":
                context.set_compression(grpc.Compression.Gzip)
            stream = self._sources.get(asked.topic)
            after = number_of(metadata, "jelly-after") or 0
            follows = metadata.get("jelly-follow") != "false"
            relay = _asked_for(stream, asked.options)
            if relay is not None and after:
                raise Problem(400, "metadata", "jelly-after counts the frames of the topic: request the options of the topic, or none")  # fmt: skip
            if after > stream.frames:
                raise Problem(410, "patch.version", f"the topic has {stream.frames} frames, not {after}")  # fmt: skip

            context.send_initial_metadata([("jelly-stream", stream.identity)])

            def follow() -> bool:
                self._calls.check_open()
                return follows and context.is_active()

            if follows and isinstance(stream, Topic):
                yield FOLLOWS
            yield from self._calls.while_valid(token, _sent(stream, after, follow, relay))

    def _publish(self, messages: Iterator[bytes], context: Any) -> bytes:
        with self._calls.call(context, "PublishRdf", publishes=True):
            metadata = metadata_of(context)
            if "jelly-publish-id" in metadata:
                messages = whole(messages, context)
            first = _first_of(messages)
            name = metadata.get("jelly-topic") or _stream_name(first)
            token = self._calls.allow(context, "publish", name, self._sources.log_of(name))
            messages = self._calls.while_valid(token, messages)
            topic = self._sources.published(name)
            if (publish_id := metadata.get("jelly-publish-id")) is not None:
                is_new = self._whole(topic, first, messages, publish_id)
                context.set_trailing_metadata([("jelly-replayed", str(not is_new).lower())])
            else:
                self._as_it_comes(topic, first, messages)
        return b""

    def _as_it_comes(self, topic: Topic, first: bytes, messages: Iterator[bytes]) -> None:
        writer = Writer()
        try:
            for message in chain([first], messages):
                self._calls.check_open()
                with reading_body():
                    topic.push(writer, message)
        finally:
            topic.leave(writer)
        _refuse_nothing(writer)

    def _whole(self, topic: Topic, first: bytes, messages: Iterator[bytes], id: str) -> bool:
        writer, frames = Writer(id), 0
        relay = writer.relay_for(topic)
        with work_folder(self._sources.work) as work:
            part = work / "part"
            with part.open("wb") as file:
                for message in chain([first], messages):
                    self._calls.check_open()
                    with reading_body():
                        out = relay.push(message)
                    file.write(out)
                    frames += sum(1 for _ in frames_in(out))
                    topic.check_room(file.tell())
            _refuse_nothing(writer)
            return topic.add_whole(part, id, relay.written_options, frames)


def _first_of(messages: Iterator[bytes]) -> bytes:
    message = next(messages, None)
    if message is None:
        raise Problem(400, "truncated.stream", "there is no frame; a stream has its options in its first frame")  # fmt: skip
    return message


def _refuse_nothing(writer: Writer) -> None:
    if not writer.has_begun:
        raise Problem(400, "options.missing", "all frames are empty; a stream has its options in its first frame")  # fmt: skip


def _stream_name(first: bytes) -> str:
    """Returns the name in the options of the first frame, as in the test of Jelly-JVM."""
    relay = _internal.RdfRelay()
    with reading_body():
        relay.push(first)
    options = relay.options
    if options is None or not options.stream_name:
        raise Problem(400, "topic", "no topic is named: give one (--topic, topic=, the metadata jelly-topic), or a stream_name in the options of the first frame")  # fmt: skip
    return str(options.stream_name)


def _asked_for(stream: Stream, asked: bytes | None) -> Any:
    """Returns the relay that converts frames to the requested options; None if the frames fit.

    Raises:
        Problem: The stream is not available with these options.
    """
    if stream.options is None:
        return None
    options, fits = met(stream.options, asked)
    return None if fits else _internal.RdfRelay(options, frame_bytes=MOST)


def _sent(stream: Stream, after: int, follow: Any, relay: Any) -> Sent:
    """Yields the frames after this number; if the first frames of a file are skipped, encodes the rest again."""
    rest: Any = None
    for frame in stream.stored(after, follow):
        if isinstance(frame, Wait):
            yield frame
            continue
        if frame.begins:
            rest = _internal.RdfRelay(frame_bytes=MOST) if frame.number < after else None
        anew = relay or rest
        if anew is None:
            yield frame.message
        else:
            yield from frames_in(anew.push(frame.message, passed=frame.number < after))
