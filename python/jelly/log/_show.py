"""``Log.show``: what a version of a log changed, for people."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Unpack

from jelly._show import Shown, show
from jelly.errors import PatchError

if TYPE_CHECKING:
    from jelly._option_types import ShowLogOptions
    from jelly.log._log import Log
    from jelly.types import Destination, Source


def show_version(
    log: Log, version: int | str, dest: Destination | None, **options: Unpack[ShowLogOptions]
) -> Shown:
    """Shows what a version changed of the one before; see :meth:`Log.show`."""
    with TemporaryDirectory(prefix="jelly-show-") as folder:
        patch, before = Path(folder, "change.jellyp"), Path(folder, "before.jelly")
        found = log.fetch(version, patch, to="jelly-patch")
        base: Source | None = before
        try:
            log.dataset(before, found.version - 1, to="jelly")
        except PatchError as error:
            # nothing says what the dataset was: what the rows say is shown
            if error.kind != "patch.base":
                raise
            base = None
        options.setdefault("new_name", f"version {found.version}")
        # a patch on its own: its place in the chain was checked where it was found
        options["chain"] = "ignore"
        return show(patch, dest, base, **options)
