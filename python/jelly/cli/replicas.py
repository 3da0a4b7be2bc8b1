"""Commands of replicas."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from jelly import Replica
from jelly._inputs import number_or_id
from jelly.cli.options import JSON, OUT_FILE, given, table_options, with_options
from jelly.cli.output import destination
from jelly.cli.places import logs_of
from jelly.cli.progress import Steps
from jelly.cli.summaries import counted, prefixes_left_out

_FORMAT = click.option("--table-format", "format", type=click.Choice(["auto", "parquet", "delta"]), default="auto", help="Format of the table.")  # fmt: skip
_READ = table_options("follow", "framing", "strict", "lenient_flags")


@click.group(name="replica")
def replica_group() -> None:
    """Keeps Parquet or Delta Lake tables that follow a log."""


@replica_group.command(name="create", short_help="Creates a table from a dataset, before a log.")
@click.argument("table")
@click.argument("base", required=False)
@click.option("--table-format", "format", type=click.Choice(["parquet", "delta"]), default="parquet", help="Format of the table.")  # fmt: skip
@with_options(table_options("create", "base_format"))
@click.option("--id", metavar="ID", help="Id of the last patch that BASE includes.")
@click.option("--bucket-rows", type=int, help="Number of quads that a file should have.")
@with_options(_READ)
@JSON
def create_command(table: str, base: str | None, as_json: bool, **options: Any) -> None:
    """Creates TABLE from the dataset BASE, at version 0 of a log; without BASE, the table is empty."""
    with Steps(quiet=as_json) as steps:
        made = Replica.create(table, base, progress=steps.show, **given(options))
    _say(_info(made), as_json=as_json)


@replica_group.command(
    name="follow", short_help="Applies the patches that a table does not have yet."
)
@click.argument("table")
@click.argument("log", metavar="LOG...", nargs=-1, required=True, callback=logs_of)
@_FORMAT
@with_options(table_options("follow", "patch_format"))
@click.option("--each-version", is_flag=True, help="Commit each patch separately, so that each version can be read.")  # fmt: skip
@click.option("--upto", metavar="VERSION", help="Stop after this version, or after the patch with this id.")  # fmt: skip
@with_options(_READ)
@JSON
def follow_command(
    table: str, log: tuple[str, ...], format: Any, as_json: bool, upto: str | None, **options: Any
) -> None:
    """Applies the patches of LOG... (files, folders or the place of a log) that TABLE does not have yet."""
    last = None if upto is None else number_or_id(upto)
    replica = Replica(table, format=format)
    with Steps(quiet=as_json) as steps:
        done = replica.follow(list(log), upto=last, progress=steps.show, **given(options))
    if as_json:
        click.echo(json.dumps(done._asdict()))
        return
    at = f"version {done.version:,}" + (f", {done.id}" if done.id else "")
    if not done.patches:
        click.echo(f"{at}: nothing new")
        return
    click.echo(
        f"{at}: {counted(done.patches, 'patch', 'patches')}, +{done.added:,} -{done.deleted:,} "
        f"of {counted(done.changes, 'change')}; {counted(done.files, 'file')} written"
    )


@replica_group.command(name="dump", short_help="Writes the dataset of a table.")
@click.argument("table")
@_FORMAT
@OUT_FILE
@click.option(
    "--version", type=int, help="A version that can be read; the default is the last version."
)
@with_options(table_options("result_rdf", "to", "to_compression", "compression_level", to="auto"))
@JSON
def dump_command(
    table: str, format: Any, dest: str, version: int | None, as_json: bool, **options: Any
) -> None:
    """Writes the dataset of TABLE."""
    if dest == "-" and options["to"] == "auto":
        options["to"] = "text"
    with destination(dest) as out:
        done = Replica(table, format=format).dump(out, version, **given(options))
    if as_json:
        click.echo(json.dumps(done._asdict()), err=dest == "-")
    elif dest != "-" or sys.stderr.isatty():
        text = f"{counted(done.rows, 'statement')}, {done.bytes_out:,} bytes"
        click.echo(text + prefixes_left_out(done), err=True)


@replica_group.command(name="info", short_help="Reports the version and contents of a table.")
@click.argument("table")
@_FORMAT
@JSON
def info_command(table: str, format: Any, as_json: bool) -> None:
    """Reports the version and contents of TABLE."""
    _say(_info(Replica(table, format=format)), as_json=as_json)


@replica_group.command(
    name="compact", short_help="Merges stored changes into the files of a table."
)
@click.argument("table")
@_FORMAT
@click.option("--bucket-rows", type=int, help="Number of quads that a file should have from now on; all files are rewritten.")  # fmt: skip
@JSON
def compact_command(table: str, format: Any, bucket_rows: int | None, as_json: bool) -> None:
    """Merges the changes that are stored beside the files of TABLE into the files; the version stays the same."""
    with Steps(quiet=as_json) as steps:
        done = Replica(table, format=format).compact(bucket_rows, progress=steps.show)
    if as_json:
        click.echo(json.dumps(done))
        return
    click.echo("compacted" if done else "nothing to do")


@replica_group.command(name="vacuum", short_help="Deletes old versions and leftovers.")
@click.argument("table")
@_FORMAT
@click.option(
    "--keep", type=click.IntRange(1), default=1, help="Number of versions that stay readable."
)
@click.option("--hours", type=float, default=168, help="Hours to keep commits of other machines that seem to be in progress.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Delete nothing; print what would be deleted.")
@JSON
def vacuum_command(
    table: str, format: Any, keep: int, hours: float, dry_run: bool, as_json: bool
) -> None:
    """Deletes old versions of TABLE, and what killed processes left behind."""
    gone = Replica(table, format=format).vacuum(keep, hours=hours, dry_run=dry_run)
    if as_json:
        click.echo(json.dumps(gone))
        return
    if dry_run and gone:
        click.echo("\n".join(gone))
    click.echo(f"{counted(len(gone), 'file')} {'would be ' if dry_run else ''}deleted", err=dry_run)


def _info(replica: Replica) -> dict[str, Any]:
    versions = replica.versions
    return {
        "version": replica.version,
        "id": replica.id,
        "quads": len(replica),
        "prefixes": len(replica.prefixes),
        "readable": versions,
    }


def _say(facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(facts))
        return
    versions = facts["readable"]
    some = ", ".join(map(str, versions[-10:]))
    at = f", {facts['id']}" if facts["id"] else ""
    click.echo(
        f"version {facts['version']:,}{at}: {counted(facts['quads'], 'quad')}, {counted(facts['prefixes'], 'prefix', 'prefixes')}; "
        f"versions that can be read: {'... ' if len(versions) > 10 else ''}{some}"
    )


COMMANDS = [replica_group]
