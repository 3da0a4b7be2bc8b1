"""``Log.show``: shows what a version of a log changed."""

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
    """Shows what a version changed compared with the version before; see :meth:`Log.show`."""
    with TemporaryDirectory(prefix="jelly-show-") as folder:
        patch, before = Path(folder, "change.jellyp"), Path(folder, "before.jelly")
        found = log.fetch(version, patch, to="jelly-patch")
        base: Source | None = before
        try:
            log.dataset(before, found.version - 1, to="jelly")
        except PatchError as error:
            # the dataset before is unknown: show only the rows
            if error.kind != "patch.base":
                raise
            base = None
        options.setdefault("new_name", f"version {found.version}")
        # a single patch: its place in the chain was checked by the log
        options["chain"] = "ignore"
        return show(patch, dest, base, **options)
