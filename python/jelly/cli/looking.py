"""Commands that tell what a file is: inspect, validate, stats."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

import jelly
from jelly.cli.patching import given
from jelly.cli.progress import Steps

_STREAM = [
    click.option("--from", "format", type=click.Choice(["auto", "jelly", "jelly-patch"]), help="Of SOURCE."),
    click.option("--framing", type=click.Choice(["auto", "delimited", "single", "concatenated"]), help="Of SOURCE."),
    click.option("--json", "as_json", is_flag=True, help="Say it as JSON."),
]  # fmt: skip


def _stream(command: Any) -> Any:
    for option in reversed(_STREAM):
        command = option(command)
    return command


@click.command(name="inspect", short_help="Tells what a Jelly stream is.")
@click.argument("source")
@_stream
def inspect_command(source: str, as_json: bool, **options: Any) -> None:
    """Tells what the Jelly stream SOURCE is: options, frames, rows of each kind, what is unwise.

    Exit code 1 if it cannot be read to its end.
    """
    found = jelly.inspect(source, **given(options))
    click.echo(json.dumps(found.as_dict(), default=str) if as_json else str(found))
    if found.error is not None:
        sys.exit(1)


@click.command(name="validate", short_help="Tells whether Jelly streams are right.")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@_stream
def validate_command(sources: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Tells whether Jelly streams are as their specifications want them; exit code 1 if one is not."""
    right = True
    for source in sources:
        report = jelly.validate(source, **given(options))
        right = right and report.ok
        if as_json:
            click.echo(json.dumps({"source": source} | report.as_dict(), default=str))
        else:
            name = f"{source}: " if len(sources) > 1 else ""
            click.echo(name + str(report))
    if not right:
        sys.exit(1)


@click.command(name="stats", short_help="Counts what a file holds, in any format.")
@click.argument("source")
@click.option("--top", default=10, show_default=True, type=click.IntRange(0), help="How many predicates, graphs, datatypes and languages to name.")  # fmt: skip
@click.option("--from", "format", metavar="FORMAT", help="Of SOURCE: any format of convert.")
@click.option("--rows", type=click.Choice(["all", "committed"]), help="Of patches: only what changes a dataset.")  # fmt: skip
@click.option("--framing", help="delimited, single or concatenated.")
@click.option("--strict", is_flag=True, default=None, help="Refuse what the specifications advise against.")  # fmt: skip
@click.option("--lenient-flags", is_flag=True, default=None, help="Accept what the options do not declare.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
def stats_command(source: str, as_json: bool, **options: Any) -> None:
    """Counts what SOURCE holds, in any format: operations, kinds of terms, predicates, graphs.

    Predicates, graphs, datatypes and languages are the most frequent ones.
    """
    with Steps(quiet=as_json) as steps:

        def progress(rows: int, size: int) -> None:
            steps.show(jelly.Step("counting", rows, size))

        found = jelly.stats(source, progress=progress, **given(options))
    click.echo(json.dumps(found._asdict()) if as_json else str(found))


COMMANDS = [inspect_command, stats_command, validate_command]
