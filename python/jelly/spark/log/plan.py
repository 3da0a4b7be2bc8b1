"""Which versions a task reads, and whether the log is still the one that was read before."""

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

# A reader begins again with each version, which costs about as much as so many bytes.
_EACH = 4 << 10
# Fewer bytes are not worth a task.
_LEAST = 1 << 20


class Offset(NamedTuple):
    """How far a stream got: a version, and the id of its patch."""

    version: int
    id: str | None
    """None: version 0, a version whose patch is gone, or a patch without an id."""

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Self:
        """From what Spark stored.

        Raises:
            ValueError: It is no offset of a log.
        """
        try:
            return cls(int(stored["version"]), stored["id"])
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"the checkpoint has no offsets of a log: {str(stored)[:100]}") from None  # fmt: skip

    def stored(self) -> dict[str, Any]:
        """As Spark stores it."""
        return self._asdict()


class Versions(InputPartition):
    """What one task reads.

    Args:
        after: The version before the first one.
        sizes: Bytes of each version, as they are stored.
        id: Of the log; None: it has none.
    """

    def __init__(self, after: int, sizes: tuple[int, ...], id: str | None) -> None:
        super().__init__(after)
        self.after, self.sizes, self.id = after, sizes, id

    def __repr__(self) -> str:
        return f"versions {self.after + 1} to {self.after + len(self.sizes)}"


def planned(
    after: int, sizes: Iterable[int], options: ReadOptions, id: str | None
) -> list[InputPartition]:
    """Tasks over the versions after one of the log with an id, each a range of about as many bytes."""
    sizes = list(sizes)
    # Spark does not tell a data source how many cores its executors have.
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
    """Where to begin, to read a version next.

    Raises:
        PatchError: The log does not have the version before (``patch.version``, ``patch.gap``).
    """
    before = version - 1
    if before < log.info().first:
        next(log.versions(before), None)  # what is gone, or is not there yet, is an error
        return Offset(before, None)
    return Offset(before, next(log.versions(before - 1, before)).id)


def versions_since(log: Readable, start: Offset, upto: int | None = None) -> Iterator[Version]:
    """The versions after an offset, of the log that the offset is of.

    Raises:
        PatchError: Another log is at the place now (``patch.fork``), or the next version is gone
            (``patch.gap``).
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
    """Rejects a log that has another id at an offset.

    Raises:
        PatchError: It has (``patch.fork``).
    """
    if id != offset.id:
        raise _fork(log, offset, f"the log has {id or 'no id'} there")


def _require_base(log: Readable, offset: Offset, info: LogInfo) -> None:
    """Rejects a log that begins after the version of an offset, and says that this has another id.

    Raises:
        PatchError: It does (``patch.fork``).
    """
    id = base_id(info, log.versions)
    # a prev may be spelled otherwise; without one the id is not known any more
    if id is not None and identify(id)[1] != identify(offset.id or "")[1]:
        require(log, offset, id)


def _fork(log: Readable, offset: Offset, but: str) -> Exception:
    message = (
        f"this stream has read version {offset.version} with the id {offset.id or 'none'}, but "
        f"{but}: the place now has another log; read it with a new checkpoint"
    )
    return refused_at("patch.fork", message, log.place)
