"""Ctrl-C while Rust code runs."""

import collections
import signal
import subprocess
import sys
from collections.abc import Iterator

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
        if not told:
            told.append(print("running", flush=True))
told = []
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


def test_ctrl_c_stops_a_long_call_over_memory() -> None:
    """No Python code runs here that would see the signal by itself."""
    rows = [jb.patch_options(jb.FLAT), *[jb.patch_entry("name", "urn:x", 1)] * 1000]
    once = jb.delimited(jb.frame(*rows))
    entries = jb.delimited(jb.frame(*[jb.patch_entry("name", "urn:x", 1)] * 10_000))
    data = once + entries * 400
    seen: list[int] = []

    def handler(*_: object) -> None:
        seen.append(1)
        if len(seen) == 2:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        with pytest.raises(KeyboardInterrupt):
            collections.deque((list(jelly.read_patch(data)) for _ in range(1000)), maxlen=0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) >= 2


def test_an_interrupted_reader_is_closed() -> None:
    def pieces() -> Iterator[bytes]:
        yield jb.small_rdf(10)
        raise KeyboardInterrupt

    reader = jelly.read_rdf(pieces())
    with pytest.raises(KeyboardInterrupt):
        next(reader)
    with pytest.raises(ValueError, match="closed"):
        next(reader)
