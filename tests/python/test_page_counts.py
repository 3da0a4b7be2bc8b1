"""Pages on a log count what ``stats`` counts, and find versions."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import jelly
from asgi import ask
from jelly import _internal
from jelly._html import MINUS
from jelly._page._bars import Counts
from jelly._page._churn import Churn
from jelly._page._site import write_page
from test_page import BROWSER, Page

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three versions: types, graphs, deletes, an aborted transaction, prefixes."""
    place = tmp_path / "logs" / "plant"
    made = jelly.Log.create(place)
    made.publish(
        b'PA "ex" <http://e/> .\nTX .\nA <http://e/gone> <http://e/p> "aborted" .\nTA .\n'
        b"TX .\nA <http://e/a> " + TYPE.encode() + b" <http://e/Pump> .\nTC .\n"
    )
    made.publish(
        f'H author "Grace" .\nTX .\nD <http://e/a> {TYPE} <http://e/Pump> .\nA <http://e/b> {TYPE} <http://e/Valve> <http://e/g> .\nTC .\n'.encode()
    )
    made.publish(b'TX .\nA <http://e/c> <http://e/p> "1" .\nA <http://e/c> <http://e/p> "2" <http://e/g> .\nTC .\n')  # fmt: skip
    return place


def counted(rows: list[tuple[str, int, int]]) -> dict[str, int]:
    return {term: added + deleted for term, added, deleted in rows}


def test_counts_are_those_of_stats(log: Path) -> None:
    found = jelly.Log(log)
    files: list[Any] = sorted(log.glob("patch-*"))
    joined = b"".join(path.read_bytes() for path in files)
    stats = jelly.stats(joined, rows="committed", format="jelly-patch", framing="concatenated")
    info = found.info()
    counts, churn = Counts(info, found), Churn(info.first, 8)
    for upto in (1, 3, 3):  # what was read is not read again
        counts.read(found, upto)
        churn.read(found, upto)
    assert (sum(counts.added), sum(counts.deleted)) == (stats.ops["A"], stats.ops["D"]) == (4, 1)
    assert counted(churn.predicates.top(15)) == stats.predicates
    assert counted(churn.graphs.top(15)) == stats.graphs == {"": 3, "<http://e/g>": 2}
    assert churn.classes.top(15) == [("<http://e/Pump>", 1, 1), ("<http://e/Valve>", 1, 0)]
    assert list(counts.sizes) == [1, 1, 3]
    assert churn.subjects == {1: ["<http://e/a>"], 2: ["<http://e/a>", "<http://e/b>"], 3: ["<http://e/c>"]}  # fmt: skip


