"""Which files of a folder a stream has read. No Spark is started."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jelly.spark.files import offsets
from jelly.spark.files.listing import File
from jelly.spark.files.offsets import Offset, key_of

LATENESS = 100


@pytest.fixture(autouse=True)
def few() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offsets, "REMEMBERED", 5)
        yield


def file(name: str, seconds: int, size: int = 1) -> File:
    return File(name, name, size, seconds * 1_000_000_000)


def restarted(offset: Offset) -> Offset:
    return Offset.of(json.loads(json.dumps(offset.stored())))


def names(files: list[File]) -> list[str]:
    return [file.where for file in files]


def take(offset: Offset, listed: list[File], most: int) -> tuple[Offset, list[File]]:
    """A batch, as the stream takes it; both ends are stored."""
    new = offset.new(listed)
    end = restarted(offset.plus(new[:most], new[most:], LATENESS))
    found = [one for one in listed if key_of(one) in end.since(offset)]
    assert sorted(found) == sorted(new[:most])
    return end, found


def test_people_see_how_many_files_were_read_and_the_last_one() -> None:
    listed = [file("logs/b", 7), file("logs/a", 9)]
    first, _ = take(Offset(), listed, 1)
    assert {name: first.stored()[name] for name in ("files", "last")} == {"files": 1, "last": "logs/b"}  # fmt: skip
    second, _ = take(first, listed, 1)
    assert (second.files, second.last) == (2, "logs/a")
    assert restarted(second).stored() == second.stored()


def test_checkpoints_of_earlier_versions_are_read() -> None:
    end, _ = take(Offset(), [file("a", 7)], 1)
    stored = end.stored()
    del stored["last"]
    old = Offset.of(stored)
    assert (old.files, old.last) == (1, "")
    assert old.stored() == stored  # or Spark would take it for new data
    assert old.new([file("a", 7), file("b", 8)]) == [file("b", 8)]
    with pytest.raises(ValueError, match="offsets of another version"):
        Offset.of(stored | {"version": 2})


def test_the_oldest_come_first_and_ties_are_all_read() -> None:
    listed = [file("c", 7), file("b", 7), file("a", 9), file("d", 7)]
    start = Offset()
    end, found = take(start, listed, 2)
    assert sorted(names(found)) == ["b", "c"]
    # A file of the same second that comes later is not lost.
    end, found = take(end, [*listed, file("0", 7)], 2)
    assert sorted(names(found)) == ["0", "d"]
    end, found = take(end, [*listed, file("0", 7)], 2)
    assert names(found) == ["a"]
    assert end.new([*listed, file("0", 7)]) == []


def test_offsets_stay_small_and_forget_nothing_that_may_come() -> None:
    offset = Offset()
    listed: list[File] = []
    for second in range(1000, 5000, 50):
        listed.append(file(f"f{second}", second))
        offset, [found] = take(offset, listed, 10)
        assert found == listed[-1]
        assert len(offset.seen) <= 6
    assert offset.files == len(listed)
    assert offset.new(listed) == []
    late = file("late", 4950 - LATENESS)
    assert offset.new([*listed, late]) == [late]
    with pytest.raises(ValueError, match=r"1 of the files .* arrived too late"):
        offset.new([*listed, file("too late", 1500)])


def test_files_that_wait_do_not_grow_old() -> None:
    """Late files and a limit: those that are not read yet must still count as new."""
    listed = [file("old", 600), *[file(f"f{n}", 10_000 + n) for n in range(8)]]
    offset, _ = take(Offset(), listed, 9)
    late = [file(f"late{n}", 500 + n) for n in range(4)]
    read: list[str] = []
    for _ in range(4):
        offset, found = take(offset, [*listed, *late], 1)
        read += names(found)
    assert read == names(late)
    assert offset.new([*listed, *late]) == []
    assert offset.before >= 600


def test_an_offset_of_all_that_is_there() -> None:
    """As Spark 4.1 gets it after a start, without what is known by number alone."""
    listed = [file(f"f{second}", second) for second in range(1000, 3000, 100)]
    offset = Offset()
    for one in listed:
        offset, _ = take(offset, [one], 1)
    assert offset.before > 1000
    new = file("new", 3000)
    everything = Offset().plus([*listed, new], [], LATENESS)
    assert everything.since(offset) == {key_of(new)}


def test_a_file_from_the_future_makes_no_other_old() -> None:
    now = int(time.time())
    offset, _ = take(Offset(), [file("future", now + 1_000_000)], 1)
    offset, _ = take(offset, [file(f"f{n}", now - LATENESS // 2) for n in range(8)], 8)
    offset, _ = take(offset, [file("one", now)], 1)
    assert offset.before == -1


def test_a_change_of_size_shows() -> None:
    offset, _ = take(Offset(), [file("a", 1), file("b", 1)], 2)
    grown = file("a", 9, size=2)
    assert restarted(offset).changed([grown, file("b", 1)]) == [grown]
    assert offset.new([grown]) == []


def test_a_change_of_time_shows_at_the_same_size() -> None:
    whole, listed = 7_000_000_000, File("a", "a", 5, 7_000_000_001)
    offset, _ = take(Offset(), [listed], 1)
    assert offset.changed([listed]) == []
    for other in (listed._replace(modified=whole), listed._replace(modified=9 * whole)):
        assert offset.changed([other]) == [other]
    # a checkpoint of before has the size alone, and the second
    old = Offset(1, -1, {key_of(listed): offsets.Seen(7, offsets._size_check(listed))})
    assert restarted(old).changed([listed, listed._replace(modified=whole)]) == []
    for other in (listed._replace(modified=9 * whole), listed._replace(size=6)):
        assert old.changed([other]) == [other]
    # a look at one file of remote storage knows no more than the second
    remote = listed._replace(where="s3://b/a")
    offset, _ = take(Offset(), [remote], 1)
    assert offset.changed([remote._replace(modified=whole)]) == []


def test_offsets_of_another_version_are_refused() -> None:
    with pytest.raises(ValueError, match="another version"):
        Offset.of({"version": 2})


@settings(deadline=None)
@given(st.data())
def test_each_file_once_in_whatever_order_they_come(data: Any) -> None:
    """Files appear with times up to the lateness before the newest; some are moved away."""
    now, offset = 1_000, Offset()
    listed: list[File] = []
    read: list[str] = []
    came = 0
    for _ in range(data.draw(st.integers(1, 25), "steps")):
        now += data.draw(st.integers(0, 2 * LATENESS), "passed")
        for _ in range(data.draw(st.integers(0, 4), "come")):
            listed.append(file(f"f{came}", now - data.draw(st.integers(0, LATENESS - 1), "age")))
            came += 1
        offset, found = take(offset, listed, data.draw(st.integers(1, 5), "most"))
        read += names(found)
        gone = [one for one in listed if one.where in read and data.draw(st.booleans(), "gone")]
        listed = [one for one in listed if one not in gone]
    while offset.new(listed):
        offset, found = take(offset, listed, 5)
        read += names(found)
    assert sorted(read) == sorted(f"f{n}" for n in range(came))
