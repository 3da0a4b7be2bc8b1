"""Options of the source and the sink ``jelly-log``; :mod:`jelly.spark.log` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import jelly
from jelly import _internal
from jelly._whole_file import local_path
from jelly.log._there import existing
from jelly.spark._options import (
    BATCH_ROWS,
    DECODE,
    LIMITS,
    OF_SPARK,
    PATHS,
    Option,
    ReadOptions,
    parse,
    paths_of,
    plain,
    storage_of,
    taken,
    with_limits,
)
from jelly.spark._values import number, positive, size, text
from jelly.spark.log.place import Place, source_of

NAME = "jelly-log"

Start = int | Literal["earliest", "latest"]

# the log determines these for its patches
_OF_THE_LOG = ("format", "framing", "compression")
_DECODE = tuple(option for option in DECODE["patch"] if option.keyword not in _OF_THE_LOG)


def _version(value: str) -> int:
    if (found := number(value)) < 1:
        raise ValueError(f"{value!r} is not a version; versions count from 1")
    return found


def _start(value: str) -> Start:
    words: dict[str, Start] = {"earliest": "earliest", "latest": "latest"}
    if (word := value.strip().lower()) in words:
        return words[word]
    try:
        return _version(value)
    except ValueError:
        raise ValueError(f"{value!r} is not earliest, latest or a version from 1") from None


def _end(value: str) -> int | None:
    return None if value.strip().lower() == "latest" else _version(value)


def _iri(value: str) -> str:
    term = _internal.identify(value)[0]
    if not term.startswith("<"):
        raise ValueError(f"{value!r} is not an IRI")
    return term


_PLAN = (Option("splitBytes", positive(size)), Option("minPartitions", positive(number)))
_PLACE = (Option("token", text),)
_BYTES = (_PLAN[0], Option("maxBytesPerTrigger", positive(size)))
READ = (
    *_DECODE,
    *LIMITS,
    _PLAN[1],
    Option("startingVersion", _start),
    Option("endingVersion", _end),
    Option("maxVersionsPerTrigger", positive(number)),
)
"""Options for reading a log whose versions may have unknown sizes."""
WRITE = (Option("id", _iri),)


@dataclass(frozen=True, slots=True)
class LogPlace:
    """The place of a log, which any process can open."""

    name: str
    """The place in the form that was given."""
    where: str
    """The place in a form that any worker can open: an absolute path, or an address."""
    token: str | None = field(default=None, repr=False)
    storage: dict[str, str] = field(default_factory=dict, repr=False)
    """Options ``storage.*`` without the prefix: how to reach an object store."""

    @classmethod
    def of(cls, options: Mapping[str, str], token: str | None) -> Self:
        """Parses the options of Spark.

        Raises:
            ValueError: There is not exactly one place.
        """
        places = paths_of(options)
        if len(places) != 1:
            raise ValueError(f"expected one log, found {len(places)}")
        name = places[0].rstrip("/") or places[0]
        is_remote = "://" in name.removeprefix("file://")
        where = name if is_remote else str(local_path(name).absolute())
        return cls(name, where, token, storage_of(options))

    def open(self) -> jelly.Log:
        """Opens the log."""
        return jelly.Log(self.where, token=self.token, storage=self.storage or None)

    def there(self) -> jelly.Log:
        """Opens the log, if it exists.

        Raises:
            FileNotFoundError: The log does not exist. A mistyped path would read as an empty log.
        """
        return existing(self.open())

    def source(self, version: int) -> str:
        """Returns the value of the column ``source`` for a version."""
        return source_of(self.name, version)


@dataclass(frozen=True, slots=True)
class LogReadOptions:
    """Options of reading: which versions of a log, and how to read them."""

    place: Place
    read: ReadOptions
    starting_version: Start = "earliest"
    ending_version: int | None = None
    max_versions_per_trigger: int | None = None
    max_bytes_per_trigger: int | None = None

    @classmethod
    def of(cls, options: Mapping[str, str], *, stream: bool | None) -> Self:
        """Parses the options of Spark; ``stream`` is None if Spark does not tell yet whether it is a stream.

        Raises:
            ValueError: An option is wrong, or conflicts with another one.
        """
        chosen = parse(plain(options, *PATHS, *OF_SPARK), (*READ, *_BYTES, *_PLACE), NAME)
        place = LogPlace.of(options, chosen.pop("token", None))
        return cls.at(place, place.where, chosen, stream=stream)

    @classmethod
    def at(cls, place: Place, where: str, chosen: dict[str, Any], *, stream: bool | None) -> Self:
        """Returns the options for a log at a place; ``stream`` as for :meth:`of`.

        Raises:
            ValueError: As for :meth:`of`.
        """
        keywords = {"batch_rows": BATCH_ROWS} | with_limits(chosen, _DECODE)
        read = ReadOptions("patch", (where,), keywords, **taken(chosen, _PLAN))
        read.schema  # noqa: B018 - a wrong option shows here, not in a worker
        _refuse(chosen, stream)
        return cls(place, read, **chosen)

    @property
    def ddl(self) -> str:
        """The schema as Spark DDL."""
        return self.read.ddl


def _refuse(chosen: Mapping[str, Any], stream: bool | None) -> None:
    """Rejects options that conflict with each other, or with the kind of query."""
    per_trigger = {"max_versions_per_trigger", "max_bytes_per_trigger"} & chosen.keys()
    if len(per_trigger) > 1:
        raise ValueError("maxVersionsPerTrigger and maxBytesPerTrigger cannot be used together")
    start, end = chosen.get("starting_version"), chosen.get("ending_version")
    if stream is True and "ending_version" in chosen:
        raise ValueError(
            "option 'endingVersion' does not work with streams, which do not end: use read"
        )
    if stream is False and per_trigger:
        name = "maxVersionsPerTrigger" if "max_versions_per_trigger" in chosen else "maxBytesPerTrigger"  # fmt: skip
        raise ValueError(f"option {name!r} works only with streams: use readStream")
    if stream is False and start == "latest":
        raise ValueError("startingVersion=latest works only with streams: use readStream")
    if isinstance(start, int) and end is not None and end < start:
        raise ValueError(f"endingVersion {end} is before startingVersion {start}")


@dataclass(frozen=True, slots=True)
class LogWriteOptions:
    """Options of writing: the place of the log, and the ids of patches."""

    place: Place
    id: str | None = None
    """An IRI, as an RDF term."""

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Self:
        """Parses the options of Spark.

        Raises:
            ValueError: An option is wrong.
        """
        chosen = parse(plain(options, *PATHS, *OF_SPARK), (*_PLACE, *WRITE), NAME)
        place = LogPlace.of(options, chosen.pop("token", None))
        return cls(place, **chosen)
