"""Readers in several threads, and beside other threads."""

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb

THREADS = 8
COUNT = 40_000
DATA = jb.small_rdf(COUNT, 100)


def together(work: Callable[[], list[int]]) -> list[int]:
    """What all threads got, who start at the same time."""
    barrier = threading.Barrier(THREADS)

    def run() -> list[int]:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(THREADS) as pool:
        parts = [pool.submit(run) for _ in range(THREADS)]
        return [seq for part in parts for seq in part.result()]


def source(kind: str) -> object:
    pieces = (DATA[at : at + 5000] for at in range(0, len(DATA), 5000))
    return DATA if kind == "bytes" else pieces


@pytest.mark.parametrize("kind", ["bytes", "generator"])
def test_threads_on_one_reader_get_every_batch_once(kind: str) -> None:
    reader = jelly.read_rdf(source(kind), batch_rows=100)  # type: ignore[call-overload]

    def work() -> list[int]:
        return [n for batch in reader for n in pa.record_batch(batch).column("seq").to_pylist()]

    assert sorted(together(work)) == list(range(COUNT))


@pytest.mark.parametrize("kind", ["bytes", "generator"])
def test_threads_on_one_iterator_get_every_row_once(kind: str) -> None:
    rows = jelly.read_rdf(source(kind), batch_rows=100).rows()  # type: ignore[call-overload]
    seen = together(lambda: [row.seq for row in rows])
    assert sorted(seen) == list(range(COUNT))


def test_threads_on_one_reader_with_all_ways_of_reading() -> None:
    reader = jelly.read_rdf(DATA, batch_rows=50)
    stream = pa.RecordBatchReader.from_stream(reader)
    lock = threading.Lock()  # a C stream is for one thread at a time
    ways = iter(range(THREADS))

    def of_stream() -> Iterator[pa.RecordBatch]:
        while True:
            with lock:
                try:
                    batch = stream.read_next_batch()
                except StopIteration:
                    return
            yield batch

    def work() -> list[int]:
        with lock:
            way = next(ways) % 3
        if way == 0:
            return [row.seq for row in reader.rows()]
        batches = of_stream() if way == 1 else map(pa.record_batch, reader)
        seen = []
        for batch in batches:
            seen += batch.column("seq").to_pylist()
            assert reader.position.seq >= seen[-1]
            assert reader.options is not None
        return seen

    assert sorted(together(work)) == list(range(COUNT))


def test_a_reader_can_be_closed_by_another_thread() -> None:
    reader = jelly.read_rdf(DATA, batch_rows=1)
    started = threading.Event()

    def work() -> int:
        count = 0
        while True:
            try:
                next(reader)
            except ValueError:
                return count
            count += 1
            started.set()

    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(work)
        started.wait()
        reader.close()
        assert 1 <= counting.result() <= COUNT


class Gate:
    """A source that waits inside `read` until it is let go."""

    def __init__(self) -> None:
        self.entered, self.go = threading.Event(), threading.Event()
        self.rest = [DATA[:5000], DATA[5000:]]

    def read(self, _: int) -> bytes:
        if len(self.rest) == 1:
            self.entered.set()
            assert self.go.wait(60)
        return self.rest.pop(0) if self.rest else b""


def test_waiting_for_a_reader_does_not_hold_the_interpreter() -> None:
    """One thread sits in the source with the reader locked, others want the reader."""
    gate = Gate()
    reader = jelly.read_rdf(gate, batch_rows=100_000)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(lambda: sum(len(batch) for batch in reader))
        assert gate.entered.wait(60)
        stream = pa.RecordBatchReader.from_stream
        waiting = [
            pool.submit(lambda: reader.position.seq),
            pool.submit(lambda: stream(jelly.read_rdf(DATA)).read_all().num_rows),
        ]
        assert waiting[1].result() == COUNT  # works, so nobody holds the interpreter
        assert not waiting[0].done()
        gate.go.set()
        assert first.result() == COUNT
        assert waiting[0].result() > 0


class Stream(ctypes.Structure):
    """ArrowArrayStream of the C stream interface, whose functions are called with the GIL held."""

    _fields_: ClassVar = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class Array(ctypes.Structure):
    """ArrowArray of the C data interface."""

    _fields_: ClassVar = [
        ("length", ctypes.c_int64),
        ("unused", ctypes.c_int64 * 7),
        ("release", ctypes.PYFUNCTYPE(None, ctypes.c_void_p)),
        ("private_data", ctypes.c_void_p),
    ]


def test_a_stream_read_with_the_gil_lets_go_of_it_to_wait() -> None:
    """One thread sits in the source; the one that can let it out needs the GIL."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    gate, soon = Gate(), threading.Event()
    reader = jelly.read_rdf(gate, batch_rows=COUNT - 1)
    capsule = reader.__arrow_c_stream__()
    address = pointer(capsule, b"arrow_array_stream")
    stream, array = Stream.from_address(address), Array()

    def let_out() -> None:
        soon.wait()
        gate.go.set()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(next, reader)
        assert gate.entered.wait(60)
        pool.submit(let_out)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        try:
            soon.set()
            code = stream.get_next(address, ctypes.addressof(array))
        finally:
            sys.setswitchinterval(interval)
        assert first.result().num_rows == COUNT - 1
    assert (code, array.length) == (0, 1)
    array.release(ctypes.addressof(array))


CALLS: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "open": (lambda: DATA, jelly.read_rdf),
    "batch": (lambda: jelly.read_rdf(DATA), next),
    "row": (lambda: jelly.read_rdf(DATA).rows(), next),
    "options": (lambda: jelly.read_rdf(DATA), lambda reader: reader.options),
    "position": (lambda: jelly.read_rdf(DATA), lambda reader: reader.position),
    "inspect": (lambda: DATA, jelly.inspect),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_let_go_of_the_interpreter(name: str) -> None:
    """Nobody is made to switch here, so another thread runs only if a call lets it."""
    make, call = CALLS[name]
    things = [make() for _ in range(5000)]
    interval = sys.getswitchinterval()
    go, ran = threading.Event(), threading.Event()

    def other() -> None:
        go.wait()
        ran.set()

    thread = threading.Thread(target=other)
    thread.start()
    sys.setswitchinterval(1000)
    try:
        go.set()
        while things and not ran.is_set():
            call(things.pop())
        had_its_turn = ran.is_set()
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    assert had_its_turn
