"""Storage of decoder states between batches: files ``topic/partition/offset``.

The content of a file depends only on the messages before the offset, so all writers write the same content. A file is
written once and atomically, so tasks that run twice do no harm.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from jelly.spark.kafka.client import lost
from jelly.storage import Place, put, resolve

if TYPE_CHECKING:
    import pyarrow.fs as pafs

    from jelly.spark.kafka.offsets import Range
    from jelly.spark.kafka.options import KafkaOptions

_LOG = logging.getLogger(__name__)
_MAGIC = "jelly-kafka-snapshot"
_VERSION = 1


class State(NamedTuple):
    """The state of a decoder before a message."""

    offset: int
    """The offset of this message."""
    snapshot: bytes | None
    """The snapshot; None at the start of the log."""


class Snapshots:
    """The snapshots of one partition."""

    def __init__(self, options: KafkaOptions, part: Range, topic_id: str) -> None:
        self._options = options
        self._identity = {
            "kind": options.read.kind,
            "framing": options.framing,
            "newStreamAtOptions": options.new_stream_at_options,
        }
        self._topic_id = topic_id
        self._files: pafs.FileSystem | None = None
        self._folder = ""
        if options.snapshot_location is not None:
            place = resolve(options.snapshot_location, options.read.storage)
            self._files = place.fs
            self._folder = f"{place.path.rstrip('/')}/{part.name}"

    def before(self, offset: int) -> State | None:
        """Returns the last state that was stored at or before this offset."""
        for known in sorted((each for each in self._offsets() if each <= offset), reverse=True):
            if (found := self._read(known)) is None:
                continue
            id, snapshot = found
            if self._is_same(id):
                return State(known, snapshot)
            message = f"{self._folder}/{known}: the snapshot belongs to a deleted topic with the same name"
            lost(self._options, message)
        return None

    def _is_same(self, topic_id: str) -> bool:
        return topic_id == self._topic_id or not topic_id or not self._topic_id

    def _read(self, offset: int) -> tuple[str, bytes] | None:
        """Returns the id of the topic, and the snapshot."""
        assert self._files is not None
        path = f"{self._folder}/{offset}"
        try:
            with self._files.open_input_stream(path) as file:
                content: bytes = file.read()
        except FileNotFoundError:  # another query has just deleted it
            return None
        line, _, snapshot = content.partition(b"\n")
        try:
            head = json.loads(line)
            right = (
                head["magic"] == _MAGIC
                and head["version"] == _VERSION
                and head["bytes"] == len(snapshot)
            )
        except (ValueError, KeyError, TypeError):
            right = False
        if not right:
            _LOG.warning("%s: the snapshot is incomplete; it is not used", path)
            return None
        if head["identity"] != self._identity:
            raise ValueError(
                f"{path}: the snapshot belongs to a query with {_words(head['identity'])}, but "
                f"this query has {_words(self._identity)}; use another snapshotLocation"
            )
        return head["topicId"], snapshot

    def keep(self, offset: int, snapshot: bytes) -> None:
        """Writes the state at an offset, unless it exists."""
        if self._files is None:
            return
        if offset in self._offsets():
            found = self._read(offset)
            if found is not None and self._is_same(found[0]):
                return
            with suppress(FileNotFoundError):  # a snapshot of a deleted topic, or an incomplete one
                self._files.delete_file(f"{self._folder}/{offset}")
        head = {
            "magic": _MAGIC,
            "version": _VERSION,
            "identity": self._identity,
            "topicId": self._topic_id,
            "bytes": len(snapshot),
        }
        content = json.dumps(head, sort_keys=True).encode() + b"\n" + snapshot
        put(Place(self._files, self._folder, self._folder), str(offset), content)

    def prune(self, start: int) -> None:
        """Deletes old states before the start of a batch, except the newest ones; the batch may be read again."""
        if self._files is None:
            return
        older = sorted(each for each in self._offsets() if each < start)
        for offset in older[: max(len(older) - (self._options.snapshots_kept - 1), 0)]:
            try:
                self._files.delete_file(f"{self._folder}/{offset}")
            except FileNotFoundError:
                continue  # another task deleted it first

    def _offsets(self) -> list[int]:
        if self._files is None:
            return []
        import pyarrow.fs as pafs

        listed = self._files.get_file_info(pafs.FileSelector(self._folder, allow_not_found=True))
        return [int(info.base_name) for info in listed if info.base_name.isdecimal()]


def _words(identity: dict[str, object]) -> str:
    return ", ".join(f"{name}={json.dumps(value)}" for name, value in identity.items())
