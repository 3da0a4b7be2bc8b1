"""Blank nodes of subscribers: one label wherever a subscriber begins, and none that two topics share."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("grpc")
pytest.importorskip("starlette")

import jelly
import jelly.grpc
from grpc_servers import here, raw_of
from jelly.errors import PatchError

ROWS = 9000
"""More than a frame has."""


def stream(first: int) -> bytes:
    """A Jelly stream whose nodes have labels that readers make, and a label of its own."""
    nodes = ("anon-0", "anon-1", "s0000000000000002_anon-0", "x")
    rows = [f'_:{nodes[number % 4]} <a:p> "{number}" .\n' for number in range(first, first + ROWS)]
    out = io.BytesIO()
    jelly.convert("".join(rows).encode(), out, format="nt", to="jelly", blank_nodes="keep")
    return out.getvalue()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("served")
    (root / "two.jelly").write_bytes(stream(0) + stream(ROWS))
    jelly.Log.create(root / "logs" / "log").publish(b'TX .\nA <a:s> <a:p> "1" .\nTC .\n')
    topics = dict.fromkeys(("one", "other"), root / "two.jelly")
    with here(root / "logs", topics=topics) as target:
        yield target


def rows(server: str, topic: str, **options: Any) -> list[tuple[str, str]]:
    with jelly.grpc.subscribe(server, topic, **options) as reader:
        return [(row.subject, row.object) for row in reader.rows()]


@pytest.mark.parametrize("blank_nodes", ["auto", "keep", "scoped"])
def test_a_subscriber_that_goes_on_has_the_same_nodes(server: str, blank_nodes: str) -> None:
    whole = rows(server, "one", blank_nodes=blank_nodes)
    assert [text for _, text in whole] == [f'"{number}"' for number in range(2 * ROWS)]
    assert len({subject for subject, _ in whole}) == 7, "three positions of each stream, and _:x"
    count = len(raw_of(server, "one", None))
    assert count > 2
    for after in range(1, count + 1):
        rest = rows(server, "one", after=after, blank_nodes=blank_nodes)
        assert rest == whole[len(whole) - len(rest) :]
    assert rest == []


def test_two_topics_share_no_node_without_a_label(server: str) -> None:
    one, other = ({subject for subject, _ in rows(server, topic)} for topic in ("one", "other"))
    assert one & other == {"_:x"}
    with jelly.grpc.subscribe(server, "one", columns=["source"]) as reader:
        assert {row.source for row in reader.rows()} == {f"{server}/one"}
    with jelly.grpc.subscribe(server, "one", columns=["source"], source_name="mine") as reader:
        assert {row.source for row in reader.rows()} == {"mine"}


@pytest.mark.parametrize("topic", ["one", "log"])
def test_a_place_behind_the_end_of_a_file_or_dataset(server: str, topic: str) -> None:
    count = len(raw_of(server, topic, None))
    assert rows(server, topic, after=count) == []
    with pytest.raises(PatchError, match=f"has {count} frames, not {count + 1}") as caught:
        rows(server, topic, after=count + 1)
    assert caught.value.kind == "patch.version"
