"""What is dropped is freed."""

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import jelly
import jellybytes as jb

FILES = Path("/proc/self/fd")


def memory() -> int:
    """Resident bytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.skipif(not FILES.is_dir(), reason="open files cannot be counted here")
def test_abandoned_readers_close_their_files(tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    path.write_bytes(jb.small_rdf(1000, 3))
    gc.collect()
    before = len(list(FILES.iterdir()))
    for _ in range(300):
        reader = jelly.read_rdf(path, batch_rows=10)
        next(reader.rows())
        next(reader)
        jelly.read_rdf(path).__arrow_c_stream__()
        pa.RecordBatchReader.from_stream(jelly.read_rdf(path)).read_next_batch()
    del reader
    assert len(list(FILES.iterdir())) == before


@pytest.mark.skipif(not FILES.is_dir(), reason="memory cannot be measured here")
def test_abandoned_iterators_free_their_memory() -> None:
    data = jb.small_rdf(1000)

    def run(times: int) -> None:
        for _ in range(times):
            next(jelly.read_rdf(data).rows())
            list(jelly.read_rdf(data))
            pa.table(jelly.read_rdf(data))

    run(100)
    before = memory()
    run(200)
    assert memory() - before < 8 << 20  # 200 readers with all their rows are 100 MB


def test_sources_are_let_go() -> None:
    class Source:
        def read(self, _: int) -> bytes:
            return jb.small_rdf(1)

    source = Source()
    gone = weakref.ref(source)
    reader = jelly.read_rdf(source)
    del source
    assert gone() is not None
    reader.close()
    gc.collect()
    assert gone() is None


def test_generators_are_let_go_at_the_end_and_after_errors() -> None:
    ended: list[str] = []

    def pieces(name: str, data: bytes) -> Iterator[bytes]:
        try:
            yield data
        finally:
            ended.append(name)

    whole = jelly.read_rdf(pieces("whole", jb.small_rdf(3)))
    assert len(list(whole.rows())) == 3
    broken = jelly.read_rdf(pieces("broken", jb.small_rdf(3)[:-1]))
    with pytest.raises(jelly.errors.TruncatedError):
        list(broken.rows())
    left = jelly.read_rdf(pieces("left", jb.small_rdf(3)))
    next(left)
    del left
    assert ended == ["whole", "broken", "left"]
