"""Options and output of commands that can show changes to people."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

import jelly
from jelly.cli.options import Options, table_options
from jelly.cli.output import destination
from jelly.cli.progress import Steps

_ENDINGS = {".md": "markdown", ".html": "html"}
# How changes are shown, in the words of the shell and of Python.
_SHOWING = {
    "max_lines": "max_lines", "width": "width", "label_property": "label_properties", "lang": "lang", "only_subject": "subjects",
    "only_class": "classes", "only_predicate": "predicates", "summary": "summary_only",
}  # fmt: skip
# What only patches have.
_PATCH = {
    "to": "--to", "to_compression": "--compression", "compression_level": "--level", "id": "--id", "prev": "--prev",
    "skolemize": "--skolemize", "stream_type": "--stream-type", "abbreviate": "--abbreviate", "mode": "--mode",
}  # fmt: skip

AS: Options = [
    click.option("--as", "form", type=click.Choice(["patch", "text", "markdown", "html", "json"]),
                 help="Show a view of the changes instead of writing a patch; the default is text on a terminal, markdown and html for the extensions .md and .html."),
    *table_options("show", "max_lines", "width"),
    click.option("--label-property", multiple=True, metavar="IRI", help="A property whose values are labels; can be given several times."),
    click.option("--lang", metavar="TAG", help="Language tag of the preferred labels."),
    click.option("--subject", "only_subject", multiple=True, metavar="NAME", help="Show only this subject: an IRI or a prefixed name."),
    click.option("--class", "only_class", multiple=True, metavar="NAME", help="Show only subjects of this class."),
    click.option("--predicate", "only_predicate", multiple=True, metavar="NAME", help="Show only subjects with changed values of this predicate."),
    click.option("--summary", is_flag=True, default=None, help="Show only the counts."),
]  # fmt: skip


def taken(options: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Takes what concerns showing out of the options of a command.

    Returns:
        The form (None: a patch is written) and the options of :func:`jelly.show`.

    Raises:
        click.UsageError: Options of both are given.
    """
    form = options.pop("form")
    how = {name: options.pop(key) for key, name in _SHOWING.items()}
    how = {name: value for name, value in how.items() if value not in (None, ())}
    of_patch = [flag for key, flag in _PATCH.items() if options.get(key) not in (None, "auto")]
    dest = options["dest"]
    if form is None:
        form = _ENDINGS.get(Path(dest).suffix.lower())
    if form is None and dest == "-" and not of_patch and not options.get("as_json"):
        form = "text" if sys.stdout.isatty() or how else None
    if form is None or form == "patch":
        if how:
            raise click.UsageError(
                "options for showing changes need --as text, markdown, html or json"
            )
        return None, {}
    if of_patch:
        raise click.UsageError(
            f"{of_patch[0]} works only with patches: leave it out, or use --as patch"
        )
    for key in _PATCH:
        options.pop(key, None)
    how["form"] = form
    if form == "text" and dest == "-" and sys.stdout.isatty():
        how["colour"] = "NO_COLOR" not in os.environ
        how.setdefault("width", max(40, shutil.get_terminal_size((116, 24)).columns))
    return form, how


def run_show(work: Callable[..., jelly.Shown], *sources: Any, dest: str, as_json: bool, **options: Any) -> jelly.Shown:  # fmt: skip
    """Shows changes, with progress on a terminal."""
    with destination(dest) as out, Steps(quiet=as_json) as steps:
        done = work(*sources, dest=out, progress=steps.show, **options)
    if as_json:
        facts = done._asdict() | {
            "subjects": done.subjects._asdict(),
            "left_out": done.left_out._asdict(),
        }
        del facts["text"]
        click.echo(json.dumps(facts), err=dest == "-")
    elif dest != "-":
        click.echo(str(done), err=True)
    return done


# What a line on a version has in a place of its own, and what only programs need.
_TOLD = {"id", "prev", "timestamp", "blank-nodes", "blank-digest"}


def headers_of(headers: Iterable[tuple[str, str]]) -> str:
    """Headers that a line on a version does not have yet, such as ``  author "me"``."""
    return "".join(f"  {key} {value}" for key, value in headers if key.lower() not in _TOLD)


def visible(text: str) -> str:
    """A text without characters that move the cursor or turn the direction."""
    return "".join(c if c.isprintable() or c == " " else f"\\u{ord(c):04X}" for c in text)


def show_to_git(arguments: tuple[str, ...], options: dict[str, Any], *, exit_code: bool) -> None:
    """Shows what changed in a file, as a diff driver of git.

    Git gives the path, and of both sides a file, a hash and a mode; of a file that was renamed, the new
    path and a text too; of one that is not merged, the path alone (gitattributes, "Defining an external
    diff driver"). If a side cannot be read, the output says so, and git goes on with the next file.
    """
    if exit_code:
        raise click.UsageError("--exit-code cannot be used with --git, because for git any code except 0 is a failed driver; use `git diff --exit-code`")  # fmt: skip
    if len(arguments) == 1:
        click.echo(f"{visible(arguments[0])} is not merged")
        return
    if len(arguments) not in (7, 9):
        raise click.UsageError("git calls `jelly diff --git` with seven arguments: set it as diff.rdf.command")  # fmt: skip
    path, old, _, _, new, _, _ = arguments[:7]
    renamed = arguments[7] if len(arguments) == 9 else path
    names = {"old_name": f"a/{path}", "new_name": f"b/{renamed}"}
    if options.get("form") not in (None, "text"):
        raise click.UsageError("--git always shows text: leave --as out")
    _, how = taken(options | {"form": "text"})
    if "NO_COLOR" not in os.environ and os.environ.get("GIT_PAGER_IN_USE") and sys.stdout.isatty():
        how["colour"] = True
    read: dict[str, Any] = {
        name: options[name] for name in ("old_format", "new_format", "blank_nodes", "prefixes")
    }
    # files that git makes may have names of their own, /dev/null has no ending
    for side, name in (("old_format", path), ("new_format", renamed)):
        read[side] = read[side] or _FORMATS.get(Path(name).suffix.lower())
    given = {name: value for name, value in read.items() if value is not None}
    all_of: dict[str, Any] = names | given | how
    try:
        done = jelly.show_diff(old, new, **all_of)
    except (jelly.errors.JellyError, OSError) as error:
        message = f"{names['old_name']} cannot be compared with {names['new_name']}: {error}"
        click.echo(visible(message))
    else:
        click.echo(str(done), nl=False)


_FORMATS = {
    ".ttl": "ttl", ".nt": "nt", ".nq": "nq", ".trig": "trig", ".rdf": "rdfxml", ".owl": "rdfxml", ".xml": "rdfxml",
    ".jsonld": "jsonld", ".jelly": "jelly",
}  # fmt: skip
