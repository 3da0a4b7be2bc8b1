"""``RdfStreamService``: topics, options, frames, publishing once."""

from __future__ import annotations

import io
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc")
pytest.importorskip("starlette")


import jelly
import jelly.grpc
from grpc_servers import (
    Refused,
    frames,
    here,
    lines,
    numbers,
    options_of,
    raw,
    raw_of,
    read,
    stored,
)
from jelly._frames import frames_in, length_of
from jelly.errors import JellyError, OptionsError
from jelly.grpc._wire import written
from jelly.types import RdfOptions

NAMES = itertools.count()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[str]:
    (root / "file.nq").write_bytes(lines(500, graph=" <a:g>"))
    jelly.Log.create(root / "logs" / "brick").publish(b'TX .\nA <a:s> <a:p> "1" .\nTC .\n')
    with here(root / "logs", topics={"file": root / "file.nq"}) as target:
        yield target


@pytest.fixture
def topic() -> str:
    return f"topic {next(NAMES)}/x"


def test_publish_and_subscribe(server: str, topic: str) -> None:
    sent = jelly.grpc.publish(server, lines(1000), topic=topic, format="nq")
    assert (sent.rows, sent.frames) == (1000, 1)
    assert not sent.replayed
    jelly.grpc.publish(server, lines(10, 1000), topic=topic, format="nq", compress=True)
    assert read(server, topic) == numbers(range(1010))
    assert read(server, topic, compress=True) == numbers(range(1010))
    with jelly.grpc.subscribe(server, topic) as reader:
        assert options_of(reader).stream_name == topic


def test_file_and_dataset(server: str, root: Path) -> None:
    assert read(server, "file") == numbers(range(500))
    (root / "file.nq").write_bytes(lines(501, graph=" <a:g>"))
    assert read(server, "file") == numbers(range(501)), "a file that changed is read again"
    assert read(server, "brick") == ['"1"']
    assert read(server, "brick@0") == []
    for name in ("file", "brick", "brick@0"):
        with pytest.raises(JellyError, match="is a file or a log"):
            jelly.grpc.publish(server, lines(1), topic=name, format="nq")
    with pytest.raises(JellyError, match=r"patch\.version"):
        read(server, "brick@9")


def test_topic_of_the_stream_name(server: str, topic: str) -> None:
    raw(server, "PublishRdf", frames(lines(3), options=RdfOptions(stream_name=topic)))
    assert read(server, topic) == numbers(range(3))
    with pytest.raises(Refused, match="no topic is named") as refused:
        raw(server, "PublishRdf", frames(lines(3)))
    assert refused.value.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("physical", ["TRIPLES", "QUADS", "GRAPHS"])
def test_physical_types(server: str, topic: str, physical: str) -> None:
    data = lines(50) if physical == "TRIPLES" else lines(25, graph=" <a:g>") + lines(25, 25)
    given = frames(data, options=RdfOptions(physical_type=physical), frame_rows=7)
    assert len(given) > 3
    for _ in range(2):
        raw(server, "PublishRdf", given, jelly_topic=topic)
    assert read(server, topic) == numbers(range(50), range(50))
    other = {"TRIPLES": "QUADS", "QUADS": "GRAPHS", "GRAPHS": "QUADS"}[physical]
    options = RdfOptions(physical_type=other)
    if physical == "TRIPLES":
        with pytest.raises(OptionsError, match=r"options\.type"):
            read(server, topic, options=options)
    else:
        with jelly.grpc.subscribe(server, topic, options=options) as reader:
            rows = [row[5:] for row in reader.rows()]
        assert options_of(reader).physical_type == other
        assert rows == [(f'"{n}"', "<a:g>" if n < 25 else "") for n in [*range(50)] * 2]


def test_elements_stay_elements(server: str, topic: str) -> None:
    options = RdfOptions(physical_type="TRIPLES", logical_type="SUBJECT_GRAPHS")
    out = io.BytesIO()
    with jelly.RdfWriter(out, options=options, restart_bytes=0) as writer:
        for n in range(3):
            writer.write([{"subject": "<a:s>", "predicate": "<a:p>", "object": f'"{n}"'}] * n)
            writer.end_frame()
    given = list(frames_in(out.getvalue()))
    assert len(given) == 3
    raw(server, "PublishRdf", given, jelly_topic=topic)
    graphs = RdfOptions(physical_type="TRIPLES", logical_type="GRAPHS")
    for asked in (None, options, graphs):
        with jelly.grpc.subscribe(server, topic, options=asked) as reader:
            assert [row.frame for row in reader.rows()] == [1, 2, 2]
        assert options_of(reader).logical_type == "SUBJECT_GRAPHS"
    with pytest.raises(OptionsError, match="SUBJECT_GRAPHS, not FLAT_TRIPLES"):
        read(server, topic, options=RdfOptions())


