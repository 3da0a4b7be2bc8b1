"""The command ``jelly``."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line; says what to install where something is missing."""
    try:
        from jelly.cli.commands import jelly
    except ModuleNotFoundError as missing:
        if missing.name not in ("click", "rich"):
            raise
        sys.exit("the command line needs more: pip install 'jelly-patch[cli]'")
    jelly()
