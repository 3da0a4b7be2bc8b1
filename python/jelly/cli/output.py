"""Standard output of commands that write a dataset or a patch."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from jelly._whole_file import Counted


@contextmanager
def destination(dest: str) -> Iterator[Any]:
    """Gives what a function writes to; after an error it says whether a part was printed."""
    if dest != "-":
        yield dest
        return
    if sys.stdout is None:
        raise OSError("standard output is closed; give a file with -o")
    out = Counted(sys.stdout.buffer)
    try:
        yield out
    except BrokenPipeError:
        raise
    except BaseException:
        if out.began:
            click.echo("jelly: the output is incomplete: an error came after its start", err=True)
        raise


@contextmanager
def unread() -> Iterator[None]:
    """Continues after the block if the reader of standard output has closed it."""
    try:
        yield
    except BrokenPipeError:
        sys.stdout = None  # nothing more may be flushed


@contextmanager
def verdict(*, is_good: bool) -> Iterator[None]:
    """Exits with 0 or 1 after the output, also if its reader has closed it."""
    with unread():
        yield
    sys.exit(0 if is_good else 1)


def say(done: dict[str, Any], text: str, *, as_json: bool) -> None:
    """Says what was done: programs find it on standard output."""
    click.echo(json.dumps(done, default=str) if as_json else text, err=not as_json)
