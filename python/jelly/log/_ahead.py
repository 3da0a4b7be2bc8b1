"""Reads the patches of an object store in order, and requests several ahead, because latency exceeds transfer time."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from jelly._log_files import name_of
from jelly.log._objects import Objects, Stored
from jelly.log._patch import refused_at

# the maximum that is read ahead: number of objects, and their bytes in total
_AHEAD = 16
_AHEAD_BYTES = 16 << 20


def patches(objects: Objects, ending: str, after: int, sizes: Sequence[int]) -> Generator[bytes]:
    """Reads the patches of a range of versions, as they are stored.

    Args:
        objects: The objects of the log.
        ending: The ending of the names of the patches.
        after: The version before the range.
        sizes: Bytes of each patch of the range.

    Raises:
        PatchError: A patch is gone (``patch.gap``), or has another size (``patch.damaged``).
        OSError: The store cannot be reached, or rejects the request.
    """
    waiting: deque[tuple[int, int, Future[Stored | None]]] = deque()
    ahead = 0
    with ThreadPoolExecutor(_AHEAD) as pool:
        for version, size in enumerate(sizes, after + 1):
            while waiting and (len(waiting) >= _AHEAD or ahead + size > _AHEAD_BYTES):
                ahead -= waiting[0][1]
                yield _whole(objects.url, *waiting.popleft())
            waiting.append((version, size, pool.submit(objects.get, name_of(version, ending))))
            ahead += size
        while waiting:
            yield _whole(objects.url, *waiting.popleft())


def _whole(url: str, version: int, size: int, asked: Future[Stored | None]) -> bytes:
    found = asked.result()
    if found is None:
        raise refused_at("patch.gap", f"version {version} no longer exists", url)
    if len(found.data) != size:
        raise refused_at("patch.damaged", f"version {version} had {size} bytes, but the stored file now has {len(found.data)}", url)  # fmt: skip
    return found.data
