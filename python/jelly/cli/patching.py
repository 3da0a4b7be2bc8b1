"""Commands that give patches a meaning."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import click

import jelly
from jelly.cli.progress import Steps

_Options = list[Callable[[Any], Any]]

_OUT: _Options = [
    click.option("-o", "--out", "dest", default="-", metavar="OUT", help="Where to write; standard output otherwise."),
    click.option("--to", default="auto", metavar="FORMAT", help="Of the output; else by its extension."),
    click.option("--compression", "to_compression", default="auto", help="none, gzip or zstd; else by the extension."),
    click.option("--level", "compression_level", type=int, help="Level of the compression."),
    click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON."),
]  # fmt: skip
_READ: _Options = [
    click.option("--framing", help="delimited, single or concatenated."),
    click.option("--strict", is_flag=True, default=None, help="Refuse what the specifications advise against."),
    click.option("--lenient-flags", is_flag=True, default=None, help="Accept what the options do not declare."),
]  # fmt: skip
_BASE: _Options = [
    click.option("--base-format", metavar="FORMAT", help="Of the dataset: jelly, nt, nq, ttl, trig, rdfxml, jsonld."),
]  # fmt: skip
_LOG: _Options = [
    click.option("--patch-format", metavar="FORMAT", help="Of the patches: jelly-patch, rdfp, rdfp-v1, trp."),
    click.option("--unfinished", type=click.Choice(["refuse", "drop"]), help="drop: leave out transactions that a crash cut off."),
    click.option("--chain", type=click.Choice(["check", "ignore"]), help="ignore: take patches as they are given, whatever their ids say."),
]  # fmt: skip
_DISTINCT: _Options = [
    click.option("--distinct", is_flag=True, default=None, help="Write a statement once that the dataset has twice."),
]  # fmt: skip
_PATHS: Any = click.argument("patches", metavar="LOG...", nargs=-1, required=True)


def _with(*lists: _Options) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for option in reversed([option for options in lists for option in options]):
            command = option(command)
        return command

    return decorate


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _run(
    work: Callable[..., Any],
    summary: Callable[[Any], str],
    *arguments: Any,
    dest: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Does it, with progress on a terminal, and says what was done."""
    if dest == "-" and options.get("to") == "auto":
        options["to"] = "text"
    with Steps(quiet=as_json) as steps:
        done: NamedTuple = work(*arguments, dest, progress=steps.show, **_given(options))
    if as_json:
        click.echo(json.dumps(done._asdict()), err=dest == "-")
    elif dest != "-" or sys.stderr.isatty():
        click.echo(summary(done), err=True)


def _applied(done: jelly.Applied) -> str:
    text = (
        f"version {done.version:,}: {done.statements:,} statements "
        f"(+{done.added:,}, -{done.deleted:,}, of {done.changes:,} changes)"
    )
    if done.prefixes_left_out:
        text += f"; {done.prefixes_left_out:,} of {done.prefixes:,} prefixes cannot be held"
    return text


@click.command(name="apply")
@click.argument("base")
@_PATHS
@_with(_OUT, _BASE, _LOG, _READ, _DISTINCT)
def apply_command(base: str, patches: tuple[str, ...], **options: Any) -> None:
    """Applies the patches of LOG... (files or directories) to the dataset BASE."""
    _run(jelly.apply, _applied, base, list(patches), **options)


@click.command(name="as-of")
@click.argument("base")
@_PATHS
@click.option("--version", "version", required=True, help="Number of the version, or id of its patch.")  # fmt: skip
@_with(_OUT, _BASE, _LOG, _READ, _DISTINCT)
def as_of_command(base: str, patches: tuple[str, ...], version: str, **options: Any) -> None:
    """Writes the dataset as it was at a version: BASE is 0, each patch of LOG... is one."""
    _run(jelly.as_of, _applied, base, list(patches), _version(version), **options)


def _version(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


COMMANDS = [apply_command, as_of_command]
