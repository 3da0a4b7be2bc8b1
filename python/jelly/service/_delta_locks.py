"""Locks of RDF Delta's clients. They only spare writers pointless waits: ``H prev`` protects the log."""

from __future__ import annotations

import threading
import uuid


class Locks:
    """At most one lock per log, in memory: a restarted server has no locks."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, int]] = {}
        self._turn = threading.Lock()

    def take(self, log: str) -> str | None:
        """Acquires the lock of a log; None if another client holds it."""
        with self._turn:
            return None if log in self._held else self._new(log)

    def read(self, log: str) -> tuple[str, int] | None:
        """Returns the holder of the lock, and how often it was refreshed."""
        return self._held.get(log)

    def refresh(self, log: str, ref: str) -> bool:
        """Records that the holder is alive; False if it does not hold the lock."""
        with self._turn:
            held = self._held.get(log)
            if held is None or held[0] != ref:
                return False
            self._held[log] = (ref, held[1] + 1)
            return True

    def grab(self, log: str, ref: str) -> str | None:
        """Takes over the lock from a holder that seems dead; None if another client or nobody holds it."""
        with self._turn:
            held = self._held.get(log)
            return self._new(log) if held is not None and held[0] == ref else None

    def free(self, log: str, ref: str) -> None:
        """Releases the lock, if it is still held."""
        with self._turn:
            if (held := self._held.get(log)) is not None and held[0] == ref:
                del self._held[log]

    def _new(self, log: str) -> str:
        ref = str(uuid.uuid4())
        self._held[log] = (ref, 1)
        return ref