def test_long_terms_do_not_pile_up(tmp_path: Path) -> None:
    found = jelly.Log.create(tmp_path / "log")
    long = "x" * (1 << 20)
    rows = "".join(f'A <http://e/s{n}> <http://e/p> "{long}" .\n' for n in range(200))
    found.publish(
        f"TX .\n{rows}A <http://e/{long}> <http://e/p> <http://e/{long}> .\nTC .\n".encode()
    )
    del rows
    tracemalloc.start()
    try:
        churn = Churn(1, 8)
        churn.read(found, 1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert churn.predicates.top(15) == [("<http://e/p>", 201, 0)]
    assert max(map(len, (*churn.recent, *churn.subjects[1]))) < 100
    assert peak < 64 << 20


def test_rare_terms_are_forgotten() -> None:
    one = _internal.Frequencies()
    for n in range(100):
        one.add(f"{n}" + "x" * (1 << 20), False)
        one.add("often", n % 2 == 1)
    assert one.different is None
    kept = one.top(100)
    assert kept[0] == ("often", 50, 50)
    assert sum(len(term) for term, *_ in kept) <= 64 << 20


def test_the_page_shows_them(log: Path, tmp_path: Path) -> None:
    write_page(jelly.Log(log), tmp_path / "one.html")
    write_page(jelly.Log(log), tmp_path / "site")
    for path in (tmp_path / "one.html", tmp_path / "site/index.html"):
        page = Page(path.read_text())
        for text in (
            f"ex:Pump+1{MINUS}1",
            "ex:Valve+1",
            f"rdf:type+2{MINUS}1",
            "Statements in the dataset after each version, computed from adds and deletes: 0 before version 1, 3 after version 3, 3 at most.",
        ):
            assert text in page.text, text
        assert "aborted" not in page.text
    for path in (tmp_path / "one.html", tmp_path / "site/search.html"):
        page = Page(path.read_text())
        page.check()
        assert len(page.scripts) == 1
        assert "ex:a, ex:b" in page.text
    assert "search.html" in (tmp_path / "site/index.html").read_text()


def test_prefixes_behind_many_deletes_are_known(tmp_path: Path) -> None:
    made = jelly.Log.create(tmp_path / "renamed")
    rows = [f'<http://e/a> <http://e/p> "{number}" .' for number in range(1500)]
    made.publish("\n".join(["TX .", *(f"A {row}" for row in rows), "TC .\n"]).encode())
    deletes = [f"D {row}" for row in rows]
    made.publish("\n".join(["TX .", *deletes, 'PA "e" <http://e/> .', "TC .\n"]).encode())
    made.publish(b'TX .\nA <http://e/b> <http://e/p> "1" .\nTC .\n')
    write_page(made, tmp_path / "one.html")
    assert 'e:p "1"' in Page((tmp_path / "one.html").read_text()).text


def test_sizes_of_a_backup_are_those_of_its_dumps(tmp_path: Path) -> None:
    for objects in ("12", "1", "1345"):
        dump = "".join(f'<a:s> <a:p> "{one}" .\n' for one in objects)
        jelly.backup(dump.encode(), tmp_path / "kept")
    found = jelly.Log(tmp_path / "kept")
    counts = Counts(found.info(), found)
    counts.read(found, found.head.version)
    assert (counts.size_before, list(counts.sizes), counts.is_reckoned) == (2, [1, 4], False)
    assert (
        "Statements in the dataset after each version: 2 before version 1, 4 after version 2"
        in counts.size()
    )


def test_a_number_that_counts_nothing_is_no_size(tmp_path: Path) -> None:
    made = jelly.Log.create(tmp_path / "odd")
    made.publish(f'H statements "{"9" * 5000}" .\nTX .\nA <a:s> <a:p> <a:o> .\nTC .\n'.encode())
    counts = Counts(made.info(), made)
    counts.read(made, 1)
    assert list(counts.sizes) == [1]


def test_many_versions_are_in_one_file(tmp_path: Path) -> None:
    made = jelly.Log.create(tmp_path / "long")
    for number in range(601):
        made.publish(f"TX .\nA <a:s{number}> <a:p> <a:o> .\nTC .\n".encode())
    write_page(made, tmp_path / "one.html")
    text = (tmp_path / "one.html").read_text()
    assert re.findall(r"<summary>([^<]*)</summary>", text) == ["Versions 102 to 601", "Versions 1 to 101"]  # fmt: skip
    assert text.count("<details") == 2
    assert text.count('<details open="">') == 1
    assert "The rows of the newest 200 of 601 versions are here" in text


def test_a_server_finds_versions(log: Path) -> None:
    service = pytest.importorskip("jelly.service")
    served = service.app(log.parent)

    def page(query: str) -> Page:
        answer = ask(served, "GET", f"/plant?{query}", **BROWSER)  # type: ignore[arg-type]
        assert answer.status == 200
        found = Page(answer.body.decode())
        found.check()
        assert found.scripts == []
        return found

    first = page("")
    assert f"ex:Pump+1{MINUS}1" in first.text
    assert [given for tag, given in first.tags if given.get("name") == "q"]
    assert 'author: "Grace"' in page("q=grace").text
    assert "1 version of 3" in page("q=grace").text
    assert "0 versions of 3" in page("q=%3Cb%3Enobody").text
