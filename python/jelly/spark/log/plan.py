"""Plans tasks over versions, and checks that the log is still the log that was read before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby
from typing import Any, NamedTuple, Self

from pyspark.sql.datasource import InputPartition

from jelly._internal import identify
from jelly.log import LogInfo
from jelly.log._patch import base_id, refused_at
from jelly.spark._options import ReadOptions
from jelly.spark.log.place import Readable, Version

# a reader starts anew for each version, which costs about as much as reading this number of bytes
_EACH = 4 << 10
# fewer bytes are not worth a task
_LEAST = 1 << 20


class Offset(NamedTuple):
    """The position of a stream: a version, and the id of its patch."""

    version: int
    id: str | None
    """None for version 0, a version whose patch is gone, or a patch without an id."""

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Self:
        """Parses an offset that Spark stored.

        Raises:
            ValueError: The value is not an offset of a log.
        """
        try:
            return cls(int(stored["version"]), stored["id"])
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"the checkpoint has no offsets of a log: {str(stored)[:100]}") from None  # fmt: skip

    def stored(self) -> dict[str, Any]:
        """Returns the form that Spark stores."""
        return self._asdict()


class Versions(InputPartition):
    """The versions that one task reads.

    Args:
        after: The version before the first one.
        sizes: Sizes of the versions in bytes, as stored.
        id: The id of the log; None if it has none.
    """

    def __init__(self, after: int, sizes: tuple[int, ...], id: str | None) -> None:
        super().__init__(after)
        self.after, self.sizes, self.id = after, sizes, id

    def __repr__(self) -> str:
        return f"versions {self.after + 1} to {self.after + len(self.sizes)}"


def planned(
    after: int, sizes: Iterable[int], options: ReadOptions, id: str | None
) -> list[InputPartition]:
    """Plans tasks over the versions after one, each a range of about the same size; ``id`` is the id of the log."""
    sizes = list(sizes)
    # Spark does not report the number of cores of its executors to a data source
    cores = options.min_partitions or os.cpu_count() or 1
    costs = [size + _EACH for size in sizes]
    total = sum(costs)
    worth = total if options.min_partitions else total // _LEAST
    tasks = max(1, min(cores, worth), -(-total // options.split_bytes))
    found: list[InputPartition] = []
    ends = accumulate(costs)
    middles = [(end - cost / 2) / total for end, cost in zip(ends, costs, strict=True)]
    for _, one in groupby(range(len(sizes)), key=lambda place: int(middles[place] * tasks)):
        places = list(one)
        found.append(Versions(after + places[0], tuple(sizes[place] for place in places), id))
    return found


def offset_before(log: Readable, version: int) -> Offset:
    """Returns the offset from which a version is read next.

    Raises:
        PatchError: The log does not have the version before (``patch.version``, ``patch.gap``).
    """
    before = version - 1
    if before < log.info().first:
        next(log.versions(before), None)  # raises if the version is gone, or does not exist yet
        return Offset(before, None)
    return Offset(before, next(log.versions(before - 1, before)).id)


def versions_since(log: Readable, start: Offset, upto: int) -> Iterator[Version]:
    """Yields the versions after an offset up to a version, and checks that the offset belongs to the log.

    Raises:
        PatchError: The place has another log now (``patch.fork``), or the next version is gone (``patch.gap``).
    """
    info = log.info()
    if start.version > info.head.version:
        raise _fork(log, start, f"the head of the log is {info.head.version}")
    if start.version < info.first:
        if start.version == info.first - 1 and start.id is not None:
            _require_base(log, start, info)
        yield from log.versions(start.version, upto)
        return
    found = log.versions(start.version - 1, upto)
    require(log, start, next(found).id)
    yield from found


def require(log: Readable, offset: Offset, id: str | None) -> None:
    """Rejects a log that has another id at the version of an offset.

    Raises:
        PatchError: The ids differ (``patch.fork``).
    """
    if id != offset.id:
        raise _fork(log, offset, f"the log has {id or 'no id'} there")


def _require_base(log: Readable, offset: Offset, info: LogInfo) -> None:
    """Rejects a log that begins after the version of an offset, and records another id for this version.

    Raises:
        PatchError: The ids differ (``patch.fork``).
    """
    id = base_id(info, log.versions)
    # a prev may have another spelling; without a prev the id is unknown
    if id is not None and identify(id)[1] != identify(offset.id or "")[1]:
        require(log, offset, id)


def _fork(log: Readable, offset: Offset, but: str) -> Exception:
    message = (
        f"this stream has read version {offset.version} with the id {offset.id or 'none'}, but "
        f"{but}: the place now has another log; read it with a new checkpoint"
    )
    return refused_at("patch.fork", message, log.place)
