"""The pages of a log as files: a site that any web server can host, or one file without network."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jelly._convert import convert
from jelly._html import Html, joined, link, tag
from jelly._page._all import SCRIPT, SUBJECTS, all_versions
from jelly._page._html import document
from jelly._page._pages import (
    EACH,
    diff_page,
    history_page,
    log_body,
    log_page,
    version_body,
    version_page,
)
from jelly._page._read import Known, rows_of
from jelly._page._rows import Shown
from jelly._page._since import UNDO, compare
from jelly._page._style import STYLE
from jelly._page._subjects import histories
from jelly._page._texts import new_text_beside, text_beside
from jelly._show import show_style
from jelly._terms import Terms
from jelly._whole_file import beside, local_path
from jelly.errors import ArgumentError
from jelly.log._log import Log
from jelly.log._types import LogInfo, LogVersion

_MARK = "jelly-page"
_NONE: Mapping[Any, Any] = MappingProxyType({})
# versions whose rows stand in one file, and how many rows
_IN_ONE, _ROWS = 200, 20_000


class _Site:
    """Addresses in the folder ``home``, seen from ``up`` it."""

    def __init__(
        self,
        up: str,
        home: Path,
        compared: Mapping[int, Shown] = _NONE,
        followed: Mapping[str, object] = _NONE,
    ) -> None:
        self._up, self._home = up, home
        self._compared = compared
        self._subjects = followed
        self.style: str | None = f"{up}style.css"

    def log(self, page: int) -> str:
        return self._up + ("index.html" if page == 1 else f"page-{page}.html")

    def version(self, version: int) -> str:
        return f"{self._up}versions/{version:04}.html"

    def patch(self, version: int, format: str) -> str | None:
        jelly = self._patch(version)
        files = {"rdfp": text_beside(jelly), "jelly-patch": jelly}
        return f"{self._up}patches/{files[format].name}" if format in files else None

    def undo(self, version: int) -> str | None:
        if version not in self._compared:
            return None
        return f"{self._up}patches/{text_beside(self._patch(version), UNDO).name}"

    def since(self, version: int) -> str | None:
        found = self._compared.get(version)
        return f"{self._up}since/{version:04}.html" if found and found.html else None

    def of_subject(self, term: str) -> str | None:
        if term not in self._subjects:
            return None
        # of the term alone, so that its address stays when the pages are written again
        return f"{self._up}subjects/{hashlib.sha256(term.encode()).hexdigest()[:16]}.html"

    def data(self, version: int) -> None: ...
    def diff(self) -> None: ...
    def history(self) -> None: ...

    def search(self) -> Html:
        return tag("p", link(f"{self._up}search.html", "Search all versions"))

    def since_page(self, info: LogInfo, version: int) -> str:
        """The page of what changed between a version and the head."""
        jelly = self._home / "since" / f"{version:04}.jellyp"
        files = {"rdfp": text_beside(jelly).name, "jelly-patch": jelly.name}
        return diff_page(info, version, info.head.version, self._compared[version], self, files)

    def _patch(self, version: int) -> Path:
        return self._home / "patches" / f"{version:04}.jellyp"


class _OneFile(_Site):
    """Addresses in one page."""

    def __init__(self, least: int) -> None:
        super().__init__("", Path())
        self.style = None
        self._least = least

    def log(self, page: int) -> str:  # noqa: ARG002
        return "#log"

    def version(self, version: int) -> str | None:  # type: ignore[override]
        return f"#v{version}" if version >= self._least else None

    def patch(self, version: int, format: str) -> None:  # noqa: ARG002
        return None

    def search(self) -> Html:
        return Html("")


def write_page(log: Log, dest: str | os.PathLike[str]) -> int:
    """Writes the pages of a log; returns how many versions they have.

    Args:
        log: The log.
        dest: A folder, which is new, empty, or has such pages already; or a file ``.html``, which
            has all versions, and the rows of the newest 200, up to 20,000 rows.

    Raises:
        ArgumentError: The folder has something else.
        PatchError: The log is damaged.
        OSError: Writing failed.
    """
    info, path = log.info(), local_path(dest)
    known = Known(log, info, SUBJECTS)
    if path.suffix.lower() in (".html", ".htm"):
        with beside(path) as part:
            part.write_text(_one_file(log, info, known), "utf-8")
    else:
        _write_site(log, info, known, path)
    return info.head.version - info.first + 1


def _write_site(log: Log, info: LogInfo, known: Known, home: Path) -> None:
    if home.exists() and any(home.iterdir()) and not (home / _MARK).exists():
        raise ArgumentError(f"{home} has files that are not pages of a log: choose a new folder", kind="argument")  # fmt: skip
    for name in ("versions", "patches", "since", "subjects"):
        (home / name).mkdir(parents=True, exist_ok=True)
    (home / _MARK).touch()
    _write(home / "style.css", STYLE + show_style())
    counts, churn = known.counts(info.head.version), known.churn(info.head.version)
    for number in range(info.first, info.head.version + 1):
        jelly = home / "patches" / f"{number:04}.jellyp"
        log.fetch(number, jelly)
        convert(jelly, new_text_beside(jelly))
    compared = compare(log, info, home)
    followed = histories(log, info, home, reversed(churn.recent))
    home_links, inner = (_Site(up, home, compared, followed) for up in ("", "../"))
    latest = Terms(known.prefixes(info.head.version), home_links.of_subject)
    most = churn.html(latest)
    pages = {subject: home / str(home_links.of_subject(subject)) for subject in followed}
    for old in {*(home / "subjects").iterdir()} - {*pages.values()}:
        old.unlink()
    for subject, periods in followed.items():
        shown = history_page(info, {"subject": [subject]}, periods, latest, inner)  # fmt: skip
        _write(pages[subject], shown)
    for page in range(1, max(1, -(-len(counts.added) // EACH)) + 1):
        versions = newest(log, info, page)
        for one in versions:
            terms = Terms(known.prefixes(one.version), inner.of_subject)
            _write(home / "versions" / f"{one.version:04}.html", version_page(info, one, rows_of(log, one, terms), terms, inner))  # fmt: skip
            if inner.since(one.version):
                _write(home / "since" / f"{one.version:04}.html", inner.since_page(info, one.version))  # fmt: skip
        shown = log_page(info, counts, most if page == 1 else [], versions, page, home_links)
        _write(home / home_links.log(page), shown)
    listed = all_versions(log, info, churn, latest, home_links)
    _write(home / "search.html", _search_page(info, listed))


def _search_page(info: LogInfo, listed: Html) -> str:
    back = tag("nav", link("index.html", info.name), aria_label="Log")
    title = f"{info.name}: all versions"
    return document(title, back, tag("h1", title), listed, style="style.css", script=SCRIPT)


def newest(log: Log, info: LogInfo, page: int, each: int = EACH) -> list[LogVersion]:
    """The versions of a page, from the newest one."""
    upto = info.head.version - (page - 1) * each
    after = max(info.first - 1, upto - each)
    return list(log.versions(after, upto))[::-1] if upto > after else []


def _one_file(log: Log, info: LogInfo, known: Known) -> str:
    head = info.head.version
    sections, left, least = [], _ROWS, head + 1
    inside: list[tuple[LogVersion, Terms, Shown]] = []
    for one in newest(log, info, 1, _IN_ONE):
        terms = Terms(known.prefixes(one.version))
        rows = rows_of(log, one, terms)
        left -= rows.number
        if left < 0:
            break
        inside.append((one, terms, rows))
        least = one.version
    links = _OneFile(least)
    counts, churn, terms = known.counts(head), known.churn(head), Terms(known.prefixes(head))
    listed: list[Html] = [all_versions(log, info, churn, terms, links)]
    if len(counts.added) > len(inside):
        listed.append(tag("p", f"The rows of the newest {len(inside):,} of {len(counts.added):,} versions are here.", class_="soft"))  # fmt: skip
    body = log_body(info, counts, churn.html(terms), joined(listed), links)
    sections.append(tag("section", *body, id="log"))
    for one, terms, rows in inside:
        sections.append(tag("section", *version_body(info, one, rows, terms, links), id=f"v{one.version}"))  # fmt: skip
    return document(f"{info.name}: version {head}", joined(sections), script=SCRIPT)


def _write(path: Path, text: str) -> None:
    with beside(path) as part:
        part.write_text(text, "utf-8")
