"""``RdfStreamService`` between this library and Jelly-JVM's codec over grpc-java, both ways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("grpc")
pytest.importorskip("starlette")

import jelly
import jelly.grpc
from grpc_peer import Peer, grpc_peer
from grpc_servers import here
from jelly.types import RdfOptions
from places import SkippedError

GRAPHS = ("", " <http://a/g1>", " <http://a/g2>")
ODD = ['"é\\n"@en', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', "_:b0", "<http://other/x#y>"]


def quads(count: int, graphs: tuple[str, ...]) -> list[str]:
    """Statements, sorted."""
    objects = [*ODD, *(f'"{n}"' for n in range(count))]
    return sorted(
        f"<http://a/s{n}> <http://a/p{n % 7}> {object}{graphs[n * len(graphs) // len(objects)]} ."
        for n, object in enumerate(objects)
    )


TRIPLES, QUADS = quads(300, ("",)), quads(300, GRAPHS)


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """The peer, or why it cannot be: Java and Maven, and the packages that they fetch, may be missing."""
    folder = tmp_path_factory.mktemp("peer")
    (folder / "t.nt").write_text("".join(f"{line}\n" for line in TRIPLES))
    (folder / "q.nq").write_text("".join(f"{line}\n" for line in QUADS))
    try:
        with grpc_peer(folder) as one:
            yield one
    except SkippedError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Iterator[str]:
    files = {"t": peer.folder / "t.nt", "q": peer.folder / "q.nq"}
    with here(tmp_path_factory.mktemp("served"), topics=files) as address:
        yield address


def test_it_subscribes_to_ours(peer: Peer, server: str) -> None:
    for topic, expected in (("t", TRIPLES), ("q", QUADS)):
        assert peer.ask("subscribe", server, topic, peer.folder / "x.nq", "--any").startswith("ok ")
        assert peer.statements("x.nq") == expected
    for options in (
        "--physical QUADS", "--physical QUADS --names 16 --prefixes 0 --datatypes 8", "--physical GRAPHS",
    ):  # fmt: skip
        assert peer.ask("subscribe", server, "q", peer.folder / "x.nq", options).startswith("ok ")
        assert peer.statements("x.nq") == QUADS, options


@pytest.mark.parametrize(
    ("topic", "options", "code", "text"),
    [
        ("q", "--physical TRIPLES", "INVALID_ARGUMENT", "options.type"),
        ("t", "--physical QUADS", "INVALID_ARGUMENT", "options.type"),
        ("q", "--physical QUADS --logical DATASETS", "INVALID_ARGUMENT", "options.type"),
        ("q", "--physical QUADS --names 4", "INVALID_ARGUMENT", "options.table"),
        ("none", "--any", "NOT_FOUND", "none"),
    ],
)
def test_it_learns_what_it_cannot_have(
    peer: Peer, server: str, topic: str, options: str, code: str, text: str
) -> None:
    said = peer.ask("subscribe", server, topic, peer.folder / "x.nq", options)
    assert said.startswith(f"status {code} "), said
    assert text in said


@pytest.mark.parametrize("physical", ["TRIPLES", "QUADS", "GRAPHS"])
@pytest.mark.parametrize("rows", [1, 16, 100_000])
def test_it_publishes_to_ours(peer: Peer, server: str, physical: str, rows: int) -> None:
    file, expected = ("t.nt", TRIPLES) if physical == "TRIPLES" else ("q.nq", QUADS)
    topic = f"{physical}{rows}"
    for _ in range(2):
        options = f"--stream-name {topic} --physical {physical} --frame-size {rows}"
        assert peer.ask("publish", server, peer.folder / file, options) == "ok 1"
    with jelly.grpc.subscribe(server, topic) as reader:
        found = [" ".join(term for term in (*row[3:6], row.graph, ".") if term) for row in reader.rows()]  # fmt: skip
    assert sorted(found) == sorted(expected * 2)
    assert peer.ask("subscribe", server, topic, peer.folder / "x.nq", "--any").startswith("ok ")
    assert peer.statements("x.nq") == sorted(expected * 2), "files put end to end are one stream"


def test_it_learns_what_cannot_be_published(peer: Peer, server: str) -> None:
    said = peer.ask("publish", server, peer.folder / "t.nt", "--physical TRIPLES")
    assert said.startswith("status INVALID_ARGUMENT no topic is named"), said
    assert peer.ask("publish", server, peer.folder / "t.nt", "--stream-name typed") == "ok 1"
    said = peer.ask("publish", server, peer.folder / "q.nq", "--stream-name typed --physical QUADS")
    assert said.startswith("status INVALID_ARGUMENT options.type"), said


def test_ours_subscribes_to_it(peer: Peer, server: str) -> None:
    del server
    options = RdfOptions(
        physical_type="QUADS", generalized_statements=False, max_name_table_size=32
    )
    for topic, asked, expected in (
        ("t.nt", None, TRIPLES), ("q.nq", None, QUADS), ("q.nq", options, QUADS),
    ):  # fmt: skip
        with jelly.grpc.subscribe(peer.address, topic, options=asked, blank_nodes="keep") as reader:
            found = [" ".join(term for term in (*row[3:6], row.graph, ".") if term) for row in reader.rows()]  # fmt: skip
            found_options = reader.options
            assert asked is None or (found_options and found_options.max_name_table_size == 32)
        assert sorted(found) == expected
    with pytest.raises(FileNotFoundError, match="no topic"):
        list(jelly.grpc.subscribe(peer.address, "none"))
    too_large = RdfOptions(physical_type="QUADS", max_name_table_size=5000)
    with pytest.raises(ValueError, match="INVALID_ARGUMENT"):
        list(jelly.grpc.subscribe(peer.address, "q.nq", options=too_large))


def test_ours_publishes_to_it(peer: Peer) -> None:
    for name, expected in (("t.nt", TRIPLES), ("q.nq", QUADS)):
        sent = jelly.grpc.publish(
            peer.address, peer.folder / name, topic=f"to {name}", compress=True
        )
        assert sent.frames > 0
        assert peer.statements(f"received-to {name}.nq") == expected
