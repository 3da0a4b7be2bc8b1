"""``python -m jelly`` is the command ``jelly``."""

from jelly.cli import main

main()
