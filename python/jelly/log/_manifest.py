"""``log.json`` of a log in an object store: the id of the log, and how it begins."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from jelly._log_files import ENDING, LOG_JSON
from jelly.log._begin import BEGINS, fresh, no_base, refuse_other
from jelly.log._guard import replaced
from jelly.log._objects import Objects
from jelly.log._patch import refused_at

Said = dict[str, Any]


class Manifest:
    """The last known content of ``log.json``.

    Args:
        objects: The objects of the log.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.said: Said | None = None

    def look(self) -> Said | None:
        """Returns the current content; None if there is no such object.

        Raises:
            PatchError: The object is damaged (``patch.damaged``).
            OSError: The store cannot be reached, or rejects the request.
        """
        found = self._objects.get(LOG_JSON)
        self.said = None if found is None else parsed(found.data, self._objects.url)
        return self.said

    def begin(
        self,
        ending: str,
        more: Said,
        new: Mapping[str, str],
        *,
        is_given: bool,
        has_patches: Callable[[], bool],
    ) -> bool:
        """Creates ``log.json``, or records in it how the log begins.

        Args:
            ending: The ending of the patches of a new log.
            more: Members to record.
            new: More members to record if ``log.json`` did not exist.
            is_given: Whether the caller gave how the log begins.
            has_patches: Returns whether the log has patches.

        Returns:
            Whether ``log.json`` did not exist.

        Raises:
            PatchError: The log begins differently (``patch.conflict``), or it has patches, and how it begins was not
                given (``patch.base``).
        """
        while True:
            found = self._objects.get(LOG_JSON)
            said = None if found is None else parsed(found.data, self._objects.url)
            if said is not None and (BEGINS in said or not more):
                self.said = said
                if more:
                    known = said.get("base", {})
                    now = known.get("base", said[BEGINS])
                    refuse_other(self._objects.url, now, known.get("sha256"), more.get("base"), has_patches=has_patches())  # fmt: skip
                return False
            if said is not None and not is_given and has_patches():
                raise no_base(self._objects.url)
            text = json.dumps((fresh(ending) | dict(new) if said is None else said) | more).encode()
            other = self._objects.create(LOG_JSON, text) if found is None else self._objects.replace(LOG_JSON, text, found.tag)  # fmt: skip
            if other is None:
                self.said = parsed(text, self._objects.url)
                return said is None

    def change(self, id: str, make: Callable[[Said], Said | None]) -> Said:
        """Changes the content of the log with an id, even if others change it at the same time.

        Args:
            id: The id of the log.
            make: Returns the new content for the current content; None to keep the current content.

        Returns:
            The content after the change.

        Raises:
            PatchError: The place has another log (``patch.changed``).
        """
        while True:
            found = self._objects.get(LOG_JSON)
            said = {} if found is None else parsed(found.data, self._objects.url)
            message = replaced("read", id, said.get("id"))
            if found is None or message is not None:
                raise refused_at("patch.changed", f"{message}", self._objects.url)  # fmt: skip
            more = make(said)
            if more is None:
                return said
            if self._objects.replace(LOG_JSON, json.dumps(more).encode(), found.tag) is None:
                return more

    def base(self, said: Mapping[str, Any]) -> bytes:
        """Reads the base.

        Raises:
            PatchError: The base is missing, or has another digest (``patch.damaged``).
        """
        name, url = said["base"]["base"], self._objects.url
        found = self._objects.get(name)
        if found is None:
            raise refused_at("patch.damaged", f"the base {name} is missing", url)
        digest = said["base"].get("digest")
        if digest is not None and hashlib.sha256(found.data).hexdigest() != digest:
            raise refused_at("patch.damaged", f"{name} is not the file that {LOG_JSON} has the digest of", url)  # fmt: skip
        return found.data


def parsed(data: bytes, url: str) -> Said:
    """Parses ``log.json`` of the log at an address.

    Raises:
        PatchError: The data is damaged (``patch.damaged``).
    """
    try:
        said = json.loads(data)
        is_right = ENDING.fullmatch(said["ending"]) and isinstance(said["id"], str)
    except (ValueError, KeyError, TypeError):
        is_right = False
    if not is_right:
        raise refused_at("patch.damaged", f"{LOG_JSON} is incomplete or damaged", url)
    return dict(said)


def first_of(said: Mapping[str, Any] | None) -> int:
    """Returns the first version whose patch can be read; ``said`` is the content of ``log.json``."""
    return int(((said or {}).get("base") or {}).get("version", 0)) + 1
