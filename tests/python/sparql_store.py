"""A store with SPARQL Update over HTTP, made of pyoxigraph; what it does with a request can be changed."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

oxigraph = pytest.importorskip("pyoxigraph", reason="pyoxigraph is not installed")


# what RDF4J calls the default graph in templates, and the rows there
_NIL = re.compile(r"GRAPH <http://www.openrdf.org/schema/sesame#nil> \{(.*?)\}", re.DOTALL)


class Store:
    """A store and its server.

    Attributes:
        default: What the default graph is. ``union``: in queries it has the rows of all graphs. ``RDF4J``: as there,
            a template without ``GRAPH`` also deletes from all graphs. ``nameless``: and nothing is its name.
        updates: The bodies of updates, in order.
        before: Is called with the number of an update and its body before it is carried out; may raise.
        after: The same, after that.
    """

    def __init__(self, default: str = "") -> None:
        self.store = oxigraph.Store()
        self.default = default
        self.updates: list[str] = []
        self.before: Callable[[int, str], None] = lambda _number, _body: None
        self.after = self.before
        self.authorization: set[str | None] = set()
        self.url = ""
        self.is_open = False

    def statements(self) -> set[str]:
        """The quads of the store, but for what it says of logs."""
        return {str(quad) for quad in self.store if str(quad.graph_name) != "<urn:jelly:logs>"}

    def says(self) -> dict[str, str]:
        """What the store says of logs."""
        pattern = (None, None, None, oxigraph.NamedNode("urn:jelly:logs"))
        return {
            quad.predicate.value.rpartition(":")[2]: quad.object.value
            for quad in self.store.quads_for_pattern(*pattern)
        }

    def update(self, body: str) -> None:
        """Carries out an update that push makes."""
        if self.default not in ("RDF4J", "nameless"):
            self.store.update(body)
            return
        for operation in body.split(" ;\n"):
            template, where = operation.rsplit("WHERE", 1)
            # what a copy lacks whose default graph had the rows of all graphs
            copy = oxigraph.Store()
            for quad in self.store:
                copy.extend([quad, oxigraph.Quad(*quad.triple)])
            named = self.default == "RDF4J"
            copy.update((_NIL.sub("", template) if named else template) + f"WHERE{where}")
            for quad in list(self.store):
                if oxigraph.Quad(*quad.triple) not in copy:
                    self.store.remove(quad)
            self.store.update((_NIL.sub(r"\1", template) if named else template) + f"WHERE{where}")


class _LostError(Exception):
    """The connection ends without an answer."""


def lost(_number: int, _body: str) -> None:
    raise _LostError


def _handler(store: Store) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            store.authorization.add(self.headers["Authorization"])
            kind = self.headers["Content-Type"].partition(";")[0]
            try:
                if not store.is_open:  # a connection of before
                    raise _LostError
                if kind == "application/sparql-update":
                    store.updates.append(body)
                    number = len(store.updates)
                    store.before(number, body)
                    store.update(body)
                    store.after(number, body)
                    self.answer(204, b"", "text/plain")
                else:
                    found = store.store.query(body, use_default_graph_as_union=bool(store.default))
                    text = found.serialize(format=oxigraph.QueryResultsFormat.JSON)
                    self.answer(200, text, "application/sparql-results+json")
            except _LostError:
                self.close_connection = True
            except SyntaxError as error:
                self.answer(400, str(error).encode(), "text/plain")
            except OSError as error:
                self.answer(503, json.dumps(str(error)).encode(), "application/json")

        def answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


@contextmanager
def sparql_store(store: Store | None = None, port: int = 0) -> Iterator[Store]:
    """A store, which ends with the block; one that there was before starts again."""
    store = store or Store()
    with ThreadingHTTPServer(("127.0.0.1", port), _handler(store)) as server:
        server.daemon_threads = True
        store.url = f"http://127.0.0.1:{server.server_address[1]}/ds/update"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        store.is_open = True
        try:
            yield store
        finally:
            store.is_open = False
            server.shutdown()
            thread.join()
