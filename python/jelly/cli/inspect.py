"""The command that counts what a file holds."""

from __future__ import annotations

import json
from typing import Any

import click

import jelly
from jelly.cli.options import given, table_options, with_options
from jelly.cli.progress import Steps


@click.command(name="stats", short_help="Counts of what a file holds, in any format.")
@click.argument("source")
@click.option("--top", default=10, show_default=True, type=click.IntRange(0), help="How many predicates, graphs, datatypes and languages to name.")  # fmt: skip
@with_options(
    table_options("stats", "format", "rows", "framing", "strict", "lenient_flags", "threads")
)
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
