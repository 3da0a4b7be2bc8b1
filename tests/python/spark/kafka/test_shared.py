"""Messages that go on with the stream of their partition: what a worker does, without Spark."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import jelly
import jellybytes as jb
from jelly.spark.kafka.client import DataLossError
from jelly.spark.kafka.decode import begins_stream, rows
from jelly.spark.kafka.offsets import Range
from jelly.spark.kafka.options import KafkaOptions
from kafkalog import Log, frames, nameless

pytestmark = pytest.mark.spark
pa = pytest.importorskip("pyarrow")


class Partition:
    """Reads ranges of partition 0 of a topic, as tasks do."""

    def __init__(
        self, log: Log, snapshots: Path | None, topic: str | None = None, **options: str
    ) -> None:
        self.log = log
        self.topic = topic or log.topic()
        self.folder = snapshots and snapshots / self.topic / "0"
        where = {} if snapshots is None else {"snapshotLocation": str(snapshots)}
        given = {
            **log.options,
            "subscribe": self.topic,
            "sharedLookups": "true",
            **where,
            **options,
        }
        self.options = KafkaOptions.of(given, stream=False)

    def put(self, values: Any) -> None:
        self.log.put(self.topic, values)

    def read(
        self, start: int, end: int, begin: int = 0, topic_id: str = "x"
    ) -> list[dict[str, Any]]:
        batches = rows(self.options, Range(self.topic, 0, start, end), begin, topic_id)
        return [row for batch in batches for row in batch.to_pylist()]

    def kept(self) -> list[int]:
        assert self.folder
        return sorted(int(path.name) for path in self.folder.iterdir())


@pytest.fixture
def snapshots(tmp_path: Path) -> Path:
    return tmp_path / "snapshots"


def whole_stream(values: list[bytes], name: str) -> list[dict[str, Any]]:
    reader = jelly.read_patch(jb.delimited(*values), framing="concatenated", source_name=name)
    found: list[dict[str, Any]] = pa.table(reader).to_pylist()
    return found


@pytest.mark.parametrize("stream", ["PUNCTUATED", "FRAME"])
def test_ranges_give_what_the_whole_gives(log: Log, snapshots: Path, stream: str) -> None:
    partition = Partition(log, snapshots)
    values = frames(60, options=jelly.PatchOptions(stream_type=stream, max_name_table_size=16))
    partition.put(values)
    expected = whole_stream(values, f"{partition.topic}/0")
    assert len(expected) == 300
    cuts = [0, 1, 7, 8, 30, 59, 60]
    found = [row for cut in pairwise(cuts) for row in partition.read(*cut)]
    assert found == expected
    assert [row["seq"] for row in found] == list(range(300))
    assert {row["source"] for row in found} == {f"{partition.topic}/0"}
    assert partition.kept() == cuts[1:]
    again = partition.read(30, 59)
    assert again == expected[150:295]
    assert Partition(log, None, partition.topic).read(0, 60) == expected


def test_a_patch_goes_on_in_the_next_batch(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots)
    head = [jb.patch_options(), jb.patch_entry("name", "p")]
    parts = [
        [*head, jb.BEGIN],
        [jb.add(s_bnode="b", p_iri=jb.iri(1), o_literal=jb.literal("1"), g_default={})],
        [jb.COMMIT, jb.MARK],
        [jb.BEGIN],
    ]
    partition.put([jb.frame(*rows) for rows in parts])
    found = [partition.read(n, n + 1) for n in range(4)]
    assert [[(row["op"], row["patch"], row["txn"], row["seq"]) for row in each] for each in found] == [
        [("TX", 0, 0, 0)], [("A", 0, 0, 1)], [("TC", 0, 0, 2), ("Z", 0, None, 3)], [("TX", 1, 1, 4)],
    ]  # fmt: skip


def test_statements(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots, kind="rdf")
    first = [
        jb.rdf_options(),
        jb.rdf_entry("name", "p"),
        jb.triple(s_bnode="b", p_iri=jb.iri(1), o_literal=jb.literal("0")),
    ]
    partition.put(
        [
            jb.frame(*first),
            jb.frame(jb.triple(o_literal=jb.literal("1"))),
            None,
            jb.frame(jb.triple(o_literal=jb.literal("2"))),
        ]
    )
    found = partition.read(0, 1) + partition.read(1, 4)
    assert [(row["frame"], row["seq"], row["predicate"], row["object"]) for row in found] == [
        (n, n, "<p>", f'"{n}"') for n in range(3)
    ]


def test_a_producer_starts_anew(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots)
    values = frames(5, subject="first") + frames(5, subject="other")
    partition.put(values)
    found = partition.read(0, 5) + partition.read(5, 10)
    assert found == whole_stream(values, f"{partition.topic}/0")
    added = [row for row in found if row["op"] == "A"]
    assert [row["subject"][:14] for row in added] == ["<http://e/firs"] * 10 + [
        "<http://e/othe"
    ] * 10
    assert [row["patch"] for row in added] == [n // 2 for n in range(20)]


def test_nodes_without_a_label_are_of_their_stream(log: Log, snapshots: Path) -> None:
    def stream(number: int) -> list[bytes]:
        first = jb.triple(s_bnode="anon-0", p_iri=jb.iri(1), o_bnode="x")
        again = jb.triple(o_literal=jb.literal(str(number)))
        return [jb.frame(jb.rdf_options(), jb.rdf_entry("name", "p"), first), jb.frame(again)]

    partition = Partition(log, snapshots, kind="rdf")
    partition.put(stream(0) + stream(1) + stream(2))
    name = f"{partition.topic}/0"
    data = jb.delimited(*stream(0), *stream(1), *stream(2))
    whole = pa.table(jelly.read_rdf(data, framing="concatenated", source_name=name)).to_pylist()
    # batches begin inside streams and between them
    cuts = [0, 1, 3, 4, 6]
    assert [row for cut in pairwise(cuts) for row in partition.read(*cut, topic_id="")] == whole
    labels = [row["subject"].partition("_anon-")[0] for row in whole]
    assert [len(set(labels[at : at + 2])) for at in (0, 2, 4)] == [1, 1, 1]
    assert len(set(labels)) == 3
    assert [row["object"] for row in whole[::2]] == ["_:x"] * 3


def test_options_that_are_repeated(log: Log, snapshots: Path) -> None:
    options = [jb.patch_options()]
    first = jb.frame(*options, jb.patch_entry("name", "p"), jb.MARK)
    again = jb.frame(
        *options,
        jb.add(s_bnode="b", p_iri=jb.iri(1), o_literal=jb.literal("1"), g_default={}),
        jb.MARK,
    )
    partition = Partition(log, snapshots, newStreamAtOptions="false")
    partition.put([first, again])
    partition.read(0, 1)
    assert [row["predicate"] for row in partition.read(1, 2)] == ["<p>", None]
    with pytest.raises(jelly.errors.TableError):
        Partition(log, None, partition.topic).read(0, 2)
    with pytest.raises(
        ValueError, match=r"newStreamAtOptions=false, but this query has .*newStreamAtOptions=true"
    ):
        Partition(log, snapshots, partition.topic).read(1, 2)


def test_frames_with_lengths(log: Log, snapshots: Path) -> None:
    values = frames(20)
    partition = Partition(log, snapshots, framing="delimited")
    partition.put([jb.delimited(*values[n : n + 4]) for n in range(0, 20, 4)])
    found = partition.read(0, 2) + partition.read(2, 5)
    assert found == whole_stream(values, f"{partition.topic}/0")


def test_lost_snapshots_are_made_anew(
    log: Log, snapshots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    partition = Partition(log, snapshots)
    partition.put(frames(40))
    for start in range(0, 30, 10):
        partition.read(start, start + 10)
    expected = Partition(log, None, partition.topic).read(0, 40)[150:]
    assert partition.folder
    bytes_of_30 = (partition.folder / "30").read_bytes()
    (partition.folder / "30").unlink()
    assert partition.read(30, 40) == expected  # from that at 20
    assert partition.kept() == [10, 20, 40]
    (partition.folder / "20").write_bytes(bytes_of_30[:-3])
    with caplog.at_level("WARNING", "jelly.spark"):
        assert partition.read(30, 40) == expected
    assert "the snapshot is incomplete" in caplog.text
    for path in partition.folder.iterdir():
        path.unlink()
    assert partition.read(30, 40) == expected  # from the start
    assert partition.kept() == [40]


def test_what_is_kept_is_always_the_same(log: Log, tmp_path: Path) -> None:
    one = Partition(log, tmp_path / "one")
    one.put(frames(30))
    two = Partition(log, tmp_path / "two", one.topic, columns="op")
    for cut in ((0, 11), (11, 30)):
        one.read(*cut)
    two.read(0, 30)
    assert one.folder
    assert two.folder
    assert (one.folder / "30").read_bytes() == (two.folder / "30").read_bytes()


def test_old_snapshots_go(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots, snapshotsKept="3")
    partition.put(frames(20, 1))
    for n in range(20):
        partition.read(n, n + 1)
    assert partition.kept() == [17, 18, 19, 20]  # 19 is that of the last batch, 20 of the next


def test_snapshots_of_another_topic_or_query(
    log: Log, snapshots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    partition = Partition(log, snapshots)
    partition.put(frames(20))
    expected = partition.read(0, 20)
    partition.read(0, 10)
    with pytest.raises(DataLossError, match="a deleted topic with the same name"):
        partition.read(10, 20, topic_id="y")
    careless = Partition(log, snapshots, partition.topic, failOnDataLoss="false")
    with caplog.at_level("WARNING", "jelly.spark"):
        assert careless.read(10, 20, topic_id="y") == expected[50:]
    assert "a deleted topic with the same name" in caplog.text
    with pytest.raises(ValueError, match=r'kind="patch".*kind="rdf".*another snapshotLocation'):
        Partition(log, snapshots, partition.topic, kind="rdf").read(10, 20)


def test_retention_passed_the_snapshot(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots)
    partition.put(frames(20) + frames(5))
    partition.read(0, 4)
    log.cut(partition.topic, 8)
    with pytest.raises(
        DataLossError, match=r"stored at offset 4, but the log begins at 8.*failOnDataLoss=false"
    ):
        partition.read(8, 25, begin=8)
    for path in (snapshots / partition.topic / "0").iterdir():
        path.unlink()
    with pytest.raises(
        DataLossError,
        match="no state of the lookups is stored for offset 10, and the log begins at 8",
    ):
        partition.read(10, 25, begin=8)


def test_going_on_after_a_loss(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots, failOnDataLoss="false")
    partition.put(frames(20) + frames(5))
    partition.read(0, 4)
    log.cut(partition.topic, 8)
    found = partition.read(8, 25, begin=8)  # the next stream begins at 20
    assert [row["object"] for row in found if row["op"] == "A"] == [f'"{n}"' for n in range(10)]


def test_no_stream_begins_behind_a_loss_for_some_batches(
    log: Log, snapshots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    partition = Partition(log, snapshots, failOnDataLoss="false")
    partition.put(frames(20) + frames(5, subject="other"))
    partition.read(0, 4)
    log.cut(partition.topic, 8)
    with caplog.at_level("WARNING", "jelly.spark"):
        for start in (8, 11, 14):  # what refers to lost lookups is left out
            assert partition.read(start, start + 3, begin=8) == []
            assert partition.read(start, start + 3, begin=8) == []
    assert "no stream has begun" in caplog.text
    careful = Partition(log, snapshots, partition.topic)
    with pytest.raises(DataLossError, match=r"no stream has begun .* before offset 17.*failOnData"):
        careful.read(17, 23, begin=8)
    found = partition.read(17, 23, begin=8) + partition.read(23, 25, begin=8)
    added = [row for row in found if row["op"] == "A"]
    assert [row["object"] for row in added] == [f'"{n}"' for n in range(10)]
    assert {row["subject"][:15] for row in added} == {"<http://e/other"}
    assert [row["seq"] for row in found] == list(range(25))


def test_nodes_behind_a_loss_are_none_of_before(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots, kind="rdf", failOnDataLoss="false")
    partition.put(nameless(30))
    found = partition.read(0, 10)
    for begin, end in ((12, 20), (22, 30)):  # twice
        log.cut(partition.topic, begin)
        middle = begin + 3
        found += partition.read(begin, middle, begin=begin) + partition.read(
            middle, end, begin=begin
        )
    labels = [row["subject"] for row in found]
    assert len(labels) == len(set(labels)) == 26
    for path in (snapshots / partition.topic / "0").iterdir():
        if path.name != "20":
            path.unlink()
    again = partition.read(22, 30, begin=22)
    assert again == found[18:], "the same range has the same labels"


def test_nodes_of_partitions_that_lost_their_start(log: Log, tmp_path: Path) -> None:
    """Each partition is a source, and no source has nodes of another one."""
    labels: list[str] = []
    for name in ("one", "two"):
        partition = Partition(log, tmp_path / name, kind="rdf", failOnDataLoss="false")
        partition.put([None] * 600 + nameless(2))
        log.cut(partition.topic, 600)
        labels += [row["subject"] for row in partition.read(600, 602, begin=600)]
    assert len(set(labels)) == 4


def test_snapshots_outlive_the_start_of_the_log(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots)
    partition.put(frames(20))
    expected = partition.read(0, 20)[50:]
    partition.read(0, 10)
    log.cut(partition.topic, 10)
    assert partition.read(10, 20, begin=10) == expected


def test_a_bad_message_is_named(log: Log, snapshots: Path) -> None:
    values = frames(20)
    values[13] = jb.frame(jb.add(s_iri=jb.iri(999), o_literal=jb.literal("")))
    partition = Partition(log, snapshots)
    partition.put(values)
    partition.read(0, 5)
    batches = rows(partition.options, Range(partition.topic, 0, 5, 20), 0, "x")
    given: list[Any] = []
    with pytest.raises(jelly.errors.TableError) as raised:
        given.extend(batch.num_rows for batch in batches)
    assert raised.value.source == f"{partition.topic}/0@13"
    assert re.search(rf"\({partition.topic}/0@13: frame 13, row 0, ", str(raised.value))
    assert "start a new query" in str(raised.value)
    assert partition.kept() == [5]


def test_columns_of_the_message(log: Log, snapshots: Path) -> None:
    partition = Partition(log, snapshots, kafkaColumns="true", columns="op,object")
    partition.put(
        {"value": value, "timestamp": 1000 * (n + 1)} for n, value in enumerate(frames(20))
    )
    found = partition.read(0, 7) + partition.read(7, 20)
    assert [(row["offset"], row["timestamp"].timestamp()) for row in found] == [
        (n // 5, n // 5 + 1) for n in range(100)
    ]
    assert list(found[0]) == ["op", "object", "key", "topic", "partition", "offset", "timestamp"]
    bare = Partition(log, None, partition.topic, columns="op,object").read(0, 20)
    assert [(row["op"], row["object"]) for row in found] == [
        (row["op"], row["object"]) for row in bare
    ]


def test_where_streams_begin() -> None:
    first, second = frames(2)
    assert begins_stream(first, "single")
    assert not begins_stream(second, "single")
    assert begins_stream(jb.delimited(first), "delimited")
    assert not begins_stream(jb.delimited(second), "delimited")
    assert not any(begins_stream(value, "single") for value in (None, b"", b"\n", b"\n\x02"))
