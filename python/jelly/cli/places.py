"""Logs that a command names by their address in an object store."""

from __future__ import annotations

import click

import jelly
from jelly.log._objects import is_store
from jelly.log._there import existing


def logs_of(
    ctx: click.Context,  # noqa: ARG001
    param: click.Parameter,  # noqa: ARG001
    value: tuple[str, ...],
) -> tuple[str | jelly.Log, ...]:
    """Opens the logs in object stores; other places stay as they are."""
    return tuple(existing(jelly.Log(place)) if is_store(place) else place for place in value)
