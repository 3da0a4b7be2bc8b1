"""Commands that keep datasets and logs: backup, restore, stage, publish."""

from __future__ import annotations

import json
from typing import Any, get_args

import click

import jelly
from jelly._apply import Ways
from jelly._fuseki import publish_to_fuseki
from jelly._inputs import number_or_id
from jelly.cli.options import FOUND_AS_JSON, JSON, given, with_options
from jelly.cli.output import say, unread, verdict
from jelly.cli.patches import DISTINCT, LOOKING, OUT, READ, run
from jelly.cli.progress import Steps
from jelly.cli.show import AS, run_show, taken
from jelly.cli.summaries import applied, counted, effect, nodes, problem_line


@click.command(name="backup", short_help="Stores a dump, or what changed since the last one.")
@click.argument("dump")
@click.argument("folder")
@click.option("--dump-format", metavar="FORMAT", help="Format of DUMP: jelly, nt, nq, ttl, trig, rdfxml, jsonld.")  # fmt: skip
@click.option("--at", metavar="TIME", help="Time of the dump (2026-11-21T18:00Z); the default is now.")  # fmt: skip
@click.option("--prefixes/--no-prefixes", default=True, help="Store prefixes too.")
@click.option("--blank-nodes", type=click.Choice(get_args(Ways)), help="How blank nodes are compared: match, by the statements about them; content, by content labels; labels, by their labels; auto uses the way that the folder records, and the first dump decides it.")  # fmt: skip
@with_options(READ)
@JSON
def backup_command(dump: str, folder: str, as_json: bool, **options: Any) -> None:
    """Stores DUMP in FOLDER: the whole dump the first time, after that only what changed.

    FOLDER contains the first dump as base.jelly.zst and a log of the changes since then, as
    patch-0001.jellyp.zst and so on. If nothing changed, nothing is written.

    Example: jelly backup monday.ttl kept
    """
    with Steps(quiet=as_json) as steps:
        done = jelly.backup(dump, folder, progress=steps.show, **given(options))
    news = f"+{done.added:,} -{done.deleted:,}" if done.written else "nothing new"
    text = (
        f"version {done.version:,}: {counted(done.statements, 'statement')} ({news}){nodes(done)}"
    )
    say(done._asdict(), text, as_json=as_json)


@click.command(name="restore", short_help="Writes the newest or an earlier dataset of a backup.")
@click.argument("folder")
@click.option("--version", metavar="VERSION", help="Number of a version, or id of its patch; the default is the last version.")  # fmt: skip
@click.option("--at", metavar="TIME", help="Restore the last version of this day (2026-11-21), or up to this time (2026-11-21T18:00, 2026-11-21T18:00Z).")  # fmt: skip
@with_options(OUT, DISTINCT)
def restore_command(folder: str, version: str | None, **options: Any) -> None:
    """Writes the newest dataset of the backup in FOLDER, or an earlier one (--version, --at).

    The number of statements is checked against the number in the backup.

    Example: jelly restore kept --at 2026-11-21 -o then.nq
    """

    def restored(dest: Any, **given: Any) -> jelly.Restored:
        if version is not None:
            given["version"] = number_or_id(version)
        return jelly.restore(folder, dest, **given)

    asked = options["at"] is not None
    run(restored, lambda done: applied(done, done.at if asked else None), **options)


@click.command(name="stage", short_help="Reports what a patch would do to a dataset.")
@click.argument("base")
@click.argument("patch")
@click.option("--log", "folder", metavar="PLACE", help="The log that the patch is for; report whether the patch can be its next one.")  # fmt: skip
@click.option(
    "--publish", is_flag=True, help="Publish the patch to the log if there are no problems."
)
@FOUND_AS_JSON
@with_options(AS, LOOKING)
def stage_command(
    base: str, patch: str, folder: str | None, publish: bool, as_json: bool, **options: Any
) -> None:
    """Reports what PATCH would do to the dataset BASE; exit code 1 if it cannot be applied.

    stage writes nothing without --publish. It reports rows that change nothing, and rejects a patch if none
    of its rows changes anything. --as shows what would change.

    Example: jelly stage now.nq change.rdfp --log logs/brick
    """
    if publish and folder is None:
        raise click.UsageError("--publish needs --log")
    asked = {"dest": "-", "as_json": True, **options}
    form, how = taken(asked)
    options = {name: asked[name] for name in options if name in asked}
    if form and as_json:
        raise click.UsageError(
            "--json and --as cannot be used together: --json reports what was found, --as what "
            "would change"
        )
    with Steps(quiet=as_json) as steps:
        staged = jelly.stage(base, patch, folder, progress=steps.show, **given(options))
    if form and staged.after is not None:
        read = given(options) | {"patch_format": staged.format}
        with unread():
            run_show(jelly.show, staged.data, base=base, dest="-", as_json=False, **read, **how)
    published = staged.publish() if publish and staged.ok else None
    with verdict(is_good=staged.ok):
        if as_json:
            facts = {key: value for key, value in staged._asdict().items() if key not in ("data", "format", "log")}  # fmt: skip
            facts["problems"] = [problem._asdict() for problem in staged.problems]
            facts |= {"ok": staged.ok, "published": published and published._asdict()}
            click.echo(json.dumps(facts, default=str))
        else:
            # what changes is the output, where it is shown
            for problem in staged.problems:
                click.echo(problem_line(problem), err=form is not None)
            click.echo(_staged(staged), err=form is not None)
            if published is not None:
                click.echo(_published(published), err=form is not None)