def test_options_that_are_met(server: str, topic: str) -> None:
    jelly.grpc.publish(server, lines(300), topic=topic, format="nq")
    as_stored = raw_of(server, topic, None)
    everything = RdfOptions(physical_type="QUADS", max_name_table_size=4096)
    assert raw_of(server, topic, everything) == as_stored, "what fits goes out untouched"
    only_type = written(topic, b"\x10\x02")
    assert raw(server, "SubscribeRdf", [only_type], jelly_follow="false"), "0 is what there is"
    small = RdfOptions(
        physical_type="QUADS", max_name_table_size=8, max_prefix_table_size=1,
        generalized_statements=False,
    )  # fmt: skip
    with jelly.grpc.subscribe(server, topic, options=small) as reader:
        assert [row.object for row in reader.rows()] == numbers(range(300))
    found = options_of(reader)
    assert (found.max_name_table_size, found.max_prefix_table_size) == (8, 1)
    assert (found.generalized_statements, found.rdf_star) == (False, True)
    assert found.stream_name == topic


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (RdfOptions(physical_type="TRIPLES"), "options.type"),
        (RdfOptions(physical_type="QUADS", logical_type="DATASETS"), "options.type"),
        (RdfOptions(physical_type="QUADS", max_name_table_size=7), "options.table"),
    ],
)
def test_options_that_are_refused(server: str, options: RdfOptions, kind: str) -> None:
    with pytest.raises(Refused) as refused:
        raw_of(server, "file", options)
    assert refused.value.code == "INVALID_ARGUMENT"
    assert refused.value.trailing["jelly-kind"] == kind
    with pytest.raises(OptionsError) as error:
        read(server, "file", options=options)
    assert error.value.kind == kind


def test_version_that_is_not_written(server: str) -> None:
    with pytest.raises(Refused, match="this library writes versions 1 to 2") as refused:
        raw(server, "SubscribeRdf", [written("file", b"\x78\x03")])
    assert refused.value.code == "INVALID_ARGUMENT"


def test_terms_that_the_options_exclude(server: str, topic: str) -> None:
    star = b"<<( <a:s> <a:p> <a:o> )>>"
    jelly.grpc.publish(
        server, lines(5) + b"<a:s> <a:p> " + star + b" .\n", topic=topic, format="nq"
    )
    assert len(read(server, topic)) == 6
    with pytest.raises(JellyError) as error:
        read(server, topic, options=RdfOptions(physical_type="QUADS", rdf_star=False))
    assert error.value.kind.startswith("encode.")
    assert "INVALID_ARGUMENT" in str(error.value)


def test_after(server: str, topic: str) -> None:
    raw(server, "PublishRdf", frames(lines(90), frame_rows=10), jelly_topic=topic)
    raw(server, "PublishRdf", frames(lines(10, 90), frame_rows=10), jelly_topic=topic)
    with jelly.grpc.subscribe(server, topic) as reader:
        places = [(row.frame, row.object) for row in reader.rows()]
    count = len(raw_of(server, topic, None))
    assert count > 10
    for after in range(count + 1):
        expected = [object for frame, object in places if frame >= after]
        assert read(server, topic, after=after) == expected, after
    with pytest.raises(ValueError, match=f"has {count} frames"):
        read(server, topic, after=count + 1)
    with pytest.raises(ValueError, match="jelly-after counts"):
        read(
            server, topic, after=1, options=RdfOptions(physical_type="QUADS", max_name_table_size=8)
        )


