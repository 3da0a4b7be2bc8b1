"""The commands ``jelly log``: what a log has, wherever it stands."""

from __future__ import annotations

import json
from typing import Any

import click

import jelly
from jelly._inputs import number_or_id
from jelly.cli.options import OUT_FILE, with_options
from jelly.cli.output import destination
from jelly.cli.patches import log_group
from jelly.cli.relay import relay_command
from jelly.cli.show import AS, headers_of, run_show, taken, visible
from jelly.cli.summaries import counted, prefixes_left_out
from jelly.log._there import existing
from jelly.log._types import as_json

_JSON = click.option("--json", "is_json", is_flag=True, help="Print JSON, one object per line.")


@log_group.command(name="create", short_help="Creates a log, empty or with a base.")
@click.argument("place")
@click.option("--base", metavar="BASE", help="The dataset before the first patch.")
@click.option("--base-format", default="auto", metavar="FORMAT", help="Format of BASE: jelly, nt, nq, ttl, trig, rdfxml, jsonld.")  # fmt: skip
@click.option(
    "--empty",
    is_flag=True,
    help="Begin the log with an empty dataset; this is the default without --base for a log that has no patches.",
)
@click.option("--ending", default=".jellyp", help="Extension of the files: .jellyp, .rdfp or .trp, optionally followed by .gz or .zst.")  # fmt: skip
def create_command(
    place: str, base: str | None, base_format: str, empty: bool, ending: str
) -> None:
    """Creates a log at PLACE. For an existing log without a recorded beginning, records its first dataset.

    PLACE is a folder, or an address on a server or in an object store.

    Examples: jelly log create logs/brick --base brick.ttl; jelly log create s3://bucket/brick; jelly log
    create http://127.0.0.1:8080/brick
    """
    if base is not None and empty:
        raise click.UsageError("--base and --empty cannot be used together")
    log = jelly.Log.create(place, b"" if empty else base, ending=ending, base_format=base_format)
    click.echo(f"{place}: begins {_begins(log.info().base)}", err=True)


@log_group.command(name="list", short_help="Lists the versions of a log.")
@click.argument("place")
@click.option("--after", type=int, help="Begin after this version; the default is to begin with the first version.")  # fmt: skip
@click.option("--upto", type=int, help="End with this version; the default is the last version.")
@_JSON
def list_command(place: str, after: int | None, upto: int | None, is_json: bool) -> None:
    """Lists the versions of the log or backup at PLACE: number, time, rows, id, and other headers."""
    log = existing(jelly.Log(place))
    if after is None:
        after = log.info().first - 1  # of a log that was compacted, what is before is gone
    for version in log.versions(after, upto):
        _say(version, is_json)


@log_group.command(name="show", short_help="Shows what a log is, or what a version changed.")
@click.argument("place")
@click.argument("version", required=False)
@_JSON
@OUT_FILE
@with_options(AS)
def show_command(place: str, version: str | None, is_json: bool, dest: str, **options: Any) -> None:
    """Shows what the log at PLACE is, or what VERSION (a number or an id) changed.

    For a version, the rows of its patch are written as RDF Patch. On a terminal or with --as, a view of
    the changes is shown instead.
    """
    log = existing(jelly.Log(place))
    asked = {"dest": dest, "as_json": is_json, **options}
    form, how = taken(asked)
    if form and version is not None:
        run_show(log.show, number_or_id(version), dest=dest, as_json=is_json, **how)
    elif version is None:
        if options["form"]:
            raise click.UsageError("--as needs a version: give its number or its id")
        info = log.info()
        if is_json:
            click.echo(json.dumps(as_json(info)))
            return
        said = f"{info.name}: version {info.head.version:,}"
        said += f", id {info.head.id}" if info.head.id else ""
        click.echo(f"{said}; begins {_begins(info.base)}; {info.format}")
    elif is_json:
        with click.open_file("/dev/null", "wb") as nowhere:
            click.echo(json.dumps(as_json(log.fetch(number_or_id(version), nowhere))))
    else:
        with destination(dest) as out:
            log.fetch(number_or_id(version), out, to="rdfp" if dest == "-" else "auto")


@log_group.command(name="fetch", short_help="Writes one patch of a log.")
@click.argument("place")
@click.argument("version")
@OUT_FILE
@click.option("--to", default="auto", metavar="FORMAT", help="Format of OUT: jelly-patch, rdfp or trp; the default is the format of its extension, or jelly-patch.")  # fmt: skip
def fetch_command(place: str, version: str, dest: str, to: Any) -> None:
    """Writes the patch that made VERSION (a number or an id) of the log at PLACE."""
    with destination(dest) as out:
        existing(jelly.Log(place)).fetch(number_or_id(version), out, to=to)


