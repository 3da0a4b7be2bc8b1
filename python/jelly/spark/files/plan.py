"""Plans tasks: small files are read together, large files in parts."""

from __future__ import annotations

import heapq
import io
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from jelly import storage
from jelly._splits import splits
from jelly.errors import DecodeError
from jelly.types import PatchFormat, Split

if TYPE_CHECKING:
    from jelly.spark._options import ReadOptions
    from jelly.spark.files.listing import File

# maximum number of bytes that the driver reads of a remote file to find its parts: an index is
# small, but text would have to be read from end to end, so it is not split
_FRUGAL = 32 << 20
_THREADS = 8
# content labels depend on the whole file, and only its end shows whether it has an error
_WHOLE = ("content", "lasting")
_OF_SPLITS = ("format", "framing", "compression", "limits")


class Part(NamedTuple):
    """A file, or a part of a file that can be read separately."""

    file: File
    size: int
    """Approximate number of bytes of the file in this part."""
    split: Split | None = None
    is_last: bool = True
    """Whether the part ends at the end of the file."""


def plan(files: Sequence[File], options: ReadOptions) -> list[tuple[Part, ...]]:
    """Returns tasks, the largest first; each task reads its parts in the order of the files.

    A task has about ``split_bytes``, or less if this gives work to all cores. As in Spark, opening a file counts as a
    number of bytes.

    Raises:
        OSError: A large file cannot be read.
    """
    # Spark does not report the number of cores of its executors to a data source
    cores = options.min_partitions or os.cpu_count() or 1
    total = sum(file.size + options.open_cost_bytes for file in files)
    most = min(options.split_bytes, max(options.open_cost_bytes, -(-total // cores), 1))
    # pieces are smaller than tasks, so that the tasks have about the same size
    piece = max(most // 2, options.open_cost_bytes, 1)
    with ThreadPoolExecutor(_THREADS) as pool:
        cut = pool.map(lambda file: _parts(file, piece, options), files)
        parts = [part for found in cut for part in found]
    costs = [part.size + options.open_cost_bytes for part in parts]
    tasks = max(-(-sum(costs) // most), min(cores, len(parts)))
    return [tuple(parts[i] for i in chosen) for chosen in packed(costs, tasks)]


def packed(costs: Sequence[int], bins: int) -> list[list[int]]:
    """Distributes items over bins of about equal cost: the most expensive item first, into the cheapest bin.

    Returns:
        For each bin that has items, their indices in order; the most expensive bin first.
    """
    filled: list[list[int]] = [[] for _ in range(bins)]
    heap = [(0, number) for number in range(bins)]
    for item in sorted(range(len(costs)), key=lambda item: -costs[item]):
        cost, number = heap[0]
        filled[number].append(item)
        heapq.heapreplace(heap, (cost + max(costs[item], 1), number))
    order = sorted(heap, key=lambda bin: (-bin[0], bin[1]))
    return [sorted(filled[number]) for _, number in order if filled[number]]


def _parts(file: File, piece: int, options: ReadOptions) -> list[Part]:
    found = _splits(file, piece, options) if file.size > piece else []
    if len(found) < 2:
        return [Part(file, file.size)]
    lengths = [split.end - split.start for split in found if split.end is not None]
    if len(lengths) < len(found):  # the last part ends at the end of the file
        lengths.append(max(file.size - found[-1].start, 0) or lengths[-1])
    whole = sum(lengths)
    return [
        Part(file, file.size * length // whole, split, split is found[-1])
        for split, length in zip(found, lengths, strict=True)
    ]


def _splits(file: File, piece: int, options: ReadOptions) -> list[Split]:
    keywords = options.keywords
    if keywords.get("blank_nodes") in _WHOLE or options.leaves_bad_out:
        return []
    given = {name: keywords[name] for name in _OF_SPLITS if name in keywords}
    committed = keywords.get("rows") == "committed"
    with storage.naming(file.source):
        source = storage.open_input(file.where, options.storage)
        if source != file.where:
            source = io.BufferedReader(_Frugal(source), io.DEFAULT_BUFFER_SIZE)
        try:
            found = splits(
                source,
                split_bytes=piece,
                whole_patches=committed,
                source_name=file.source,
                **given,
            )
            # the reader reports an error in a file, according to the mode
            is_patch = found[0].format in get_args(PatchFormat)
            return found if is_patch == (options.kind == "patch") else []
        except (_TooMuchError, DecodeError):
            return []
        finally:
            if source != file.where:
                source.close()


class _TooMuchError(OSError):
    """More was read than an index needs."""


class _Frugal(io.RawIOBase):
    """A file object that raises an error when too much is read."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._left = _FRUGAL

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise _TooMuchError("there is too much to read to find the parts of a file")
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def close(self) -> None:
        self._file.close()
        super().close()
