"""What pages say of a log: counts of all versions, prefixes, rows of one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from jelly._log_files import BASE_JSON
from jelly._page._bars import Counts
from jelly._page._churn import Churn
from jelly._page._rows import MOST, Shown, show_rows
from jelly._readers import read_patch, read_rdf
from jelly._terms import WELL_KNOWN, Terms
from jelly.log._begin import base_of
from jelly.log._folder import FolderLog
from jelly.log._log import Log
from jelly.log._types import LogInfo, LogVersion
from jelly.types import Limits

# prefixes are looked for in so many patches, and in so many rows of each
_PATCHES, _ROWS = 20, 100_000
# rows of aborted transactions are left out of patches up to this size
_KEPT = 16 << 20


class Known:
    """What is remembered of a log from page to page. For several threads."""

    def __init__(self, log: Log, info: LogInfo, subjects: int = 0) -> None:
        self.log = log
        self._lock = threading.Lock()
        self._counts = Counts(info, log)
        self._churn = Churn(info.first, subjects)
        self._prefixes: dict[int, dict[str, str]] = {}

    def counts(self, upto: int) -> Counts:
        """Adds and deletes of all versions."""
        with self._lock:
            self._counts.read(self.log, upto)
            return self._counts

    def churn(self, upto: int) -> Churn:
        """Adds and deletes of terms; each row of the log is read once."""
        with self._lock:
            self._churn.read(self.log, upto)
            return self._churn

    def prefixes(self, version: int) -> dict[str, str]:
        """Prefixes that the log declares up to a version; a few that everybody knows before them."""
        counts = self.counts(self.log.head.version)
        found = WELL_KNOWN | self._of(counts.first - 1)
        for number in [one for one in counts.prefixed if one <= version][-_PATCHES:]:
            found |= self._of(number)
        return found

    def _of(self, version: int) -> dict[str, str]:
        if version not in self._prefixes:
            is_base = version < self._counts.first
            found = _of_base(self.log) if is_base else dict(_of_patch(self.log, version))
            self._prefixes[version] = found
        return self._prefixes[version]


def _of_base(log: Log) -> dict[str, str]:
    if not isinstance(log, FolderLog) or not (log.folder / BASE_JSON).exists():
        return {}
    with closing(read_rdf(log.folder / str(base_of(log.folder)))) as reader:
        reader.peek()
        return dict(reader.namespaces)


def _of_patch(log: Log, version: int) -> Iterator[tuple[str, str]]:
    # they come behind the deletes
    with closing(_reader(log, version, columns=["op", "name", "value"])) as reader:
        for row in islice(reader.rows(), _ROWS):
            if row.op == "PA" and row.value:
                yield row.name or "", row.value.strip("<>")


def _reader(log: Log, version: int, **options: Any) -> Any:
    options["limits"] = Limits(batch_rows=MOST)  # a page shows few rows, so few are read
    if not isinstance(log, FolderLog):
        return log.read(version - 1, version, **options)
    return read_patch(log.path(version), format=log._format, **options)


def rows_of(log: Log, version: LogVersion, terms: Terms) -> Shown:
    """The first rows of a version."""
    options = {"rows": "committed"} if version.bytes <= _KEPT else {}
    with closing(_reader(log, version.version, **options)) as reader:
        return show_rows(reader.rows(), terms)
