"""The group of all commands: imports a command when it is requested, and turns errors into exit codes."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from jelly import __version__
from jelly.cli.failures import text_of
from jelly.errors import ArgumentError, JellyError

# Headings of the help, in the order in which newcomers need them.
_SECTIONS = {
    "Compare": "diff same stage history",
    "Patches": "apply as-of between invert squash net canonicalize",
    "Backups, logs and tables": "backup restore publish log replica",
    "Servers and stores": "serve grpc push",
    "Files": "convert cat stats inspect validate index",
}
# What each module has, so that none is imported for the commands of another.
_COMMANDS = {
    "convert": "convert cat index inspect validate",
    "backup": "backup publish restore stage",
    "grpc": "grpc",
    "logs": "log",
    "inspect": "stats",
    "patches": "apply as-of between canonicalize diff history invert net same squash",
    "push": "push",
    "replicas": "replica",
    "serve": "serve",
}
_MODULE_OF = {name: module for module, names in _COMMANDS.items() for name in names.split()}


class _Commands(click.Group):
    """Exit code 1 where the data is bad, 2 where the usage is."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [name for names in _SECTIONS.values() for name in names.split()]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, _MODULE_OF))
        for section, names in _SECTIONS.items():
            with formatter.section(section):
                commands = [(name, self.get_command(ctx, name)) for name in names.split()]
                lines = [(name.ljust(width), command.get_short_help_str(80)) for name, command in commands if command]  # fmt: skip
                formatter.write_dl(lines)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _MODULE_OF and not args[0].startswith("-"):
            near = get_close_matches(args[0], _MODULE_OF, 1)
            meant = f"did you mean {near[0]}?" if near else "jelly --help lists the commands"
            ctx.fail(f"there is no command {args[0]!r}; {meant}")
        return super().resolve_command(ctx, args)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        module = _MODULE_OF.get(cmd_name)
        if module is None:
            return None
        commands: list[click.Command] = import_module(f"jelly.cli.{module}").COMMANDS
        return next(command for command in commands if command.name == cmd_name)

    def main(self, *args: Any, **more: Any) -> Any:
        try:
            return super().main(*args, **more)
        except OSError as error:  # the help could not be written
            click.echo(f"jelly: {text_of(error)}", err=True)
            sys.exit(1)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # the reader of the output has closed it; nothing more may be flushed
            sys.stdout = None
            sys.exit(0)
        except KeyboardInterrupt:
            click.echo("jelly: interrupted", err=True)
            sys.exit(130)  # as a shell says of a process that Ctrl-C ended
        except ArgumentError as error:
            click.echo(f"jelly: {error}", err=True)
            sys.exit(2)
        except (JellyError, OSError) as error:
            click.echo(f"jelly: {text_of(error)}", err=True)
            sys.exit(1)
        except (ValueError, ImportError) as error:
            click.echo(f"jelly: {error}", err=True)
            sys.exit(2)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="jelly")
def jelly() -> None:
    """Shows, applies, stores, serves and converts changes to RDF data.

    Example: jelly diff old.ttl new.ttl
    """
