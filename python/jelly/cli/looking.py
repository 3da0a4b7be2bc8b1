"""The command that counts what a file holds."""

from __future__ import annotations

import json
from typing import Any

import click

import jelly
from jelly.cli.patching import given
from jelly.cli.progress import Steps


@click.command(name="stats", short_help="Counts of what a file holds, in any format.")
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


COMMANDS = [stats_command]
