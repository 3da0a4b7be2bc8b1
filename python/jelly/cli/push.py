"""The command ``jelly push``: a store that follows a log."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import click

import jelly
from jelly._http import PASSES
from jelly._patching import Report
from jelly.cli.options import FOLLOW, JSON, given
from jelly.cli.output import say
from jelly.cli.progress import Steps
from jelly.cli.summaries import counted
from jelly.log._there import existing


@click.command(name="push", short_help="Sends the patches of a log to a SPARQL store.")
@click.argument("place")
@click.argument("endpoint")
@click.option("--query", "query_endpoint", metavar="URL", help="URL for queries of the store; the default is .../query for .../update, X for X/statements, else ENDPOINT.")  # fmt: skip
@click.option("--after", type=int, metavar="VERSION", help="The version whose dataset the store has already; only for a store that records no version.")  # fmt: skip
@click.option("--skolemize", metavar="START", help="Write blank nodes as IRIs that begin with START, which must be the same from the first patch on.")  # fmt: skip
@click.option("--request-bytes", type=click.IntRange(1), metavar="BYTES", help="Size of a request, 1 MiB by default; a larger patch takes several requests.")  # fmt: skip
@FOLLOW
@JSON
def push_command(place: str, endpoint: str, **options: Any) -> None:
    """Sends the patches of the log at PLACE to ENDPOINT as SPARQL Update, each patch once.

    The store keeps its version in the graph <urn:jelly:logs>. To send what is new, run the command again or
    let it run with --follow, which also waits while the store does not answer.
    If the store needs authorization, JELLY_STORE_AUTHORIZATION is sent as the header Authorization.

    Example: jelly push logs/brick http://localhost:3030/ds/update
    """
    bring(jelly.push, jelly.push_on, place, endpoint, _pushed, **options)


def bring(
    once: Callable[..., Any],
    on: Callable[..., Iterator[Any]],
    place: str,
    target: str,
    text_of: Callable[[Any], str],
    *,
    follow: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Brings a target to the head of the log at a place, ``once`` or, to follow it, from then ``on``."""

    def told(done: Any) -> None:
        say(done._asdict(), text_of(done), as_json=as_json)

    log, asked = jelly.Log(place), given(options)
    if follow:
        with suppress(*PASSES):  # it waits for what does not answer yet
            existing(log)
        _until_stopped(lambda report: on(log, target, progress=report, **asked), told)
        return
    existing(log)
    with Steps(quiet=as_json) as steps:
        done = once(log, target, progress=steps.show, **asked)
    told(done)


def _until_stopped(begin: Callable[[Report], Iterator[Any]], say: Callable[[Any], object]) -> None:
    """Goes on until a signal ends it, which is no failure: nothing is lost then."""
    waits = ""

    def report(step: jelly.Step) -> None:
        nonlocal waits
        if step.phase.startswith("waiting: ") and step.phase != waits:
            waits = step.phase
            click.echo(f"jelly: {waits}", err=True)

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    with suppress(KeyboardInterrupt):
        for done in begin(report):
            waits = ""
            say(done)


def _pushed(done: jelly.Pushed) -> str:
    text = f"version {done.version:,}: {counted(done.patches, 'patch', 'patches')} pushed (+{done.added:,}, -{done.deleted:,})"
    if done.prefixes_left_out:
        text += f"; {counted(done.prefixes_left_out, 'change')} of prefixes left out, which a store does not hold"
    return text


COMMANDS = [push_command]
