"""Commands that give patches a meaning."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import click

import jelly
from jelly._inputs import number_or_id
from jelly.cli.failures import text_of
from jelly.cli.options import (
    FOUND_AS_JSON,
    JSON,
    OUT_FILE,
    Options,
    given,
    table_options,
    with_options,
)
from jelly.cli.output import destination, verdict
from jelly.cli.places import logs_of
from jelly.cli.progress import Steps
from jelly.cli.show import AS, run_show, show_to_git, taken, visible
from jelly.cli.summaries import (
    applied,
    compared,
    in_vain,
    order_of,
    patched,
    problem_line,
    reported,
)

OUT: Options = [
    OUT_FILE,
    *table_options("result_rdf", "to", "to_compression", "compression_level", to="auto"),
    JSON,
]
READ = table_options("dataset", "framing", "strict", "lenient_flags", "threads")
_BASE = table_options("base", "base_format")
_LOG = table_options("log", "patch_format", "unfinished", "chain")
DISTINCT: Options = [
    click.option("--distinct", is_flag=True, default=None, help="Write a statement only once if the dataset has it twice."),
]  # fmt: skip
LOOKING: Options = [*_BASE, *table_options("log", "patch_format"), *READ]


def _log(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[str | jelly.Log, ...]:
    """Says which argument is missing: the only one is the first."""
    if value:
        return logs_of(ctx, param, value)
    base = ctx.params.get("base")
    if base is None:
        raise click.MissingParameter(ctx=ctx, param=param)
    command = f"jelly {ctx.info_name}"
    raise click.UsageError(f"{command} takes BASE and LOG..., and {base!r} was taken as BASE: give LOG too (BASE is the dataset before the log, /dev/null if it was empty; jelly log dataset LOG finds it itself)", ctx)  # fmt: skip


_PATHS = click.argument("patches", metavar="LOG...", nargs=-1, callback=_log)
_LOGS = "Each LOG is a file of patches in any format, a folder of patch files, or the address of a log (http://..., s3://...); - is standard input."
_BASES = f"BASE is a dataset in any format; /dev/null is an empty dataset. {_LOGS}"


def run(
    work: Callable[..., Any],
    summary: Callable[[Any], str],
    *arguments: Any,
    dest: str,
    as_json: bool,
    **options: Any,
) -> Any:
    """Does it, with progress on a terminal, says what was done, and returns it."""
    if dest == "-" and options.get("to") == "auto":
        options["to"] = "text"
    with destination(dest) as out, Steps(quiet=as_json) as steps:
        done: NamedTuple = work(*arguments, out, progress=steps.show, **given(options))
    if as_json:
        click.echo(json.dumps(done._asdict(), default=str), err=dest == "-")
    elif dest != "-" or sys.stderr.isatty():
        click.echo(summary(done) + order_of(done), err=True)
    elif notes := in_vain(done) + order_of(done):
        click.echo(notes.removeprefix("; "), err=True)
    return done


@click.command(name="apply", short_help="Applies patches to a dataset.", epilog=_BASES)
@click.argument("base")
@_PATHS
@with_options(OUT, _BASE, _LOG, READ, DISTINCT)
def apply_command(base: str, patches: tuple[str, ...], **options: Any) -> None:
    """Applies the patches of LOG... to the dataset BASE.

    Example: jelly apply dump.nq.gz log.jellyp -o now.nq.gz
    """
    run(jelly.apply, applied, base, list(patches), **options)


@click.command(
    name="as-of", short_help="Writes a dataset as it was at a version of a log.", epilog=_BASES
)
@click.argument("base")
@_PATHS
@click.option("--version", "version", required=True, help="Number of the version, or id of its patch.")  # fmt: skip
@with_options(OUT, _BASE, _LOG, READ, DISTINCT)
def as_of_command(base: str, patches: tuple[str, ...], version: str, **options: Any) -> None:
    """Writes the dataset at a version: BASE is version 0, and each patch of LOG... makes the next one."""
    run(jelly.as_of, applied, base, list(patches), number_or_id(version), **options)


_IDS: Options = [
    click.option("--id", "id", metavar="ID", help="Id of the new patch: an IRI or a term."),
    click.option("--prev", metavar="ID", help="Id of the patch that the new patch comes after."),
]  # fmt: skip
_PATCH = table_options("result_patch", "stream_type", "abbreviate")
_MODE: Options = [
    click.option("--mode", type=click.Choice(["last", "net"]), help="net: also drop quads and prefixes that are in the end as they were before; for canonical logs."),
]  # fmt: skip
SKOLEM = click.option(
    "--skolemize", is_flag=False, flag_value="", metavar="[START]",
    help="Write blank nodes as IRIs that begin with START.",
)  # fmt: skip


@click.command(name="diff", short_help="Shows what differs between two datasets.")
@click.argument("sources", nargs=-1, metavar="OLD NEW")
@click.option("--git", "is_git", is_flag=True, help="Work as a diff driver of git, which passes seven arguments: git config diff.rdf.command 'jelly diff --git'.")  # fmt: skip
@with_options(table_options("compare", "old_format", "new_format", "blank_nodes"))
@click.option("--prefixes/--no-prefixes", default=True, help="Compare prefixes too.")
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit with 0 if nothing changed, 1 if something did, 2 after an error.",
)
@SKOLEM
@with_options(OUT, AS, _IDS, _PATCH, READ)
def diff_command(sources: tuple[str, ...], is_git: bool, exit_code: bool, **options: Any) -> None:
    """Shows what differs between OLD and NEW, or writes the patch that turns OLD into NEW.

    Examples: jelly diff monday.ttl tuesday.ttl; jelly diff monday.ttl tuesday.ttl -o change.jellyp

    Both are datasets in any format; /dev/null is an empty dataset. Blank nodes without stable labels,
    such as [ ] in Turtle, are matched by the statements about them. On a terminal, the command shows a
    view of the changes; to a file or a pipe, it writes a patch. --as selects the form.
    """
    if is_git:
        show_to_git(sources, options, exit_code=exit_code)
        return
    if len(sources) != 2:
        raise click.UsageError(f"diff compares two datasets, OLD and NEW, not {len(sources)}")
    old, new = sources
    form, how = taken(options)
    with exit_codes() if exit_code else nullcontext():
        done: Any
        if form:
            done = run_show(jelly.show_diff, old, new, **given(options), **how)
        else:
            start = options.pop("skolemize")
            named = None if start is None else start or True
            done = run(jelly.diff, compared, old, new, skolemize=named, **options)
    if exit_code and (done.added or done.deleted or done.prefixes):
        sys.exit(1)


@contextmanager
def exit_codes() -> Iterator[None]:
    """Exits with 2 after an error, as `diff` and `cmp` do; 1 says that something differs."""
    try:
        yield
    except (jelly.errors.JellyError, OSError, ValueError, TypeError) as error:
        click.echo(f"jelly: {text_of(error)}", err=True)
        sys.exit(2)


@click.command(name="same", short_help="Checks whether two datasets are the same graph.")
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@with_options(table_options("same", "old_format", "new_format"), READ)
def same_command(old: str, new: str, **options: Any) -> None:
    """Checks whether A and B are the same dataset, apart from the labels of blank nodes.

    Exit code 0: they are the same. 1: they are not. 2: an error, or undecided within the limits.
    """
    with exit_codes():
        is_same = jelly.same(old, new, **given(options))
        with verdict(is_good=is_same):
            click.echo("the same" if is_same else "different")


@click.command(name="invert", short_help="Writes a patch that undoes others.", epilog=_LOGS)
@_PATHS
@click.option("--base", metavar="BASE", help="The dataset before the patches.")
@with_options(OUT, _IDS, _PATCH, _BASE, _LOG, READ)
def invert_command(patches: tuple[str, ...], **options: Any) -> None:
    """Writes a patch that undoes the patches of LOG...

    Without --base, each row of LOG... must have changed something, as in patches from canonicalize.
    """
    done = run(jelly.invert, patched, list(patches), **options)
    if options["base"] is not None:
        note_nothing(done)


@click.command(name="squash", short_help="Merges patches into one, with a new id.", epilog=_LOGS)
@_PATHS
@with_options(OUT, _MODE, _IDS, _PATCH, _LOG, READ)
def squash_command(patches: tuple[str, ...], **options: Any) -> None:
    """Writes one patch with the effect of LOG..., with headers and a new id."""
    run(jelly.squash, patched, list(patches), **options)


@click.command(
    name="net", short_help="Writes the last operation on each quad, without headers.", epilog=_LOGS
)
@_PATHS
@with_options(OUT, _MODE, _PATCH, _LOG, READ)
def net_command(patches: tuple[str, ...], **options: Any) -> None:
    """Writes the last operation of LOG... on each quad and prefix, as one patch without headers."""
    run(jelly.net, patched, list(patches), **options)


@click.command(
    name="between", short_help="Shows what changed from one version to another.", epilog=_LOGS
)
@_PATHS
@click.option("--from-version", required=True, metavar="VERSION", help="Number of a version (0 is before the log), or id of its patch.")  # fmt: skip
@click.option(
    "--to-version",
    required=True,
    metavar="VERSION",
    help="Number of the later version, or id of its patch.",
)
@with_options(OUT, AS, _MODE, _IDS, _PATCH, _LOG, READ)
def between_command(
    patches: tuple[str, ...], from_version: str, to_version: str, **options: Any
) -> None:
    """Shows what changed between two versions of LOG..., or writes the patch from one to the other.

    On a terminal, the command shows a view of the changes, which uses only the rows of LOG...; otherwise it
    writes a patch. --as selects the form.
    """
    versions = (number_or_id(from_version), number_or_id(to_version))
    form, how = taken(options)
    if form:
        how |= dict(zip(("from_version", "to_version"), versions, strict=True))
        how |= {"old_name": f"version {from_version}", "new_name": f"version {to_version}"}
        run_show(jelly.show, list(patches), **given(options), **how)
    else:
        run(jelly.between, patched, list(patches), *versions, **options)


@click.command(
    name="canonicalize",
    short_help="Keeps only the rows of patches that change a dataset.",
    epilog=_BASES,
)
@click.argument("base")
@_PATHS
@with_options(OUT, _PATCH, _BASE, _LOG, READ)
def canonicalize_command(base: str, patches: tuple[str, ...], **options: Any) -> None:
    """Writes LOG... with only the rows that change the dataset BASE."""
    note_nothing(run(jelly.canonicalize, patched, list(patches), base, **options))


def note_nothing(done: jelly.Patched) -> None:
    """Says that no change has an effect on the base, which may be a mistake."""
    if done.changes and not (done.added or done.deleted):
        click.echo(
            "no change has an effect on BASE; is BASE the dataset before the patches?", err=True
        )


@click.command(name="history", short_help="Prints when quads were added and deleted.", epilog=_LOGS)
@_PATHS
@click.option("--subject", multiple=True, metavar="TERM", help='Only quads with this subject (<iri>, _:label, "text"@en); repeat the option for alternatives.')  # fmt: skip
@click.option("--predicate", multiple=True, metavar="TERM", help="Only quads with this predicate; repeat the option for alternatives.")  # fmt: skip
@click.option("--object", "object", multiple=True, metavar="TERM", help="Only quads with this object; repeat the option for alternatives.")  # fmt: skip
@click.option("--graph", multiple=True, metavar="TERM", help="Only quads of this graph (the empty text is the default graph); repeat the option for alternatives.")  # fmt: skip
@click.option("--base", metavar="BASE", help="The dataset before the log; the default is the dataset that the folder of a backup or log begins with, if there is one.")  # fmt: skip
@click.option("--who", is_flag=True, help="Also print which patches added and deleted each quad: their ids, and headers such as author and time.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@with_options(_BASE, _LOG, READ)
def history_command(patches: tuple[str, ...], who: bool, as_json: bool, **options: Any) -> None:
    """Prints the versions of LOG... from which and up to which each quad existed, separated by tabs.

    Without --base, the dataset before the log is the one that a backup or log begins with. If there is none, the
    quads of this dataset are missing.

    Terms are written as in N-Triples, in quotes for the shell: --subject '<https://example.org/a>'
    """
    with Steps(quiet=as_json) as steps:
        find: Any = jelly.history_by if who else jelly.history
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            periods = find(list(patches), progress=steps.show, **given(options))
    for warning in warned:
        click.echo(f"warning: {warning.message}", err=True)
    with destination("-") as out:
        for period in periods:
            if as_json:
                out.write(f"{json.dumps(period._asdict())}\n".encode())
                continue
            *terms, valid_from, valid_to = period[:6]
            until = "" if valid_to is None else valid_to
            out.write(f"{valid_from}\t{until}\t{' '.join(terms).rstrip()} .\n".encode())
            if who:
                for version, headers in ((valid_from, period[6]), (valid_to, period[7])):
                    if headers:
                        said = "".join(f"  {key} {value}" for key, value in headers)
                        out.write(f"\t\tversion {version}:{visible(said)}\n".encode())


@click.group(name="log", short_help="Creates, lists, shows, copies and checks logs.")
def log_group() -> None:
    """Creates, lists, shows, copies and checks logs in folders, on servers (http://...) and in object stores (s3://...)."""


@log_group.command(name="verify", short_help="Reports all problems of a log.", epilog=_LOGS)
@_PATHS
@click.option("--base", metavar="BASE", help="The dataset before the log, which is needed to find rows without effect.")  # fmt: skip
@FOUND_AS_JSON
@with_options(_BASE, _LOG, READ)
def verify_command(patches: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Reports all problems of LOG...; exit code 1 if there are any."""
    with Steps(quiet=as_json) as steps:
        report = jelly.verify_log(list(patches), progress=steps.show, **given(options))
    with verdict(is_good=report.ok):
        if as_json:
            problems = [problem._asdict() for problem in report.problems]
            click.echo(json.dumps(report._asdict() | {"problems": problems, "ok": report.ok}))
        else:
            for problem in report.problems:
                click.echo(problem_line(problem))
            click.echo(reported(report))


COMMANDS = [
    apply_command,
    as_of_command,
    between_command,
    canonicalize_command,
    diff_command,
    history_command,
    invert_command,
    log_group,
    net_command,
    same_command,
    squash_command,
]
