"""Commands over one file: convert, cat, index, inspect, validate."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import click

from jelly import Tally, convert, index, inspect, validate
from jelly._whole_file import local_path
from jelly.cli import patching
from jelly.cli.output import destination
from jelly.cli.progress import Bar

_FORMATS = (
    "jelly, nt, nq, ttl, trig, rdfxml, jsonld, jelly-patch, rdfp, rdfp-v1, trp, parquet, arrow"
)


def _reading(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.option("--from", "format", default="auto", metavar="FORMAT", help=f"Of the input: {_FORMATS}."),
        click.option("--framing", default="auto", help="delimited, single or concatenated."),
        click.option("--rows", default="all", type=click.Choice(["all", "committed"]), help="Of patches: only what changes a dataset."),
        click.option("--strict", is_flag=True, help="Refuse what the specifications advise against."),
        click.option("--lenient-flags", is_flag=True, help="Accept what the options do not declare."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@click.command(name="convert", short_help="A file in another format.")
@click.argument("source")
@click.argument("dest")
@_reading
@click.option(
    "--to",
    default="auto",
    metavar="FORMAT",
    help="Of the output, text for N-Quads and RDF Patch; else by its extension, else Jelly; on a terminal text.",
)
@click.option(
    "--compression",
    "to_compression",
    default="auto",
    help="none, gzip or zstd; else by the extension.",
)
@click.option("--level", "compression_level", type=int, help="Level of the compression.")
@click.option(
    "--delimited/--single", default=True, help="Frames of Jelly with or without their length."
)
@click.option("--frame-rows", type=int, help="Rows at which a frame ends.")
@click.option(
    "--namespaces/--no-namespaces", default=None, help="Declare namespaces; else as the input does."
)
@click.option("--restart-bytes", type=int, help="Bytes between restart points; 0 for none.")
@click.option("--stream-name", help="Of Jelly-RDF.")
@click.option("--physical-type", help="TRIPLES, QUADS or GRAPHS.")
@click.option("--logical-type", help="FLAT_TRIPLES and so on.")
@click.option("--stream-type", help="Of Jelly-Patch: FRAME, FLAT or PUNCTUATED.")
@click.option("--statement-type", help="Of Jelly-Patch: TRIPLES or QUADS.")
@click.option("--names", "max_name_table_size", type=int, help="Size of the name table.")
@click.option("--prefixes", "max_prefix_table_size", type=int, help="Size of the prefix table.")
@click.option(
    "--datatypes", "max_datatype_table_size", type=int, help="Size of the datatype table."
)
@click.option(
    "--abbreviate", is_flag=True, help="RDF Patch text with bare numbers, as Jena writes it."
)
@patching.SKOLEM
@click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON.")
def convert_command(
    source: str, dest: str, as_json: bool, skolemize: str | None, **options: Any
) -> None:
    """Converts SOURCE to DEST.

    Such as: jelly convert log.jellyp log.rdfp.gz

    - is standard input or output.
    """
    if skolemize is not None:
        options["skolemize"] = skolemize or True
    if dest == "-" and options["to"] == "auto" and sys.stdout.isatty():
        options["to"] = "text"
    with destination(dest) as out, Bar(source, quiet=as_json) as bar:
        done = convert(source, out, progress=bar.show, **patching.given(options))
    if as_json:
        click.echo(json.dumps(done._asdict()), err=dest == "-")
    elif dest != "-" and sys.stderr.isatty():
        click.echo(_summary(done), err=True)


@click.command(short_help="Statements as N-Quads, patches as RDF Patch.")
@click.argument("source")
@_reading
def cat(source: str, **options: Any) -> None:
    """Prints SOURCE as text: statements as N-Quads, patches as RDF Patch."""
    with destination("-") as out:
        convert(source, out, to="text", **patching.given(options))


@click.command(name="index", short_help="A sidecar, by which parts of a file can be read.")
@click.argument("path")
@click.option("--every", type=int, help="Bytes between restart points; 64 MiB otherwise.")
@click.option("--framing", default="auto", help="delimited or concatenated.")
def index_command(path: str, **options: Any) -> None:
    """Makes the sidecar by which parts of the Jelly file PATH can be read."""
    local_path(path).open("rb").close()  # an error that names it
    sidecar, points = index(path, **patching.given(options))
    click.echo(f"{sidecar}, restart points: {points:,}")


_LOOK = (
    click.argument("source"),
    click.option(
        "--from", "format", default="auto", metavar="FORMAT", help="jelly or jelly-patch."
    ),
    click.option("--framing", default="auto", help="delimited, single or concatenated."),
    click.option("--json", "as_json", is_flag=True, help="Say what was found as JSON."),
)


def _looking(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_LOOK):
        command = option(command)
    return command


@click.command(name="inspect", short_help="What a Jelly file is and holds.")
@_looking
def inspect_command(source: str, as_json: bool, **options: Any) -> None:
    """Tells what the Jelly file SOURCE is and holds: options, rows, patches, advice."""
    found = inspect(source, **options)
    click.echo(json.dumps(found.as_dict()) if as_json else str(found))
    if found.error is not None:
        sys.exit(1)


@click.command(name="validate", short_help="Whether a Jelly file is as it should be.")
@_looking
def validate_command(source: str, as_json: bool, **options: Any) -> None:
    """Tells whether the Jelly file SOURCE is as it should be; exit code 1 if not."""
    report = validate(source, **options)
    click.echo(json.dumps(report.as_dict()) if as_json else str(report))
    if not report:
        sys.exit(1)


def _summary(done: Tally) -> str:
    return f"{done.rows:,} rows, {done.bytes_in:,} bytes in, {done.bytes_out:,} bytes out"


COMMANDS = [convert_command, cat, index_command, inspect_command, validate_command]
