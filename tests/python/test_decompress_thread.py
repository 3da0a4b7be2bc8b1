"""A thread takes the compression off: rows, errors and what stays open are those of one thread."""

import bz2
import contextlib
import gzip
import lzma
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jelly
import own_threads
from jelly.errors import JellyError
from own_threads import on_linux

LINES = 8_000
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, 1),
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
}


@pytest.fixture(scope="module")
def data() -> bytes:
    """N-Quads that stay over 1 MiB when they are compressed."""
    chance = random.Random(5)
    line = '<https://example.org/{:0400x}> <https://example.org/p> "a" <https://example.org/g> .\n'
    return "".join(line.format(chance.getrandbits(1600)) for _ in range(LINES)).encode()


@pytest.fixture(scope="module")
def files(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("packed")
    made = {name: folder / f"data.nq.{name}" for name in [*PACK, "zst"]}
    for name, pack in PACK.items():
        made[name].write_bytes(pack(data))
    jelly.convert(data, made["zst"])
    assert all(path.stat().st_size > 1 << 20 for path in made.values())
    return made


def rows(source: Any, **options: Any) -> tuple[list[Any], str | None]:
    """Rows, and the error behind them."""
    read: list[Any] = []
    try:
        read.extend(jelly.read_rdf(source, **options).rows())
    except JellyError as error:
        return read, f"{error.kind} {error}"
    return read, None


@pytest.mark.parametrize("name", [*PACK, "zst"])
def test_rows(files: dict[str, Path], name: str) -> None:
    one, two = (rows(files[name], threads=threads) for threads in (1, 2))
    assert one == two
    assert len(one[0]) == LINES
    assert rows(files[name].read_bytes(), threads=2)[0] == [
        row._replace(source=None) for row in one[0]
    ]


@pytest.mark.parametrize("name", [*PACK, "zst"])
def test_damage(files: dict[str, Path], name: str, tmp_path: Path) -> None:
    whole = files[name].read_bytes()
    place = len(whole) * 2 // 3
    for damaged in (whole[:place], whole[:place] + bytes(64) + whole[place + 64 :]):
        path = tmp_path / files[name].name
        path.write_bytes(damaged)
        (one, wrong), (two, as_wrong) = (rows(path, threads=threads) for threads in (1, 2))
        assert wrong is not None
        assert as_wrong is not None
        assert wrong.split()[0] == as_wrong.split()[0]
        # xz loses what it decoded before the damage in the same call, so the place differs
        shorter = min(len(one), len(two))
        assert one[:shorter] == two[:shorter]
        assert (shorter > 0 and wrong == as_wrong) or name == "xz"
        for threads in (1, 2):
            with pytest.raises(JellyError):
                jelly.convert(path, tmp_path / "out.jelly", threads=threads)
            assert not (tmp_path / "out.jelly").exists()


def test_limits(files: dict[str, Path]) -> None:
    limits = jelly.Limits(decompressed_bytes=1 << 20)
    one, two = (rows(files["gz"], threads=threads, limits=limits) for threads in (1, 2))
    assert one == two
    assert str(one[1]).startswith("limit.decompressed")


def open_files() -> Iterator[str]:
    for number in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # that of iterdir
            yield str(number.readlink())


@on_linux
def test_thread_ends_and_closes(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "data.nq.gz"
    path.write_bytes(gzip.compress(data * 3, 1))  # more than threads that read lines hold
    with jelly.read_rdf(path, threads=1, batch_rows=10) as reader:
        next(reader)
        assert own_threads.threads("jelly-decompres", 0) == 0
    with jelly.read_rdf(path, threads=2, batch_rows=10) as reader:
        next(reader)
        assert own_threads.threads("jelly-decompres", 1) == 1
        assert str(path) in open_files()
    assert own_threads.threads("jelly-decompres", 0) == 0
    assert str(path) not in open_files()


@on_linux
def test_fork(files: dict[str, Path]) -> None:
    """The child has no such thread: it gets an error, and the parent reads on."""
    for _ in range(20):  # what the thread does when the process is forked differs
        with jelly.read_rdf(files["gz"], threads=2, batch_rows=10) as reader:
            first = len(next(reader))
            child = os.fork()
            if child == 0:
                signal.alarm(60)  # a child that waits for the thread ends
                try:
                    sum(len(batch) for batch in reader)
                except ValueError as error:
                    os._exit(7 if "threads=1" in str(error) else 8)
                os._exit(9)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            assert first + sum(len(batch) for batch in reader) == LINES


def test_wrong_numbers(files: dict[str, Path]) -> None:
    for threads in (0, -1, 65):
        with pytest.raises(ValueError, match="threads"):
            jelly.read_rdf(files["gz"], threads=threads)
