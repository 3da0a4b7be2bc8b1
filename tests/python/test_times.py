"""Backups by date: a day is its last version, in every way that a time is written."""

import io
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

import jelly
from test_patching_cli import run

DUMPS = {
    "2026-11-20T03:00:00-05:00": 0,
    "2026-11-21T03:00:00-05:00": 1,
    "2026-11-21T23:30:00-05:00": 2,  # the 22nd in UTC
    "2026-11-23T03:00:00-05:00": 3,
}
CASES: list[tuple[str, int]] = [
    ("2026-11-20", 0),
    ("2026-11-21", 2),
    ("2026-11-22", 2),
    ("2026-11-23", 3),
    ("2027-01-01", 3),
    ("2026-11-21T03:00", 1),
    ("2026-11-21T02:59", 0),
    ("2026-11-21 23:29:59", 1),
    ("2026-11-21T23:30", 2),
    ("2026-11-22T04:30Z", 2),
    ("2026-11-22T04:29:59Z", 1),
    ("2026-11-21T23:30-05:00", 2),
    ("2026-11-21Z", 1),
    ("2026-11-21-05:00", 2),
]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine is in New York."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    for at, number in DUMPS.items():
        done = jelly.backup(dump(number), tmp_path / "kept", at=at, dump_format="nt")
        assert done.version == number
    return tmp_path / "kept"


def dump(number: int) -> bytes:
    return f'<a:s> <a:p> "{number}" .\n'.encode()


@pytest.mark.parametrize(("at", "version"), CASES)
def test_restore_finds_the_last_version(kept: Path, at: str, version: int) -> None:
    out = io.BytesIO()
    done = jelly.restore(kept, out, at=at, to="nt")
    assert out.getvalue() == dump(version)
    assert done.version == version
    assert done.at == datetime.fromisoformat(list(DUMPS)[version])
    said = run(kept.parent, "restore", "kept", "--at", at)[0]
    assert said.encode() == dump(version)


def test_objects_are_times_too(kept: Path) -> None:
    zone = timezone(timedelta(hours=-5))
    for at, version in [
        (date(2026, 11, 21), 2),
        (datetime(2026, 11, 21, 23, 30), 2),
        (datetime(2026, 11, 21, 23, 30, tzinfo=zone), 2),
        (datetime(2026, 11, 22, 4, 29, tzinfo=UTC), 1),
    ]:
        assert jelly.restore(kept, io.BytesIO(), at=at).version == version


def test_the_summary_says_what_was_found(kept: Path) -> None:
    _, said = run(kept.parent, "restore", "kept", "--at", "2026-11-22", "-o", "x.nt")
    assert said.startswith("version 2 of 2026-11-22T04:30:00Z: 1 statement ")
    out, _ = run(kept.parent, "restore", "kept", "--at", "2026-11-22", "-o", "x.nt", "--json")
    assert json.loads(out)["at"] == "2026-11-22 04:30:00+00:00"


def test_what_is_no_time_is_refused_alike(kept: Path) -> None:
    for at in (
        "tuesday", "2026-13-01", "2026-11-21T", "", "2026-W48", "2026-W48-1", "2026W481", "20261121",
        "20261121T180000Z", "2026-W48-1T18:00", "2026-11-21x18:00",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"is not a time; expected 2026-11-21 \(a day\)"):
            jelly.restore(kept, io.BytesIO(), at=at)
        with pytest.raises(ValueError, match="is not a time"):
            jelly.backup(b"", kept, at=at)
        assert (
            "is not a time; expected" in run(kept.parent, "restore", "kept", "--at", at, code=2)[1]
        )
    with pytest.raises(jelly.errors.PatchError) as caught:
        jelly.restore(kept, io.BytesIO(), at="2026-11-19")
    assert caught.value.kind == "patch.version"
    assert "the first dump is of 2026-11-20T08:00:00Z" in str(caught.value)


