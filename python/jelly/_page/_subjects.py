"""The histories that a site of files has pages for: of the subjects that changed last."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from jelly._history import Period, history
from jelly._page._pages import PERIODS
from jelly._page._since import MOST_BYTES
from jelly.log._log import Log
from jelly.log._types import LogInfo


def histories(log: Log, info: LogInfo, home: Path, subjects: Iterable[str]) -> dict[str, list[Period]]:  # fmt: skip
    """Follows subjects through a log, which is read twice for all of them.

    Args:
        log: The log.
        info: What it is.
        home: The folder of the site, which has the patches.
        subjects: IRIs as canonical N-Triples.

    Returns:
        The periods of each subject, up to one more than a page has; nothing where the log does not say how
        it begins, or the dataset before it is large.

    Raises:
        JellyError: The log is damaged.
        OSError: Reading failed.
    """
    found: dict[str, list[Period]] = {}
    wanted = list(subjects)
    if info.base is None or not wanted:
        return found
    before = info.first - 1
    patches = [home / "patches" / f"{n:04}.jellyp" for n in range(info.first, info.head.version + 1)]  # fmt: skip
    with TemporaryDirectory(prefix="jelly-page-") as folder:
        base = None
        if info.base != "empty":
            base = Path(folder, "base.jelly")
            log.dataset(base, before, to="jelly")
            if base.stat().st_size > MOST_BYTES:
                return found
        for one in history(patches, base=base, subject=wanted, chain="ignore"):
            kept = found.setdefault(one.subject, [])
            if len(kept) <= PERIODS:
                until = None if one.valid_to is None else before + one.valid_to
                kept.append(one._replace(valid_from=before + one.valid_from, valid_to=until))
    return found
