"""Options of the source and the sink ``jelly-kafka``; :mod:`jelly.spark.kafka` describes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from jelly._batches import BatchDecoder
from jelly._encoder import BatchEncoder, batch_encoder
from jelly.spark._options import (
    DECODE,
    ENCODE_COLUMN,
    LIMITS,
    OF_SPARK,
    STORAGE,
    STREAM_OPTIONS,
    Kind,
    Option,
    ReadOptions,
    parse,
    storage_of,
    taken,
    with_limits,
)
from jelly.spark._values import choice, flag, names, number, positive, text
from jelly.spark.kafka.config import PREFIX, translated
from jelly.spark.kafka.offsets import LATEST, Offsets, Place, parse_assign, parse_offsets
from jelly.types import PatchOptions, RdfOptions

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "jelly-kafka"
_WAIT = "kafkaConsumer.pollTimeoutMs"
_KIND = Option("kind", choice)
_READ = (
    _KIND,
    Option("subscribe", names),
    Option("subscribePattern", text),
    Option("assign", parse_assign),
    Option("startingOffsets", parse_offsets),
    Option("startingTimestamp", number),
    Option("endingOffsets", parse_offsets),
    Option("maxOffsetsPerTrigger", positive(number)),
    Option("minPartitions", positive(number)),
    Option("maxRecordsPerPartition", positive(number)),
    Option("failOnDataLoss", flag),
    Option("kafkaColumns", flag),
    Option("includeHeaders", flag),
    Option("sharedLookups", flag),
    Option("newStreamAtOptions", flag),
    Option("snapshotLocation", text),
    Option("badRecordsPath", text),
    Option("snapshotsKept", positive(number)),
    Option(_WAIT, positive(number)),
)
_WRITE = (
    _KIND,
    Option("topic", text),
    Option("key", text),
    Option("messageRows", positive(number)),
    Option(_WAIT, positive(number)),
)
_SUBSCRIPTIONS = ("subscribe", "subscribe_pattern", "assign")
_FORMATS: dict[str, Kind] = {
    "rdf": "rdf", "jelly": "rdf", "nt": "rdf", "nq": "rdf", "ttl": "rdf", "trig": "rdf", "rdfxml": "rdf",
    "jsonld": "rdf", "patch": "patch", "jelly-patch": "patch", "rdfp": "patch", "rdfp-v1": "patch", "trp": "patch",
}  # fmt: skip
_MESSAGE = {
    "key": "binary",
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "timestamp": "timestamp",
}
_HEADERS = {"headers": "array<struct<key:string,value:binary>>"}


@dataclass(frozen=True, slots=True)
class KafkaOptions:
    """Options of reading: which messages, from where to where, and how to decode them."""

    read: ReadOptions
    settings: dict[str, str]
    """Settings of librdkafka."""
    subscribe: tuple[str, ...] = ()
    subscribe_pattern: str | None = None
    assign: tuple[Place, ...] = ()
    starting_offsets: str | Offsets | None = None
    starting_timestamp: int | None = None
    ending_offsets: str | Offsets = "latest"
    max_offsets_per_trigger: int | None = None
    min_partitions: int | None = None
    max_records_per_partition: int | None = None
    fail_on_data_loss: bool = True
    kafka_columns: bool = False
    include_headers: bool = False
    shared_lookups: bool = False
    new_stream_at_options: bool = True
    snapshot_location: str | None = None
    snapshots_kept: int = 10
    bad_records_path: str | None = None
    timeout: float = 120.0

    @classmethod
    def of(cls, options: Mapping[str, str], *, stream: bool | None) -> Self:
        """Parses the options of Spark.

        Raises:
            ValueError: An option is wrong, missing, or conflicts with another one.
        """
        kind = _kind(options)
        decode = (*DECODE[kind], *LIMITS)
        chosen = parse(_plain(options), (*_READ, *decode), NAME)
        chosen.pop("kind", None)
        keywords = with_limits(chosen, DECODE[kind])
        if keywords.get("format") in ("rdf", "patch"):
            del keywords["format"]
        storage = storage_of(options)
        if "subscribe" in chosen:
            chosen["subscribe"] = tuple(chosen["subscribe"])
        made = cls(ReadOptions(kind, (), keywords, storage), translated(options), **_timed(chosen))
        made._check(chosen, stream=stream)
        return made

    @property
    def framing(self) -> str:
        """How a message stores frames, with ``sharedLookups``."""
        given: str = self.read.keywords.get("framing", "auto")
        return "single" if given == "auto" else given

    @property
    def message_columns(self) -> dict[str, str]:
        """Columns of the message that are repeated in its rows, with their Spark types."""
        return (_MESSAGE if self.kafka_columns else {}) | (_HEADERS if self.include_headers else {})

    @property
    def decoder(self) -> BatchDecoder:
        """The decoder of messages that are whole streams; its schema is always the schema of the rows."""
        return BatchDecoder(
            self.read.kind, None, self.message_columns, self.read.keywords, self.bad_records_path, self.read.storage
        )  # fmt: skip

    @property
    def ddl(self) -> str:
        """The columns of the rows as Spark DDL."""
        return self.decoder.ddl

    @property
    def arrow_schema(self) -> pa.Schema:
        """The columns of the rows."""
        import pyarrow as pa

        return pa.schema(self.decoder.schema)

    def _check(self, given: dict[str, Any], *, stream: bool | None) -> None:
        if sum(name in given for name in _SUBSCRIPTIONS) != 1:
            raise ValueError("give exactly one of 'subscribe', 'subscribePattern' and 'assign'")
        if self.subscribe_pattern is not None:
            try:
                re.compile(self.subscribe_pattern)
            except re.error as error:
                raise ValueError(f"option 'subscribePattern': {error}") from None
        if self.starting_offsets is not None and self.starting_timestamp is not None:
            raise ValueError("give 'startingOffsets' or 'startingTimestamp', not both")
        if stream and "ending_offsets" in given:
            raise ValueError(
                "option 'endingOffsets' works only with spark.read: a stream has no end"
            )
        if stream is False:
            if "max_offsets_per_trigger" in given:
                raise ValueError(
                    "option 'maxOffsetsPerTrigger' works only with streams: use readStream"
                )
            at_start, at_end = self.starting_offsets, self.ending_offsets
            if at_start == "latest" or (isinstance(at_start, dict) and LATEST in at_start.values()):
                raise ValueError("option 'startingOffsets': spark.read cannot begin at the latest")
            if at_end == "earliest" or (
                isinstance(at_end, dict) and min(at_end.values(), default=0) < LATEST
            ):
                raise ValueError("option 'endingOffsets': it cannot end at the earliest")
        self._check_shared(given, stream=stream)
        self.decoder  # noqa: B018 - a wrong option shows here, not in a worker

    def _check_shared(self, given: dict[str, Any], *, stream: bool | None) -> None:
        keywords = self.read.keywords
        if not self.shared_lookups:
            for name in ("snapshot_location", "snapshots_kept", "new_stream_at_options"):
                if name in given:
                    option = next(each.name for each in _READ if each.keyword == name)
                    raise ValueError(f"option {option!r} works only with sharedLookups=true")
            return
        for name in ("min_partitions", "max_records_per_partition"):
            if name in given:
                option = next(each.name for each in _READ if each.keyword == name)
                raise ValueError(
                    f"option {option!r} cannot be used with sharedLookups: a partition is decoded "
                    "in order, by one task"
                )
        if stream and self.snapshot_location is None:
            raise ValueError(
                "option 'snapshotLocation' is missing: a folder for the state of the lookups, or each batch would decode "
                "its partitions from their start"
            )
        if self.snapshots_kept < 2:
            raise ValueError(
                "option 'snapshotsKept' must be at least 2: one for this batch and one for the "
                "batch before"
            )
        if keywords.get("framing", "auto") not in ("auto", "single", "delimited"):
            raise ValueError(
                "option 'framing' with sharedLookups must be single (each message is a frame) or "
                "delimited"
            )
        if keywords.get("format", "auto") not in ("auto", "jelly", "jelly-patch"):
            raise ValueError(
                "option 'format' cannot be used with sharedLookups: only Jelly streams have lookups"
            )
        is_permissive = keywords.get("mode") == "permissive"
        if is_permissive or self.bad_records_path is not None:
            option = "mode" if is_permissive else "badRecordsPath"
            raise ValueError(
                f"option {option!r} cannot be used with sharedLookups: no message after a bad one "
                "can be decoded, so a bad message is always an error"
            )
        if keywords.get("rows") == "committed":
            raise ValueError(
                "option 'rows' with sharedLookups must be all: a transaction may continue in the "
                "next batch"
            )
        if self.read.kind == "patch" and keywords.get("strict"):
            raise ValueError(
                "option 'strict' cannot be used with sharedLookups: it checks how a stream ends, "
                "and a partition does not end"
            )


@dataclass(frozen=True, slots=True)
class KafkaWriteOptions:
    """Options of writing: where messages go, and how to encode them."""

    kind: Kind
    settings: dict[str, str]
    """Settings of librdkafka."""
    topic: str | None = None
    key: str | None = None
    message_rows: int = 1000
    encode: dict[str, Any] = field(default_factory=dict)
    """Options of ``batch_encoder``."""
    timeout: float = 120.0

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Self:
        """Parses the options of Spark.

        Raises:
            ValueError: An option is wrong or missing.
        """
        kind = _kind(options)
        known = (*_WRITE, *ENCODE_COLUMN[kind], *STREAM_OPTIONS[kind], *LIMITS)
        chosen = parse(_plain(options, *OF_SPARK), known, NAME)
        chosen.pop("kind", None)
        keywords = with_limits(chosen, ENCODE_COLUMN[kind])
        if stream := taken(chosen, STREAM_OPTIONS[kind]):
            keywords["options"] = (
                PatchOptions(**stream) if kind == "patch" else RdfOptions(**stream)
            )
        made = cls(kind, translated(options), encode=keywords, **_timed(chosen))
        made.encoder()  # a wrong option raises an error here, not in a worker
        return made

    def encoder(self) -> BatchEncoder:
        """Returns the encoder of rows to messages."""
        return batch_encoder(self.kind, unit="stream", rows=self.message_rows, **self.encode)


def _kind(options: Mapping[str, str]) -> Kind:
    lower = {name.lower(): value.lower() for name, value in options.items()}
    given = lower.get("kind") or _FORMATS.get(lower.get("format", ""), "patch")
    if given not in ("rdf", "patch"):
        raise ValueError(f"option 'kind' must be rdf or patch, not {given!r}")
    return "rdf" if given == "rdf" else "patch"


def _plain(options: Mapping[str, str], *left_out: str) -> dict[str, str]:
    return {
        name: value
        for name, value in options.items()
        if not name.lower().startswith((PREFIX, STORAGE)) and name.lower() not in left_out
    }


def _timed(chosen: dict[str, Any]) -> dict[str, Any]:
    milliseconds = chosen.pop(Option(_WAIT, number).keyword, None)
    return chosen if milliseconds is None else chosen | {"timeout": milliseconds / 1000}
