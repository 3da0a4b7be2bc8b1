"""Ctrl-C while Rust code runs."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import FrameType

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb

# An endless stream of rows of which none is wanted, so that no call returns by itself.
ENDLESS = """
import signal, sys
import jelly, jellybytes as jb
{imports}
def pieces():
    yield jb.delimited(jb.frame(jb.patch_options(jb.FLAT)))
    piece = jb.delimited(jb.frame(*[jb.patch_entry("name", "urn:x", 1)] * 5000)) * 20
    while True:
        yield piece
        if not printed:
            printed.append(print("running", flush=True))
printed = []
reader = jelly.read_patch(pieces(), rows={rows!r})
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", reader.closed, flush=True)
"""

CALLS = {
    "batches": ("next(reader)", "all", True),
    "rows": ("next(reader.rows())", "all", True),
    "committed": ("next(reader)", "committed", True),
    "inspect": ("jelly.inspect(pieces())", "all", False),
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_stops_a_long_call(name: str) -> None:
    call, rows, closed = CALLS[name]
    program = ENDLESS.format(call=call, rows=rows, imports="")
    folder = str(jb.__file__).rpartition("/")[0]
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": folder, "PATH": ""},
    )
    assert child.stdout is not None
    assert child.stderr is not None
    with child.stdout as out, child.stderr as errors:
        assert out.readline() == "running\n", errors.read()
        child.send_signal(signal.SIGINT)
        assert out.read() == f"interrupted {closed}\n", errors.read()
    assert child.wait() == 0


class Endless:
    """10 GB of lookup entries in two pieces: minutes of work without any Python code."""

    def __init__(self) -> None:
        self.given = False

    def __iter__(self) -> Iterator[bytes]:
        entries = jb.frame(*[jb.patch_entry("name", "urn:x", 1)] * 10_000)
        yield packed(jb.delimited(jb.frame(jb.patch_options(jb.FLAT))))
        last = packed(jb.delimited(entries) * 100) * 1000
        self.given = True
        yield last

    def reader(self) -> jelly.PatchReader:
        return jelly.read_patch(self, limits=jelly.Limits(expansion=0))


def packed(data: bytes) -> bytes:
    zstd: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return zstd


@contextlib.contextmanager
def ctrl_c_during(source: Endless) -> Iterator[None]:
    """Calls Ctrl-C's handler once the source was given out."""

    def handler(number: int, frame: FrameType | None) -> None:
        if source.given:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_ctrl_c_stops_a_long_call_over_memory() -> None:
    source = Endless()
    reader = source.reader()
    with ctrl_c_during(source), pytest.raises(KeyboardInterrupt):
        next(reader)
    assert reader.closed
    assert 0 < reader.position.offset < 10**10


def test_ctrl_c_stops_a_stream() -> None:
    """Only text comes through a C stream."""
    source = Endless()
    reader = source.reader()
    with ctrl_c_during(source), pytest.raises(OSError, match=r"^KeyboardInterrupt$"):
        pa.table(reader)
    assert reader.closed


def test_an_interrupted_reader_is_closed() -> None:
    def pieces() -> Iterator[bytes]:
        yield jb.small_rdf(10)
        raise KeyboardInterrupt

    reader = jelly.read_rdf(pieces())
    with pytest.raises(KeyboardInterrupt):
        next(reader)
    with pytest.raises(ValueError, match="closed"):
        next(reader)
