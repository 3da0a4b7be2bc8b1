"""The pages of a log as files: a site that any web server can host, or one file without network."""

from __future__ import annotations

import os
from pathlib import Path

from jelly._page._html import Html, document, joined, tag
from jelly._page._pages import EACH, log_body, log_page, version_body, version_page
from jelly._page._read import Known, rows_of
from jelly._page._style import STYLE
from jelly._page._terms import Terms
from jelly._whole_file import beside, local_path
from jelly.errors import ArgumentError
from jelly.log._log import Log
from jelly.log._types import LogInfo, LogVersion

_MARK = "jelly-page"
# versions whose rows stand in one file
_IN_ONE = 200


class _Site:
    """Addresses in a folder of files, seen from ``up`` it."""

    def __init__(self, up: str) -> None:
        self._up = up
        self.style: str | None = f"{up}style.css"

    def log(self, page: int) -> str:
        return self._up + ("index.html" if page == 1 else f"page-{page}.html")

    def version(self, version: int) -> str:
        return f"{self._up}versions/{version:04}.html"

    def patch(self, version: int, format: str) -> str | None:
        ending = {"rdfp": ".rdfp", "jelly-patch": ".jellyp"}.get(format)
        return ending and f"{self._up}patches/{version:04}{ending}"

    def undo(self, version: int) -> None: ...
    def data(self, version: int) -> None: ...
    def diff(self) -> None: ...
    def history(self) -> None: ...


class _OneFile(_Site):
    """Addresses in one page."""

    def __init__(self, least: int) -> None:
        super().__init__("")
        self.style = None
        self._least = least

    def log(self, page: int) -> str:  # noqa: ARG002
        return "#log"

    def version(self, version: int) -> str | None:  # type: ignore[override]
        return f"#v{version}" if version >= self._least else None

    def patch(self, version: int, format: str) -> None:  # noqa: ARG002
        return None


def write_page(log: Log, dest: str | os.PathLike[str]) -> int:
    """Writes the pages of a log; returns how many versions they have.

    Args:
        log: The log.
        dest: A folder, which is new, empty, or has such pages already; or a file ``.html``, which
            has the newest 200 versions with their rows.

    Raises:
        ArgumentError: The folder has something else.
        PatchError: The log is damaged.
        OSError: Writing failed.
    """
    info, path = log.info(), local_path(dest)
    known = Known(log, info.first)
    if path.suffix.lower() in (".html", ".htm"):
        with beside(path) as part:
            part.write_text(_one_file(log, info, known), "utf-8")
    else:
        _write_site(log, info, known, path)
    return info.head.version - info.first + 1


def _write_site(log: Log, info: LogInfo, known: Known, home: Path) -> None:
    if home.exists() and any(home.iterdir()) and not (home / _MARK).exists():
        raise ArgumentError(f"{home} has something else than pages of a log: give a new folder", kind="argument")  # fmt: skip
    for folder in (home, home / "versions", home / "patches"):
        folder.mkdir(parents=True, exist_ok=True)
    (home / _MARK).touch()
    _write(home / "style.css", STYLE)
    counts = known.counts(info.head.version)
    inner, pages = _Site("../"), range(1, max(1, -(-len(counts.added) // EACH)) + 1)
    for page in pages:
        versions = newest(log, info, page)
        for one in versions:
            terms = Terms(known.prefixes(one.version))
            _write(home / "versions" / f"{one.version:04}.html", version_page(info, one, rows_of(log, one, terms), terms, inner))  # fmt: skip
            for ending in (".rdfp", ".jellyp"):
                log.fetch(one.version, home / "patches" / f"{one.version:04}{ending}")
        _write(home / _Site("").log(page), log_page(info, counts, versions, page, _Site("")))


def newest(log: Log, info: LogInfo, page: int, each: int = EACH) -> list[LogVersion]:
    """The versions of a page, from the newest one."""
    upto = info.head.version - (page - 1) * each
    after = max(info.first - 1, upto - each)
    return list(log.versions(after, upto))[::-1] if upto > after else []


def _one_file(log: Log, info: LogInfo, known: Known) -> str:
    versions = newest(log, info, 1, _IN_ONE)
    links = _OneFile(versions[-1].version if versions else 1)
    counts = known.counts(info.head.version)
    body: list[Html] = log_body(info, counts, versions, 1, links, each=_IN_ONE)
    if len(counts.added) > len(versions):
        body.append(tag("p", f"The newest {len(versions):,} of {len(counts.added):,} versions are here.", class_="soft"))  # fmt: skip
    sections = [tag("section", *body, id="log")]
    for one in versions:
        terms = Terms(known.prefixes(one.version))
        inside = version_body(info, one, rows_of(log, one, terms), terms, links)
        sections.append(tag("section", *inside, id=f"v{one.version}"))
    return document(f"{info.name}: version {info.head.version}", joined(sections))


def _write(path: Path, text: str) -> None:
    with beside(path) as part:
        part.write_text(text, "utf-8")
