"""Threads read lines side by side: rows, batches, errors and positions are those of one thread."""

import gzip
import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import JellyError
from shared_data import shared

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
LINE = "<https://example.org/{:01000x}> <https://example.org/p> {} <https://example.org/g{}> ."
OBJECTS = ["_:b", "_:anon-7", '"a\\u00e9"@EN', '"é"', '"1"^^<https://example.org/int>']
ENDS = ["\n", "\r\n", " # a comment\n", "\n\n", "\n# <a> <b> <c>\n", "\r# \n", "\t\n"]


def lines(count: int, seed: int = 5) -> bytes:
    """N-Quads with all that may stand between two rows."""
    chance = random.Random(seed)
    rows = (
        LINE.format(chance.getrandbits(4000), chance.choice(OBJECTS), row // 700)
        + chance.choice(ENDS if chance.random() < 0.1 else ENDS[:1])
        for row in range(count)
    )
    return "".join(rows).encode()


ROWS = 4_200
DATA = lines(ROWS)
assert len(DATA) > 4 << 20


def read(source: Any, threads: int, **options: Any) -> tuple[list[Any], str | None]:
    """Batches with the positions behind them, and the error behind these."""
    found: list[Any] = []
    error = None
    with jelly.read_rdf(source, threads=threads, **options) as reader:
        try:
            found.extend((pa.record_batch(batch), reader.position) for batch in reader)
        except JellyError as raised:
            error = f"{raised.kind} {raised}"
    return found, error


def check(source: Any, **options: Any) -> tuple[list[Any], str | None]:
    one = read(source, 1, **options)
    for threads in (2, 3):
        found, error = read(source, threads, **options)
        assert error == one[1]
        assert [position for _, position in found] == [position for _, position in one[0]]
        assert all(
            batch.equals(other) for (batch, _), (other, _) in zip(found, one[0], strict=True)
        )
    return one


@pytest.mark.parametrize(
    "options",
    [
        {"batch_rows": 500},
        {"batch_rows": 700, "terms": "struct", "blank_nodes": "scoped", "source_name": "x"},
        {"strings": "view", "columns": ["object", "seq"], "batch_rows": 500},
        {"mode": "permissive", "strict": True, "batch_rows": 500},
    ],
)
def test_batches(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "data.nq.gz"
    path.write_bytes(gzip.compress(DATA, 1))
    for source in (DATA, b"\xef\xbb\xbf" + DATA[:-1], path):
        found, error = check(source, **options)
        assert error is None
        assert sum(len(batch) for batch, _ in found) == ROWS


def test_corpus() -> None:
    for name in ("iotg-50k.nq.gz", "vocab-open.nq.gz"):
        found, error = check(shared(f"corpus/{name}"))
        assert error is None
        assert sum(len(batch) for batch, _ in found) >= 50_000


def test_damage() -> None:
    chance = random.Random(6)
    for _ in range(6):
        damaged = bytearray(DATA)
        for _ in range(chance.choice((1, 1, 3))):
            place = chance.randrange(len(DATA))
            damaged[place : place + chance.randrange(3)] = chance.choice(
                (b"\n", b"\r", b"\xff", b'"', b"VERSION", b"<", b"\\", b"", b"_:a . _:b")
            )
        del damaged[len(damaged) - chance.choice((0, 0, 40, 1 << 20)) :]
        mode = chance.choice(("failfast", "permissive"))
        check(bytes(damaged), mode=mode, batch_rows=chance.choice((500, 77)))
    _, error = check(DATA[: 3 << 20] + b"x\n" + DATA[3 << 20 :])
    assert error is not None
    assert "line" in error


def test_what_is_no_block_is_read_by_one() -> None:
    huge = b'<u:s> <u:p> "' + b"x" * (9 << 20) + b'" .\n'
    source = DATA[: DATA.rindex(b"\n", 0, 2 << 20) + 1] + huge + DATA[: 1 << 19]
    for options, wrong in (
        ({}, "truncated"),
        ({"row_bytes": 1 << 20}, "limit.row"),
    ):
        (one, error), (two, as_error) = (
            read(source, threads, batch_rows=500, limits=jelly.Limits(**options))
            for threads in (1, 2)
        )
        assert str(error).startswith(wrong)
        assert as_error == error
        tables = [pa.Table.from_batches([batch for batch, _ in found]) for found in (one, two)]
        assert tables[0].equals(tables[1])
        assert tables[0].num_rows > 1500


def test_batches_of_other_sizes_have_the_same_rows() -> None:
    data = DATA[: DATA.rindex(b"\n", 0, 3 << 20) + 1] * 3
    every: list[dict[str, Any]] = [
        {"batch_rows": 1 << 20},
        {"batch_bytes": 400_000, "batch_rows": 500},
    ]
    for options in every:
        tables = [pa.table(jelly.read_rdf(data, threads=threads, **options)) for threads in (1, 3)]
        assert tables[0].equals(tables[1])


def test_limits_and_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "data.nq.gz"
    whole = gzip.compress(DATA, 1)
    path.write_bytes(whole[: len(whole) * 3 // 4])
    _, error = check(path)
    assert error is not None
    path.write_bytes(whole)
    _, error = check(path, limits=jelly.Limits(decompressed_bytes=2 << 20))
    assert str(error).startswith("limit.decompressed")
    _, error = check(DATA, blank_nodes="named", batch_rows=500)
    assert str(error).startswith("patch.labels")


def threads_of_this_process() -> Iterator[str]:
    for task in Path("/proc/self/task").iterdir():
        try:
            yield task.joinpath("comm").read_text().strip()
        except FileNotFoundError:
            continue


@on_linux
def test_threads_end() -> None:
    def count() -> int:
        return list(threads_of_this_process()).count("jelly-read")

    with jelly.read_rdf(DATA, threads=2, batch_rows=500) as reader:
        assert count() == 0
        next(reader)
        assert count() == 2
    assert count() == 0
    with jelly.read_rdf(DATA, threads=1) as reader:
        next(reader)
        assert count() == 0
    dropped = jelly.read_rdf(DATA, threads=2, batch_rows=500)
    next(dropped)
    del dropped
    assert count() == 0
    with jelly.read_rdf(DATA, threads=3, batch_rows=500) as reader:
        assert sum(len(batch) for batch in reader) == ROWS
        assert count() == 0


@on_linux
def test_fork() -> None:
    """The child has no such threads: it gets an error, and the parent reads on."""
    for _ in range(5):
        with jelly.read_rdf(DATA, threads=2, batch_rows=10) as reader:
            first = len(next(reader))
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                try:
                    sum(len(batch) for batch in reader)
                except ValueError as error:
                    os._exit(7 if "threads=1" in str(error) else 8)
                os._exit(9)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            assert first + sum(len(batch) for batch in reader) == ROWS


@on_linux
def test_interrupt() -> None:
    """Ctrl-C ends a read, and its threads."""

    def read_all(reader: jelly.RdfReader) -> None:
        threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()
        for _ in reader:
            pass

    with (
        jelly.read_rdf(DATA * 20, threads=2, batch_rows=1 << 20) as reader,
        pytest.raises(KeyboardInterrupt),
    ):
        read_all(reader)
    assert "jelly-read" not in threads_of_this_process()
