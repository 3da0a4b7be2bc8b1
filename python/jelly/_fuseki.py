"""Patches for the patch endpoint of Apache Jena Fuseki, which answers 200 even to a patch that it did not apply."""

from __future__ import annotations

import json
import tempfile
import uuid
from pathlib import Path

from jelly._changes import Patched, net
from jelly._http import Address
from jelly.errors import PatchError
from jelly.types import PatchFormat, Source


def publish_to_fuseki(
    endpoint: str,
    patch: Source,
    *,
    query_endpoint: str | None = None,
    format: PatchFormat = "auto",
    authorization: str | None = None,
) -> Patched:
    """Applies a patch to a dataset of Fuseki through its patch endpoint.

    Fuseki ignores ids and transactions, undoes a patch with an abort, and answers 200 in all these cases. So the
    committed net rows are sent in one transaction, with one more row in the graph ``<urn:jelly:logs>``; a query
    checks that this row has arrived, and a second patch deletes it.

    Args:
        endpoint: The patch endpoint of the dataset, such as ``http://localhost:3030/ds/patch``.
        patch: One patch in any format.
        query_endpoint: The address for queries; without it, ``.../query`` for ``.../patch``, else
            ``endpoint``.
        format: Format of the patch, as in :func:`read_patch`.
        authorization: As for :func:`push`.

    Returns:
        What was sent.

    Raises:
        PatchError: The patch is not valid, or Fuseki did not apply it (``patch.conflict``).
        JellyError: The source has an error, or RDF Patch cannot hold its rows.
        OSError: Fuseki cannot be reached, or rejected a request.
    """
    place = endpoint.rstrip("/")
    queries = query_endpoint or (place.removesuffix("patch") + "query" if place.endswith("/patch") else place)  # fmt: skip
    updates, asked = (Address.of_store(url, authorization) for url in (endpoint, queries))
    row = f"<urn:uuid:{uuid.uuid4()}> <urn:jelly:arrived> <urn:jelly:here>"
    arrived = f"{row} <urn:jelly:logs> ."
    with tempfile.TemporaryDirectory() as folder:
        # the row is the last one: Fuseki applies rows in order
        rows, body = Path(folder) / "rows.rdfp", Path(folder) / "body.rdfp"
        done = net(patch, rows, to="rdfp", patch_format=format)
        net([rows, f"TX .\nA {arrived}\nTC .\n".encode()], body, to="rdfp", patch_format="rdfp", chain="ignore")  # fmt: skip
        _send(updates, body)
    query = f"ASK {{ GRAPH <urn:jelly:logs> {{ {row} }} }}".encode()
    headers = {"Content-Type": "application/sparql-query", "Accept": "application/sparql-results+json"}  # fmt: skip
    with asked.open("POST", "", None, headers, query) as answer:
        text = answer.read()
    try:
        is_there = json.loads(text)["boolean"]
    except (ValueError, KeyError, TypeError):
        raise OSError(f"{queries}: the answer is not a SPARQL result; give the address where the store answers queries (--query)") from None  # fmt: skip
    if is_there is not True:
        message = (
            "patch.conflict: Fuseki accepted the patch, but did not apply it; see its log, and "
            f"check that {queries} queries the same dataset"
        )
        raise PatchError(message, kind="patch.conflict", source=endpoint)
    _send(updates, f"TX .\nD {arrived}\nTC .\n".encode())
    return done


def _send(updates: Address, body: Path | bytes) -> None:
    updates.open("POST", "", None, {"Content-Type": "application/rdf-patch"}, body).close()