def test_a_dump_of_an_earlier_time_is_refused(kept: Path) -> None:
    before = {path: path.stat().st_size for path in kept.iterdir()}
    for at in ("2026-11-20", "2026-11-23T07:59:59Z"):
        with pytest.raises(jelly.errors.PatchError) as caught:
            jelly.backup(dump(9), kept, at=at, dump_format="nt")
        assert caught.value.kind == "patch.time"
        assert "version 3 is of 2026-11-23T08:00:00Z" in str(caught.value) or at == "2026-11-20"
    (kept.parent / "old.nt").write_bytes(dump(9))
    _, said = run(kept.parent, "backup", "old.nt", "kept", "--at", "2026-11-20", code=1)
    assert said.startswith("jelly: patch.time: the dump is of 2026-11-20T05:00:00Z, but version")
    assert {path: path.stat().st_size for path in kept.iterdir()} == before
    assert jelly.backup(dump(9), kept, at="2026-11-23T08:00Z", dump_format="nt").version == 4


def test_a_dump_with_nothing_new_has_a_time_too(kept: Path) -> None:
    before = json.loads((kept / "base.json").read_text())
    assert jelly.backup(dump(3), kept, at="2026-11-25", dump_format="nt").written is False
    assert json.loads((kept / "base.json").read_text()) == before | {
        "last_dump": "2026-11-25T05:00:00+00:00"
    }
    with pytest.raises(jelly.errors.PatchError) as caught:
        jelly.backup(dump(9), kept, at="2026-11-24", dump_format="nt")
    assert caught.value.kind == "patch.time"
    assert "version 3 was dumped again at 2026-11-25T05:00:00Z" in str(caught.value)
    assert jelly.restore(kept, io.BytesIO(), at="2026-11-25").version == 3
    assert jelly.backup(dump(9), kept, at="2026-11-26", dump_format="nt").version == 4
    assert jelly.restore(kept, io.BytesIO(), at="2026-11-25").version == 3
    assert jelly.backup(dump(9), kept, at="2026-11-26", dump_format="nt").written is False
    assert jelly.verify_log(kept, base=kept / "base.jelly.zst").ok
    (kept / "base.json").write_text(json.dumps(before | {"last_dump": 5}))
    with pytest.raises(jelly.errors.PatchError, match=r"last_dump in base\.json is 5; expected"):
        jelly.backup(dump(9), kept, at="2026-11-27", dump_format="nt")


@pytest.mark.parametrize(
    ("at", "often", "zones"),
    [
        ("2026-11-01T01:30", "twice", ("2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00")),
        ("2027-03-14T02:30", "never", ("2027-03-14T01:30:00-05:00", "2027-03-14T03:30:00-04:00")),
    ],
)
def test_a_time_at_which_the_clock_is_changed_needs_a_zone(
    kept: Path, at: str, often: str, zones: tuple[str, str]
) -> None:
    calls: list[Callable[[], object]] = [
        lambda: jelly.restore(kept, io.BytesIO(), at=at),
        lambda: jelly.backup(dump(9), kept, at=at, dump_format="nt"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=f"{at}:00 occurs {often} on this machine") as caught:
            call()
        assert str(caught.value).endswith(f"write {zones[0]} or {zones[1]}")


def test_fold_says_which_of_two_moments_is_meant(tmp_path: Path) -> None:
    for number, fold in enumerate((0, 1)):
        at = datetime(2026, 11, 1, 1, 30, fold=fold)
        assert jelly.backup(dump(number), tmp_path, at=at, dump_format="nt").version == number
        assert jelly.restore(tmp_path, io.BytesIO(), at=at).version == number
    with pytest.raises(ValueError, match="occurs never"):
        jelly.restore(tmp_path, io.BytesIO(), at=datetime(2027, 3, 14, 2, 30))


@pytest.mark.parametrize(
    ("zone", "day", "last", "first"),
    [
        # the clock is put forward, and back, at midnight
        ("America/Santiago", date(2026, 9, 5), "2026-09-06T03:30Z", "2026-09-06T04:00Z"),
        ("America/Havana", date(2026, 10, 31), "2026-11-01T03:30Z", "2026-11-01T04:00Z"),
    ],
)
def test_days_end_at_midnight_also_where_the_clock_is_changed_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str, day: date, last: str, first: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    for number, at in enumerate((last, first)):
        jelly.backup(dump(number), tmp_path, at=at, dump_format="nt")
    assert jelly.restore(tmp_path, io.BytesIO(), at=day).version == 0
    assert jelly.restore(tmp_path, io.BytesIO(), at=day + timedelta(days=1)).version == 1
