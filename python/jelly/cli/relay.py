"""The command ``jelly log relay``: a topic of Kafka that follows a log."""

from __future__ import annotations

import json
from typing import Any

import click

import jelly
from jelly.cli.options import given
from jelly.cli.progress import Steps
from jelly.cli.push import until_stopped
from jelly.cli.summaries import counted
from jelly.log._there import existing


@click.command(name="relay", short_help="Brings a topic of Kafka to the head of a log.")
@click.argument("place")
@click.argument("topic")
@click.option("--partition", type=click.IntRange(0), help="The partition that gets all versions; 0 otherwise.")  # fmt: skip
@click.option("--after", type=int, metavar="VERSION", help="The version that readers of the topic have already; only for a topic that says none.")  # fmt: skip
@click.option("--to", metavar="FORMAT", help="The format of messages: jelly-patch, rdfp or trp; Jelly-Patch otherwise.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of librdkafka, such as security.protocol=SSL; can be given several times.")  # fmt: skip
@click.option("--follow", is_flag=True, help="Go on with versions as they come, until SIGINT or SIGTERM.")  # fmt: skip
@click.option("--json", "is_json", is_flag=True, help="Say what was done as JSON.")
def relay_command(
    place: str, topic: str, settings: tuple[str, ...], follow: bool, is_json: bool, **options: Any
) -> None:
    """Sends the versions of the log at PLACE to TOPIC, kafka://host:9092/topic, a message each, once.

    The last message says where to go on; run the command again to send what is new, or let it go on with --follow.

    Example: jelly log relay logs/brick kafka://localhost:9092/changes
    """
    asked = given(options) | {"settings": _settings(settings)}
    log = existing(jelly.Log(place))
    if follow:
        until_stopped(
            lambda report: jelly.relay_on(log, topic, progress=report, **asked),
            lambda done: _say(done, is_json),
        )
        return
    with Steps(quiet=is_json) as steps:
        done = jelly.relay(log, topic, progress=steps.show, **asked)
    _say(done, is_json)


def _settings(texts: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise click.BadParameter(f"{text!r} is no NAME=VALUE", param_hint="--set")
        found[name] = value
    return found


def _say(done: jelly.Relayed, is_json: bool) -> None:
    if is_json:
        click.echo(json.dumps(done._asdict()))
        return
    text = f"version {done.version:,}: {counted(done.patches, 'patch', 'patches')} relayed, {counted(done.bytes, 'byte')}"
    click.echo(text, err=True)
