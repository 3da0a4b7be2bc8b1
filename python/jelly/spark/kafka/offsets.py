"""Offsets of partitions: in the form of Spark's own Kafka source, limited and divided."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

EARLIEST, LATEST = -2, -1

Place: TypeAlias = tuple[str, int]
"""Topic and partition."""
Offsets: TypeAlias = dict[Place, int]
TopicIds: TypeAlias = dict[str, str]
"""Ids by names of topics; empty texts if the broker has none."""
# key of the topic id, beside the keys of partitions
_ID = "id"


class Range(NamedTuple):
    """A range of offsets of one partition, without the end."""

    topic: str
    partition: int
    start: int
    end: int

    @property
    def name(self) -> str:
        """The name of the partition in errors and in the column ``source``."""
        return f"{self.topic}/{self.partition}"


def to_json(offsets: Offsets, ids: TopicIds) -> dict[str, dict[str, Any]]:
    """Formats offsets as ``{"topic": {"0": 23, "id": "7dS…"}}``, sorted, so that equal offsets are equal text."""
    found: dict[str, dict[str, Any]] = {}
    for (topic, partition), offset in sorted(offsets.items()):
        found.setdefault(topic, {})[str(partition)] = offset
    return {topic: parts | ({_ID: ids[topic]} if ids.get(topic) else {}) for topic, parts in found.items()}  # fmt: skip


def from_json(found: Mapping[str, Mapping[str, Any]]) -> Offsets:
    """Parses the result of ``to_json``."""
    return {
        (topic, int(partition)): offset
        for topic, partitions in found.items()
        for partition, offset in partitions.items()
        if partition != _ID
    }


def ids_of(found: Mapping[str, Mapping[str, Any]]) -> TopicIds:
    """Returns the ids of topics in the result of ``to_json``."""
    return {topic: partitions[_ID] for topic, partitions in found.items() if _ID in partitions}


def made_anew(before: TopicIds, after: TopicIds) -> set[str]:
    """Returns the topics that were deleted and created again; a topic without an id counts as the same."""
    return {topic for topic, id in after.items() if id and before.get(topic, id) != id}


def parse_offsets(value: str) -> str | Offsets:
    """Parses ``earliest``, ``latest``, or JSON with -2 for the earliest and -1 for the latest offset.

    Raises:
        ValueError: The value has none of these forms.
    """
    if value.strip().lower() in ("earliest", "latest"):
        return value.strip().lower()
    found = _json(value)
    try:
        offsets = from_json(found)
        if all(type(offset) is int and offset >= EARLIEST for offset in offsets.values()):
            return offsets
    except (AttributeError, ValueError):
        pass
    raise ValueError(
        f'{value!r} is not earliest, latest or JSON such as {{"topic":{{"0":23,"1":-2}}}}'
    )


def parse_assign(value: str) -> tuple[Place, ...]:
    """Parses ``{"topic": [0, 1]}``.

    Raises:
        ValueError: The value has another form.
    """
    found = _json(value)
    if isinstance(found, dict) and found and all(isinstance(each, list) for each in found.values()):
        places = [(topic, each) for topic, partitions in found.items() for each in partitions]
        if all(type(partition) is int and partition >= 0 for _, partition in places):
            return tuple(places)
    raise ValueError(f'{value!r} is not JSON such as {{"topic":[0,1]}}')


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return None


def limited(start: Offsets, end: Offsets, most: int | None) -> Offsets:
    """Returns an end with at most this number of messages, shared in proportion to the messages of each partition."""
    left = {place: max(end[place] - start[place], 0) for place in end}
    total = sum(left.values())
    if most is None or total <= most:
        return end
    # round down for each, then add one to those with the largest remainders: exactly `most` in total
    shares = {place: divmod(most * size, total) for place, size in left.items()}
    over = most - sum(whole for whole, _ in shares.values())
    lucky = sorted(shares, key=lambda place: (-shares[place][1], place))[:over]
    return {place: start[place] + shares[place][0] + (place in lucky) for place in end}


def divided(ranges: Iterable[Range], parts: int | None, most: int | None) -> list[Range]:
    """Divides ranges into at least ``parts`` ranges, with at most ``most`` messages each."""
    ranges = list(ranges)
    total = sum(each.end - each.start for each in ranges)
    found = []
    for each in ranges:
        size = each.end - each.start
        pieces = 1
        if parts is not None and parts > len(ranges):
            pieces = max(1, round(parts * size / total))
        if most is not None:
            pieces = max(pieces, -(-size // most))
        pieces = min(pieces, size)
        cuts = [each.start + size * piece // pieces for piece in range(pieces + 1)]
        found += [each._replace(start=start, end=end) for start, end in pairwise(cuts)]
    return found