@click.command(name="publish", short_help="Publishes a patch as the next one of a log.")
@click.argument("place")
@click.argument("patch")
@click.option("--expect", metavar="VERSION", help="Number or id of the patch that must be the last one; 0 if the log must have no patches.")  # fmt: skip
@click.option("--header", "headers", nargs=2, multiple=True, metavar="KEY TERM", help="Header to add; can be given several times.")  # fmt: skip
@click.option("--ending", default=".jellyp", help="Extension of the files of a new log: .jellyp, .rdfp or .trp, optionally followed by .gz or .zst.")  # fmt: skip
@click.option("--patch-format", "format", default="auto", metavar="FORMAT", help="Format of PATCH: jelly-patch, rdfp, rdfp-v1, trp.")  # fmt: skip
@click.option("--to", "target", type=click.Choice(["log", "fuseki"]), default="log", help="With fuseki, PLACE is the patch endpoint of an Apache Jena Fuseki dataset.")  # fmt: skip
@click.option("--query", "query_endpoint", metavar="URL", help="With --to fuseki: URL for queries of the dataset; the default is .../query for .../patch.")  # fmt: skip
@JSON
def publish_command(
    place: str,
    patch: str,
    expect: str | None,
    headers: tuple[tuple[str, str], ...],
    ending: str,
    as_json: bool,
    format: Any,
    target: str,
    query_endpoint: str | None,
) -> None:
    """Publishes PATCH as the next patch of the log at PLACE, complete or not at all.

    PLACE is a folder, or the address of a log on a server or in an object store (s3://bucket/log).

    Example: jelly publish http://127.0.0.1:8080/brick change.rdfp

    The patch gets an id, and the id of the last patch as prev. publish rejects the patch if its prev, or
    --expect, does not name the last patch of the log.
    """
    if target == "fuseki":
        if expect is not None or headers:
            raise click.UsageError("--expect and --header work only with logs: Fuseki ignores the headers of patches")  # fmt: skip
        sent = publish_to_fuseki(place, patch, query_endpoint=query_endpoint, format=format)
        text = f"{place}: +{sent.added:,} -{sent.deleted:,}, {counted(sent.prefixes, 'row')} of prefixes"  # fmt: skip
        say(sent._asdict(), text, as_json=as_json)
        return
    if query_endpoint is not None:
        raise click.UsageError("--query can only be used with --to fuseki")
    log = jelly.Log(place, ending=ending)
    expected = None if expect is None else number_or_id(expect)
    done = log.publish(patch, expect=expected, headers=dict(headers), format=format)
    say(done._asdict(), _published(done), as_json=as_json)


def _staged(staged: jelly.Staged) -> str:
    text = f"{counted(staged.committed, 'transaction')}, {staged.aborted:,} aborted; "
    if staged.after is None:
        text += counted(staged.changes, "change")
    else:
        text += (
            f"{effect(staged)}; "
            f"{counted(staged.before or 0, 'statement')} {'becomes' if staged.before == 1 else 'become'} "
            f"{staged.after:,} (+{staged.added:,}, -{staged.deleted:,}); "
            f"{counted(staged.prefixes or 0, 'prefix', 'prefixes')}"
        )
    return text + ("; ok" if staged.ok else "; the patch is rejected")


def _published(done: jelly.Published) -> str:
    again = "; it was there already" if done.replayed else ""
    name = f"{done.path.name}, " if done.path else ""
    return f"version {done.version:,}: {name}id {done.id}{again}"


COMMANDS = [backup_command, publish_command, restore_command, stage_command]
