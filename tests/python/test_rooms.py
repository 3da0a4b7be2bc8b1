"""Rooms name only rooms below them: what goes around in a circle cannot be read, moved or tested alone."""

import re

import pytest

import rooms
from rooms import Arrow

# Arrows that point upward today. The lists may only shrink: an arrow that closes no circle any more
# must go from its list, and no new one may come. The core has none.
RUST: set[Arrow] = set()
PYTHON: set[Arrow] = {
    ("_internal", "_inspect"),  # the native module makes the classes that Python declares
    ("_option_table", "_internal"),
}
MOST = {"rust": 0, "python": 2}


@pytest.mark.parametrize("language", ["rust", "python"])
def test_circles(language: str) -> None:
    graph, known = {"rust": (rooms.rust, RUST), "python": (rooms.python, PYTHON)}[language]
    arrows = graph()
    assert sum(map(len, arrows.values())) > 60
    assert rooms.circles(arrows, known) == [], "rooms that go around in a circle"
    for arrow in sorted(known):
        rest = known - {arrow}
        assert rooms.circles(arrows, rest), f"{arrow} closes no circle any more: take it from here"
    assert len(known) <= MOST[language], "the lists only shrink"


def test_the_architecture_names_each_room_once() -> None:
    table = (
        (rooms.ROOT / "ARCHITECTURE.md").read_text().split("| module | holds |")[1].split("\n\n")[0]
    )
    named = [
        name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]
    assert sorted(named) == sorted(rooms.rooms(rooms.SRC, ".rs"))


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}
    assert rooms.circles(graph) == [["a", "b", "c"]]
    assert rooms.circles(graph, [("c", "a")]) == []
    assert rooms.circles({"a": {"b"}, "b": set()}) == []
