"""The store of a push: what it is asked, and how operations are sent to it."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any, TypeAlias

from jelly import _internal
from jelly._http import Address
from jelly._patching import Report, Step
from jelly.log._guard import Guard
from jelly.log._patch import refused

At: TypeAlias = tuple[int, str]
_FORGETS = (
    "{}: the store accepted a request, but its version is not later than {}; check that {} "
    "queries the same store (query_endpoint=, --query)"
)


class Store:
    """The endpoints of a store, and the operations that wait for their request."""

    def __init__(
        self,
        endpoint: str,
        query_endpoint: str | None,
        authorization: str | None,
        request_bytes: int,
        progress: Report | None,
    ) -> None:
        if request_bytes < 1:
            raise ValueError(f"request_bytes is {request_bytes}; it must be at least 1")
        self.query_url = query_endpoint or _query_url(endpoint)
        self._update = Address.of_store(endpoint, authorization)
        self._query = Address.of_store(self.query_url, authorization)
        self._limit, self._progress = request_bytes, progress
        self._waiting: list[str] = []
        self._bytes = 0
        self._rows = self._sent = 0
        self.requests = 0
        self.guard: Guard | None = None
        """Around the patches that are read."""

    def at(self, said: Any, skolemize: str | None) -> At | None:
        """The version that the store says it has."""
        self._waiting, self._bytes = [], 0
        headers = {"Content-Type": "application/sparql-query", "Accept": "application/sparql-results+json"}  # fmt: skip
        with self._query.open("POST", "", None, headers, said.query().encode()) as answer:
            text = answer.read()
        try:
            rows = json.loads(text)["results"]["bindings"]
            found = {(int(row["version"]["value"]), row["patch"]["value"], row["start"]["value"]) for row in rows}  # fmt: skip
        except (ValueError, KeyError, TypeError):
            raise OSError(f"{self.query_url}: the answer is not a SPARQL result; give the address where the store answers queries (query_endpoint=, --query)") from None  # fmt: skip
        if not found:
            return None
        if len(found) > 1:
            raise refused("patch.damaged", f"the store records several versions of the log in the graph <urn:jelly:logs>: {sorted(found)}")  # fmt: skip
        version, patch, start = found.pop()
        if start != (skolemize or ""):
            given = "the first push to the store did not use skolemize" if not start else f"the first push to the store used skolemize={start!r}"  # fmt: skip
            raise ValueError(f"{given}; use the same for all patches, so that blank nodes keep their names")  # fmt: skip
        return version, patch

    def forgets(self, at: At) -> str:
        """What to do about a store that does not say what it was given."""
        return _FORGETS.format(self._update.url, at[0], self.query_url)

    def begin(self, said: Any, skolemize: str | None, at: At) -> At:
        """Makes the store say a version, if it says none; the version that it has then."""
        self._post([said.begin(at)])
        found = self.at(said, skolemize)
        if found is None:
            raise OSError(self.forgets(at))
        return found

    def patch(self, updates: _internal.Updates, step: str) -> None:
        """Takes the operations of a patch; those that wait are sent where it does not fit behind them."""
        added, deleted, _ = updates.counts
        self._rows += added + deleted
        mine: list[str] = []
        size = 0
        for operation in chain(updates, (step,)):
            length = len(operation.encode())
            if mine and size + length > self._limit:
                self.flush()
                self._guarded(mine)
                mine, size = [], 0
            mine.append(operation)
            size += length
        if self._waiting and self._bytes + size > self._limit:
            self.flush()
        self._waiting += mine
        self._bytes += size

    def flush(self) -> None:
        """Sends what waits."""
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        if waiting:
            self._guarded(waiting)

    def _guarded(self, operations: list[str]) -> None:
        """Sends operations of patches that were read, if the log still has these."""
        if self.guard is not None:
            self.guard.check()
        self._post(operations)

    def _post(self, operations: list[str]) -> None:
        body = " ;\n".join(operations).encode()
        headers = {"Content-Type": "application/sparql-update; charset=utf-8"}
        self.requests += 1
        self._update.open("POST", "", None, headers, body).close()
        self._sent += len(body)
        if self._progress is not None:
            self._progress(Step("pushing", self._rows, self._sent))


def _query_url(endpoint: str) -> str:
    """Where a store answers queries, by where it takes updates: as Fuseki, RDF4J and others have it."""
    place = endpoint.rstrip("/")
    if place.endswith("/update"):
        return place.removesuffix("update") + "query"
    return place.removesuffix("/statements")
