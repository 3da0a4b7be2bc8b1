"""All versions of a log in one list, which a box filters: by number, time, headers, id and subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jelly._html import Html, joined, link, tag, text
from jelly._page._churn import Churn
from jelly._page._pages import Links
from jelly._terms import Terms
from jelly.log._listed import version_cells, versions_table
from jelly.log._log import Log
from jelly.log._types import LogInfo, LogVersion

SUBJECTS = 8
"""Subjects of a version that are in the list."""
_EACH = 500

SCRIPT = """\
"use strict";
{
  const box = document.getElementById("filter"), found = document.getElementById("found");
  const groups = [...document.querySelectorAll(".all details")];
  let rows;
  document.getElementById("search").hidden = false;
  box.addEventListener("input", () => {
    rows ??= groups.map((group) => [...group.querySelectorAll("tbody tr")].map((row) => [row, row.textContent.toLowerCase()]));
    const wanted = box.value.toLowerCase();
    let count = 0;
    groups.forEach((group, number) => {
      let here = 0;
      for (const [row, text] of rows[number]) here += !(row.hidden = !text.includes(wanted));
      group.hidden = !here;
      // drawing a few hundred rows is quick
      group.open = count < 200;
      count += here;
    });
    found.textContent = wanted && `${count.toLocaleString("en")} ${count === 1 ? "version" : "versions"}`;
  });
}
"""


def all_versions(log: Log, info: LogInfo, churn: Churn, terms: Terms, links: Links) -> Html:
    """The list, the newest versions first; groups of it are folded, so that a browser draws few of them."""
    groups: list[Html] = []
    for versions in _groups(log, info):
        first, last = versions[-1].version, versions[0].version
        cells = ((*version_cells(one, links.version(one.version)), _subjects(churn.subjects.get(one.version, ()), terms)) for one in versions)  # fmt: skip
        name = f"Version {first:,}" if first == last else f"Versions {first:,} to {last:,}"
        opened = {} if groups else {"open": ""}
        groups.append(tag("details", tag("summary", name), versions_table(cells, "Subjects"), **opened))  # fmt: skip
    box = Html('<input id="filter" type="search" autocomplete="off">')
    search = tag("p", tag("label", "Search versions, headers, ids and subjects", box, class_="wide"), tag("output", id="found", class_="soft"), id="search", hidden="")  # fmt: skip
    return tag("div", search, *groups, class_="all")


def _groups(log: Log, info: LogInfo) -> Iterator[list[LogVersion]]:
    last = info.head.version
    for upto in range(last, info.first - 1, -_EACH):
        yield list(log.versions(max(info.first - 1, upto - _EACH), upto))[::-1]


def _subjects(subjects: Sequence[str], terms: Terms) -> Html:
    names = []
    for one in subjects:
        to = terms.history and terms.history(one)
        names.append(link(to, terms.plain(one)) if to else text(terms.plain(one)))
    return tag("span", joined(names, ", "), ", …" if len(names) == SUBJECTS else "", class_="soft")
