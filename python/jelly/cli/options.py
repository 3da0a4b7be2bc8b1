"""Options of commands, made from the table of options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from jelly._option_table import Option, options_of

Options = list[Callable[[Any], Any]]

# Options whose name in the shell is another one.
_FLAGS = {
    "format": "--from",
    "to_compression": "--compression",
    "compression_level": "--level",
    "delimited": "--delimited/--single",
    "namespaces": "--namespaces/--no-namespaces",
    "max_name_table_size": "--names",
    "max_prefix_table_size": "--prefixes",
    "max_datatype_table_size": "--datatypes",
}
JSON = click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
FOUND_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
OUT_FILE = click.option("-o", "--out", "dest", default="-", metavar="OUT", help="Where to write; the default is standard output.")  # fmt: skip
FOLLOW = click.option("--follow", is_flag=True, help="Continue with new versions until SIGINT or SIGTERM.")  # fmt: skip
_TYPES: dict[str, Any] = {"number": int, "bytes": int}


def table_options(door: str, *names: str, **defaults: Any) -> Options:
    """Options of the functions in a group, in this order; those that are not given are None."""
    rows = options_of(door)
    return [_option(rows[name], defaults.get(name)) for name in names]


def _option(row: Option, default: Any) -> Callable[[Any], Any]:
    flag = _FLAGS.get(row.name, "--" + row.name.replace("_", "-"))
    # what the words mean stands behind the first sentence
    text = row.doc if row.words and row.shape != "format" else row.short
    more: dict[str, Any] = {"default": default, "help": text.replace("`", "")}
    if row.shape == "flag" and "/" not in flag:
        more |= {"is_flag": True}
    elif row.shape == "format":
        more |= {"metavar": "FORMAT", "help": f"{more['help']} {', '.join(row.words)}."}
    elif row.words:
        more |= {"type": click.Choice(row.words, case_sensitive=False)}
    else:
        more |= {"type": _TYPES.get(row.shape)} if "/" not in flag else {}
    return click.option(flag, row.name, **more)


def with_options(*lists: Options) -> Callable[[Any], Any]:
    """Options of a command."""

    def decorate(command: Any) -> Any:
        for option in reversed([option for options in lists for option in options]):
            command = option(command)
        return command

    return decorate


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value not in (None, ())}


def number_or_id(text: str) -> int | str:
    """A number or an id."""
    return int(text) if text.isdecimal() else text
