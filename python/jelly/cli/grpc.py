"""The commands ``jelly grpc``: topics of servers that speak ``RdfStreamService``."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from jelly._convert import Tally, convert
from jelly._frames import length_of
from jelly._readers import read_rdf
from jelly._writers import RdfWriter
from jelly.cli.options import OUT_FILE, Options, with_options
from jelly.cli.output import destination
from jelly.cli.summaries import counted, prefixes_left_out

if TYPE_CHECKING:
    from jelly.grpc._streams import Subscription


@click.group(name="grpc", short_help="Reads and publishes RDF streams over gRPC.")
def grpc_group() -> None:
    """Reads and publishes RDF streams of servers that speak Jelly's RdfStreamService.

    The token for the server is read from JELLY_TOKEN. It is sent only over TLS or to this machine.
    """


_CHANNEL: Options = [
    click.option("--tls", is_flag=True, help="Connect with TLS."),
    click.option("--ca", metavar="FILE", help="The authority that signed the server's certificate; implies --tls."),
    click.option("--cert", metavar="FILE", help="The certificate of this client; implies --tls."),
    click.option("--key", metavar="FILE", help="The key of --cert."),
    click.option("--compress", is_flag=True, help="Compress the messages."),
]  # fmt: skip


# formats of which each statement can be written when it comes
_STREAMED = ("auto", "jelly", "nt", "nq", "ttl", "trig")


def _tls(tls: bool, ca: str | None, cert: str | None, key: str | None) -> Any:
    from jelly.grpc._channel import Tls

    return Tls(ca, cert, key) if tls or ca or cert or key else None


@grpc_group.command(name="subscribe", short_help="Writes the statements of a topic.")
@click.argument("target", metavar="HOST:PORT")
@click.argument("topic")
@OUT_FILE
@click.option("--to", default="auto", metavar="FORMAT", help="Format of OUT: jelly, nt, nq, ttl or trig; the default is the format of its extension, or Jelly.")  # fmt: skip
@click.option("--after", default=0, help="Skip this number of frames of the topic.")
@click.option("--follow", is_flag=True, help="Continue with frames that are published later, until Ctrl-C; on standard output, the statements of each frame appear when it comes, and a file is written at the end.")  # fmt: skip
@with_options(_CHANNEL)
def subscribe_command(
    target: str,
    topic: str,
    dest: str,
    to: Any,
    after: int,
    follow: bool,
    compress: bool,
    **tls: Any,
) -> None:
    """Writes the statements of TOPIC on the server at HOST:PORT.

    Example: jelly grpc subscribe 127.0.0.1:50051 weather --to nt
    """
    from jelly.grpc._streams import Subscription
    from jelly.grpc._wire import pieces_of

    call = Subscription(
        target, topic, after=after, follow=follow, tls=_tls(**tls), compress=compress
    )
    frames = _until_stopped(call) if follow else call.frames()
    with destination(dest) as out:
        if follow and dest == "-" and to in _STREAMED:
            done = _as_they_come(frames, out, to)
        else:
            done = convert(pieces_of(frames), out, format="jelly", framing="delimited", to=to)
    said = counted(done.rows, "statement") + prefixes_left_out(done)
    click.echo(f"{topic}: {said}", err=True)


def _until_stopped(call: Subscription) -> Iterator[bytes]:
    """Gives the frames of a topic until a signal ends the call, which is no failure: what came is written whole."""
    is_stopped = False

    def stop(signum: int, _: object) -> None:
        nonlocal is_stopped
        is_stopped = True
        # a second signal ends the program, even if its output blocks
        signal.signal(signum, signal.SIG_DFL)
        call.cancel()

    with call:
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, stop)
        try:
            yield from call
        except ConnectionError:
            if not is_stopped:
                raise


def _as_they_come(frames: Iterator[bytes], out: Any, to: Any) -> Tally:
    """Writes the statements of a topic, those of each frame before it waits for the next one."""
    from jelly.grpc._wire import pieces_of, reading

    if to in ("auto", "jelly"):
        return _copied(frames, out)
    has_prefixes = to in ("ttl", "trig")
    options = reading(follow=True, given={"format": "jelly", "framing": "delimited"})
    with read_rdf(pieces_of(frames), **options) as reader:
        declared = has_prefixes and reader.peek() is not None
        prefixes = reader.namespaces if declared else None
        rows = 0
        with RdfWriter(out, format=to, namespaces=prefixes) as writer:
            for batch in reader:
                rows += writer.write(batch)
                writer.flush()
        return Tally(rows, 0, 0, 0 if has_prefixes else len(reader.namespaces))


def _copied(frames: Iterator[bytes], out: Any) -> Tally:
    """Writes the frames of a topic as they are, each once it was read without an error."""
    from jelly.grpc._wire import pieces_of

    def copied() -> Iterator[bytes]:
        for frame in frames:
            yield frame
            # whoever asks for more has read this one
            out.write(length_of(frame) + frame)
            out.flush()

    with read_rdf(pieces_of(copied()), format="jelly", framing="delimited") as reader:
        return Tally(sum(batch.num_rows for batch in reader), 0, 0)


@grpc_group.command(name="publish", short_help="Publishes a file of any RDF format to a topic.")
@click.argument("target", metavar="HOST:PORT")
@click.argument("source")
@click.option("--topic", help="Name of the topic; the default is the stream name of a Jelly file.")
@click.option("--publish-id", metavar="ID", help="Store the stream complete or not at all, and only once under this id.")  # fmt: skip
@click.option("--from", "format", default="auto", metavar="FORMAT", help="Format of SOURCE: jelly, nt, nq, ttl, trig, rdfxml, jsonld.")  # fmt: skip
@with_options(_CHANNEL)
def publish_command(
    target: str, source: str, topic: str | None, publish_id: str | None, format: Any, compress: bool,
    **tls: Any,
) -> None:  # fmt: skip
    """Publishes SOURCE (a path, or - for standard input) to a topic on the server at HOST:PORT.

    Example: jelly grpc publish 127.0.0.1:50051 data.nt --topic news
    """
    from jelly.grpc import publish

    done = publish(
        target, source, topic=topic, publish_id=publish_id, format=format, compress=compress,
        tls=_tls(**tls),
    )  # fmt: skip
    said = "the topic already had it" if done.replayed else "published"
    frames, size = counted(done.frames, "frame"), counted(done.bytes, "byte")
    click.echo(f"{said}: {counted(done.rows, 'statement')} in {frames}, {size}", err=True)


COMMANDS = [grpc_group]
