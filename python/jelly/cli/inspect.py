"""The command that counts what a file holds."""

from __future__ import annotations

import json
from typing import Any

import click

import jelly
from jelly.cli.options import given, table_options, with_options
from jelly.cli.progress import Steps


@click.command(name="stats", short_help="Counts the contents of a file, in any format.")
@click.argument("source")
@click.option("--top", default=10, show_default=True, type=click.IntRange(0), help="Number of predicates, graphs, datatypes and languages to list.")  # fmt: skip
@with_options(
    table_options("stats", "format", "rows", "framing", "strict", "lenient_flags", "threads")
)
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def stats_command(source: str, as_json: bool, **options: Any) -> None:
    """Counts the contents of SOURCE, in any format: operations, kinds of terms, predicates, graphs.

    Only the most frequent predicates, graphs, datatypes and languages are listed.
    """
    with Steps(quiet=as_json) as steps:

        def progress(rows: int, size: int) -> None:
            steps.show(jelly.Step("counting", rows, size))

        found = jelly.stats(source, progress=progress, **given(options))
    click.echo(json.dumps(found._asdict()) if as_json else str(found))


COMMANDS = [stats_command]
