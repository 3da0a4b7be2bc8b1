"""Commands over one file: convert, cat, index, inspect, validate."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from jelly import Tally, convert, index, inspect, validate
from jelly._whole_file import local_path
from jelly.cli import patches
from jelly.cli.options import FOUND_AS_JSON, JSON, Options, given, table_options, with_options
from jelly.cli.output import destination, verdict
from jelly.cli.progress import Bar
from jelly.cli.summaries import prefixes_left_out

_READ = table_options("convert", "format", "framing", "rows", "strict", "lenient_flags", "threads")
_LOOK: Options = [
    click.argument("source"),
    *table_options("inspect", "format", "framing"),
    FOUND_AS_JSON,
]


@click.command(name="convert", short_help="Converts a file to another format.")
@click.argument("source")
@click.argument("dest")
@with_options(
    _READ,
    table_options("result_rdf", "to", to="auto"),
    table_options("result_rdf", "to_compression", "compression_level"),
    table_options("convert", "blank_nodes"),
    table_options(
        "converted", "delimited", "frame_rows", "frame_bytes", "namespaces", "restart_bytes", "stream_name", "physical_type",
        "logical_type", "stream_type", "statement_type", "max_name_table_size", "max_prefix_table_size",
        "max_datatype_table_size", "abbreviate",
    ),
)  # fmt: skip
@patches.SKOLEM
@click.option(
    "--deskolemize", is_flag=False, flag_value="", metavar="[START]",
    help="Write IRIs that begin with START as blank nodes; this reverses --skolemize.",
)  # fmt: skip
@JSON
def convert_command(
    source: str,
    dest: str,
    as_json: bool,
    skolemize: str | None,
    deskolemize: str | None,
    **options: Any,
) -> None:
    """Converts SOURCE to DEST.

    Example: jelly convert log.jellyp log.rdfp.gz

    Use - for standard input or output.
    """
    for name, start in (("skolemize", skolemize), ("deskolemize", deskolemize)):
        if start is not None:
            options[name] = start or True
    if dest == "-" and options["to"] == "auto" and sys.stdout.isatty():
        options["to"] = "text"
    with destination(dest) as out, Bar(source, quiet=as_json) as bar:
        done = convert(source, out, progress=bar.show, **given(options))
    if as_json:
        click.echo(json.dumps(done._asdict()), err=dest == "-")
    elif dest != "-" and sys.stderr.isatty():
        click.echo(_summary(done), err=True)


@click.command(short_help="Prints statements as N-Quads, patches as RDF Patch.")
@click.argument("source")
@with_options(_READ)
def cat(source: str, **options: Any) -> None:
    """Prints SOURCE as text: statements as N-Quads, patches as RDF Patch."""
    with destination("-") as out:
        convert(source, out, to="text", **given(options))


@click.command(name="index", short_help="Writes a sidecar for reading parts of a file.")
@click.argument("path")
@with_options(table_options("index", "every", "framing"))
def index_command(path: str, **options: Any) -> None:
    """Writes the sidecar that is needed to read parts of the Jelly file PATH."""
    local_path(path).open("rb").close()  # an error that names it
    sidecar, points = index(path, **given(options))
    click.echo(f"{sidecar}, sync points: {points:,}")


@click.command(name="inspect", short_help="Reports what a Jelly file is and contains.")
@with_options(_LOOK)
def inspect_command(source: str, as_json: bool, **options: Any) -> None:
    """Reports what the Jelly file SOURCE is and contains: options, rows, patches, advice."""
    found = inspect(source, **given(options))
    with verdict(is_good=found.error is None):
        click.echo(json.dumps(found.as_dict()) if as_json else str(found))


@click.command(name="validate", short_help="Checks a Jelly file against its specification.")
@with_options(_LOOK)
def validate_command(source: str, as_json: bool, **options: Any) -> None:
    """Checks the Jelly file SOURCE against its specification; exit code 1 if there is an error."""
    report = validate(source, **given(options))
    with verdict(is_good=report.ok):
        click.echo(json.dumps(report.as_dict()) if as_json else str(report))


def _summary(done: Tally) -> str:
    text = f"{done.rows:,} rows, {done.bytes_in:,} bytes in, {done.bytes_out:,} bytes out"
    return text + prefixes_left_out(done)


COMMANDS = [convert_command, cat, index_command, inspect_command, validate_command]
