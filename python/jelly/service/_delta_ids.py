"""UUIDs for RDF Delta's clients, which identify logs and patches only by UUIDs."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from jelly import _internal
from jelly._inputs import whole_number
from jelly._readers import read_patch
from jelly._writers import PatchWriter
from jelly.errors import PatchError
from jelly.log._folder import FolderLog
from jelly.service._logs import UUID, Logs
from jelly.service._problems import Problem

_OURS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:jelly:delta")


def shown(id: str) -> str:
    """Returns the UUID that clients see for the id of a patch: the UUID in the id, or one derived from it."""
    identity = _internal.identify(id)[1]
    return identity if UUID.fullmatch(identity) else str(uuid.uuid5(_OURS, identity))


def renamed(source: Any, dest: Any, format: Any, new: Mapping[str, str], **options: Any) -> None:
    """Writes a patch as text, and replaces the values of some headers."""
    with (
        closing(read_patch(source, format=format, **options)) as reader,
        PatchWriter(dest, format="rdfp") as writer,
    ):
        for row in reader.rows():
            key = (row.name or "").lower() if row.op == "H" else ""
            key = "prev" if key == "previous" else key
            writer.write([row._replace(value=new[key]) if key in new else row])


class Known:
    """Maps UUIDs to the names of logs that were requested."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def id_of(self, name: str, id: str | None) -> str:
        """Returns the UUID of a log; if it has none, one derived from its name."""
        found = id if id is not None and UUID.fullmatch(id) else str(uuid.uuid5(_OURS, name))
        self._names[found.lower()] = name
        return found

    def uri_of(self, logs: Logs, name: str) -> str:
        """Returns the URI given when the log was created, or ``delta:`` and the name."""
        return str(logs.said(name).get("uri") or f"delta:{name}")

    def name_of(self, logs: Logs, given: str) -> str:
        """Returns the name of a log given by its UUID, URI or name."""
        given = given.removeprefix("id:")
        if UUID.fullmatch(given):
            known = self._names.get(given.lower())
            names = logs.names() if known is None or not self._is(logs, known, given) else [known]
            return next((name for name in names if self._is(logs, name, given)), given)
        if ":" in given:
            return next((name for name in logs.names() if self.uri_of(logs, name) == given), given)  # fmt: skip
        return given

    def _is(self, logs: Logs, name: str, given: str) -> bool:
        own = logs.said(name).get("id")
        return self.id_of(name, own).lower() == given.lower()

    def version_of(self, log: FolderLog, asked: str) -> int:
        """Returns the version given by a number or a UUID.

        Raises:
            PatchError: The version does not exist (``patch.version``), or is gone (``patch.gap``).
            Problem: The text is neither a number nor a UUID (404).
        """
        if (number := whole_number(asked)) is not None:
            return log.number(number)
        asked = asked.removeprefix("id:").lower()
        if not UUID.fullmatch(asked):
            raise Problem(404, "patch.version", "a version must be a number or a UUID")
        try:
            return log.number(f"urn:uuid:{asked}")
        except PatchError:
            versions = log.versions(log.info().first - 1)
            found = (one.version for one in versions if one.id and shown(one.id) == asked)
            if (version := next(found, None)) is None:
                raise
            return version