@log_group.command(name="dataset", short_help="Writes the dataset of a log.")
@click.argument("place")
@click.option("--version", metavar="VERSION", help="Number of a version, or id of its patch; the default is the last version.")  # fmt: skip
@OUT_FILE
@click.option("--to", default="auto", metavar="FORMAT", help="Format of OUT: jelly, nt, nq, ttl or trig; the default is the format of its extension, and N-Quads on standard output.")  # fmt: skip
def dataset_command(place: str, version: str | None, dest: str, to: Any) -> None:
    """Writes the newest dataset of the log at PLACE, or an earlier one (--version)."""
    wanted = None if version is None else number_or_id(version)
    if dest == "-" and to == "auto":
        to = "nq"  # in which format the log keeps its base is its own business
    with destination(dest) as out:
        done = existing(jelly.Log(place)).dataset(out, wanted, to=to)
    said = counted(done.statements, "statement") + prefixes_left_out(done)
    click.echo(f"version {done.version:,}: {said}", err=True)


@log_group.command(name="watch", short_help="Waits for versions of a log, and lists them.")
@click.argument("place")
@click.option(
    "--after", type=int, help="Begin after this version; the default is the last version."
)
@click.option("--timeout", type=float, metavar="SECONDS", help="End after this time without a new version.")  # fmt: skip
@_JSON
def watch_command(place: str, after: int | None, timeout: float | None, is_json: bool) -> None:
    """Waits for versions of the log at PLACE, and lists them.

    Example: jelly log watch http://127.0.0.1:8080/brick --after 0
    """
    for version in existing(jelly.Log(place)).watch(after, timeout):
        _say(version, is_json)


@log_group.command(name="pull", short_help="Copies a log to a folder.")
@click.argument("place")
@click.argument("folder")
def pull_command(place: str, folder: str) -> None:
    """Copies the log at PLACE to FOLDER, or only what is new since the last copy.

    Example: jelly log pull http://127.0.0.1:8080/brick copy
    """
    head = existing(jelly.Log(place)).pull(folder).head
    click.echo(f"{folder}: version {head.version:,}", err=True)


@log_group.command(name="compact", short_help="Replaces the first patches of a log with a dataset.")
@click.argument("place")
@click.option("--upto", required=True, metavar="VERSION", help="Number of the version, or id of its patch.")  # fmt: skip
def compact_command(place: str, upto: str) -> None:
    """Replaces the patches of the log at PLACE up to VERSION with the dataset at that version.

    PLACE is a folder, or an address in an object store or on a server; a server with tokens asks for a token
    with the scope admin. The headers of the patches stay, so the log still recognizes a patch that is sent again.

    Examples: jelly log compact logs/brick --upto 1000; jelly log compact s3://bucket/brick --upto 1000; jelly
    log compact http://127.0.0.1:8080/brick --upto 1000
    """
    done = existing(jelly.Log(place)).compact(number_or_id(upto))
    said = f"{place}: begins with version {done.version:,}, {counted(done.statements, 'statement')}"
    said += f"; {counted(done.patches, 'patch', 'patches')} less"
    click.echo(said + (f", {done.bytes:,} bytes less" if done.bytes > 0 else ""), err=True)


@log_group.command(name="repair", short_help="Sets aside the patches after a missing one.")
@click.argument("folder")
def repair_command(folder: str) -> None:
    """Sets aside the patches of FOLDER after a missing one, so that patches can be published again."""
    from jelly.log._repair import repair

    done = repair(folder)
    if done.moved:
        click.echo(f"{len(done.moved):,} files are now in {done.moved[0].parent}", err=True)
    click.echo(f"the head is version {done.head:,}; {done.lost:,} lost at the end", err=True)


@log_group.command(name="page", short_help="Writes web pages about a log.")
@click.argument("place")
@click.option("-o", "--out", "dest", required=True, metavar="OUT", help="A folder for a site of pages and patches, or a file with the extension .html for one page that needs no network.")  # fmt: skip
def page_command(place: str, dest: str) -> None:
    """Writes web pages about the log at PLACE: its versions, and what each version added and deleted."""
    from jelly._page._site import write_page

    count = write_page(existing(jelly.Log(place)), dest)
    click.echo(f"{dest}: {counted(count, 'version')}", err=True)


def _begins(base: str | None) -> str:
    if base is None:
        return "with an unknown dataset"
    return base if base == "empty" else f"with {base}"


def _say(version: jelly.LogVersion, is_json: bool) -> None:
    if is_json:
        click.echo(json.dumps(as_json(version)))
        return
    time = as_json(version.time) or "no time"
    said = (
        f"{version.version}  {time}  +{version.added} -{version.deleted}  {version.id or 'no id'}"
    )
    click.echo(visible(said + headers_of(version.headers)))


log_group.add_command(relay_command)

COMMANDS = [log_group]