def test_follow(server: str, topic: str) -> None:
    jelly.grpc.publish(server, lines(3), topic=topic, format="nq")
    got: list[str] = []
    news = threading.Semaphore(0)

    def follow() -> None:
        with jelly.grpc.subscribe(server, topic, follow=True) as reader:
            for row in reader.rows():
                got.append(row.object)
                news.release()
                if len(got) == 9:
                    return

    thread = threading.Thread(target=follow)
    thread.start()
    assert all(news.acquire(timeout=30) for _ in range(3))

    def slowly() -> Iterator[bytes]:
        first, second = frames(lines(2, 3), frame_rows=1)[:1], frames(lines(2, 3))
        assert first
        yield second[0]
        assert all(news.acquire(timeout=30) for _ in range(2)), "seen before the call ends"

    raw(server, "PublishRdf", slowly(), jelly_topic=topic)
    jelly.grpc.publish(server, lines(4, 5), topic=topic, format="nq", publish_id="last")
    thread.join(30)
    assert got == numbers(range(9))


def test_two_publishers_at_once(server: str, topic: str) -> None:
    ends = threading.Barrier(2)

    def publish(start: int) -> None:
        def messages() -> Iterator[bytes]:
            for frame in frames(lines(50, start), frame_rows=10):
                yield frame
                if not ends.broken:
                    ends.wait(30)

        raw(server, "PublishRdf", messages(), jelly_topic=topic)

    threads = [threading.Thread(target=publish, args=(start,)) for start in (0, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    found = read(server, topic)
    for start in (0, 1000):
        mine = numbers(range(start, start + 50))
        assert [one for one in found if one in set(mine)] == mine
    assert len(found) == 100


def test_publish_id(server: str, topic: str, root: Path) -> None:
    more: dict[str, Any] = {"topic": topic, "format": "nq", "publish_id": "one"}
    assert not jelly.grpc.publish(server, lines(20), **more).replayed
    before = stored(root)
    assert jelly.grpc.publish(server, lines(20), **more).replayed
    with pytest.raises(JellyError) as error:
        jelly.grpc.publish(server, lines(21), **more)
    assert error.value.kind == "patch.duplicate"
    bad = [*frames(lines(20), frame_rows=5), b"\x0a\x03\x4a\x01x"]
    with pytest.raises(Refused) as refused:
        raw(server, "PublishRdf", bad, jelly_topic=topic, jelly_publish_id="two")
    assert refused.value.code == "INVALID_ARGUMENT"
    assert stored(root) == before
    assert read(server, topic) == numbers(range(20))


def test_nodes_without_a_label_are_of_their_publisher(server: str, topic: str) -> None:
    turtle = b"<a:s> <a:p> [ <a:q> 1 ] , _:named .\n"
    for publish_id in (None, None, "once", "once", "again"):
        sent = jelly.grpc.publish(server, turtle, topic=topic, format="ttl", publish_id=publish_id)
        assert not sent.replayed or publish_id == "once"
    with jelly.grpc.subscribe(server, topic) as reader:
        rows = [(row.subject, row.object) for row in reader.rows()]
    nodes = [found for said, found in rows if said == "<a:s>"]
    assert len(rows) == 4 * 3
    assert nodes.count("_:named") == 4
    assert len(set(nodes)) == 4 + 1
    assert {said for said, _ in rows} - {"<a:s>"} == set(nodes) - {"_:named"}
    # wherever a reader begins, a node has the same label
    for after in range(5):
        with jelly.grpc.subscribe(server, topic, after=after) as reader:
            rest = [(row.subject, row.object) for row in reader.rows()]
        assert rest == rows[len(rows) - len(rest) :]
    assert len(rest) == 0


def test_names_of_topics(server: str, root: Path) -> None:
    for name in (
        "..",
        ".",
        "../x",
        "a/b",
        "a\\b",
        "%2e%2e",
        "_topics",
        "lock",
        ".lock",
        ".jelly-x",
        "ünï",
        "A b",
    ):
        jelly.grpc.publish(server, lines(1), topic=name, format="nq")
        assert read(server, name) == ['"0"'], name
    assert {path.name for path in root.iterdir()} == {"file.nq", "logs"}
    for name in ("x" * 201, "ü" * 40, ""):
        with pytest.raises(Refused) as refused:
            raw(server, "PublishRdf", frames(lines(1), stream_name=name))
        assert refused.value.code == "INVALID_ARGUMENT", name


def test_lengths() -> None:
    for size in (0, 127, 128, 16_383, 16_384, 1 << 21):
        assert list(frames_in(length_of(b"x" * size) + b"x" * size)) == [b"x" * size]
