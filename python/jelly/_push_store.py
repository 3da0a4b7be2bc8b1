"""The store of a push: what it is asked, and how operations are sent to it."""

from __future__ import annotations

import json
import uuid
from itertools import chain
from typing import Any, TypeAlias

from jelly import _internal
from jelly._http import Address
from jelly._patching import Report, Step
from jelly.log._guard import Guard
from jelly.log._patch import refused

At: TypeAlias = tuple[int, str]
_FORGETS = (
    "{}: the store accepted a request, but {}; check that {} queries the same store "
    "(query_endpoint=, --query)"
)
_TRUE = ("true", "1")
# what RDF4J, and stores that are made of it, call the default graph
_NIL = "http://www.openrdf.org/schema/sesame#nil"
# tries to delete from the default graph alone: a row of <urn:jelly:logs> says that it was tried, one that the
# first delete has left it alone, and one that nothing has the name
_TRIAL = (
    "INSERT {{ GRAPH <urn:jelly:logs> {{ {0} <urn:jelly:tried> 1 ; <urn:jelly:alone> 1 }} {0} <urn:jelly:default> 1 }} WHERE {{}}",
    "DELETE {{ {0} <urn:jelly:alone> 1 }} WHERE {{}}",
    f"DELETE {{{{ GRAPH <{_NIL}> {{{{ {{0}} <urn:jelly:default> 1 }}}} }}}} WHERE {{{{}}}}",
    "INSERT {{ GRAPH <urn:jelly:logs> {{ {0} <urn:jelly:nameless> 1 }} }} WHERE {{ {0} <urn:jelly:default> 1 }}",
    "DELETE {{ {0} <urn:jelly:default> 1 }} WHERE {{}}",
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
        self._is_here = False
        # whether the default graph of queries has the rows of all graphs, and then how deletes call it alone
        self._is_union = False
        self._default: tuple[str | None] | None = None
        self.guard: Guard | None = None
        """Around the patches that are read."""

    def at(self, said: Any, skolemize: str | None) -> At | None:
        """The version that the store says it has."""
        self._waiting, self._bytes = [], 0
        rows = set(self._asked(said.query(), "version", "patch", "start", "union", "here"))
        if not rows:
            return None
        if len(rows) > 1:
            raise refused("patch.damaged", f"the store records several versions of the log in the graph <urn:jelly:logs>: {sorted(row[:3] for row in rows)}")  # fmt: skip
        version, patch, start, union, here = rows.pop()
        self._is_union, self._is_here = union in _TRUE, here in _TRUE
        if start != (skolemize or ""):
            given = "the first push to the store did not use skolemize" if not start else f"the first push to the store used skolemize={start!r}"  # fmt: skip
            raise ValueError(f"{given}; use the same for all patches, so that blank nodes keep their names")  # fmt: skip
        return int(version), patch

    def _asked(self, query: str, *names: str) -> list[tuple[str, ...]]:
        """The values of these variables in each row of an answer."""
        headers = {"Content-Type": "application/sparql-query", "Accept": "application/sparql-results+json"}  # fmt: skip
        with self._query.open("POST", "", None, headers, query.encode()) as answer:
            text = answer.read()
        try:
            rows = json.loads(text)["results"]["bindings"]
            return [tuple(row[name]["value"] for name in names) for row in rows]
        except (ValueError, KeyError, TypeError):
            raise OSError(f"{self.query_url}: the answer is not a SPARQL result; give the address where the store answers queries (query_endpoint=, --query)") from None  # fmt: skip

    def default_graph(self) -> str | None:
        """What deletes must call the default graph, lest the store deletes from all graphs; None: nothing.

        A store is tried whose default graph has the rows of all graphs in queries, as in RDF4J.

        Raises:
            OSError: The store deletes from all graphs in any case.
        """
        if not self._is_union:
            return None
        if self._default is None:
            self._default = (self._tried(),)
        return self._default[0]

    def _tried(self) -> str | None:
        row = f"<urn:uuid:{uuid.uuid4()}>"
        rows = f"GRAPH <urn:jelly:logs> {{ {row} ?found 1 }}"
        self._post([operation.format(row) for operation in _TRIAL])
        found = {name.rpartition(":")[2] for (name,) in self._asked(f"SELECT ?found WHERE {{ {rows} }}", "found")}  # fmt: skip
        self._post([f"DELETE WHERE {{ {rows} }}"])
        if "tried" not in found:
            why = "a query does not find what it added"
            raise OSError(_FORGETS.format(self._update.url, why, self.query_url))
        if "alone" in found:
            return None
        if "nameless" in found:
            raise OSError(f"{self._update.url}: the store deletes statements of the default graph from all graphs, and does not know the name <{_NIL}> of the default graph, so it cannot follow a log")  # fmt: skip
        return _NIL

    def forgets(self, at: At) -> str:
        """What to do about a store that does not say what it was given."""
        why = f"its version is not later than {at[0]}"
        return _FORGETS.format(self._update.url, why, self.query_url)

    def logs_here(self, said: Any) -> list[str]:
        """The logs that the store follows and that were at this place."""
        return [log for (log,) in self._asked(said.logs_here(), "log")]

    def stands(self, said: Any, at: At) -> None:
        """Makes the store say where the log is, if it does not."""
        if not self._is_here:
            self._post([said.here(at)])

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
