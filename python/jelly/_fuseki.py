"""Patches to the patch endpoint of Apache Jena Fuseki, which answers 200 to one that it did not apply."""

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
    """Applies a patch to a dataset of Fuseki, by its patch endpoint.

    Fuseki ignores ids and transactions, undoes a patch with an abort, and answers 200 to all that. So
    the committed net rows are sent, in one transaction, with one more that says that they arrived (in
    the graph ``<urn:jelly:logs>``); a query finds that row, and a second patch deletes it.

    Args:
        endpoint: Where the dataset takes patches, such as ``http://localhost:3030/ds/patch``.
        patch: One patch of any format.
        query_endpoint: Where it answers queries; without it, ``.../query`` for ``.../patch``, else
            ``endpoint``.
        format: Of the patch, as in :func:`read_patch`.
        authorization: As of :func:`push`.

    Returns:
        What was sent.

    Raises:
        PatchError: The patch has no meaning, or Fuseki did not apply it (``patch.conflict``).
        JellyError: The source is bad, or its rows do not fit RDF Patch.
        OSError: Fuseki cannot be reached, or refused a request.
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
        raise OSError(f"{queries}: the answer is no SPARQL result; give the address where the store answers queries (--query)") from None  # fmt: skip
    if is_there is not True:
        message = f"patch.conflict: Fuseki accepted the patch and did not apply it; its log says why, or {queries} asks another dataset"
        raise PatchError(message, kind="patch.conflict", source=endpoint)
    _send(updates, f"TX .\nD {arrived}\nTC .\n".encode())
    return done


def _send(updates: Address, body: Path | bytes) -> None:
    updates.open("POST", "", None, {"Content-Type": "application/rdf-patch"}, body).close()
