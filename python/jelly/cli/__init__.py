"""The command ``jelly``."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def main() -> None:
    """Runs the command line; says what to install where something is missing."""
    if not (find_spec("click") and find_spec("rich")):
        sys.exit("the command line needs more: pip install 'jelly-patch[cli]'")
    from jelly.cli.group import jelly

    jelly()
