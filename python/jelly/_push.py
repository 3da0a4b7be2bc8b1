"""A store that follows a log: each patch is sent once, as SPARQL Update."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple, TypedDict, Unpack

from jelly import _internal
from jelly._going_on import going_on
from jelly._http import PASSES
from jelly._patching import Report
from jelly._push_store import At, Store
from jelly.errors import JellyError
from jelly.log import Log, LogInfo
from jelly.log._folder import FolderLog
from jelly.log._guard import guarded
from jelly.log._patch import refused

# how long requests are sent again without a new version in the store
_TRIES = 30.0
_WAIT = 0.2
# versions between two questions to the store
_ROUND = 1000
_REQUEST = 1 << 20


class Pushed(NamedTuple):
    """The result of a push to a store.

    Attributes:
        version: The version that the store has now.
        id: The id of its patch; None if it has none.
        patches: Patches that were pushed.
        added: Rows that add; each quad has at most one.
        deleted: Rows that delete.
        prefixes_left_out: Changes of prefixes, which stores do not have.
        requests: Updates that were sent.
    """

    version: int
    id: str | None
    patches: int
    added: int
    deleted: int
    prefixes_left_out: int
    requests: int


_NOTHING = Pushed(0, None, 0, 0, 0, 0, 0)


class PushOptions(TypedDict, total=False):
    """Options of :func:`push_on`, as for :func:`push`."""

    query_endpoint: str | None
    after: int | None
    skolemize: str | None
    authorization: str | None
    request_bytes: int


def push(
    log: Log | str,
    endpoint: str,
    *,
    query_endpoint: str | None = None,
    after: int | None = None,
    skolemize: str | None = None,
    authorization: str | None = None,
    request_bytes: int = _REQUEST,
    progress: Report | None = None,
) -> Pushed:
    """Brings a store to the head of a log with SPARQL 1.1 Update.

    The store records its version in the graph ``<urn:jelly:logs>``; each operation changes the store only at that
    version. So a request that is sent twice or late changes nothing, two processes can push at once, and a process
    that was killed can be started again. A patch is one request if it fits into ``request_bytes``; it becomes visible
    complete or not at all in stores whose requests are transactions. Readers may see a part of a larger patch.

    Args:
        log: The log, or its place as in :class:`Log`.
        endpoint: The address for updates of the store, such as ``http://localhost:3030/ds/update``.
        query_endpoint: The address for queries; without it, ``.../query`` for ``.../update``, ``X``
            for ``X/statements``, else ``endpoint``.
        after: The version of the log whose dataset the store has; only for a store that records no version. A log
            that began empty does not need it, unless the store follows another log that was at the same place.
        skolemize: The start of the IRIs of blank nodes, such as
            ``https://example.org/.well-known/genid/``: the same from the first patch on.
        authorization: The header ``Authorization`` for the store, such as ``Basic ...``. Without it,
            ``JELLY_STORE_AUTHORIZATION`` of the environment is sent, over TLS and to this machine only.
        request_bytes: The maximum size of a request, which may be exceeded by one operation (256 KiB and one row).
        progress: As for :func:`apply`.

    Returns:
        A summary of the result.

    Raises:
        PatchError: The store does not record its version (``patch.base``), it has a patch that the log does not have or
            follows another log that was at the same place (``patch.fork``), the next version is gone (``patch.gap``), or a row has a blank node (``patch.blank``).
        EncodeError: SPARQL cannot express a row (``encode.term``, ``encode.generalized``), or it is in the graph
            ``<urn:jelly:logs>`` (``encode.term``).
        OSError: The store cannot be reached, rejected a request, or cannot delete from the default graph alone.
        ValueError: ``after`` or ``skolemize`` differs from what the store records.
    """
    store = Store(endpoint, query_endpoint, authorization, request_bytes, progress)
    return _Pushing(log, store, after, skolemize).to_head()


def push_on(
    log: Log | str, endpoint: str, *, progress: Report | None = None, **options: Unpack[PushOptions]
) -> Iterator[Pushed]:
    """Brings a store to the head of a log, and continues with new versions as they arrive.

    If the store or the server of the log cannot be reached or fails (5xx), the request is sent again until it
    succeeds. The process can be stopped or killed at any time: each patch is pushed once.

    Args:
        log: As for :func:`push`.
        endpoint: As for :func:`push`.
        progress: As for :func:`push`; while something does not answer, the phase is ``waiting: `` and the error.
        **options: As for :func:`push`.

    Yields:
        A summary since the last one, each time that the store reaches the head.

    Raises:
        PatchError: As for :func:`push`, or the place has another log (``patch.fork``).
        OSError: The store rejected a request, or a disk failed.
        ValueError: As for :func:`push`.
    """
    after, skolemize = options.get("after"), options.get("skolemize")
    store = Store(
        endpoint, options.get("query_endpoint"), options.get("authorization"),
        options.get("request_bytes", _REQUEST), progress,
    )  # fmt: skip
    return going_on(lambda: _Pushing(log, store, after, skolemize), progress)


class _Pushing:
    """A log and a store, and what the store is known to have."""

    def __init__(
        self, log: Log | str, store: Store, after: int | None, skolemize: str | None
    ) -> None:
        self.log = log if isinstance(log, Log) else Log(log)
        self._store, self._after, self._skolemize = store, after, skolemize
        self._info = identified(self.log, "a store")
        self._said = _internal.StoreLog(f"urn:uuid:{self._info.id}", skolemize, _place(self.log))
        self._at: At | None = None
        self._done = _NOTHING
        # of patches that were sent, and of which nobody has asked whether the store has them
        self._counts: dict[int, tuple[int, int, int]] = {}

    def to_head(self) -> Pushed:
        """Pushes what is new; returns what was done since it came to an end the last time."""
        until: float | None = None
        while True:
            try:
                found = self._store.at(self._said, self._skolemize)
                if until is None or found != self._at:
                    until = time.monotonic() + _TRIES
                versions = self._versions(found)
                if versions is None:
                    continue
                if not versions and self._at is not None:
                    done, self._done = self._done, _NOTHING
                    requests, self._store.requests = self._store.requests, 0
                    return done._replace(version=self._at[0], id=self.log.head.id, requests=requests)  # fmt: skip
                self._send(versions)
            except PASSES:
                if until is None or time.monotonic() > until:
                    raise
                time.sleep(_WAIT)

    def _versions(self, found: At | None) -> list[Any] | None:
        """What comes after the version that the store says; None: it is asked again."""
        log, store = self.log, self._store
        if found is None:
            if self._at is not None:
                raise OSError(store.forgets(self._at))
            if self._after is None and (others := store.logs_here(self._said)):
                version = self._info.first - 1
                raise refused("patch.fork", f"the store follows the log <{others[0]}>, which was at this place before, and has its data; now the place has the log <urn:uuid:{self._info.id}> ({log.place}): push to an empty store or, to add this log to the store, push with after={version} (--after {version})")  # fmt: skip
            start = _start(log, self._info, self._after)
            self._at = store.begin(self._said, self._skolemize, start)
            return None
        if self._at is None and self._after not in (None, found[0]):
            raise ValueError(f"after is {self._after}, but the store has version {found[0]}")  # fmt: skip
        self._at = found
        store.stands(self._said, found)
        there = [self._counts[version] for version in self._counts if version <= found[0]]
        self._done = _counted(self._done, there)
        self._counts.clear()
        return next_versions(log, found)

    def _send(self, versions: list[Any]) -> None:
        assert self._at is not None
        _send(self.log, self._info.id, self._said, self._store, self._at, versions, self._counts)
        if self._store.at(self._said, self._skolemize) == self._at:
            raise OSError(self._store.forgets(self._at))


def _counted(done: Pushed, counts: list[tuple[int, int, int]]) -> Pushed:
    """What was done, with patches that the store has now."""
    added, deleted, prefixes = (sum(each) for each in zip(*counts, strict=True)) if counts else (0, 0, 0)  # fmt: skip
    return done._replace(
        patches=done.patches + len(counts),
        added=done.added + added,
        deleted=done.deleted + deleted,
        prefixes_left_out=done.prefixes_left_out + prefixes,
    )


def _start(log: Log, info: Any, after: int | None) -> At:
    """The version that a store has which says none."""
    if after is None:
        if info.base != "empty" or info.first > 1:
            message = (
                "the store does not record its version, and the log does not begin empty "
                f"({log.place}): load a version into the store, written by `jelly log dataset "
                f"{log.place} --version {info.first - 1}`, and push with after={info.first - 1} "
                f"(--after {info.first - 1})"
            )
            raise refused("patch.base", message)
        return 0, ""
    if after < info.first:
        for _ in log.versions(after, after):  # refuses what is gone
            pass
        return after, ""
    return after, identity(next(iter(log.versions(after - 1, after))).id)


def _place(log: Log) -> str:
    """What the place of a log is compared by; the store does not need to say the place itself."""
    place = log.folder.resolve() if isinstance(log, FolderLog) else log.place.rstrip("/")
    return sha256(os.fsencode(place)).hexdigest()


def identified(log: Log, who: str) -> LogInfo:
    """What a log is, which must have an id."""
    info = log.info()
    if info.id is None:
        raise refused("patch.base", f"the log has no id by which {who} can recognize it ({log.place}); give it one with `jelly log create {log.place} --empty`, or --base FILE")  # fmt: skip
    return info


def identity(id: str | None) -> str:
    return "" if id is None else _internal.identify(id)[1]


def next_versions(log: Log, at: At, who: str = "the store") -> list[Any]:
    """The versions that come after one that somebody has, which must be of this log."""
    head = log.head
    if at[0] > head.version:
        raise refused("patch.fork", f"{who} has version {at[0]}, but the log ends with version {head.version} ({log.place})")  # fmt: skip
    if at[0] == head.version:
        known, versions = head.id, []
    else:
        versions = list(islice(log.versions(at[0]), _ROUND))
        known = versions[0].prev
    if at[1] and known is not None and identity(known) != at[1]:
        raise refused("patch.fork", f"{who} has version {at[0]} with the id {at[1]}, but in the log this version has the id {identity(known)} ({log.place})")  # fmt: skip
    return versions


def _send(
    log: Log,
    id: str | None,
    said: Any,
    store: Store,
    at: At,
    versions: list[Any],
    counts: dict[int, Any],
) -> None:
    store.guard = guarded(log, id, at[0], versions[-1].version) if versions else None
    default = store.default_graph()
    with closing(log._each(at[0], [version.bytes for version in versions])) as patches:
        try:
            for version, (source, format) in zip(versions, patches, strict=True):
                try:
                    updates = said.updates(at, source, {"patch_format": format}, default)
                except JellyError as error:
                    text = f"{error} (version {version.version} of {log.place})"
                    raise type(error)(text, **vars(error)) from None
                to = version.version, identity(version.id)
                store.patch(updates, said.step(at, to))
                counts[version.version] = updates.counts
                at = to
        finally:
            store.flush()  # the versions before one that is refused
