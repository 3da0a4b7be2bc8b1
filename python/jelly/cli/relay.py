"""The command ``jelly log relay``: a topic of Kafka that follows a log."""

from __future__ import annotations

from typing import Any

import click

import jelly
from jelly.cli.options import FOLLOW, JSON
from jelly.cli.push import bring
from jelly.cli.summaries import counted


@click.command(name="relay", short_help="Sends the versions of a log to a Kafka topic.")
@click.argument("place")
@click.argument("topic")
@click.option("--partition", type=click.IntRange(0), help="The partition that gets all versions; 0 by default.")  # fmt: skip
@click.option("--after", type=int, metavar="VERSION", help="The version that readers of the topic have already; only for a topic that records no version.")  # fmt: skip
@click.option("--to", metavar="FORMAT", help="Format of the messages: jelly-patch, rdfp or trp; the default is jelly-patch.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of librdkafka, such as security.protocol=SSL; can be given several times.")  # fmt: skip
@FOLLOW
@JSON
def relay_command(place: str, topic: str, settings: tuple[str, ...], **options: Any) -> None:
    """Sends the versions of the log at PLACE to TOPIC (kafka://host:9092/topic), each once, as one message.

    The last message records where to continue. To send what is new, run the command again or let it run with --follow.

    Example: jelly log relay logs/brick kafka://localhost:9092/changes
    """
    options["settings"] = _settings(settings)
    bring(jelly.relay, jelly.relay_on, place, topic, _relayed, **options)


def _settings(texts: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--set")
        found[name] = value
    return found


def _relayed(done: jelly.Relayed) -> str:
    return f"version {done.version:,}: {counted(done.patches, 'patch', 'patches')} relayed, {counted(done.bytes, 'byte')}"
