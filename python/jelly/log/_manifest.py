"""``log.json`` of a log in an object store: whose log it is, and how it begins."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jelly._log_files import ENDING, LOG_JSON
from jelly.log._begin import BEGINS, fresh, refuse_other
from jelly.log._guard import replaced
from jelly.log._objects import Objects
from jelly.log._patch import refused_at

Said = dict[str, Any]


class Manifest:
    """What ``log.json`` said last.

    Args:
        objects: Of the log.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.said: Said | None = None

    def look(self) -> Said | None:
        """What it says now; None: there is none.

        Raises:
            PatchError: It is damaged (``patch.damaged``).
            OSError: The store cannot be reached, or rejects.
        """
        found = self._objects.get(LOG_JSON)
        self.said = None if found is None else parsed(found.data, self._objects.url)
        return self.said

    def begin(
        self, ending: str, more: Said, new: Mapping[str, str], *, has_patches: Callable[[], bool]
    ) -> bool:
        """Puts it there, or says in it how the log begins.

        Args:
            ending: Of the patches of a new log.
            more: What it is to say.
            new: What it is to say too, if it was not there.
            has_patches: Whether the log has some.

        Returns:
            Whether it was not there.

        Raises:
            PatchError: The log began otherwise (``patch.conflict``).
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
            text = json.dumps((fresh(ending) | dict(new) if said is None else said) | more).encode()
            other = self._objects.create(LOG_JSON, text) if found is None else self._objects.replace(LOG_JSON, text, found.tag)  # fmt: skip
            if other is None:
                self.said = parsed(text, self._objects.url)
                return said is None

    def change(self, id: str, make: Callable[[Said], Said | None]) -> Said:
        """Changes what it says of the log that has an id, whoever else changes it meanwhile.

        Args:
            id: Of the log.
            make: What it is to say, of what it says; None: that stays.

        Returns:
            What it says then.

        Raises:
            PatchError: Another log is there (``patch.changed``).
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

    def write_base(self, said: Mapping[str, Any], path: Path) -> None:
        """Writes the base to a file.

        Raises:
            PatchError: It is not there, or another one is (``patch.damaged``).
        """
        name, url = said["base"]["base"], self._objects.url
        found = self._objects.get(name)
        if found is None:
            raise refused_at("patch.damaged", f"the base {name} is missing", url)
        digest = said["base"].get("digest")
        if digest is not None and hashlib.sha256(found.data).hexdigest() != digest:
            raise refused_at("patch.damaged", f"{name} is not the file that {LOG_JSON} has the digest of", url)  # fmt: skip
        path.write_bytes(found.data)


def parsed(data: bytes, url: str) -> Said:
    """What the bytes of ``log.json`` of the log at an address say.

    Raises:
        PatchError: They are damaged (``patch.damaged``).
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
    """The first version whose patch can be read; ``said`` is what ``log.json`` says."""
    return int(((said or {}).get("base") or {}).get("version", 0)) + 1
