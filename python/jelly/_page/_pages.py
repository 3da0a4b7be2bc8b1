"""The pages on a log: the log itself, a version, a difference, a history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from jelly._history import Period
from jelly._html import MINUS, Html, joined, link, table, tag
from jelly._page._bars import Counts
from jelly._page._html import document
from jelly._page._rows import Shown
from jelly._terms import Terms
from jelly.log._listed import (
    OWN_HEADERS,
    id_html,
    size_text,
    time_text,
    version_cells,
    versions_table,
)
from jelly.log._types import LogInfo, LogVersion

EACH = 100
PERIODS = 500
"""The most periods that a page of a history shows."""
TERMS = ("subject", "predicate", "object", "graph")
_FORMATS = {"rdfp": "RDF Patch", "jelly-patch": "Jelly-Patch", "trp": "Thrift"}


class Links(Protocol):
    """Where pages and files are; None: there is no such page."""

    style: str | None

    def log(self, page: int) -> str | None: ...
    def version(self, version: int) -> str | None: ...
    def patch(self, version: int, format: str) -> str | None: ...
    def undo(self, version: int) -> str | None: ...
    def since(self, version: int) -> str | None: ...
    def data(self, version: int) -> str | None: ...
    def diff(self) -> str | None: ...
    def history(self) -> str | None: ...
    def search(self) -> Html:
        """A box or a link that leads to versions."""
        ...


def log_page(
    info: LogInfo, counts: Counts, churn: Sequence[Html], versions: Sequence[LogVersion], page: int, links: Links
) -> str:  # fmt: skip
    """The page of a log: what it is, its pictures, what changes most, and versions from the newest one."""
    total = info.head.version - info.first + 1
    pages = max(1, -(-total // EACH))
    nav = tag(
        "nav",
        link(links.log(page - 1), "Newer") if page > 1 else "",
        f"Page {page:,} of {pages:,}",
        link(links.log(page + 1), "Older") if page < pages else "",
        aria_label="Pages",
    )  # fmt: skip
    listed = versions_table(version_cells(one, links.version(one.version)) for one in versions)
    parts = [links.search(), nav, listed, nav] if pages > 1 else [links.search(), listed]
    body = log_body(info, counts, churn, joined(parts), links)
    return document(f"{info.name}: version {info.head.version}", *body, style=links.style)


def found_page(info: LogInfo, asked: str, versions: Sequence[LogVersion], links: Links) -> str:
    """The page of the versions that a search found, the newest first."""
    number = len(versions)
    count = f"{number:,} version{'' if number == 1 else 's'}"
    count = f"The newest {count}" if number == EACH else count
    body = [
        tag("nav", link(links.log(1), info.name), aria_label="Log"),
        tag("h1", f"{info.name}: {asked}"),
        links.search(),
        tag("p", f"{count} of {info.head.version - info.first + 1:,} with this in the number, the time, a header or the id."),
        versions_table(version_cells(one, links.version(one.version)) for one in versions) if versions else "",
    ]  # fmt: skip
    return document(f"{info.name}: {asked}", *body, style=links.style)


def log_body(
    info: LogInfo, counts: Counts, churn: Sequence[Html], listed: Html, links: Links
) -> list[Html]:
    """What stands in the page of a log."""
    head = info.head
    total = head.version - info.first + 1
    begins = {
        None: "unknown, so there are no histories, datasets and undo patches",
        "empty": "empty",
    }.get(info.base, "with a dataset")
    facts = [
        (
            "Head",
            joined((f"version {head.version:,}", *((", ", id_html(head.id)) if head.id else ()))),
        ),
        ("Versions", f"{total:,}" + (f", from version {info.first}" if info.first > 1 else "")),
        ("Begins", begins),
        ("Created", time_text(info.created)),
    ]
    body = [tag("h1", info.name), _facts(facts)]
    if not total:
        return [*body, tag("h2", "Versions"), tag("p", "There is no patch yet.", class_="soft")]
    body += [
        tag("h2", "Adds and deletes"),
        counts.changes(),
        tag("h2", "Statements"),
        counts.size(),
    ]
    return [*body, *churn, *_forms(info, links), tag("h2", "Versions"), listed]


def version_page(
    info: LogInfo, version: LogVersion, rows: Shown, terms: Terms, links: Links
) -> str:
    """The page of a version: its headers, and what it changes."""
    title = f"{info.name}: version {version.version}"
    return document(title, *version_body(info, version, rows, terms, links), style=links.style)


def version_body(
    info: LogInfo, version: LogVersion, rows: Shown, terms: Terms, links: Links
) -> list[Html]:
    """What stands in the page of a version."""
    number = version.version
    facts = [
        ("Time (UTC)", time_text(version.time)),
        ("Id", id_html(version.id) or "none"),
        ("Comes after", id_html(version.prev) or "the begin of the log"),
        *(
            (key, terms.html(value))
            for key, value in version.headers
            if key.lower() not in OWN_HEADERS
        ),
        ("Changes", _changes(version)),
    ]
    before = links.version(number - 1) if number > info.first else None
    after = links.version(number + 1) if number < info.head.version else None
    nav = tag(
        "nav", link(links.log(1), info.name), link(before, "Version before") if before else "",
        link(after, "Version after") if after else "", aria_label="Versions",
    )  # fmt: skip
    files = [link(links.patch(number, format), name) for format, name in _FORMATS.items() if links.patch(number, format)]  # fmt: skip
    if links.undo(number) and info.base is not None:
        files.append(link(links.undo(number), "Undo patch"))
    if links.since(number):
        files.append(
            link(links.since(number), f"Changes from here to version {info.head.version:,}")
        )
    if links.data(number) and info.base is not None:
        files.append(link(links.data(number), "Dataset (N-Quads)"))
    body = [nav, tag("h1", f"{info.name}, version {number:,}"), _facts(facts)]
    if files:
        body.append(tag("nav", tag("span", "Download:", class_="soft"), *files, aria_label="Files"))
    total = version.added + version.deleted + version.prefixes
    return [*body, tag("h2", "Rows"), rows.html, _rest(rows, total, links.patch(number, "rdfp"))]


def diff_page(
    info: LogInfo, old: int, new: int, rows: Shown, links: Links, files: dict[str, str]
) -> str:
    """The page of a difference: the net change between two versions."""
    title = f"{info.name}: version {old} to {new}"
    downloads = [link(files[format], name) for format, name in _FORMATS.items() if format in files]
    body = [
        tag("nav", link(links.log(1), info.name), aria_label="Log"),
        tag("h1", f"{info.name}, from version {old:,} to {new:,}"),
        tag("p", "The net change: rows that change nothing in the end are left out."),
        tag("nav", tag("span", "Download:", class_="soft"), *downloads, aria_label="Files"),
        rows.html,
        Html("")
        if rows.is_all
        else tag("p", "Not all is shown. ", link(files["rdfp"], "All as a file")),
        *_forms(info, links, old, new),
    ]
    return document(title, *body, style=links.style)


def history_page(
    info: LogInfo, asked: Mapping[str, Sequence[str]], periods: Sequence[Period], terms: Terms, links: Links
) -> str:  # fmt: skip
    """The page of a history: from which to which version quads were there. The first :data:`PERIODS` are shown."""
    is_all, periods = len(periods) <= PERIODS, periods[:PERIODS]
    # a term that all quads have stands in the heading
    places = [name for name in TERMS if len(asked.get(name, ())) != 1]
    rows = (
        (
            *(terms.html(getattr(one, name)) for name in places),
            link(links.version(one.valid_from), f"{one.valid_from:,}") if one.valid_from >= info.first else "the begin",
            "still there" if one.valid_to is None else link(links.version(one.valid_to), f"{one.valid_to:,}"),
        )
        for one in periods
    )  # fmt: skip
    heads = [*(name.capitalize() for name in places), "Added in", "Deleted in"]
    what = joined((joined((f"{name} ", terms.html(term) or "default graph")) for name, each in asked.items() for term in each), ", ")  # fmt: skip
    body = [
        tag("nav", link(links.log(1), info.name), aria_label="Log"),
        tag("h1", "History of ", what),
        table("Quads, and the versions that added and deleted them", heads, rows)
        if periods
        else tag("p", "This quad never existed.", class_="soft"),
        Html("") if is_all else tag("p", f"The first {len(periods):,} are shown.", class_="soft"),
        *_forms(info, links),
    ]
    return document(f"{info.name}: history", *body, style=links.style)


def logs_page(names: Iterable[str], links: Any) -> str:
    """The page that lists the logs of a server."""
    found = [tag("li", link(f"/{name}", name)) for name in names]
    body = tag("ul", *found) if found else tag("p", "There is no log yet.", class_="soft")
    return document("Logs", tag("h1", "Logs"), body, style=links)


def problem_page(status: int, title: str, detail: str, style: str) -> str:
    """The page of an error."""
    return document(title, tag("h1", f"{status}: {title}"), tag("p", detail), style=style)


def _forms(info: LogInfo, links: Links, old: int | None = None, new: int | None = None) -> list[Html]:  # fmt: skip
    if links.diff() is None or info.base is None or info.head.version < info.first:
        return []
    last = info.head.version
    field = {"type": "number", "min": info.first - 1, "max": last, "required": ""}
    compare = tag(
        "form",
        tag("label", "From version", _input(name="from", value=last - 1 if old is None else old, **field)),
        tag("label", "To version", _input(name="to", value=last if new is None else new, **field)),
        tag("button", "Compare"), action=links.diff(), method="get",
    )  # fmt: skip
    look = tag(
        "form",
        tag("label", "Subject", _input(name="subject", required="", placeholder="https://example.org/a"), class_="wide"),
        tag("button", "History"), action=links.history(), method="get",
    )  # fmt: skip
    return [tag("h2", "Compare two versions, or follow a subject"), compare, look]


def search_form(to: str, asked: str) -> Html:
    """A form that looks for versions."""
    box = _input(name="q", type="search", value=asked, required="")
    return tag("form", tag("label", "Search versions, times, headers and ids", box, class_="wide"), tag("button", "Search"), action=to, method="get")  # fmt: skip


def _input(**attributes: object) -> Html:
    return Html(tag("input", **attributes).removesuffix("</input>"))


def _facts(facts: Iterable[tuple[str, object]]) -> Html:
    parts = (Html(tag("dt", name) + tag("dd", value)) for name, value in facts if value)
    return tag("dl", *parts, class_="facts")


def _changes(version: LogVersion) -> Html:
    parts = [
        tag("span", f"+{version.added:,}", class_="add number"),
        tag("span", f"{MINUS}{version.deleted:,}", class_="del number"),
    ]
    if version.prefixes:
        parts.append(Html(f"{version.prefixes:,} of prefixes"))
    return joined([*parts, f"a patch of {size_text(version.bytes)}"], " · ")


def _rest(rows: Shown, total: int, whole: str | None) -> Html:
    if rows.is_all:
        return Html("")
    return tag(
        "p",
        f"The first {rows.number:,} rows of {total:,} are shown. ",
        link(whole, "All as a file"),
    )
